/** What changed between two trees, in words a person can check. */
import { walk, type Block, type Blocks } from "./tree_edit";

export interface Difference {
  readonly kind: "added" | "removed" | "changed" | "moved";
  readonly text: string;
  readonly details: readonly string[];
}

export function differences(before: Blocks, after: Blocks): readonly Difference[] {
  const identity = identities(before, after);
  const old = byIdentity(before, identity);
  const now = byIdentity(after, identity);
  const both = new Set([...now.keys()].filter((key) => old.has(key)));
  const was = placesOf(before, both, identity);
  const is = placesOf(after, both, identity);
  const found: Difference[] = [];
  for (const [key, block] of now) {
    const one = old.get(key);
    if (!one) {
      found.push({ kind: "added", text: `“${block.name}” (${block.type}) is new`, details: fieldsOf(block) });
      continue;
    }
    const details = fieldChanges(one, block);
    if (details.length) found.push({ kind: "changed", text: `“${block.name}” changes`, details });
    if (was.get(key) !== is.get(key)) found.push({ kind: "moved", text: `“${block.name}” moves`, details: [] });
  }
  for (const [key, block] of old) {
    if (!now.has(key)) found.push({ kind: "removed", text: `“${block.name}” (${block.type}) goes`, details: [] });
  }
  return found;
}

type Identity = (block: Block) => string;

/** A block is the same by its id; where a tree was written anew, by its reference. */
function identities(before: Blocks, after: Blocks): Identity {
  const idsOf = (blocks: Blocks) => new Set([...walk(blocks)].map(({ block }) => block.id));
  const [old, now] = [idsOf(before), idsOf(after)];
  return (block) => (block.id && old.has(block.id) && now.has(block.id) ? block.id : (block.blockReferenceId ?? block.key));
}

function byIdentity(blocks: Blocks, identity: Identity): Map<string, Block> {
  return new Map([...walk(blocks)].map(({ block }) => [identity(block), block]));
}

/** Where each block stands: in which sequence, and behind which of those that both trees have. */
function placesOf(blocks: Blocks, both: ReadonlySet<string>, identity: Identity): Map<string, string> {
  const last = new Map<string, string>();
  const places = new Map<string, string>();
  for (const { block, place } of walk(blocks)) {
    const key = identity(block);
    if (!both.has(key)) continue;
    const sequence = `${place.parent ?? ""}/${place.sequence}`;
    places.set(key, `${sequence}/${last.get(sequence) ?? ""}`);
    last.set(sequence, key);
  }
  return places;
}

/** What a new block says, one line per field. */
function fieldsOf(block: Block): string[] {
  return Object.entries(flatten({ locator: block.locator, data: block.data })).map(([path, value]) => `${path}: ${shown(value)}`);
}

/** "data.url: “/a” → “/b”", one line per field. */
function fieldChanges(before: Block, after: Block): string[] {
  const plain = (one: Block) => flatten({ name: one.name, type: one.type, locator: one.locator, data: one.data, transformerFn: one.transformerFn, skipIfNotPresent: one.skipIfNotPresent, isCacheable: one.isCacheable, useWorkflowRecoveryAgent: one.useWorkflowRecoveryAgent });
  const old = plain(before);
  const now = plain(after);
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((path) => old[path] !== now[path])
    .map((path) => `${path}: ${shown(old[path])} → ${shown(now[path])}`);
}

function flatten(value: unknown, path = "", into: Record<string, string> = {}): Record<string, string> {
  if (value !== null && typeof value === "object") {
    for (const [name, inner] of Object.entries(value)) flatten(inner, path ? `${path}.${name}` : name, into);
  } else if (value !== undefined && value !== null) into[path] = String(value);
  return into;
}

function shown(value: string | undefined): string {
  return value === undefined ? "nothing" : `“${value.length > 80 ? `${value.slice(0, 80)}…` : value}”`;
}
