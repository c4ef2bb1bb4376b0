/** The tree `Blocks`: chosen with a click or the arrow keys, moved by dragging or with Alt and the arrow keys. */
import { Button } from "../../design/button";
import { labelOf } from "../../forms/schema";
import type { Kind, Kinds } from "./kinds";
import { find, move, placeOf, walk, type Block, type Blocks, type Place } from "./tree_edit";

interface Props {
  blocks: Blocks;
  kinds: Kinds;
  selected: string | undefined;
  problems: ReadonlySet<string>;
  onSelect: (key: string) => void;
  onChange: (blocks: Blocks) => void;
  onInsert: (place: Place) => void;
}

export function BlockTree(props: Props) {
  const { blocks, selected, onSelect, onChange } = props;
  const order = [...walk(blocks)].map(({ block }) => block.key);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = order.indexOf(selected ?? order[0] ?? "");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.altKey && step && selected) onChange(nudge(blocks, selected, step));
    else if (step) select(order[Math.min(order.length - 1, Math.max(0, at + step))], onSelect);
    else if (event.key === "Home") select(order[0], onSelect);
    else if (event.key === "End") select(order.at(-1), onSelect);
    else return;
    event.preventDefault();
  };
  return (
    <ul class="tree" role="tree" aria-label="Blocks" onKeyDown={onKeyDown}>
      <Sequence {...props} list={blocks} parent={null} name="sequence" depth={1} />
    </ul>
  );
}

function select(key: string | undefined, onSelect: (key: string) => void): void {
  if (!key) return;
  onSelect(key);
  requestAnimationFrame(() => document.getElementById(`block-${key}`)?.focus());
}

/** One place up or down among its siblings. */
export function nudge(blocks: Blocks, key: string, step: number): Blocks {
  const place = placeOf(blocks, key);
  if (!place) return blocks;
  const siblings = place.parent === null ? blocks : (find(blocks, place.parent)?.sequenceData[place.sequence] ?? []);
  const index = place.index + step;
  if (index < 0 || index >= siblings.length) return blocks;
  return move(blocks, key, { ...place, index: step > 0 ? index + 1 : index });
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
        <Item key={block.key} block={block} place={{ parent, sequence: name, index }} depth={depth} {...props} />
      ))}
      <InsertHere place={{ parent, sequence: name, index: list.length }} isLast {...props} />
    </>
  );
}

function Item({ block, place, depth, ...props }: Props & { block: Block; place: Place; depth: number }) {
  const kind = props.kinds.get(block.type);
  const isSelected = props.selected === block.key;
  const lanes = kind?.sequences ?? [];
  return (
    <>
      <InsertHere place={place} {...props} />
      <li role="none">
        <div
          id={`block-${block.key}`}
          role="treeitem"
          aria-level={depth}
          aria-selected={isSelected}
          aria-expanded={lanes.length ? true : undefined}
          aria-owns={lanes.length ? lanes.map((one) => `lane-${block.key}-${one}`).join(" ") : undefined}
          tabIndex={isSelected || (!props.selected && place.parent === null && place.index === 0) ? 0 : -1}
          class={isSelected ? "tree-item selected" : "tree-item"}
          draggable
          onClick={() => props.onSelect(block.key)}
          onFocus={() => !isSelected && props.onSelect(block.key)}
          onDragStart={(event) => event.dataTransfer?.setData("text/pagehand-block", block.key)}
        >
          <span class="tree-name">{block.name}</span>
          <span class="small muted clip">{says(block, kind)}</span>
          {props.problems.has(block.key) && <span class="tree-problem" role="img" aria-label="has a problem" />}
        </div>
        {lanes.map((one) => (
          <div key={one} class="lane">
            {lanes.length > 1 && <span class="lane-name small">{laneName(one)}</span>}
            <ul role="group" id={`lane-${block.key}-${one}`} aria-label={`${block.name}: ${laneName(one)}`}>
              <Sequence {...props} list={block.sequenceData[one] ?? []} parent={block.key} name={one} depth={depth + 1} />
            </ul>
          </div>
        ))}
      </li>
    </>
  );
}

/** A line of what a block does, without knowing its kind: its locator's words and its first telling value. */
function says(block: Block, kind: Kind | undefined): string {
  const locator = Object.values(block.locator ?? {}).filter((one) => typeof one === "string").join(" ");
  const value = Object.values(block.data).find((one) => typeof one === "string" && one.length > 0) as string | undefined;
  return [kind?.title ?? block.type, locator || value].filter(Boolean).join(" · ");
}

function laneName(sequence: string): string {
  return labelOf(sequence.replace(/Sequence$/, "") || sequence);
}

function InsertHere({ place, isLast = false, onInsert, onChange, blocks }: Props & { place: Place; isLast?: boolean }) {
  return (
    <li
      role="none"
      class={isLast ? "tree-insert last" : "tree-insert"}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const key = event.dataTransfer?.getData("text/pagehand-block");
        if (key) onChange(move(blocks, key, place));
      }}
    >
      <Button kind="quiet" icon="plus" label="Insert a block here" onPress={() => onInsert(place)} />
    </li>
  );
}
