/** Adds recorded blocks to the draft; a recorded block that changes is updated in place. */
import { blocksFromApi, findBlock, insertBlocks, updateBlock, type ApiBlock, type Block } from "./block_edits";
import { afterSelected } from "./clipboard";
import type { Draft } from "./draft";

/** Insert a block after the selected one, and select it. */
export function appendBlock(draft: Draft, block: Block): void {
  draft.change(insertBlocks(draft.blocks.value, afterSelected(draft), [block]));
  draft.selected.value = block.key;
}

/** The handler that adds each recorded block to the draft. */
export function recordInto(draft: Draft): (number: number, block: ApiBlock) => void {
  const keys = new Map<number, string>();
  return (number, apiBlock) => {
    const [recorded] = blocksFromApi([apiBlock]);
    if (!recorded) return;
    const key = keys.get(number);
    if (key && findBlock(draft.blocks.value, key)) {
      draft.change(updateBlock(draft.blocks.value, key, (one) => ({ ...recorded, key: one.key })));
      return;
    }
    keys.set(number, recorded.key);
    appendBlock(draft, recorded);
  };
}
