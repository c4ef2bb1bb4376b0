/** Merges two edits of one version: the draft's (mine), and a version that was saved meanwhile (theirs).

Both are compared with the version that they come from, item by item: the workflow itself, each parameter, each block.
Changes that do not meet are both kept. Where they meet there is a conflict, and a person chooses. */
import { labelOf } from "../../design/format";
import type { Block, Blocks } from "./block_edits";
import type { Content, Parameter } from "./content";

type Fields = Record<string, unknown>;

/** A block, a parameter or the workflow itself, without what is nested in it. */
interface Item {
  readonly fields: Fields;
  /** The list that holds the item: `parameters`, or the sequence of a block. */
  readonly list: string;
}

interface Items {
  readonly byId: Map<string, Item>;
  readonly lists: Map<string, readonly string[]>;
}

/** The same thing changed in two ways. */
export interface Conflict {
  readonly item: string;
  /** The field in the item; empty where one side removed the item. */
  readonly path: readonly string[];
  readonly title: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Merged {
  readonly content: Content;
  readonly conflicts: readonly Conflict[];
}

const WORKFLOW = "workflow";
const PARAMETERS = "parameters";

/** The content with both edits; where they conflict, with mine. */
export function merge(base: Content, mine: Content, theirs: Content): Merged {
  const sides: Sides = [toItems(base), toItems(mine), toItems(theirs)];
  const conflicts: Conflict[] = [];
  const byId = mergeItems(sides, conflicts);
  const lists = mergeLists(sides, byId);
  return { content: toContent({ byId, lists }), conflicts };
}

/** A content in which what a conflict is about is as in another one. */
export function takeOver(into: Content, conflict: Conflict, from: Content): Content {
  const items = toItems(into);
  const source = toItems(from);
  if (conflict.path.length === 0) replaceItem(items, conflict.item, source);
  else {
    const item = items.byId.get(conflict.item) ?? source.byId.get(conflict.item)!;
    const value = readPath(source.byId.get(conflict.item)?.fields, conflict.path);
    items.byId.set(conflict.item, { ...item, fields: withPath(item.fields, conflict.path, value) });
    if (!items.lists.get(item.list)?.includes(conflict.item)) placeLike(items, conflict.item, source);
  }
  return toContent(items);
}

type Sides = readonly [base: Items, mine: Items, theirs: Items];

function mergeItems([base, mine, theirs]: Sides, conflicts: Conflict[]): Map<string, Item> {
  const merged = new Map<string, Item>();
  const kept = new Set<string>();
  for (const id of new Set([...theirs.byId.keys(), ...mine.byId.keys()])) {
    const [old, my, their] = [base.byId.get(id), mine.byId.get(id), theirs.byId.get(id)];
    if (my && their) {
      const fields = mergeFields(old?.fields ?? {}, my.fields, their.fields, (path, a, b) =>
        conflicts.push({ item: id, path, title: titleOf(my, path), mine: a, theirs: b }),
      );
      merged.set(id, { fields, list: my.list === old?.list ? their.list : my.list });
    } else if (!old) merged.set(id, (my ?? their)!);
    else if (my && kept.has(my.list)) keep(id, my);
    else if (my && !isSame(subtree(base, id), subtree(mine, id))) {
      conflicts.push({ item: id, path: [], title: titleOf(my, []), mine: my.fields, theirs: undefined });
      keep(id, my);
    } else if (their && !isSame(subtree(base, id), subtree(theirs, id)) && !hasRemovedParent(their))
      conflicts.push({ item: id, path: [], title: titleOf(their, []), mine: undefined, theirs: their.fields });
  }
  return merged;

  /** Keep a removed item, and what stands in it. */
  function keep(id: string, item: Item): void {
    merged.set(id, item);
    for (const list of mine.lists.keys()) if (list.startsWith(`${id}/`)) kept.add(list);
  }
  /** Whether the item stands in one that I removed; the conflict of that one speaks for both. */
  function hasRemovedParent(item: Item): boolean {
    const [parent] = item.list.split("/");
    return !!parent && base.byId.has(parent) && !mine.byId.has(parent);
  }
}

function mergeFields(
  base: Fields,
  mine: Fields,
  theirs: Fields,
  onConflict: (path: string[], mine: unknown, theirs: unknown) => void,
  path: string[] = [],
): Fields {
  const merged: Fields = {};
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [old, my, their] = [base[name], mine[name], theirs[name]];
    let value = my;
    if (isSame(my, their) || isSame(old, their)) value = my;
    else if (isSame(old, my)) value = their;
    else if (isObject(my) && isObject(their))
      value = mergeFields(isObject(old) ? old : {}, my, their, onConflict, [...path, name]);
    else onConflict([...path, name], my, their);
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

/** Every list in order: as in theirs, unless I changed the order; what only one side has keeps its neighbour. */
function mergeLists([base, mine, theirs]: Sides, byId: Map<string, Item>): Map<string, readonly string[]> {
  for (const [id, item] of byId)
    if (item.list !== "" && !isReachable(id, byId))
      byId.set(id, { ...item, list: theirs.byId.get(id)?.list ?? "/sequence" });
  for (const [id, item] of byId)
    if (item.list !== "" && !isReachable(id, byId)) byId.set(id, { ...item, list: "/sequence" });
  const lists = new Map<string, readonly string[]>();
  const names = new Set([...theirs.lists.keys(), ...mine.lists.keys(), ...[...byId.values()].map((one) => one.list)]);
  for (const name of names) {
    const [old, my, their] = [base, mine, theirs].map((one) => one.lists.get(name) ?? []) as [
      string[],
      string[],
      string[],
    ];
    const isMember = (id: string) => byId.get(id)?.list === name;
    const isReordered = !isSame(
      old.filter((id) => my.includes(id)),
      my.filter((id) => old.includes(id)),
    );
    const [first, second] = isReordered ? [my, their] : [their, my];
    const rest = [...byId.keys()].filter((id) => isMember(id) && !first.includes(id) && !second.includes(id));
    lists.set(name, addAfterNeighbours(first.filter(isMember), second.filter(isMember)).concat(rest));
  }
  return lists;
}

function addAfterNeighbours(first: readonly string[], second: readonly string[]): string[] {
  const order = [...first];
  second.forEach((id, at) => {
    if (!order.includes(id)) order.splice(at === 0 ? 0 : order.indexOf(second[at - 1]!) + 1, 0, id);
  });
  return order;
}

/** Whether an item stands under the root, and not in one that is gone or in a circle of two moves. */
function isReachable(id: string, byId: ReadonlyMap<string, Item>): boolean {
  for (let at = id, steps = 0; steps <= byId.size; steps++) {
    const list = byId.get(at)?.list;
    if (list === undefined) return false;
    if (list === PARAMETERS || list.startsWith("/")) return true;
    at = list.split("/")[0]!;
  }
  return false;
}

/** Replace an item and all that stands in it by what another side has there, which may be nothing. */
function replaceItem(items: Items, id: string, source: Items): void {
  for (const inner of [...idsUnder(items, id), ...idsUnder(source, id)]) {
    const list = items.byId.get(inner)?.list;
    if (list !== undefined)
      items.lists.set(
        list,
        (items.lists.get(list) ?? []).filter((one) => one !== inner),
      );
    items.byId.delete(inner);
  }
  for (const inner of idsUnder(source, id)) {
    items.byId.set(inner, source.byId.get(inner)!);
    placeLike(items, inner, source);
  }
}

function placeLike(items: Items, id: string, source: Items): void {
  const { list } = source.byId.get(id)!;
  const order = source.lists.get(list) ?? [];
  const before = order.slice(0, order.indexOf(id)).reverse();
  const siblings = items.lists.get(list) ?? [];
  const at = siblings.indexOf(before.find((one) => siblings.includes(one)) ?? "") + 1;
  items.lists.set(list, [...siblings.slice(0, at), id, ...siblings.slice(at)]);
}

function idsUnder(items: Items, id: string): string[] {
  if (!items.byId.has(id)) return [];
  const lists = [...items.lists].filter(([name]) => name.startsWith(`${id}/`));
  return [id, ...lists.flatMap(([, ids]) => ids.flatMap((one) => idsUnder(items, one)))];
}

function subtree(items: Items, id: string): readonly (Item | undefined)[] {
  return idsUnder(items, id).map((one) => items.byId.get(one));
}

function toItems({ parameters, blocks, ...workflow }: Content): Items {
  const items: Items = { byId: new Map([[WORKFLOW, { fields: workflow, list: "" }]]), lists: new Map() };
  items.lists.set(
    PARAMETERS,
    parameters.map((one) => `parameter ${one.key}`),
  );
  for (const { key, ...fields } of parameters) items.byId.set(`parameter ${key}`, { fields, list: PARAMETERS });
  addBlocks(items, blocks, "/sequence");
  return items;
}

function addBlocks(items: Items, blocks: Blocks, list: string): void {
  items.lists.set(
    list,
    blocks.map((one) => one.key),
  );
  for (const { key, sequenceData, ...fields } of blocks) {
    items.byId.set(key, { fields, list });
    for (const [name, inner] of Object.entries(sequenceData)) addBlocks(items, inner, `${key}/${name}`);
  }
}

function toContent({ byId, lists }: Items): Content {
  const blocksIn = (list: string): Blocks =>
    (lists.get(list) ?? []).map((key) => {
      const sequences = [...lists.keys()]
        .filter((name) => name.startsWith(`${key}/`))
        .map((name) => [name.slice(key.length + 1), blocksIn(name)] as const);
      return { key, ...byId.get(key)!.fields, sequenceData: Object.fromEntries(sequences) } as unknown as Block;
    });
  const parameters = (lists.get(PARAMETERS) ?? []).map(
    (id) => ({ key: id.replace("parameter ", ""), ...byId.get(id)!.fields }) as unknown as Parameter,
  );
  return { ...(byId.get(WORKFLOW)!.fields as unknown as Content), parameters, blocks: blocksIn("/sequence") };
}

/** "“Open the page”: Url". */
function titleOf({ fields, list }: Item, path: readonly string[]): string {
  const field = path
    .filter((one) => one !== "data")
    .map((one) => labelOf(one))
    .join(", ");
  if (list === "") return field;
  const name = `${list === PARAMETERS ? "Parameter " : ""}“${String(fields["name"])}”`;
  return field ? `${name}: ${field}` : name;
}

function readPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);
}

function withPath(fields: Fields, [name, ...rest]: readonly string[], value: unknown): Fields {
  const inner = rest.length ? withPath(isObject(fields[name!]) ? (fields[name!] as Fields) : {}, rest, value) : value;
  const { [name!]: _, ...others } = fields;
  return inner === undefined ? others : { ...fields, [name!]: inner };
}

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Whether two JSON values are equal, whatever the order of their keys. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => isSame(value, other[at]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
}
