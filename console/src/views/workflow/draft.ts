/** The unsaved state of the editor: blocks, selection and undo history. The browser stores it until it is saved. */
import { computed, signal } from "@preact/signals";
import { blocksFromApi, findBlock, walkBlocks, type ApiBlock, type Block, type Blocks } from "./block_edits";

interface StoredDraft {
  readonly base: number;
  readonly blocks: Blocks;
}

const MAX_UNDO_STEPS = 200;

export class Draft {
  readonly blocks = signal<Blocks>([]);
  readonly selected = signal<string | undefined>(undefined);
  /** The version the draft is based on. */
  base = 0;
  private readonly saved = signal<Blocks>([]);
  private readonly past = signal<readonly Blocks[]>([]);
  private readonly future = signal<readonly Blocks[]>([]);

  readonly isChanged = computed(() => this.blocks.value !== this.saved.value && JSON.stringify(this.blocks.value) !== JSON.stringify(this.saved.value));
  readonly canUndo = computed(() => this.past.value.length > 0);
  readonly canRedo = computed(() => this.future.value.length > 0);
  readonly block = computed(() => (this.selected.value ? findBlock(this.blocks.value, this.selected.value) : undefined));

  constructor(private readonly workflowId: string) {}

  /** Start from a saved version; unsaved work stored for the same version is restored. */
  open(version: number, blocks: readonly ApiBlock[]): void {
    const served = blocksFromApi(blocks);
    this.base = version;
    this.saved.value = served;
    const stored = this.readStored();
    this.blocks.value = stored?.base === version ? stored.blocks : served;
  }

  /** The draft was saved as this version; blocks in the undo history get the ids of the saved ones. */
  markSaved(version: number, blocks: readonly ApiBlock[]): void {
    const served = blocksFromApi(blocks);
    const savedBlocks = matchSavedBlocks(this.blocks.value, served);
    this.base = version;
    this.saved.value = served;
    this.blocks.value = served;
    this.past.value = this.past.value.map((one) => withSavedIds(one, savedBlocks));
    this.future.value = this.future.value.map((one) => withSavedIds(one, savedBlocks));
    this.selected.value = this.selected.value && (savedBlocks.get(this.selected.value)?.key ?? this.selected.value);
    localStorage.removeItem(this.storageKey);
  }

  /** The service changed the workflow, for example by a proposal; can be undone. */
  replaceWith(version: number, blocks: readonly ApiBlock[]): void {
    const before = this.blocks.value;
    const known = new Set([...walkBlocks(before)].map(({ block }) => block.key));
    this.base = version;
    this.saved.value = blocksFromApi(blocks);
    this.past.value = [...this.past.value, before].slice(-MAX_UNDO_STEPS);
    this.future.value = [];
    this.setBlocks(this.saved.value);
    this.selected.value = [...walkBlocks(this.blocks.value)].find(({ block }) => !known.has(block.key))?.block.key ?? this.selected.value;
  }

  change(next: Blocks): void {
    if (next === this.blocks.value) return;
    this.past.value = [...this.past.value, this.blocks.value].slice(-MAX_UNDO_STEPS);
    this.future.value = [];
    this.setBlocks(next);
  }

  undo(): void {
    const last = this.past.value.at(-1);
    if (!last) return;
    this.past.value = this.past.value.slice(0, -1);
    this.future.value = [this.blocks.value, ...this.future.value];
    this.setBlocks(last);
  }

  redo(): void {
    const [next, ...rest] = this.future.value;
    if (!next) return;
    this.future.value = rest;
    this.past.value = [...this.past.value, this.blocks.value];
    this.setBlocks(next);
  }

  discard(): void {
    this.change(this.saved.value);
  }

  private setBlocks(blocks: Blocks): void {
    this.blocks.value = blocks;
    if (this.isChanged.value) localStorage.setItem(this.storageKey, JSON.stringify({ base: this.base, blocks } satisfies StoredDraft));
    else localStorage.removeItem(this.storageKey);
  }

  private get storageKey(): string {
    return `pagehand.draft.${this.workflowId}`;
  }

  private readStored(): StoredDraft | undefined {
    try {
      return JSON.parse(localStorage.getItem(this.storageKey) ?? "null") as StoredDraft | undefined;
    } catch {
      return undefined;
    }
  }
}

/** The saved block for each key of the draft; both trees have the same shape. */
function matchSavedBlocks(draft: Blocks, served: Blocks): ReadonlyMap<string, Block> {
  const names = [...walkBlocks(served)];
  return new Map([...walkBlocks(draft)].map(({ block }, index) => [block.key, names[index]!.block]));
}

/** A tree in which new blocks have the ids and references of the saved ones. */
function withSavedIds(blocks: Blocks, savedBlocks: ReadonlyMap<string, Block>): Blocks {
  return blocks.map((one) => {
    const saved = savedBlocks.get(one.key);
    const ids = saved && { key: saved.key, ...(saved.id ? { id: saved.id } : {}), ...(one.blockReferenceId || !saved.blockReferenceId ? {} : { blockReferenceId: saved.blockReferenceId }) };
    return { ...one, ...ids, sequenceData: Object.fromEntries(Object.entries(one.sequenceData).map(([name, list]) => [name, withSavedIds(list, savedBlocks)])) };
  });
}
