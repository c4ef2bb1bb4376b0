/** The unsaved state of the editor: content, selection and undo history. Only a person throws it away. */
import { computed, signal } from "@preact/signals";
import { findBlock, outermost, walkBlocks, type Blocks } from "./block_edits";
import { changedText } from "./changed_text";
import type { Content, Saved } from "./content";
import type { DraftStore } from "./draft_store";
import { isSame, merge, takeOver, type Conflict } from "./merge";

const MAX_UNDO_STEPS = 200;
/** So many survive a reload: they are written with every change. */
const MAX_KEPT_UNDO_STEPS = 20;

/** After so long, typing begins another step of undo. */
const TYPING_PAUSE_MS = 2000;

export class Draft {
  readonly content;
  readonly selected = signal<string | undefined>(undefined);
  /** The blocks that were selected together; they are no longer once another one is selected. */
  private readonly together = signal<{ with: string; keys: ReadonlySet<string> } | undefined>(undefined);
  /** The version the draft is based on. */
  readonly base;
  /** A newer version that changes the same as the draft; the person chooses between the two. */
  readonly theirs = signal<Saved | undefined>(undefined);
  /** Whether the browser keeps the draft; it does not when its storage is full. */
  readonly isKept = signal(true);
  /** The text that was changed last, and when. */
  private typed: { text: string | undefined; at: number } = { text: undefined, at: 0 };
  private readonly past = signal<readonly Content[]>([]);
  private readonly future = signal<readonly Content[]>([]);

  readonly blocks = computed(() => this.content.value.blocks);
  readonly isChanged = computed(() => !isSame(this.content.value, this.base.value.content));
  readonly canUndo = computed(() => this.past.value.length > 0);
  readonly canRedo = computed(() => this.future.value.length > 0);
  readonly block = computed(() =>
    this.selected.value ? findBlock(this.blocks.value, this.selected.value) : undefined,
  );
  /** The keys of all selected blocks. */
  readonly selectedKeys = computed<ReadonlySet<string>>(() => {
    const { value: key } = this.selected;
    return this.together.value?.keys ?? new Set(key ? [key] : []);
  });
  /** The selected blocks in reading order, each with those inside. */
  readonly selectedBlocks = computed(() => outermost(this.blocks.value, this.selectedKeys.value));
  readonly conflicts = computed<readonly Conflict[]>(() =>
    this.theirs.value ? merge(this.base.value.content, this.content.value, this.theirs.value.content).conflicts : [],
  );

  /** Start from the saved version, and from what the browser kept. */
  constructor(
    private readonly store: DraftStore,
    saved: Saved,
  ) {
    const stored = store.read();
    this.base = signal<Saved>(stored?.base ?? saved);
    this.content = signal<Content>(stored?.content ?? saved.content);
    this.past.value = stored?.past ?? [];
    this.meet(saved);
    this.selected.subscribe((key) => {
      if (this.together.peek()?.with !== key) this.together.value = undefined;
    });
    void store.eachAbandoned((draft) => this.takeAbandoned(draft.base, draft.content));
  }

  /** Select several blocks; the form shows the one that was added last. */
  selectTogether(keys: Iterable<string>, last: string): void {
    this.together.value = { with: last, keys: new Set(keys) };
    this.selected.value = last;
  }

  /** Change some of the content. What is typed into one text in one go is one step of undo. */
  edit(change: Partial<Content>): void {
    const next = { ...this.content.value, ...change };
    const typed = changedText(this.content.value, next);
    const isSameStep = typed !== undefined && typed === this.typed.text && Date.now() - this.typed.at < TYPING_PAUSE_MS;
    this.typed = { text: typed, at: Date.now() };
    if (!isSameStep || !this.canUndo.value)
      this.past.value = [...this.past.value, this.content.value].slice(-MAX_UNDO_STEPS);
    this.future.value = [];
    this.setContent(next);
  }

  change(blocks: Blocks): void {
    if (blocks !== this.blocks.value) this.edit({ blocks });
  }

  undo(): void {
    const last = this.past.value.at(-1);
    if (!last) return;
    this.typed = { text: undefined, at: 0 };
    this.past.value = this.past.value.slice(0, -1);
    this.future.value = [this.content.value, ...this.future.value];
    this.setContent(last);
  }

  redo(): void {
    const [next, ...rest] = this.future.value;
    if (!next) return;
    this.future.value = rest;
    this.past.value = [...this.past.value, this.content.value];
    this.setContent(next);
  }

  /** Go back to the saved version; can be undone. */
  discard(): void {
    this.edit(this.base.value.content);
  }

  /** `sent` was saved as this version. What was typed since then stays unsaved. A saved parameter's key is its name. */
  markSaved(sent: Content, saved: Saved): void {
    const keys = new Map(sent.parameters.map((one) => [one.key, one.name]));
    const rekey = (content: Content) => ({
      ...content,
      parameters: content.parameters.map((one) => ({ ...one, key: keys.get(one.key) ?? one.key })),
    });
    this.theirs.value = undefined;
    this.content.value = rekey(this.content.value);
    this.past.value = this.past.value.map(rekey);
    this.future.value = this.future.value.map(rekey);
    this.rebase(rekey(sent), saved);
  }

  /** Another version is the current one: merge it, or keep both until the conflicts are resolved. */
  meet(saved: Saved): void {
    if (saved.version === this.base.value.version) return;
    this.theirs.value = saved;
    this.settle();
  }

  /** The service changed the blocks at the person's wish, for example by a proposal; undo leads back to `before`. */
  adoptBlocks(version: number, blocks: Blocks, before: Content): void {
    const known = new Set([...walkBlocks(before.blocks)].map(({ block }) => block.key));
    this.base.value = { version, content: { ...this.base.value.content, blocks } };
    this.past.value = [...this.past.value, before].slice(-MAX_UNDO_STEPS);
    this.future.value = [];
    this.setContent({ ...this.content.value, blocks });
    this.selected.value =
      [...walkBlocks(blocks)].find(({ block }) => !known.has(block.key))?.block.key ?? this.selected.value;
  }

  keepMine(conflict: Conflict): void {
    const { theirs, base } = this;
    if (!theirs.value) return;
    base.value = { ...base.value, content: takeOver(base.value.content, conflict, theirs.value.content) };
    this.setContent(this.content.value);
  }

  takeTheirs(conflict: Conflict): void {
    if (this.theirs.value) this.edit(takeOver(this.content.value, conflict, this.theirs.value.content));
  }

  close(): void {
    this.store.close();
  }

  private setContent(content: Content): void {
    this.content.value = content;
    this.settle();
    this.keep();
  }

  /** Go over to the newer version as soon as nothing conflicts with it. */
  private settle(): void {
    if (this.theirs.value && this.conflicts.value.length === 0) {
      const saved = this.theirs.value;
      this.theirs.value = undefined;
      this.rebase(this.base.value.content, saved);
    }
  }

  /** Carry the draft and its history over to another version. */
  private rebase(from: Content, saved: Saved): void {
    const carry = (content: Content) => merge(from, content, saved.content).content;
    this.base.value = saved;
    this.content.value = carry(this.content.value);
    this.past.value = this.past.value.map(carry);
    this.future.value = this.future.value.map(carry);
    this.keep();
  }

  private takeAbandoned(base: Saved, content: Content): boolean {
    if (this.theirs.value) return false;
    if (!this.isChanged.value) {
      const current = this.base.value;
      this.base.value = base;
      this.setContent(content);
      this.meet(current);
      return this.isKept.value;
    }
    const merged = merge(base.content, content, this.content.value);
    if (merged.conflicts.length > 0) return false; // stays in the store until this draft has been saved
    this.setContent(merged.content);
    return this.isKept.value;
  }

  private keep(): void {
    this.isKept.value = true;
    if (this.isChanged.value)
      this.isKept.value = this.store.write({
        base: this.base.value,
        content: this.content.value,
        past: this.past.value.slice(-MAX_KEPT_UNDO_STEPS),
      });
    else this.store.clear();
  }
}
