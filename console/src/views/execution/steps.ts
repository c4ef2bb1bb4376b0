/** The steps of a run, nested like its workflow, made of its events. */
import type { Schemas } from "../../api/client";

export type Event = Schemas["Event"];

export interface Step {
  readonly blockId: string;
  readonly reference: string;
  name: string;
  state: "running" | "done" | "failed" | "skipped";
  message: string;
  durationMs?: number;
  /** How its element was found, in the service's word. */
  found?: string;
  before?: string;
  after?: string;
  readonly data: Record<string, unknown>;
  /** What happened inside, one list per round of a loop; one list alone for other containers. */
  readonly rounds: Step[][];
  readonly seq: number;
}

const ENDS: Record<string, Step["state"]> = {
  "block.finished": "done",
  "block.failed": "failed",
  "block.skipped": "skipped",
};

/** Nest the events: what starts between a block's start and its end is inside it. */
export function stepsOf(events: readonly Event[]): Step[] {
  const top: Step[] = [];
  const open: Step[] = [];
  const pictures = new Map<number, string>();
  for (const event of events) {
    if (event.screenshotUrl) pictures.set(event.seq, event.screenshotUrl);
    if (event.type === "block.started") begin(event, open, top);
    else if (ENDS[event.type] && event.blockId) end(event, open, pictures);
    else if (event.type === "execution.retried" || event.type === "execution.requeued") open.length = 0;
  }
  return top;
}

function begin(event: Event, open: Step[], top: Step[]): void {
  const step: Step = {
    blockId: event.blockId ?? "",
    reference: event.blockReferenceId ?? "",
    name: event.message.replace(/ began$/, ""),
    state: "running",
    message: "",
    data: {},
    rounds: [],
    seq: event.seq,
  };
  const parent = open.at(-1);
  if (parent) roundFor(parent, step.blockId).push(step);
  else top.push(step);
  open.push(step);
}

/** The round a step belongs to: a block that has run already in this one begins the next. */
function roundFor(parent: Step, blockId: string): Step[] {
  const round = parent.rounds.at(-1);
  if (round && !round.some((one) => one.blockId === blockId)) return round;
  const next: Step[] = [];
  parent.rounds.push(next);
  return next;
}

function end(event: Event, open: Step[], pictures: ReadonlyMap<number, string>): void {
  while (open.length) {
    const step = open.pop()!;
    if (step.blockId !== event.blockId) continue; // an inner step that never said how it ended
    const data = event.data as Record<string, unknown>;
    step.state = ENDS[event.type] ?? "done";
    step.message = event.message;
    Object.assign(step.data, data);
    if (typeof data["durationMs"] === "number") step.durationMs = data["durationMs"];
    const found = data["found"] as { how?: string } | undefined;
    if (found?.how) step.found = found.how;
    if (event.screenshotUrl) step.after = event.screenshotUrl;
    const before = typeof data["pictureBefore"] === "number" ? pictures.get(data["pictureBefore"]) : undefined;
    if (before) step.before = before;
    return;
  }
}

/** The step a failed run ended at: the innermost one that failed. */
export function failedStep(steps: readonly Step[]): Step | undefined {
  for (const step of [...steps].reverse()) {
    const inner = [...step.rounds].reverse().map(failedStep).find(Boolean);
    if (inner) return inner;
    if (step.state === "failed") return step;
  }
  return undefined;
}

/** How many steps there are in all. */
export function countSteps(steps: readonly Step[]): number {
  return steps.reduce((sum, one) => sum + 1 + one.rounds.reduce((inner, round) => inner + countSteps(round), 0), 0);
}
