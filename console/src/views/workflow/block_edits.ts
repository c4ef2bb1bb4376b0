/** Edits of a tree of blocks, each giving a new tree: the editor's undo is a list of trees. */

/** A block as the editor holds it; a new one has no id until it is saved. */
export interface Block {
  /** The editor's own key: the block's id, or one made here. */
  readonly key: string;
  readonly id?: string;
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

/** Where a block stands: inside which block and sequence, and behind how many others. */
export interface Place {
  readonly parent: string | null;
  readonly sequence: string;
  readonly index: number;
}

export type Blocks = readonly Block[];

let made = 0;

/** A key for a block that the service does not know yet. */
export function newKey(): string {
  return `new-${Date.now().toString(36)}-${++made}`;
}

export function newBlock(type: string, name: string, sequences: readonly string[] = [], more: Partial<Block> = {}): Block {
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

/** The tree of a workflow as the service gives it. */
export function fromService(blocks: readonly Record<string, unknown>[]): Blocks {
  return blocks.map((one) => {
    const sequences = (one["sequenceData"] ?? {}) as Record<string, Record<string, unknown>[] | null>;
    return {
      key: (one["id"] as string | undefined) ?? newKey(),
      ...(one["id"] ? { id: one["id"] as string } : {}),
      type: one["type"] as string,
      name: (one["name"] as string | undefined) ?? (one["type"] as string),
      ...(one["blockReferenceId"] ? { blockReferenceId: one["blockReferenceId"] as string } : {}),
      locator: (one["locator"] as Record<string, unknown> | null | undefined) ?? null,
      data: (one["data"] as Record<string, unknown> | undefined) ?? {},
      isCacheable: (one["isCacheable"] as boolean | undefined) ?? true,
      skipIfNotPresent: (one["skipIfNotPresent"] as boolean | undefined) ?? false,
      useWorkflowRecoveryAgent: (one["useWorkflowRecoveryAgent"] as boolean | undefined) ?? false,
      transformerFn: (one["transformerFn"] as string | undefined) ?? "",
      sequenceData: Object.fromEntries(Object.entries(sequences).map(([name, inner]) => [name, fromService(inner ?? [])])),
    };
  });
}

/** The tree as the service takes it: without the editor's keys and without empty fields. */
export function toService(blocks: Blocks): Record<string, unknown>[] {
  return blocks.map((one) => {
    const { key: _, sequenceData, locator, ...rest } = one;
    const inner = Object.fromEntries(Object.entries(sequenceData).map(([name, list]) => [name, toService(list)]));
    return {
      ...rest,
      ...(locator && Object.keys(locator).length ? { locator } : {}),
      ...(Object.keys(inner).length ? { sequenceData: inner } : {}),
    };
  });
}

/** Every block with where it stands and how deep, in reading order. */
export function* walk(blocks: Blocks, parent: string | null = null, sequence = "sequence", depth = 0): Generator<{ block: Block; place: Place; depth: number }> {
  for (const [index, block] of blocks.entries()) {
    yield { block, place: { parent, sequence, index }, depth };
    for (const [name, inner] of Object.entries(block.sequenceData)) yield* walk(inner, block.key, name, depth + 1);
  }
}

export function find(blocks: Blocks, key: string): Block | undefined {
  for (const { block } of walk(blocks)) if (block.key === key) return block;
  return undefined;
}

export function placeOf(blocks: Blocks, key: string): Place | undefined {
  for (const { block, place } of walk(blocks)) if (block.key === key) return place;
  return undefined;
}

export function update(blocks: Blocks, key: string, change: (block: Block) => Block): Blocks {
  return blocks.map((one) => {
    if (one.key === key) return change(one);
    const inner = Object.entries(one.sequenceData);
    if (inner.length === 0) return one;
    return { ...one, sequenceData: Object.fromEntries(inner.map(([name, list]) => [name, update(list, key, change)])) };
  });
}

export function remove(blocks: Blocks, key: string): Blocks {
  return blocks
    .filter((one) => one.key !== key)
    .map((one) => ({ ...one, sequenceData: Object.fromEntries(Object.entries(one.sequenceData).map(([name, list]) => [name, remove(list, key)])) }));
}

export function insert(blocks: Blocks, place: Place, added: Blocks): Blocks {
  if (place.parent === null) return [...blocks.slice(0, place.index), ...added, ...blocks.slice(place.index)];
  return update(blocks, place.parent, (parent) => {
    const list = parent.sequenceData[place.sequence] ?? [];
    return { ...parent, sequenceData: { ...parent.sequenceData, [place.sequence]: [...list.slice(0, place.index), ...added, ...list.slice(place.index)] } };
  });
}

/** Move a block to another place; into itself it cannot go. */
export function move(blocks: Blocks, key: string, to: Place): Blocks {
  const block = find(blocks, key);
  const from = placeOf(blocks, key);
  if (!block || !from || (to.parent !== null && (to.parent === key || find([block], to.parent)))) return blocks;
  const isSame = from.parent === to.parent && from.sequence === to.sequence;
  const index = isSame && from.index < to.index ? to.index - 1 : to.index;
  return insert(remove(blocks, key), { ...to, index }, [block]);
}

/** A copy with keys of its own and no ids, to be pasted. */
export function copyOf(block: Block): Block {
  const { id: _, blockReferenceId: __, ...rest } = block;
  return { ...rest, key: newKey(), sequenceData: Object.fromEntries(Object.entries(block.sequenceData).map(([name, list]) => [name, list.map(copyOf)])) };
}
