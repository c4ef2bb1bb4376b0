/** The differences between two trees, in words. */
import { walkBlocks, type Block, type Blocks } from "./block_edits";

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
      found.push({ kind: "added", text: `“${block.name}” (${block.type})`, details: fieldsOf(block) });
      continue;
    }
    const details = fieldChanges(previous, block);
    if (details.length) found.push({ kind: "changed", text: `“${block.name}”`, details });
    if (oldPlaces.get(key) !== newPlaces.get(key)) found.push({ kind: "moved", text: `“${block.name}”`, details: [] });
  }
  for (const [key, block] of old) {
    if (!now.has(key)) found.push({ kind: "removed", text: `“${block.name}” (${block.type})`, details: [] });
  }
  return found;
}

type Identity = (block: Block) => string;

/** Blocks with the same id are the same; blocks whose id is in one tree only are matched by reference. */
function identify(before: Blocks, after: Blocks): Identity {
  const idsOf = (blocks: Blocks) => new Set([...walkBlocks(blocks)].map(({ block }) => block.id));
  const [old, now] = [idsOf(before), idsOf(after)];
  return (block) => (block.id && old.has(block.id) && now.has(block.id) ? block.id : (block.blockReferenceId ?? block.key));
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
  return Object.entries(flatten({ locator: block.locator, data: block.data })).map(([path, value]) => `${path}: ${quote(value)}`);
}

/** "data.url: “/a” → “/b”", one line per field. */
function fieldChanges(before: Block, after: Block): string[] {
  const flat = (block: Block) => flatten({ name: block.name, type: block.type, locator: block.locator, data: block.data, transformerFn: block.transformerFn, skipIfNotPresent: block.skipIfNotPresent, isCacheable: block.isCacheable, useWorkflowRecoveryAgent: block.useWorkflowRecoveryAgent });
  const old = flat(before);
  const now = flat(after);
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((path) => old[path] !== now[path])
    .map((path) => `${path}: ${quote(old[path])} → ${quote(now[path])}`);
}

function flatten(value: unknown, path = "", into: Record<string, string> = {}): Record<string, string> {
  if (value !== null && typeof value === "object") {
    for (const [name, inner] of Object.entries(value)) flatten(inner, path ? `${path}.${name}` : name, into);
  } else if (value !== undefined && value !== null) into[path] = String(value);
  return into;
}

function quote(value: string | undefined): string {
  return value === undefined ? "nothing" : `“${value.length > 80 ? `${value.slice(0, 80)}…` : value}”`;
}
