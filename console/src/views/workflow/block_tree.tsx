/** The tree `Blocks`: select with a click or the arrow keys, move by dragging or with Alt and the arrow keys. */
import { Button } from "../../design/button";
import { Icon } from "../../design/icon";
import { formatValue, labelOf } from "../../design/format";
import type { Schema } from "../../forms/schema";
import { findBlock, moveBlock, placeOf, walkBlocks, type Block, type Blocks, type Place } from "./block_edits";
import type { Kind, Kinds } from "./kinds";

const DRAG_TYPE = "text/pagehand-block";

interface Props {
  blocks: Blocks;
  kinds: Kinds;
  selected: string | undefined;
  problems: ReadonlySet<string>;
  onSelect: (key: string) => void;
  onChange: (blocks: Blocks) => void;
  onInsert: (place: Place) => void;
  onCopy: () => unknown;
  onDelete: () => void;
}

export function BlockTree(props: Props) {
  const { blocks, selected, onSelect, onChange } = props;
  const order = [...walkBlocks(blocks)].map(({ block }) => block.key);
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.target as Element).getAttribute("role") !== "treeitem") return;
    const at = order.indexOf(selected ?? order[0] ?? "");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.altKey && selected && event.key.startsWith("Arrow")) {
      onChange(moveByArrowKey(blocks, selected, event.key));
      focusBlock(selected);
    } else if (step) select(order[Math.min(order.length - 1, Math.max(0, at + step))], onSelect);
    else if (event.key === "Home") select(order[0], onSelect);
    else if (event.key === "End") select(order.at(-1), onSelect);
    else if (event.key === "ArrowLeft" && selected) select(placeOf(blocks, selected)?.parent ?? undefined, onSelect);
    else if (event.key === "ArrowRight" && selected)
      select(Object.values(findBlock(blocks, selected)?.sequenceData ?? {}).flat()[0]?.key, onSelect);
    else if (event.key === "Delete") props.onDelete();
    else if (event.key === "Insert" && selected) props.onInsert(placeAfter(placeOf(blocks, selected)));
    else if (isCommand && event.key === "c") props.onCopy();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <ul class="tree" role="tree" aria-label="Blocks" aria-describedby="tree-keys" onKeyDown={onKeyDown}>
        <Sequence {...props} list={blocks} parent={null} name="sequence" depth={1} />
      </ul>
      <div class="tree-end">
        <Button
          needs="edit"
          kind="quiet"
          icon="plus"
          onPress={() => props.onInsert({ parent: null, sequence: "sequence", index: blocks.length })}
        >
          Insert a block
        </Button>
      </div>
      <p class="sr-only" id="tree-keys">
        Alt with the arrow keys moves the selected block: up, down, out of its container, or into the one above it.
        Insert adds a block after it.
      </p>
    </>
  );
}

function select(key: string | undefined, onSelect: (key: string) => void): void {
  if (!key) return;
  onSelect(key);
  focusBlock(key);
}

function focusBlock(key: string): void {
  requestAnimationFrame(() => document.getElementById(`block-${key}`)?.focus());
}

/** Move a block by one key: among its siblings, out of its container, or into the container above it. */
export function moveByArrowKey(blocks: Blocks, key: string, arrow: string): Blocks {
  const place = placeOf(blocks, key);
  if (!place) return blocks;
  const siblings =
    place.parent === null ? blocks : (findBlock(blocks, place.parent)?.sequenceData[place.sequence] ?? []);
  if (arrow === "ArrowLeft") {
    const outer = place.parent === null ? undefined : placeOf(blocks, place.parent);
    return outer ? moveBlock(blocks, key, { ...outer, index: outer.index + 1 }) : blocks;
  }
  if (arrow === "ArrowRight") {
    const above = siblings[place.index - 1];
    const [lane] = Object.entries(above?.sequenceData ?? {});
    return above && lane
      ? moveBlock(blocks, key, { parent: above.key, sequence: lane[0], index: lane[1].length })
      : blocks;
  }
  const index = place.index + (arrow === "ArrowDown" ? 1 : -1);
  if (index < 0 || index >= siblings.length) return blocks;
  return moveBlock(blocks, key, { ...place, index: arrow === "ArrowDown" ? index + 1 : index });
}

interface SequenceProps extends Props {
  list: Blocks;
  parent: string | null;
  name: string;
  depth: number;
}

function Sequence({ list, parent, name, depth, ...props }: SequenceProps) {
  return (
    <>
      {list.map((block, index) => (
        <TreeItem
          key={block.key}
          block={block}
          place={{ parent, sequence: name, index }}
          isLast={index === list.length - 1}
          depth={depth}
          {...props}
        />
      ))}
    </>
  );
}

type ItemProps = Props & { block: Block; place: Place; isLast: boolean; depth: number };

function TreeItem({ block, place, isLast, depth, ...props }: ItemProps) {
  const kind = props.kinds.get(block.type);
  const isSelected = props.selected === block.key;
  const lanes = kind?.sequences ?? [];
  const drop = useDrop(props, (isBefore) => (isBefore ? place : placeAfter(place)));
  // for the mouse only: ARIA allows no buttons in a tree; with the keyboard, the block's actions insert
  const insertButton = (at: Place, label: string, side: string) => (
    <button
      key={side}
      type="button"
      class={side}
      data-words={label}
      aria-hidden="true"
      tabIndex={-1}
      onClick={(event) => (event.stopPropagation(), props.onInsert(at))}
    >
      <Icon name="plus" />
    </button>
  );
  return (
    <li role="none">
      <div
        id={`block-${block.key}`}
        role="treeitem"
        aria-level={depth}
        aria-selected={isSelected}
        aria-expanded={lanes.length ? true : undefined}
        tabIndex={isSelected || (!props.selected && place.parent === null && place.index === 0) ? 0 : -1}
        class={isSelected ? "tree-item selected" : "tree-item"}
        draggable
        onClick={() => props.onSelect(block.key)}
        onFocus={(event) => event.target === event.currentTarget && !isSelected && props.onSelect(block.key)}
        onDragStart={(event) => event.dataTransfer?.setData(DRAG_TYPE, block.key)}
        {...drop}
      >
        {insertButton(place, "", "tree-insert before")}
        <span class="tree-name">{block.name}</span>
        <span class="small muted clip">{summary(block, kind)}</span>
        {props.problems.has(block.key) && <span class="tree-problem" role="img" aria-label="has a problem" />}
        {isLast &&
          place.parent !== null &&
          lanes.length === 0 &&
          insertButton(placeAfter(place), "", "tree-insert after")}
        {lanes
          .filter((one) => !block.sequenceData[one]?.length)
          .map((one) =>
            insertButton({ parent: block.key, sequence: one, index: 0 }, laneName(one), `tree-into ${one}`),
          )}
      </div>
      {lanes.length > 0 && (
        <div class={lanes.length > 1 ? "lanes several" : "lanes"}>
          {lanes.map((one) => (
            <Lane key={one} {...props} block={block} name={one} depth={depth} />
          ))}
        </div>
      )}
    </li>
  );
}

function Lane({ block, name, depth, ...props }: Props & { block: Block; name: string; depth: number }) {
  const list = block.sequenceData[name] ?? [];
  const drop = useDrop(props, () => ({ parent: block.key, sequence: name, index: list.length }));
  return (
    <div class="lane" {...drop}>
      <span class="lane-name small">{laneName(name)}</span>
      <ul role="group" aria-label={`${block.name}: ${laneName(name)}`}>
        <Sequence {...props} list={list} parent={block.key} name={name} depth={depth + 1} />
      </ul>
    </div>
  );
}

/** Drop handlers; `place` returns the target for the upper or the lower half of the element. */
function useDrop({ blocks, onChange }: Props, place: (isBefore: boolean) => Place) {
  const isUpperHalf = (event: DragEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    return event.clientY < box.top + box.height / 2;
  };
  const markDropSide = (event: DragEvent, side: string) =>
    (event.currentTarget as HTMLElement).setAttribute("data-drop", side);
  return {
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      markDropSide(event, isUpperHalf(event) ? "before" : "after");
    },
    onDragLeave: (event: DragEvent) => markDropSide(event, ""),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      markDropSide(event, "");
      const key = event.dataTransfer?.getData(DRAG_TYPE);
      if (key) onChange(moveBlock(blocks, key, place(isUpperHalf(event))));
    },
  };
}

export function placeAfter(place: Place | undefined): Place {
  return place ? { ...place, index: place.index + 1 } : { parent: null, sequence: "sequence", index: 0 };
}

/** One line about a block of any kind: its locator and its value, or else its first text value. */
function summary(block: Block, kind: Kind | undefined): string {
  const locator = Object.values(block.locator ?? {})
    .filter((one) => typeof one === "string")
    .join(" ");
  const names = Object.keys((kind?.data as Schema | undefined)?.properties ?? block.data); // in the form's order
  const value = firstText(names.map((name) => block.data[name]));
  const typed =
    locator && block.data["inputType"] !== "SensitiveTextInput" ? formatValue(block.data["value"]).slice(0, 80) : "";
  return [kind?.title ?? block.type, locator || value, typed].filter(Boolean).join(" · ");
}

function firstText(value: unknown): string | undefined {
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (value === null || typeof value !== "object") return undefined;
  if ("properties" in value) return Object.keys(value.properties ?? {}).join(", "); // a schema says what is read
  return ("items" in value ? [value.items] : Object.values(value)).map(firstText).find(Boolean);
}

export function laneName(sequence: string): string {
  const name = sequence.replace(/Sequence$/, "");
  return name === "sequence" ? "Each round" : labelOf(name);
}
