/** What somebody edits: the tree, what is chosen in it, and the way back. It survives a reload until it is saved. */
import { computed, signal } from "@preact/signals";
import { find, fromService, type Blocks } from "./tree_edit";

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

  /** The service has taken the draft, as this version. */
  wasSaved(version: number, blocks: readonly Record<string, unknown>[]): void {
    const served = fromService(blocks);
    const before = this.selected.value ? keyPath(this.blocks.value, this.selected.value) : undefined;
    this.base = version;
    this.saved.value = served;
    this.blocks.value = served;
    this.selected.value = before ? keyAt(served, before) : undefined;
    localStorage.removeItem(this.name);
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

/** The positions that lead to a block: keys change when new blocks get their ids. */
function keyPath(blocks: Blocks, key: string): (string | number)[] | undefined {
  for (const [index, one] of blocks.entries()) {
    if (one.key === key) return [index];
    for (const [name, list] of Object.entries(one.sequenceData)) {
      const inner = keyPath(list, key);
      if (inner) return [index, name, ...inner];
    }
  }
  return undefined;
}

function keyAt(blocks: Blocks, path: readonly (string | number)[]): string | undefined {
  const [index, name, ...rest] = path;
  const block = blocks[index as number];
  if (name === undefined) return block?.key;
  return keyAt(block?.sequenceData[name as string] ?? [], rest);
}
