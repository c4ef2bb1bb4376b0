/** A live session of the editor: an open browser in which unsaved blocks are run, picked and recorded. */
import { computed, signal } from "@preact/signals";
import { ApiError, call, errorMessage, type Schemas } from "../../api/client";
import { onChange } from "../../api/events";
import { notify } from "../../design/notice";
import type { Box } from "../../live/screen";
import { newEvents } from "../execution/events";
import { runningSteps, stepsOf, type Event } from "../execution/steps";
import { blocksToApi, referencesOf, walkBlocks, type ApiBlock, type Blocks } from "./block_edits";

export type Picked = NonNullable<Schemas["PickAnswer"]["element"]>;
export type Locator = Picked["locators"][number]["locator"];
/** The result of running some blocks. */
export type Part = Schemas["Part"];

/** Which blocks to run: one block, all up to one, all from one on, or (empty) all. */
export interface BlockRange {
  readonly blockId?: string;
  readonly lastBlockId?: string;
  readonly firstBlockId?: string;
  /** The finished run whose outputs, address and cookies come before `firstBlockId`. */
  readonly continueExecutionId?: string;
}

export interface SessionSettings {
  readonly params: Record<string, unknown>;
  readonly loginId?: string;
  /** A failed execution whose parameters and login the session uses; the secrets stay in the service. */
  readonly executionId?: string;
}

const RETRY_MS = 2000;
const EMPTY_PAUSE_MS = 300;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Answers about a session that is gone, or that this person may not use any more. */
const NOT_OURS = [401, 403, 404];

export class LiveSession {
  readonly id = signal<string | undefined>(undefined);
  readonly url = signal<string | undefined>(undefined);
  /** The result of the last run of blocks. */
  readonly part = signal<Part | undefined>(undefined);
  /** What is running, as text; empty if nothing is. */
  readonly running = signal("");
  /** The blocks that are running, by key, with the round where they repeat others. */
  readonly runningBlocks = signal<ReadonlyMap<string, string>>(new Map());
  /** The outputs of blocks that have run, by key. */
  readonly outputs = signal<ReadonlyMap<string, unknown>>(new Map());
  readonly isPicking = signal(false);
  readonly pointedAt = signal<{ box: Box; label: string } | undefined>(undefined);
  readonly picked = signal<Picked | undefined>(undefined);
  readonly isRecording = signal(false);
  /** The user points at what an extraction block should read. */
  readonly isExtracting = signal(false);
  /** The user points at what must be there. */
  readonly isChecking = signal(false);
  /** The blocks recorded in this session. */
  readonly recordedKeys = new Set<string>();
  readonly isOpen = computed(() => this.id.value !== undefined);
  /** The parameters that a person was asked for when it was opened. */
  asked: ReadonlySet<string> = new Set();
  /** Whether blocks were run in its browser, which then has their cookies and page. */
  hasRun = false;
  private isHighlighting = false;
  /** The service records no more; what it still gives is the rest. */
  private isEnding = false;
  /** Done once everything recorded is in the draft. */
  private recorded: Promise<void> = Promise.resolve();
  private unsubscribe: () => void = () => undefined;

  constructor(private readonly workflowId: string) {
    const stored = sessionStorage.getItem(this.storageKey);
    if (!stored) return;
    this.hasRun = true; // before the page was reloaded, as far as anyone knows
    void this.attach(stored);
  }

  /** Open the browser with its parameters and login. */
  async open(settings: SessionSettings): Promise<void> {
    const { execution } = await call("/liveSessions/open", { workflowId: this.workflowId, ...settings });
    await this.attach(execution.id);
  }

  /** Run blocks of the draft; `progressText` is shown meanwhile. */
  async run(blocks: Blocks, range: BlockRange, progressText: string): Promise<void> {
    if (!this.id.value) return;
    this.running.value = progressText;
    this.part.value = undefined;
    this.hasRun = true;
    const stopFollowing = this.followRun(this.id.value);
    try {
      this.part.value = await call("/liveSessions/run", { id: this.id.value, blocks: blocksToApi(blocks), ...range });
      this.outputs.value = outputsByKey(blocks, this.part.value.outputs, referencesOf(blocks));
    } finally {
      stopFollowing();
      this.running.value = "";
      if (!this.url.value) await this.refresh();
    }
  }

  /** Show which block runs, from the events of the run; returns the function that stops it. */
  private followRun(id: string): () => void {
    const events: Event[] = [];
    let isReading = false;
    let isOver = false;
    const read = async () => {
      if (isReading) return; // the next change reads what this one misses
      isReading = true;
      try {
        await newEvents(id, events);
        const steps = runningSteps(stepsOf(events));
        if (!isOver) this.runningBlocks.value = new Map(steps.map((one) => [one.blockId, roundOf(one)]));
      } finally {
        isReading = false;
      }
    };
    const unsubscribe = onChange(["event"], (change) => change.id === id && void read().catch(() => undefined));
    return () => {
      isOver = true;
      unsubscribe();
      this.runningBlocks.value = new Map();
    };
  }

  async stop(): Promise<void> {
    if (this.id.value) await call("/liveSessions/stop", { id: this.id.value });
  }

  async close(): Promise<void> {
    const id = this.id.value;
    this.reset();
    if (id) await call("/liveSessions/close", { id });
  }

  /** Highlight the element under the pointer; one request at a time, however fast the pointer moves. */
  async highlightAt(x: number, y: number): Promise<void> {
    if (!this.id.value || this.isHighlighting) return;
    this.isHighlighting = true;
    try {
      const { element } = await call("/liveSessions/pick", { id: this.id.value, x, y, onlyElement: true });
      if (this.isPicking.value)
        this.pointedAt.value = element ? { box: element.box, label: elementLabel(element) } : undefined;
    } catch {
      this.pointedAt.value = undefined; // the page is navigating; the next move asks again
    } finally {
      this.isHighlighting = false;
    }
  }

  async pick(x: number, y: number): Promise<void> {
    if (!this.id.value) return;
    const { element } = await call("/liveSessions/pick", { id: this.id.value, x, y });
    this.picked.value = element ?? undefined;
    if (element) this.pointedAt.value = { box: element.box, label: elementLabel(element) };
  }

  startPicking(): void {
    this.picked.value = undefined;
    this.pointedAt.value = undefined;
    this.isPicking.value = true;
  }

  /** Let the person point at what must be there. */
  startChecking(): void {
    this.startPicking();
    this.isChecking.value = true;
  }

  stopPicking(): void {
    this.isPicking.value = this.isChecking.value = false;
    this.picked.value = undefined;
    this.pointedAt.value = undefined;
  }

  /** Record the user's actions as blocks until `stopRecording`; `onBlock` gets each new or changed block. */
  async record(withAddress: boolean, onBlock: (number: number, block: ApiBlock) => void): Promise<void> {
    await this.recorded; // of an earlier recording; two readers would take each block twice
    const id = this.id.value;
    if (!id) return;
    await call("/liveSessions/record", { id, isOn: true, withAddress });
    this.isEnding = false;
    this.isRecording.value = true;
    this.recorded = this.readRecorded(id, onBlock);
  }

  /** Returns once everything recorded is in the draft, text typed last included. */
  async stopRecording(): Promise<void> {
    this.isExtracting.value = this.isChecking.value = false;
    if (this.id.value) await call("/liveSessions/record", { id: this.id.value, isOn: false });
    this.isEnding = true;
    await this.recorded;
    this.isRecording.value = false;
  }

  /** An extraction block for what is at a point. */
  async extractAt(x: number, y: number): Promise<ApiBlock | undefined> {
    if (!this.id.value) return undefined;
    const { block } = await call("/liveSessions/read", { id: this.id.value, x, y });
    return block ?? undefined;
  }

  /** Long-poll for recorded blocks: the service answers when there is one, or after a while with none. */
  private async readRecorded(id: string, onBlock: (number: number, block: ApiBlock) => void): Promise<void> {
    let after = 0;
    while (this.id.value === id) {
      const isLast = this.isEnding;
      try {
        const { blocks } = await call("/liveSessions/recorded", { id, after });
        for (const one of blocks) {
          after = Math.max(after, one.revision);
          onBlock(one.number, one.block);
        }
        if (blocks.length > 0) continue;
        if (isLast) return;
        // it was switched off elsewhere: the service does not wait then
        if (!this.isEnding) await pause(EMPTY_PAUSE_MS);
      } catch {
        // ended, or not reachable for a moment: the service keeps what was recorded until it is asked again
        await pause(RETRY_MS);
        await this.refresh();
      }
    }
  }

  private async attach(id: string): Promise<void> {
    this.id.value = id;
    sessionStorage.setItem(this.storageKey, id);
    this.unsubscribe();
    this.unsubscribe = onChange(
      ["execution"],
      (change) => (change.noun === "*" || change.id === id) && void this.refresh(),
    );
    await this.refresh();
  }

  /** Read the live view's URL; reset if the session has ended. */
  private async refresh(): Promise<void> {
    const id = this.id.value;
    if (!id) return;
    try {
      const { execution } = await call("/executions/get", { id });
      if (id !== this.id.value) return;
      if (execution.status === "Failed")
        notify(`The live session has ended. ${execution.failure?.message ?? ""} Run opens a new one.`, "bad");
      if (execution.status === "Completed" || execution.status === "Failed") this.reset();
      else this.url.value = execution.liveViewUrl ?? undefined;
    } catch (error) {
      console.warn(errorMessage(error));
      if (error instanceof ApiError && NOT_OURS.includes(error.status)) this.reset();
    }
  }

  private reset(): void {
    this.unsubscribe();
    this.stopPicking();
    this.isRecording.value = this.isExtracting.value = this.isChecking.value = false;
    this.id.value = this.url.value = this.part.value = undefined;
    this.runningBlocks.value = new Map();
    this.running.value = "";
    this.hasRun = false;
    sessionStorage.removeItem(this.storageKey);
  }

  private get storageKey(): string {
    return `pagehand.session.${this.workflowId}`;
  }
}

function roundOf({ rounds }: { rounds: readonly unknown[] }): string {
  return rounds.length > 1 ? `Round ${rounds.length}` : "";
}

/** The outputs by the keys of the blocks; of those in a loop, those of its last round. */
function outputsByKey(
  blocks: Blocks,
  outputs: Readonly<Record<string, unknown>>,
  references: ReadonlyMap<string, string>,
): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const { key, sequenceData } of blocks) {
    const output = outputs[references.get(key)!];
    if (output !== undefined) found.set(key, output);
    const inside = Array.isArray(output) ? ((output.at(-1) ?? {}) as Record<string, unknown>) : outputs;
    for (const list of Object.values(sequenceData))
      for (const [inner, value] of outputsByKey(list, inside, references)) found.set(inner, value);
  }
  return found;
}

export function elementLabel(element: Picked): string {
  return [element.role || element.tag, element.name && `“${element.name}”`].filter(Boolean).join(" ");
}

/** The key of the block that failed. */
export function failedBlockKey(part: Part | undefined, blocks: Blocks): string | undefined {
  const failure = part?.failure;
  if (!failure) return undefined;
  for (const { block } of walkBlocks(blocks))
    if (block.key === failure.blockId || block.blockReferenceId === failure.blockReferenceId) return block.key;
  return undefined;
}
