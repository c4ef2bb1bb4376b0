/** Where the browser keeps drafts until they are saved: one per tab, so that two tabs do not overwrite each other.

A tab holds a lock for its draft as long as it lives. A draft whose lock is free was left by a tab that crashed or was
closed: the next tab that opens the workflow takes it. */
import type { Content, Saved } from "./content";

export interface StoredDraft {
  readonly base: Saved;
  readonly content: Content;
  /** What undo leads back to, the latest last. */
  readonly past?: readonly Content[];
}

/** A reload can ask for the lock before the page it replaces has given it back. */
const RELOAD_MS = 1500;

export class DraftStore {
  private constructor(
    private readonly prefix: string,
    private readonly id: string,
    private readonly unlock: () => void,
  ) {}

  /** The store of this tab for a workflow; a duplicated tab gets a store of its own. */
  static async open(workflowId: string): Promise<DraftStore> {
    const prefix = `pagehand.draft.${workflowId}.`;
    const known = sessionStorage.getItem(prefix);
    const unlock = known && (await lock(prefix + known, RELOAD_MS));
    if (known && unlock) return new DraftStore(prefix, known, unlock);
    const id = Math.random().toString(36).slice(2);
    sessionStorage.setItem(prefix, id);
    return new DraftStore(prefix, id, (await lock(prefix + id, RELOAD_MS)) ?? (() => undefined));
  }

  /** Give the draft back, for the next tab that opens the workflow. */
  close(): void {
    this.unlock();
  }

  read(): StoredDraft | undefined {
    return readDraft(this.prefix + this.id);
  }

  /** Returns whether the browser had room for it. */
  write(draft: StoredDraft): boolean {
    const { past: _, ...needed } = draft;
    return this.put(draft) || this.put(needed);
  }

  private put(draft: StoredDraft): boolean {
    try {
      localStorage.setItem(this.prefix + this.id, JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  }

  clear(): void {
    localStorage.removeItem(this.prefix + this.id);
  }

  /** Offer each draft that no tab holds; `take` returns whether it took the draft, which is then removed. */
  async eachAbandoned(take: (draft: StoredDraft) => boolean): Promise<void> {
    for (const key of Object.keys(localStorage).filter(
      (one) => one.startsWith(this.prefix) && one !== this.prefix + this.id,
    )) {
      const unlock = await lock(key, 0);
      const draft = unlock && readDraft(key);
      if (draft && take(draft)) localStorage.removeItem(key);
      unlock?.();
    }
  }
}

function readDraft(key: string): StoredDraft | undefined {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? "null") as StoredDraft | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Hold a lock; returns what gives it back, or undefined if another tab holds it. */
function lock(name: string, waitMs: number): Promise<(() => void) | undefined> {
  // a page served over plain HTTP has no locks: there every draft counts as abandoned, which loses none
  if (!("locks" in navigator)) return Promise.resolve(() => undefined);
  const options = waitMs ? { signal: AbortSignal.timeout(waitMs) } : { ifAvailable: true };
  return new Promise((resolve) => {
    const hold = (held: Lock | null) =>
      new Promise<void>((unlock) => {
        resolve(held ? unlock : undefined);
        if (!held) unlock();
      });
    navigator.locks.request(name, options, hold).catch(() => resolve(undefined));
  });
}
