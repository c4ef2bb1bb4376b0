/** Copies blocks between the draft and the clipboard or files, as JSON. */
import { call, type Schemas } from "../../api/client";
import { saveText } from "../../design/download";
import { notify } from "../../design/notice";
import {
  blocksFromApi,
  blocksToApi,
  copyBlock,
  insertBlocks,
  placeOf,
  removeBlock,
  type ApiBlock,
  type Blocks,
  type Place,
} from "./block_edits";
import type { Draft } from "./draft";

/** The place after the selected block; the end if none is selected. */
export function afterSelected(draft: Draft): Place {
  const blocks = draft.blocks.value;
  const place = draft.selected.value ? placeOf(blocks, draft.selected.value) : undefined;
  return place ? { ...place, index: place.index + 1 } : { parent: null, sequence: "sequence", index: blocks.length };
}

export async function copyToClipboard(draft: Draft): Promise<void> {
  const block = draft.block.value;
  if (!block) return;
  await navigator.clipboard.writeText(JSON.stringify(blocksToApi([block]), null, 2));
  notify("Copied as JSON.");
}

/** Say what was just done and offer to undo it; the offer ends with the next change, which it would undo instead. */
export function notifyUndoable(draft: Draft, text: string): void {
  const dismiss = notify(text, "good", () => draft.undo());
  const done = draft.content.value;
  const end = draft.content.subscribe((content) => {
    if (content === done) return;
    dismiss();
    end();
  });
}

export function deleteBlock(draft: Draft): void {
  const block = draft.block.value;
  if (!block) return;
  draft.change(removeBlock(draft.blocks.value, block.key));
  draft.selected.value = undefined;
  notifyUndoable(draft, `“${block.name}” deleted.`);
}

/** Paste from the clipboard: a block, a list of blocks, or an exported workflow. */
export function pasteBlocks(draft: Draft, event: ClipboardEvent): void {
  event.preventDefault();
  const blocks = parseBlocks(event.clipboardData?.getData("text/plain") ?? "");
  if (!blocks) return void notify("The clipboard contains no blocks.", "bad");
  const added = blocks.map(copyBlock);
  draft.change(insertBlocks(draft.blocks.value, afterSelected(draft), added));
  draft.selected.value = added[0]?.key;
}

/** Replace blocks, parameters and output by those of a file; can be undone. */
export async function importWorkflow(draft: Draft, file: File): Promise<void> {
  const text = await file.text();
  const blocks = parseBlocks(text);
  if (!blocks) return void notify(`${file.name} contains no blocks.`, "bad");
  const parsed = JSON.parse(text) as Partial<Schemas["PortableWorkflow"]> & {
    workflow?: Partial<Schemas["PortableWorkflow"]>;
  };
  const { parameters, output } = parsed.workflow ?? parsed;
  draft.edit({
    blocks,
    ...(Array.isArray(parameters) ? { parameters: parameters.map((one) => ({ key: one.name, ...one })) } : {}),
    ...(output === undefined ? {} : { output }),
  });
  draft.selected.value = undefined;
  notifyUndoable(draft, "Imported. Save to keep it.");
}

export async function exportWorkflow(id: string, name: string): Promise<void> {
  const answer = await call("/workflows/export", { id });
  saveText(JSON.stringify(answer, null, 2), `${name}.workflow.json`);
}

function parseBlocks(text: string): Blocks | undefined {
  try {
    const parsed = JSON.parse(text) as { blocks?: unknown; workflow?: { blocks?: unknown } };
    const list: unknown[] = [parsed.workflow?.blocks ?? parsed.blocks ?? parsed].flat();
    const isBlocks =
      list.length > 0 && list.every((one) => typeof (one as { type?: unknown } | null)?.type === "string");
    return isBlocks ? blocksFromApi(list as ApiBlock[]) : undefined;
  } catch {
    return undefined;
  }
}
