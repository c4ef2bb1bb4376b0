/** Maps the service's error messages to blocks and fields: `blocks[2].data.url` → the block and its field. */
import { warningText } from "../../design/field";
import { labelOf } from "../../design/format";
import { messageInWords } from "../../design/problem_scope";
import { walkBlocks, type Block, type Blocks } from "./block_edits";

export interface Problem {
  readonly key: string | undefined;
  readonly field: string;
  readonly text: string;
  /** A warning: the service saved the block anyway. */
  readonly isWarning?: boolean;
}

/** What the service says about a saved workflow. */
export type Warnings = readonly { blockReferenceId?: string | null; field: string; message: string }[];

/** The warnings about the saved blocks that the draft has not changed since. */
export function warningsOf(warnings: Warnings, saved: Blocks, blocks: Blocks): readonly Problem[] {
  const now = new Map([...walkBlocks(blocks)].map(({ block }) => [block.key, JSON.stringify(block)]));
  const unchanged = [...walkBlocks(saved)].filter(({ block }) => now.get(block.key) === JSON.stringify(block));
  const keys = new Map(unchanged.map(({ block }) => [block.blockReferenceId, block.key]));
  return warnings
    .filter((one) => !one.blockReferenceId || keys.has(one.blockReferenceId))
    .map((one) => ({
      key: keys.get(one.blockReferenceId ?? undefined),
      field: toDottedPath(one.field),
      text: warningText(one.message),
      isWarning: true,
    }));
}

/** The problems of one block, by field. */
export function problemsByField(problems: readonly Problem[]): Record<string, string> {
  return Object.fromEntries(problems.filter((one) => one.field).map((one) => [one.field, one.text]));
}

function toDottedPath(path: string): string {
  return path.replace(/^\./, "").replaceAll(/\[(\d+)\]/g, ".$1");
}

/** The block and field that an error message names; if it names none, the problem has no key. */
export function problemOf(message: string, blocks: Blocks): Problem {
  const path = /`?(?:operations\[\d+\]\.)?(blocks(?:\[\d+\]|\.\w+)+)/.exec(message)?.[1];
  const located = path ? resolvePath(path, blocks) : undefined;
  if (located) return { key: located.key, field: located.field || fieldIn(message), text: withoutPath(message) };
  for (const { block } of walkBlocks(blocks)) {
    const reference = block.blockReferenceId;
    if (reference && message.includes(`\`${reference}\``))
      return { key: block.key, field: fieldIn(message), text: withoutPath(message) };
  }
  const field = /`((?:parameters|output|name|tags)\b[.\w[\]]*)`/.exec(message)?.[1] ?? "";
  return { key: undefined, field: toDottedPath(field), text: field ? withoutPath(message) : message };
}

/** "`blocks[2]` (`Open`): `data.url`: expected an address" → "Expected an address": the form shows where. */
function withoutPath(message: string): string {
  const text = message.replace(/^operations\[\d+\]: /, "").replace(/^`blocks[^`]*` \(`[^`]*`\): /, "");
  const field = /^`(?:[\w[\]]+\.)*([\w-]+)/.exec(text)?.[1];
  return messageInWords(text, labelOf(field ?? ""));
}

/** The tab of the editor that shows the field of a problem. */
export function tabOf({ key, field }: Problem): string {
  if (key || !field) return "Block";
  if (field.startsWith("parameters")) return "Parameters";
  return field.startsWith("output") ? "Output" : "Settings";
}

/** Resolve a path such as `blocks[2].sequenceData.sequence[0].data.url`. */
function resolvePath(path: string, blocks: Blocks): { key: string; field: string } | undefined {
  let list: Blocks | undefined = blocks;
  let block: Block | undefined;
  let rest = path.replace(/^blocks/, "");
  for (;;) {
    const index = /^\[(\d+)\]/.exec(rest);
    if (!index) break;
    block = list?.[Number(index[1])];
    rest = rest.slice(index[0].length);
    const inner = /^\.sequenceData\.(\w+)/.exec(rest);
    if (!inner || !block) break;
    list = block.sequenceData[inner[1] ?? ""];
    rest = rest.slice(inner[0].length);
  }
  return block ? { key: block.key, field: toDottedPath(rest) } : undefined;
}

function fieldIn(message: string): string {
  return toDottedPath(/`((?:data|locator|name|transformerFn|blockReferenceId)[.\w[\]]*)`/.exec(message)?.[1] ?? "");
}
