/** The tree `Blocks`: select with a click or the arrow keys, move by dragging or with Alt and the arrow keys. */
import { useEffect } from "preact/hooks";
import { Button } from "../../design/button";
import { Icon } from "../../design/icon";
import { formatValue, labelOf } from "../../design/format";
import type { Schema } from "../../forms/schema";
import {
  findBlock,
  moveBlock,
  outermost,
  placeOf,
  walkBlocks,
  type Block,
  type Blocks,
  type Place,
} from "./block_edits";
import type { Kind, Kinds } from "./kinds";
import type { Problem } from "./problems";

const DRAG_TYPE = "text/pagehand-block";

interface Props {
  blocks: Blocks;
  kinds: Kinds;
  selected: string | undefined;
  /** All that are selected, with the one that the form shows. */
  selectedKeys: ReadonlySet<string>;
  problems: ReadonlyMap<string, Problem>;
  /** The blocks that are being run, with the round of those that repeat others. */
  running: ReadonlyMap<string, string>;
  onSelect: (key: string) => void;
  onSelectTogether: (keys: Iterable<string>, last: string) => void;
  onChange: (blocks: Blocks) => void;
  onInsert: (place: Place) => void;
  onCopy: () => unknown;
  onDelete: () => void;
}

export function BlockTree(props: Props) {
  const { blocks, selected, selectedKeys, onSelect, onChange } = props;
  const order = [...walkBlocks(blocks)].map(({ block }) => block.key);
  // what a link, a failure or the search selects can be far down in a long list
  useEffect(() => scrollToBlock(selected), [selected]);
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.target as Element).getAttribute("role") !== "treeitem") return;
    const at = order.indexOf(selected ?? order[0] ?? "");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.altKey && selected && event.key.startsWith("Arrow")) {
      onChange(moveSelected(blocks, outermost(blocks, selectedKeys), event.key));
      focusBlock(selected);
    } else if (step && event.shiftKey) extend(props, order[at + step]);
    else if (isCommand && event.key === "a") props.onSelectTogether(order, selected ?? order.at(-1)!);
    else if (step) select(order[Math.min(order.length - 1, Math.max(0, at + step))], onSelect);
    else if (event.key === "Home") select(order[0], onSelect);
    else if (event.key === "End") select(order.at(-1), onSelect);
    else if (event.key === "ArrowLeft" && selected) select(placeOf(blocks, selected)?.parent ?? undefined, onSelect);
    else if (event.key === "ArrowRight" && selected)
      select(Object.values(findBlock(blocks, selected)?.sequenceData ?? {}).flat()[0]?.key, onSelect);
    else if (event.key === "Delete") props.onDelete();
    else if (event.key === "Escape" && selectedKeys.size > 1) onSelect(selected ?? order[0]!);
    else if (event.key === "Insert" && selected) props.onInsert(placeAfter(placeOf(blocks, selected)));
    else if (isCommand && event.key === "c") props.onCopy();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <ul
        class="tree"
        role="tree"
        aria-label="Blocks"
        aria-multiselectable="true"
        aria-describedby="tree-keys"
        onKeyDown={onKeyDown}
      >
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
        Shift with the arrow keys selects several blocks. Alt with the arrow keys moves the selected ones: up, down, out
        of their container, or into the one above them. Insert adds a block after them.
      </p>
    </>
  );
}

function select(key: string | undefined, onSelect: (key: string) => void): void {
  if (!key) return;
  onSelect(key);
  focusBlock(key);
}

function scrollToBlock(key: string | undefined): void {
  if (key) document.getElementById(`block-${key}`)?.scrollIntoView({ block: "nearest" });
}

function focusBlock(key: string): void {
  requestAnimationFrame(() => document.getElementById(`block-${key}`)?.focus());
}

/** Select one more block, or one less where the selection is left again. */
function extend({ selected, selectedKeys, onSelectTogether }: Props, to: string | undefined): void {
  if (!to || !selected) return;
  const keys = new Set(selectedKeys);
  if (keys.has(to)) keys.delete(selected);
  onSelectTogether(keys.add(to), to);
  focusBlock(to);
}

/** A click with Shift selects all up to the block, one with Ctrl adds or removes it. */
function selectByClick(event: MouseEvent, key: string, props: Props): void {
  const { selected, selectedKeys } = props;
  if (event.shiftKey && selected) {
    const order = [...walkBlocks(props.blocks)].map(({ block }) => block.key);
    const [from, to] = [order.indexOf(selected), order.indexOf(key)].sort((one, other) => one - other);
    props.onSelectTogether(order.slice(from, to! + 1), key);
  } else if (event.ctrlKey || event.metaKey) {
    const keys = new Set(selectedKeys);
    const isLess = keys.size > 1 && keys.delete(key);
    props.onSelectTogether(isLess ? keys : keys.add(key), isLess ? [...keys].at(-1)! : key);
  } else return props.onSelect(key);
  focusBlock(key);
}

/** Move several blocks by one key, in the order in which they do not pass each other; none if the first cannot move. */
function moveSelected(blocks: Blocks, moved: Blocks, arrow: string): Blocks {
  const ordered = arrow === "ArrowDown" || arrow === "ArrowLeft" ? [...moved].reverse() : moved;
  const first = ordered[0] ? moveByArrowKey(blocks, ordered[0].key, arrow) : blocks;
  if (first === blocks) return blocks;
  return ordered.slice(1).reduce((list, one) => moveByArrowKey(list, one.key, arrow), first);
}

/** Move a block by one key: among its siblings, out of its container, or into the container above it. */
function moveByArrowKey(blocks: Blocks, key: string, arrow: string): Blocks {
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
  const isChosen = props.selectedKeys.has(block.key);
  const problem = props.problems.get(block.key);
  const running = props.running.get(block.key);
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
        aria-selected={isChosen}
        aria-current={running === undefined ? undefined : "step"}
        aria-expanded={lanes.length ? true : undefined}
        tabIndex={isSelected || (!props.selected && place.parent === null && place.index === 0) ? 0 : -1}
        class={[
          "tree-item",
          isChosen ? "selected" : "",
          isSelected ? "current" : "",
          running === undefined ? "" : "running",
        ].join(" ")}
        draggable
        onMouseDown={(event) => (event.shiftKey || event.ctrlKey || event.metaKey) && event.preventDefault()}
        onClick={(event) => selectByClick(event, block.key, props)}
        onFocus={(event) => event.target === event.currentTarget && !isSelected && props.onSelect(block.key)}
        onDragStart={(event) => event.dataTransfer?.setData(DRAG_TYPE, block.key)}
        {...drop}
      >
        {insertButton(place, "", "tree-insert before")}
        <span class="tree-name">{block.name}</span>
        <span class="small muted clip">{summary(block, kind)}</span>
        {running !== undefined && <span class="small tree-running">{running || "Running"}</span>}
        {problem && (
          <span
            class={problem.isWarning ? "tree-problem warning" : "tree-problem"}
            role="img"
            aria-label={problem.isWarning ? "has a warning" : "has a problem"}
          />
        )}
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

function summary(block: Block, kind: Kind | undefined): string {
  return [kind?.title ?? block.type, valuesOf(block, kind)].filter(Boolean).join(" · ");
}

/** One line about a block of any kind: its locator and its value, or else its first text value. */
export function valuesOf(block: Pick<Block, "locator" | "data">, kind: Pick<Kind, "data"> | undefined): string {
  const locator = Object.values(block.locator ?? {})
    .filter((one) => typeof one === "string")
    .join(" ");
  const names = Object.keys((kind?.data as Schema | undefined)?.properties ?? block.data); // in the form's order
  const value = firstText(names.map((name) => block.data[name]));
  const typed =
    locator && block.data["inputType"] !== "SensitiveTextInput" ? formatValue(block.data["value"]).slice(0, 80) : "";
  return [locator || value, typed].filter(Boolean).join(" · ");
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
