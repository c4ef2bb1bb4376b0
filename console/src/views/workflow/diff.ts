/** What changed between two trees, in words a person can check. */
import { walk, type Block, type Blocks } from "./tree_edit";

export interface Difference {
  readonly kind: "added" | "removed" | "changed" | "moved";
  readonly text: string;
  readonly details: readonly string[];
}

export function differences(before: Blocks, after: Blocks): readonly Difference[] {
  const old = index(before);
  const now = index(after);
  const found: Difference[] = [];
  for (const [key, one] of now) {
    const was = old.get(key);
    if (!was) found.push({ kind: "added", text: `“${one.block.name}” (${one.block.type}) is new`, details: [] });
    else {
      const details = fieldChanges(was.block, one.block);
      if (details.length) found.push({ kind: "changed", text: `“${one.block.name}” changes`, details });
      if (was.place !== one.place) found.push({ kind: "moved", text: `“${one.block.name}” moves`, details: [] });
    }
  }
  for (const [key, one] of old) {
    if (!now.has(key)) found.push({ kind: "removed", text: `“${one.block.name}” (${one.block.type}) goes`, details: [] });
  }
  return found;
}

function index(blocks: Blocks): Map<string, { block: Block; place: string }> {
  const found = new Map<string, { block: Block; place: string }>();
  let previous = "";
  for (const { block, place } of walk(blocks)) {
    const identity = block.id ?? block.blockReferenceId ?? block.key;
    found.set(identity, { block, place: `${place.parent ?? ""}/${place.sequence}/${place.index === 0 ? "" : previous}` });
    previous = identity;
  }
  return found;
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
