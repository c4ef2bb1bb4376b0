/** Recorded blocks in the draft: each behind the one before, and one that changes keeps its place and what was edited. */
import { afterSelected } from "./clipboard";
import type { Draft } from "./draft";
import { find, fromService, insert, update, type Block } from "./tree_edit";

/** Put a block behind the chosen one, and choose it. */
export function appendBlock(draft: Draft, block: Block): void {
  draft.change(insert(draft.blocks.value, afterSelected(draft), [block]));
  draft.selected.value = block.key;
}

/** Takes the blocks of a recording as they come. */
export function recordInto(draft: Draft): (number: number, block: Record<string, unknown>) => void {
  const keys = new Map<number, string>();
  return (number, definition) => {
    const [made] = fromService([definition]);
    if (!made) return;
    const key = keys.get(number);
    if (key && find(draft.blocks.value, key)) {
      draft.change(update(draft.blocks.value, key, (one) => ({ ...made, key: one.key })));
      return;
    }
    keys.set(number, made.key);
    appendBlock(draft, made);
  };
}
