/** Copies blocks between the draft and the clipboard or files, as JSON. */
import { call, type Schemas } from "../../api/client";
import { copyText } from "../../design/copy_text";
import { saveText } from "../../design/download";
import { formatCount } from "../../design/format";
import { notify } from "../../design/notice";
import {
  blocksFromApi,
  blocksToApi,
  copyBlocks,
  insertBlocks,
  placeOf,
  removeBlocks,
  type ApiBlock,
  type Blocks,
  type Place,
} from "./block_edits";
import type { Draft } from "./draft";

/** The place after the selected blocks; the end if none is selected. */
export function afterSelected(draft: Draft): Place {
  const blocks = draft.blocks.value;
  const last = draft.selectedBlocks.value.at(-1);
  const place = last && placeOf(blocks, last.key);
  return place ? { ...place, index: place.index + 1 } : { parent: null, sequence: "sequence", index: blocks.length };
}

export async function copyToClipboard(draft: Draft): Promise<void> {
  const blocks = draft.selectedBlocks.value;
  if (blocks.length === 0) return;
  await copyText(JSON.stringify(blocksToApi(blocks), null, 2));
  notify("Copied as JSON. It can be pasted here, in another workflow and into files.");
}

function nameOf(blocks: Blocks): string {
  return blocks.length === 1 ? `“${blocks[0]!.name}”` : formatCount(blocks.length, "block");
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

export function deleteSelected(draft: Draft): void {
  const blocks = draft.selectedBlocks.value;
  if (blocks.length === 0) return;
  draft.change(removeBlocks(draft.blocks.value, draft.selectedKeys.value));
  draft.selected.value = undefined;
  notifyUndoable(draft, `${nameOf(blocks)} deleted.`);
}

/** Insert copies after the selected blocks, and select them. */
export function insertCopies(draft: Draft, blocks: Blocks): void {
  const added = copyBlocks(blocks, draft.blocks.value);
  draft.change(insertBlocks(draft.blocks.value, afterSelected(draft), added));
  draft.selectTogether(
    added.map((one) => one.key),
    added.at(-1)!.key,
  );
}

/** Paste from the clipboard: a block, a list of blocks, or an exported workflow. */
export function pasteBlocks(draft: Draft, event: ClipboardEvent): void {
  event.preventDefault();
  const blocks = parseBlocks(event.clipboardData?.getData("text/plain") ?? "");
  if (!blocks) return void notify("The clipboard contains no blocks.", "bad");
  insertCopies(draft, blocks);
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
