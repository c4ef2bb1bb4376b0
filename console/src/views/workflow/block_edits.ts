/** Edits of a tree of blocks. Each returns a new tree: the editor's undo history is a list of trees. */
import type { Schemas } from "../../api/client";

/** A block in the editor. */
export interface Block {
  /** The block's id. The editor makes that of a new block, so that it stays the same when the block is saved. */
  readonly key: string;
  readonly type: string;
  readonly name: string;
  readonly blockReferenceId?: string;
  readonly locator: Record<string, unknown> | null;
  readonly data: Record<string, unknown>;
  readonly isCacheable: boolean;
  readonly skipIfNotPresent: boolean;
  readonly useWorkflowRecoveryAgent: boolean;
  readonly transformerFn: string;
  readonly sequenceData: Record<string, readonly Block[]>;
}

/** A position in the tree: the parent block, its sequence, and the index in it. */
export interface Place {
  readonly parent: string | null;
  readonly sequence: string;
  readonly index: number;
}

export type Blocks = readonly Block[];

/** A block of the API, an exported file or a recording; only `type` is always set. */
export interface ApiBlock {
  readonly id?: string;
  readonly type: string;
  readonly name?: string;
  readonly blockReferenceId?: string;
  readonly locator?: object | null;
  readonly data?: object;
  readonly isCacheable?: boolean;
  readonly skipIfNotPresent?: boolean;
  readonly useWorkflowRecoveryAgent?: boolean;
  readonly transformerFn?: string;
  readonly sequenceData?: { readonly [sequence in SequenceName]?: readonly ApiBlock[] | null } | null;
}

export type SequenceName = NonNullable<Schemas["Target"]["parentSequenceId"]>;

/** An id that no other block has; not `crypto.randomUUID`, which a page served over plain HTTP lacks. */
export function newKey(): string {
  const random = crypto.getRandomValues(new Uint32Array(3));
  return `block_${Date.now().toString(36)}${[...random].map((one) => one.toString(36).padStart(7, "0")).join("")}`;
}

export function newBlock(
  type: string,
  name: string,
  sequences: readonly string[] = [],
  more: Partial<Block> = {},
): Block {
  return {
    key: newKey(),
    type,
    name,
    locator: null,
    data: {},
    isCacheable: true,
    skipIfNotPresent: false,
    useWorkflowRecoveryAgent: false,
    transformerFn: "",
    sequenceData: Object.fromEntries(sequences.map((one) => [one, []])),
    ...more,
  };
}

/** The editor's tree for blocks of the API. */
export function blocksFromApi(blocks: readonly ApiBlock[]): Blocks {
  return blocks.map((one) => ({
    key: one.id ?? newKey(),
    type: one.type,
    name: one.name ?? one.type,
    ...(one.blockReferenceId ? { blockReferenceId: one.blockReferenceId } : {}),
    locator: (one.locator as Record<string, unknown> | null | undefined) ?? null,
    data: (one.data as Record<string, unknown> | undefined) ?? {},
    isCacheable: one.isCacheable ?? true,
    skipIfNotPresent: one.skipIfNotPresent ?? false,
    useWorkflowRecoveryAgent: one.useWorkflowRecoveryAgent ?? false,
    transformerFn: one.transformerFn ?? "",
    sequenceData: Object.fromEntries(
      Object.entries(one.sequenceData ?? {}).map(([name, inner]) => [name, blocksFromApi(inner ?? [])]),
    ),
  }));
}

/** The tree as the API takes it, without empty fields. The service checks each block's data. */
export function blocksToApi(blocks: Blocks): Schemas["NewBlock"][] {
  return blocks.map(({ key, sequenceData, locator, ...fields }) => {
    const inner = Object.fromEntries(Object.entries(sequenceData).map(([name, list]) => [name, blocksToApi(list)]));
    return {
      id: key,
      ...fields,
      ...(locator && Object.keys(locator).length ? { locator } : {}),
      ...(Object.keys(inner).length ? { sequenceData: inner } : {}),
    } as Schemas["NewBlock"];
  });
}

/** All blocks with their place and depth, in reading order. */
export function* walkBlocks(
  blocks: Blocks,
  parent: string | null = null,
  sequence = "sequence",
  depth = 0,
): Generator<{ block: Block; place: Place; depth: number }> {
  for (const [index, block] of blocks.entries()) {
    yield { block, place: { parent, sequence, index }, depth };
    for (const [name, inner] of Object.entries(block.sequenceData))
      yield* walkBlocks(inner, block.key, name, depth + 1);
  }
}

export function findBlock(blocks: Blocks, key: string): Block | undefined {
  for (const { block } of walkBlocks(blocks)) if (block.key === key) return block;
  return undefined;
}

export function placeOf(blocks: Blocks, key: string): Place | undefined {
  for (const { block, place } of walkBlocks(blocks)) if (block.key === key) return place;
  return undefined;
}

export function updateBlock(blocks: Blocks, key: string, change: (block: Block) => Block): Blocks {
  return blocks.map((one) => {
    if (one.key === key) return change(one);
    const inner = Object.entries(one.sequenceData);
    if (inner.length === 0) return one;
    return {
      ...one,
      sequenceData: Object.fromEntries(inner.map(([name, list]) => [name, updateBlock(list, key, change)])),
    };
  });
}

export function removeBlocks(blocks: Blocks, keys: ReadonlySet<string>): Blocks {
  return blocks
    .filter((one) => !keys.has(one.key))
    .map((one) => ({
      ...one,
      sequenceData: Object.fromEntries(
        Object.entries(one.sequenceData).map(([name, list]) => [name, removeBlocks(list, keys)]),
      ),
    }));
}

export function insertBlocks(blocks: Blocks, place: Place, added: Blocks): Blocks {
  if (place.parent === null) return [...blocks.slice(0, place.index), ...added, ...blocks.slice(place.index)];
  return updateBlock(blocks, place.parent, (parent) => {
    const list = parent.sequenceData[place.sequence] ?? [];
    return {
      ...parent,
      sequenceData: {
        ...parent.sequenceData,
        [place.sequence]: [...list.slice(0, place.index), ...added, ...list.slice(place.index)],
      },
    };
  });
}

/** Move a block to another place; a block cannot be moved into itself. */
export function moveBlock(blocks: Blocks, key: string, to: Place): Blocks {
  const block = findBlock(blocks, key);
  const from = placeOf(blocks, key);
  if (!block || !from || (to.parent !== null && (to.parent === key || findBlock([block], to.parent)))) return blocks;
  const isSame = from.parent === to.parent && from.sequence === to.sequence;
  const index = isSame && from.index < to.index ? to.index - 1 : to.index;
  return insertBlocks(removeBlocks(blocks, new Set([key])), { ...to, index }, [block]);
}

/** The blocks with these keys, in reading order, without those inside another one of them. */
export function outermost(blocks: Blocks, keys: ReadonlySet<string>): Blocks {
  return blocks.flatMap((one) =>
    keys.has(one.key) ? [one] : Object.values(one.sequenceData).flatMap((inner) => outermost(inner, keys)),
  );
}

/** The name of each block's output, by key; one that has none yet gets the one that the service would give it. */
export function referencesOf(blocks: Blocks): ReadonlyMap<string, string> {
  const all = [...walkBlocks(blocks)].map(({ block }) => block);
  const taken = new Set(all.map((one) => one.blockReferenceId));
  return new Map(
    all.map(({ key, type, blockReferenceId }) => {
      let reference = blockReferenceId;
      for (let number = 1; reference === undefined; number++)
        if (!taken.has(`${type}_${number}`)) reference = `${type}_${number}`;
      taken.add(reference);
      return [key, reference] as const;
    }),
  );
}

/** The blocks with their names as they are now, where `used` mentions one: inserting another block moves it no more. */
export function keepUsedReferences(blocks: Blocks, used: Block): Blocks {
  const mentioned = new Set([...JSON.stringify(used).matchAll(BLOCK_OUTPUT)].map((one) => one[1]));
  let kept = blocks;
  for (const [key, reference] of mentioned.size ? referencesOf(blocks) : [])
    if (mentioned.has(reference) && !findBlock(blocks, key)?.blockReferenceId)
      kept = updateBlock(kept, key, (one) => ({ ...one, blockReferenceId: reference }));
  return kept;
}

const BLOCK_OUTPUT = /\bblocks\.([\w-]+)/g;

/** Copies to paste among `others`: with new keys and free references, which templates in the copies follow. */
export function copyBlocks(copied: Blocks, others: Blocks): Blocks {
  const taken = new Set(referencesOf(others).values());
  const renamed = new Map<string, string>();
  for (const { block } of walkBlocks(copied)) {
    const old = block.blockReferenceId;
    if (!old) continue;
    let name = old;
    for (let number = 2; taken.has(name); number++) name = `${old.replace(/_\d+$/, "")}_${number}`;
    taken.add(name);
    renamed.set(old, name);
  }
  const text = JSON.stringify(copied).replaceAll(
    BLOCK_OUTPUT,
    (all, name: string) => `blocks.${renamed.get(name) ?? all.slice("blocks.".length)}`,
  );
  const withNewKeys = (list: Blocks): Blocks =>
    list.map(({ blockReferenceId, ...one }) => ({
      ...one,
      key: newKey(),
      ...(blockReferenceId ? { blockReferenceId: renamed.get(blockReferenceId)! } : {}),
      sequenceData: Object.fromEntries(Object.entries(one.sequenceData).map(([name, l]) => [name, withNewKeys(l)])),
    }));
  return withNewKeys(JSON.parse(text) as Blocks);
}
