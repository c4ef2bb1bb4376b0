/** Blocks in and out of the draft as JSON: the clipboard and files. */
import { call } from "../../api/client";
import { save as saveFile } from "../../design/json";
import { notify } from "../../design/notice";
import type { Draft } from "./draft";
import { copyOf, fromService, insert, placeOf, remove, toService, type Blocks, type Place } from "./tree_edit";

/** Behind the chosen block, else at the end. */
export function afterSelected(draft: Draft): Place {
  const blocks = draft.blocks.value;
  const place = draft.selected.value ? placeOf(blocks, draft.selected.value) : undefined;
  return place ? { ...place, index: place.index + 1 } : { parent: null, sequence: "sequence", index: blocks.length };
}

export async function copyBlock(draft: Draft): Promise<void> {
  const block = draft.block.value;
  if (!block) return;
  await navigator.clipboard.writeText(JSON.stringify(toService([block]), null, 2));
  notify("Copied as JSON.");
}

export function deleteBlock(draft: Draft): void {
  const block = draft.block.value;
  if (!block) return;
  draft.change(remove(draft.blocks.value, block.key));
  draft.selected.value = undefined;
  notify(`“${block.name}” is gone.`, "good", () => draft.undo());
}

/** Put in what the clipboard holds: a block, a list, or a whole exported workflow. */
export async function pasteBlocks(draft: Draft): Promise<void> {
  const blocks = read(await navigator.clipboard.readText().catch(() => ""));
  if (!blocks) return notify("The clipboard holds no blocks.", "bad");
  const added = blocks.map(copyOf);
  draft.change(insert(draft.blocks.value, afterSelected(draft), added));
  draft.selected.value = added[0]?.key;
}

/** Take the blocks of a file instead of these; one undo leads back. */
export async function importBlocks(draft: Draft, file: File): Promise<void> {
  const blocks = read(await file.text());
  if (!blocks) return notify(`${file.name} holds no blocks.`, "bad");
  draft.change(blocks);
  draft.selected.value = undefined;
  notify("Imported. Save keeps it, Undo leads back.", "good", () => draft.undo());
}

export async function exportWorkflow({ id, name }: { id: string; name: string }): Promise<void> {
  const answer = await call("/workflows/export", { id });
  saveFile(JSON.stringify(answer, null, 2), `${name}.workflow.json`);
}

function read(text: string): Blocks | undefined {
  try {
    const parsed = JSON.parse(text) as { blocks?: unknown; workflow?: { blocks?: unknown } };
    const list: unknown[] = [parsed.workflow?.blocks ?? parsed.blocks ?? parsed].flat();
    const isBlocks = list.length > 0 && list.every((one) => typeof (one as { type?: unknown } | null)?.type === "string");
    return isBlocks ? fromService(list as Record<string, unknown>[]) : undefined;
  } catch {
    return undefined;
  }
}
