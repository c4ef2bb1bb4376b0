/** The differences between two trees, in words. */
import { labelOf } from "../../design/format";
import { kindTitle } from "../execution/steps";
import { walkBlocks, type Block, type Blocks } from "./block_edits";
import type { Content } from "./content";

export interface Difference {
  readonly kind: "added" | "removed" | "changed" | "moved";
  readonly text: string;
  readonly details: readonly string[];
}

export function differences(before: Blocks, after: Blocks): readonly Difference[] {
  const identity = identify(before, after);
  const old = byIdentity(before, identity);
  const now = byIdentity(after, identity);
  const both = new Set([...now.keys()].filter((key) => old.has(key)));
  const oldPlaces = placesOf(before, both, identity);
  const newPlaces = placesOf(after, both, identity);
  const found: Difference[] = [];
  for (const [key, block] of now) {
    const previous = old.get(key);
    if (!previous) {
      found.push({ kind: "added", text: `“${block.name}” (${kindTitle(block.type)})`, details: fieldsOf(block) });
      continue;
    }
    const details = fieldChanges(previous, block);
    if (details.length) found.push({ kind: "changed", text: `“${block.name}”`, details });
    if (oldPlaces.get(key) !== newPlaces.get(key)) found.push({ kind: "moved", text: `“${block.name}”`, details: [] });
  }
  for (const [key, block] of old) {
    if (!now.has(key)) found.push({ kind: "removed", text: `“${block.name}” (${kindTitle(block.type)})`, details: [] });
  }
  return found;
}

/** The differences between two versions: of the blocks, and of everything else as one entry each. */
export function contentDifferences(before: Content | undefined, after: Content): readonly Difference[] {
  const settings = ({ name, retrySafe, pictures, output }: Content) => ({ name, retrySafe, pictures, output });
  const rest = fieldPairs(before ? settings(before) : {}, settings(after)).map((line): Difference => ({
    kind: "changed",
    text: line,
    details: [],
  }));
  const names = new Set([...(before?.parameters ?? []), ...after.parameters].map((one) => one.name));
  const parameters = [...names].flatMap((name): Difference[] => {
    const [old, now] = [before, after].map((content) => content?.parameters.find((one) => one.name === name));
    const text = `parameter “${name}”`;
    if (!old) return [{ kind: "added", text, details: [] }];
    if (!now) return [{ kind: "removed", text, details: [] }];
    const details = fieldPairs(old, now);
    return details.length ? [{ kind: "changed", text, details }] : [];
  });
  return [...rest, ...parameters, ...differences(before?.blocks ?? [], after.blocks)];
}

type Identity = (block: Block) => string;

/** Blocks with the same id are the same; blocks whose id is in one tree only are matched by reference. */
function identify(before: Blocks, after: Blocks): Identity {
  const idsOf = (blocks: Blocks) => new Set([...walkBlocks(blocks)].map(({ block }) => block.key));
  const [old, now] = [idsOf(before), idsOf(after)];
  return (block) => (old.has(block.key) && now.has(block.key) ? block.key : (block.blockReferenceId ?? block.key));
}

function byIdentity(blocks: Blocks, identity: Identity): Map<string, Block> {
  return new Map([...walkBlocks(blocks)].map(({ block }) => [identity(block), block]));
}

/** The place of each block: its sequence, and the block before it that both trees have. */
function placesOf(blocks: Blocks, both: ReadonlySet<string>, identity: Identity): Map<string, string> {
  const last = new Map<string, string>();
  const places = new Map<string, string>();
  for (const { block, place } of walkBlocks(blocks)) {
    const key = identity(block);
    if (!both.has(key)) continue;
    const sequence = `${place.parent ?? ""}/${place.sequence}`;
    places.set(key, `${sequence}/${last.get(sequence) ?? ""}`);
    last.set(sequence, key);
  }
  return places;
}

/** The fields of a block, one line each. */
function fieldsOf(block: Block): string[] {
  return Object.entries(flatten({ locator: block.locator, data: block.data })).map(
    ([path, value]) => `${inWords(path)}: ${quote(value)}`,
  );
}

function fieldChanges(before: Block, after: Block): string[] {
  const fields = ({ key: _, blockReferenceId: __, sequenceData: ___, ...rest }: Block) => rest;
  return fieldPairs(fields(before), fields(after));
}

/** "data.url: “/a” → “/b”", one line per field. */
function fieldPairs(before: object, after: object): string[] {
  const [old, now] = [flatten(before), flatten(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((path) => old[path] !== now[path])
    .map((path) => `${inWords(path)}: ${changeOf(old[path], now[path])}`);
}

/** `data.fields.0.value` → "Fields 1, value". */
function inWords(path: string): string {
  const parts = path.replace(/^(data|locator)\./, (_, part: string) => (part === "data" ? "" : "element.")).split(".");
  const words = parts.map((one, at) =>
    /^\d+$/.test(one) && at > 0 ? ` ${Number(one) + 1}` : `, ${labelOf(one).toLowerCase()}`,
  );
  const text = words.join("").slice(2);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function flatten(value: unknown, path = "", into: Record<string, string> = {}): Record<string, string> {
  if (value !== null && typeof value === "object") {
    for (const [name, inner] of Object.entries(value)) flatten(inner, path ? `${path}.${name}` : name, into);
  } else if (value !== undefined && value !== null) into[path] = String(value);
  return into;
}

const MAX_LENGTH = 80;
/** How much of what stays is shown before and after a change in a long text. */
const CONTEXT = 20;

function changeOf(before: string | undefined, after: string | undefined): string {
  if (before === undefined || after === undefined || Math.max(before.length, after.length) <= MAX_LENGTH)
    return `${quote(before)} → ${quote(after)}`;
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const from = Math.max(0, start - CONTEXT);
  const cut = (text: string) => {
    const to = text.length - Math.max(0, end - CONTEXT);
    return quote(`${from > 0 ? "…" : ""}${text.slice(from, to)}`, to < text.length);
  };
  return `${cut(before)} → ${cut(after)}`;
}

function quote(value: string | undefined, goesOn = false): string {
  if (value === undefined) return "nothing";
  return `“${value.slice(0, MAX_LENGTH)}${goesOn || value.length > MAX_LENGTH ? "…" : ""}”`;
}
