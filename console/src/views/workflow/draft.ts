/** What somebody edits: the tree, what is chosen in it, and the way back. It survives a reload until it is saved. */
import { computed, signal } from "@preact/signals";
import { find, fromService, walk, type Block, type Blocks } from "./tree_edit";

interface Kept {
  readonly base: number;
  readonly blocks: Blocks;
}

const MOST_STEPS = 200;

export class Draft {
  readonly blocks = signal<Blocks>([]);
  readonly selected = signal<string | undefined>(undefined);
  /** The version the draft was begun from. */
  base = 0;
  private readonly saved = signal<Blocks>([]);
  private readonly past = signal<readonly Blocks[]>([]);
  private readonly future = signal<readonly Blocks[]>([]);

  readonly isChanged = computed(() => this.blocks.value !== this.saved.value && JSON.stringify(this.blocks.value) !== JSON.stringify(this.saved.value));
  readonly canUndo = computed(() => this.past.value.length > 0);
  readonly canRedo = computed(() => this.future.value.length > 0);
  readonly block = computed(() => (this.selected.value ? find(this.blocks.value, this.selected.value) : undefined));

  constructor(private readonly workflowId: string) {}

  /** Begin from what the service has; unsaved work of this browser comes back if it was begun from the same version. */
  open(version: number, blocks: readonly Record<string, unknown>[]): void {
    const served = fromService(blocks);
    this.base = version;
    this.saved.value = served;
    const kept = this.kept();
    this.blocks.value = kept?.base === version ? kept.blocks : served;
  }

  /** The service has taken the draft, as this version; the way back knows the new blocks by their new ids. */
  wasSaved(version: number, blocks: readonly Record<string, unknown>[]): void {
    const served = fromService(blocks);
    const named = namedBy(this.blocks.value, served);
    this.base = version;
    this.saved.value = served;
    this.blocks.value = served;
    this.past.value = this.past.value.map((one) => renamed(one, named));
    this.future.value = this.future.value.map((one) => renamed(one, named));
    this.selected.value = this.selected.value && (named.get(this.selected.value)?.key ?? this.selected.value);
    localStorage.removeItem(this.name);
  }

  /** The service has changed the workflow on a person's word; one undo leads back to what was there. */
  tookOver(version: number, blocks: readonly Record<string, unknown>[]): void {
    const before = this.blocks.value;
    const known = new Set([...walk(before)].map(({ block }) => block.key));
    this.base = version;
    this.saved.value = fromService(blocks);
    this.past.value = [...this.past.value, before].slice(-MOST_STEPS);
    this.future.value = [];
    this.put(this.saved.value);
    this.selected.value = [...walk(this.blocks.value)].find(({ block }) => !known.has(block.key))?.block.key ?? this.selected.value;
  }

  change(next: Blocks): void {
    if (next === this.blocks.value) return;
    this.past.value = [...this.past.value, this.blocks.value].slice(-MOST_STEPS);
    this.future.value = [];
    this.put(next);
  }

  undo(): void {
    const last = this.past.value.at(-1);
    if (!last) return;
    this.past.value = this.past.value.slice(0, -1);
    this.future.value = [this.blocks.value, ...this.future.value];
    this.put(last);
  }

  redo(): void {
    const [next, ...rest] = this.future.value;
    if (!next) return;
    this.future.value = rest;
    this.past.value = [...this.past.value, this.blocks.value];
    this.put(next);
  }

  discard(): void {
    this.change(this.saved.value);
  }

  private put(blocks: Blocks): void {
    this.blocks.value = blocks;
    if (this.isChanged.value) localStorage.setItem(this.name, JSON.stringify({ base: this.base, blocks } satisfies Kept));
    else localStorage.removeItem(this.name);
  }

  private get name(): string {
    return `pagehand.draft.${this.workflowId}`;
  }

  private kept(): Kept | undefined {
    try {
      return JSON.parse(localStorage.getItem(this.name) ?? "null") as Kept | undefined;
    } catch {
      return undefined;
    }
  }
}

/** What the service calls each block of the draft: both trees have the same shape. */
function namedBy(draft: Blocks, served: Blocks): ReadonlyMap<string, Block> {
  const names = [...walk(served)];
  return new Map([...walk(draft)].map(({ block }, index) => [block.key, names[index]!.block]));
}

/** A tree with the service's ids and references for blocks that were new in it. */
function renamed(blocks: Blocks, named: ReadonlyMap<string, Block>): Blocks {
  return blocks.map((one) => {
    const kept = named.get(one.key);
    const own = kept && { key: kept.key, ...(kept.id ? { id: kept.id } : {}), ...(one.blockReferenceId || !kept.blockReferenceId ? {} : { blockReferenceId: kept.blockReferenceId }) };
    return { ...one, ...own, sequenceData: Object.fromEntries(Object.entries(one.sequenceData).map(([name, list]) => [name, renamed(list, named)])) };
  });
}
