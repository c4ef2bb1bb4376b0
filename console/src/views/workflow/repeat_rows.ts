/** Puts blocks into a loop over the rows of a sheet: what a run was given once is then given in each row. */
import { formatCount } from "../../design/format";
import {
  insertBlocks,
  newBlock,
  newKey,
  outermost,
  placeOf,
  removeBlocks,
  walkBlocks,
  type Blocks,
} from "./block_edits";
import { notifyUndoable } from "./clipboard";
import type { Content } from "./content";
import type { Draft } from "./draft";
import type { Kind } from "./kinds";
import { freeName, withParameters } from "./parameter_names";

/** Repeat the selected blocks; their parameters become columns, or else what was typed in them. */
export function repeatForEachRow(draft: Draft, loopKind: Kind): void {
  const keys = new Set(draft.selectedBlocks.value.map((one) => one.key));
  if (keys.size === 0) return;
  const hasColumns = columnsOf(draft.content.value, keys, loopKind).length > 0;
  const all = new Set([...walkBlocks(draft.selectedBlocks.value)].map(({ block }) => block.key));
  const content = hasColumns ? draft.content.value : withParameters(draft.content.value, all).content;
  const columns = columnsOf(content, keys, loopKind);
  const inside = outermost(content.blocks, keys);
  const rows = freeName(content.parameters, "rows");
  const loop = newBlock(loopKind.type, "For each row", [], {
    data: { over: { items: `{{params.${rows}}}` } },
    sequenceData: { [loopKind.sequences[0]!]: readingRows(inside, columns) },
  });
  const row = Object.fromEntries(
    columns.map((name) => [name, content.parameters.find((one) => one.name === name)?.default ?? ""]),
  );
  draft.edit({
    blocks: insertBlocks(removeBlocks(content.blocks, keys), placeOf(content.blocks, inside[0]!.key)!, [loop]),
    parameters: [
      ...content.parameters.filter((one) => !columns.includes(one.name)),
      { key: newKey(), name: rows, type: "array", ...(columns.length ? { default: [row] } : {}) },
    ],
  });
  draft.selected.value = loop.key;
  const names = columns.length ? `Its columns: ${columns.join(", ")}.` : "Insert values of a row with `{{item.…}}`.";
  notifyUndoable(draft, `${formatCount(inside.length, "block")} repeated for each row of “${rows}”. ${names}`);
}

/** The declared parameters that only these blocks use, and no loop inside them, whose items would hide the row's. */
function columnsOf({ blocks, parameters, output }: Content, keys: ReadonlySet<string>, loopKind: Kind): string[] {
  const inside = outermost(blocks, keys);
  const loops = [...walkBlocks(inside)].filter(({ block }) => block.type === loopKind.type);
  const elsewhere = JSON.stringify([removeBlocks(blocks, keys), output, loops.map(({ block }) => block)]);
  const within = JSON.stringify(inside);
  return parameters.map((one) => one.name).filter((name) => uses(name).test(within) && !uses(name).test(elsewhere));
}

function uses(parameter: string): RegExp {
  return new RegExp(`\\bparams\\.${parameter}(?![\\w-])`, "g");
}

/** The blocks with `item.title` in place of `params.title`. */
function readingRows(blocks: Blocks, columns: readonly string[]): Blocks {
  const text = columns.reduce(
    (written, name) => written.replaceAll(uses(name), `item.${name}`),
    JSON.stringify(blocks),
  );
  return JSON.parse(text) as Blocks;
}
