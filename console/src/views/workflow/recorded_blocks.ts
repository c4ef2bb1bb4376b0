/** Adds recorded blocks to the draft; a recorded block that changes is updated in place. */
import { blocksFromApi, findBlock, insertBlocks, updateBlock, type ApiBlock, type Block } from "./block_edits";
import { afterSelected } from "./clipboard";
import type { Draft } from "./draft";

/** Insert a block after the selected one, or into it where it is an empty loop or branch; and select it. */
export function appendBlock(draft: Draft, block: Block): void {
  const selected = draft.block.value;
  const [sequence, inside] = Object.entries(selected?.sequenceData ?? {})[0] ?? [];
  const place =
    selected && sequence && inside?.length === 0 ? { parent: selected.key, sequence, index: 0 } : afterSelected(draft);
  draft.change(insertBlocks(draft.blocks.value, place, [block]));
  draft.selected.value = block.key;
}

/** The handler that adds each recorded block to the draft. */
export function recordInto(draft: Draft, recorded: Set<string>): (number: number, block: ApiBlock) => void {
  const keys = new Map<number, string>();
  return (number, apiBlock) => {
    const [block] = blocksFromApi([apiBlock]);
    if (!block) return;
    const key = keys.get(number);
    if (key && findBlock(draft.blocks.value, key)) {
      draft.change(updateBlock(draft.blocks.value, key, (one) => ({ ...block, key: one.key })));
      return;
    }
    keys.set(number, block.key);
    recorded.add(block.key);
    appendBlock(draft, block);
  };
}
