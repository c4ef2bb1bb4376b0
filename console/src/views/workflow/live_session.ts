/** The live session beside the editor: a browser kept open, in which blocks are tried before they are saved. */
import { computed, signal } from "@preact/signals";
import { call, sentence, type Schemas } from "../../api/client";
import { onChange } from "../../api/events";
import type { Box } from "../../live/screen";
import { walk, type Blocks } from "./tree_edit";

export type Picked = NonNullable<Schemas["PickAnswer"]["element"]>;
export type Part = Schemas["Part"];

/** Which blocks to run: one alone, up to one, or all. */
export interface What {
  readonly blockId?: string;
  readonly lastBlockId?: string;
}

export interface Settings {
  readonly params: Record<string, unknown>;
  readonly loginId?: string;
  /** An execution whose params and login it takes over; its secrets stay with the service. */
  readonly executionId?: string;
}

export class LiveSession {
  readonly id = signal<string | undefined>(undefined);
  readonly url = signal<string | undefined>(undefined);
  /** How the last run of blocks went. */
  readonly part = signal<Part | undefined>(undefined);
  /** What runs now, in words; empty while nothing does. */
  readonly running = signal("");
  readonly isPicking = signal(false);
  readonly pointedAt = signal<{ box: Box; label: string } | undefined>(undefined);
  readonly picked = signal<Picked | undefined>(undefined);
  readonly isRecording = signal(false);
  /** Somebody points at what a block is to read. */
  readonly isReading = signal(false);
  readonly isOpen = computed(() => this.id.value !== undefined);
  private isLooking = false;
  private stopWatching: () => void = () => undefined;

  constructor(private readonly workflowId: string) {
    const kept = sessionStorage.getItem(this.name);
    if (kept) void this.adopt(kept);
  }

  /** Open the browser; what it may take for parameters and a login is given once. */
  async open(settings: Settings): Promise<void> {
    const { execution } = await call("/liveSessions/open", { workflowId: this.workflowId, ...settings });
    await this.adopt(execution.id);
  }

  /** Run one block, up to one, or all; the draft as it is. */
  async run(blocks: Blocks, what: What, words: string): Promise<void> {
    if (!this.id.value) return;
    this.running.value = words;
    this.part.value = undefined;
    try {
      this.part.value = await call("/liveSessions/run", { id: this.id.value, blocks: forSession(blocks), ...what } as never);
    } finally {
      this.running.value = "";
      if (!this.url.value) await this.look();
    }
  }

  async stop(): Promise<void> {
    if (this.id.value) await call("/liveSessions/stop", { id: this.id.value });
  }

  async close(): Promise<void> {
    const id = this.id.value;
    this.forget();
    if (id) await call("/liveSessions/close", { id });
  }

  /** What is under the pointer; one question at a time, so that a fast pointer costs nothing. */
  async lookAt(x: number, y: number): Promise<void> {
    if (!this.id.value || this.isLooking) return;
    this.isLooking = true;
    try {
      const { element } = await call("/liveSessions/pick", { id: this.id.value, x, y, onlyElement: true });
      if (this.isPicking.value) this.pointedAt.value = element ? { box: element.box, label: labelOf(element) } : undefined;
    } catch {
      this.pointedAt.value = undefined; // a page on its way elsewhere; pointing again asks again
    } finally {
      this.isLooking = false;
    }
  }

  async pick(x: number, y: number): Promise<void> {
    if (!this.id.value) return;
    const { element } = await call("/liveSessions/pick", { id: this.id.value, x, y });
    this.picked.value = element ?? undefined;
    if (element) this.pointedAt.value = { box: element.box, label: labelOf(element) };
  }

  startPicking(): void {
    this.picked.value = undefined;
    this.pointedAt.value = undefined;
    this.isPicking.value = true;
  }

  stopPicking(): void {
    this.isPicking.value = false;
    this.picked.value = undefined;
    this.pointedAt.value = undefined;
  }

  /** Make blocks of what the person does, until it is stopped; each is put where the last one stands. */
  async record(withAddress: boolean, onBlock: (number: number, block: Record<string, unknown>) => void): Promise<void> {
    const id = this.id.value;
    if (!id) return;
    await call("/liveSessions/record", { id, isOn: true, withAddress });
    this.isRecording.value = true;
    void this.follow(id, onBlock);
  }

  async stopRecording(): Promise<void> {
    this.isReading.value = false;
    if (this.id.value) await call("/liveSessions/record", { id: this.id.value, isOn: false });
    this.isRecording.value = false;
  }

  /** A block that reads what is at a point. */
  async readAt(x: number, y: number): Promise<Record<string, unknown> | undefined> {
    if (!this.id.value) return undefined;
    const { block } = await call("/liveSessions/read", { id: this.id.value, x, y });
    return (block as Record<string, unknown> | null) ?? undefined;
  }

  /** The service answers when there is something new, or after a while with nothing. */
  private async follow(id: string, onBlock: (number: number, block: Record<string, unknown>) => void): Promise<void> {
    let after = 0;
    let isLast = false;
    while (this.id.value === id && !isLast) {
      isLast = !this.isRecording.value; // once more after the end: what was typed last is noted then
      try {
        const { blocks } = await call("/liveSessions/recorded", { id, after });
        for (const one of blocks) {
          after = Math.max(after, one.revision);
          onBlock(one.number, one.block as unknown as Record<string, unknown>);
        }
        isLast = isLast && blocks.length === 0;
      } catch {
        return this.look(); // the session has ended, or the service is gone
      }
    }
  }

  private async adopt(id: string): Promise<void> {
    this.id.value = id;
    sessionStorage.setItem(this.name, id);
    this.stopWatching();
    this.stopWatching = onChange(["execution"], (change) => (change.noun === "*" || change.id === id) && void this.look());
    await this.look();
  }

  /** Where the browser is to be seen; a session that has ended is forgotten. */
  private async look(): Promise<void> {
    const id = this.id.value;
    if (!id) return;
    try {
      const { execution } = await call("/executions/get", { id });
      if (id !== this.id.value) return;
      if (execution.status === "Completed" || execution.status === "Failed") this.forget();
      else this.url.value = execution.liveViewUrl ?? undefined;
    } catch (trouble) {
      this.forget();
      console.warn(sentence(trouble));
    }
  }

  private forget(): void {
    this.stopWatching();
    this.stopPicking();
    this.isRecording.value = this.isReading.value = false;
    this.id.value = this.url.value = this.part.value = undefined;
    this.running.value = "";
    sessionStorage.removeItem(this.name);
  }

  private get name(): string {
    return `pagehand.session.${this.workflowId}`;
  }
}

export function labelOf(element: Picked): string {
  return [element.role || element.tag, element.name && `“${element.name}”`].filter(Boolean).join(" ");
}

/** The draft with the editor's keys as ids, so that new blocks can be named too. */
function forSession(blocks: Blocks): Record<string, unknown>[] {
  return blocks.map(({ key, sequenceData, locator, ...rest }) => ({
    ...rest,
    id: key,
    ...(locator && Object.keys(locator).length ? { locator } : {}),
    ...(Object.keys(sequenceData).length ? { sequenceData: Object.fromEntries(Object.entries(sequenceData).map(([name, list]) => [name, forSession(list)])) } : {}),
  }));
}

/** The block a failure speaks of, by the editor's key. */
export function failedKey(part: Part | undefined, blocks: Blocks): string | undefined {
  const failure = part?.failure as { blockId?: string | null; blockReferenceId?: string | null } | null | undefined;
  if (!failure) return undefined;
  for (const { block } of walk(blocks)) if (block.key === failure.blockId || block.blockReferenceId === failure.blockReferenceId) return block.key;
  return undefined;
}
