/** Builds the steps of a run, nested like its workflow, from its events. */
import type { Schemas } from "../../api/client";

export type Event = Schemas["Event"];

export interface Step {
  readonly blockId: string;
  readonly reference: string;
  readonly kind: string;
  readonly attempt: number;
  readonly seq: number;
  readonly startedAt: string;
  name: string;
  state: "running" | "done" | "failed" | "skipped";
  message: string;
  durationMs?: number;
  /** How its element was found: `exact`, `healed` … */
  found?: string;
  before?: string;
  after?: string;
  /** Where its element was in the picture before: left, top, width and height, as shares of the window. */
  place?: readonly number[];
  /** What the locator said, what was used instead, and how sure that is. */
  healing?: Healing;
  /** Its data with templates filled in, secrets masked. */
  input?: unknown;
  modelCalls: number;
  /** What pages wrote to their console, and requests that failed. */
  console: readonly string[];
  failedRequests: readonly string[];
  /** Messages of other events while it ran: healing, dialogs, downloads … */
  readonly notes: string[];
  /** The steps inside: one list per round of a loop, a single list for other containers. */
  readonly rounds: Step[][];
}

/** Why an element counts as the one that a locator no longer finds. */
export interface Healing {
  readonly old?: object;
  readonly new?: object;
  /** `model` if a language model pointed at it. */
  readonly by?: string;
  /** The probability of the element, and of the next likely one. */
  readonly p1?: number;
  readonly p2?: number;
  /** What spoke for it, by weight. */
  readonly features?: Readonly<Record<string, number>>;
  /** Why none was used. */
  readonly refused?: string;
}

const END_STATES: Record<string, Step["state"]> = {
  "block.finished": "done",
  "block.failed": "failed",
  "block.skipped": "skipped",
};
const RESTART_EVENTS = new Set(["execution.retried", "execution.requeued"]);

/** Nest the steps: a block that starts between another's start and end is inside it. */
export function stepsOf(events: readonly Event[]): Step[] {
  const top: Step[] = [];
  const open: Step[] = [];
  const pictures = new Map<number, string>();
  let attempt = 0;
  for (const event of events) {
    if (event.screenshotUrl) pictures.set(event.seq, event.screenshotUrl);
    if (event.type === "execution.started") attempt += 1;
    if (event.type === "block.started") startStep(event, attempt, open, top);
    else if (END_STATES[event.type] && event.blockId) finishStep(event, open, pictures);
    else if (RESTART_EVENTS.has(event.type)) open.length = 0;
    else if (!event.type.startsWith("execution.") && event.type !== "locator.healed")
      open.at(-1)?.notes.push(event.message);
  }
  return top;
}

function startStep(event: Event, attempt: number, open: Step[], top: Step[]): void {
  const kind = event.data["kind"];
  const step: Step = {
    blockId: event.blockId ?? "",
    reference: event.blockReferenceId ?? "",
    kind: typeof kind === "string" ? kind : "",
    attempt,
    seq: event.seq,
    startedAt: event.at,
    name: event.message.replace(/ began$/, ""),
    state: "running",
    message: "",
    modelCalls: 0,
    console: [],
    failedRequests: [],
    notes: [],
    rounds: [],
  };
  const parent = open.at(-1);
  if (parent) roundFor(parent, step.blockId).push(step);
  else top.push(step);
  open.push(step);
}

/** The round a new step belongs to: a block that already ran in the current round starts the next. */
function roundFor(parent: Step, blockId: string): Step[] {
  const round = parent.rounds.at(-1);
  if (round && !round.some((one) => one.blockId === blockId)) return round;
  const next: Step[] = [];
  parent.rounds.push(next);
  return next;
}

function finishStep(event: Event, open: Step[], pictures: ReadonlyMap<number, string>): void {
  while (open.length) {
    const step = open.pop()!;
    if (step.blockId !== event.blockId) continue; // an inner step without an end event
    const { data } = event;
    step.state = END_STATES[event.type] ?? "done";
    step.message = event.message;
    step.durationMs =
      typeof data["durationMs"] === "number" ? data["durationMs"] : Date.parse(event.at) - Date.parse(step.startedAt);
    step.input = data["input"];
    if (typeof data["modelCalls"] === "number") step.modelCalls = data["modelCalls"];
    const found = data["found"] as { how?: string } | undefined;
    if (found?.how) step.found = found.how;
    if (Array.isArray(data["place"])) step.place = data["place"] as number[];
    if (data["healing"]) step.healing = data["healing"] as Healing;
    step.console = (data["console"] as string[] | undefined) ?? [];
    step.failedRequests = (data["failedRequests"] as string[] | undefined) ?? [];
    if (event.screenshotUrl) step.after = event.screenshotUrl;
    const before = typeof data["pictureBefore"] === "number" ? pictures.get(data["pictureBefore"]) : undefined;
    if (before) step.before = before;
    return;
  }
}

/** The innermost failed step. */
export function failedStep(steps: readonly Step[]): Step | undefined {
  for (const step of [...steps].reverse()) {
    const inner = [...step.rounds].reverse().map(failedStep).find(Boolean);
    if (inner) return inner;
    if (step.state === "failed") return step;
  }
  return undefined;
}

/** The steps that are running: the innermost one last, after those around it. */
export function runningSteps(steps: readonly Step[]): Step[] {
  const last = steps.at(-1);
  return last?.state === "running" ? [last, ...runningSteps(last.rounds.at(-1) ?? [])] : [];
}

/** The number of steps, nested ones included. */
export function countSteps(steps: readonly Step[]): number {
  return steps.reduce((sum, one) => sum + 1 + one.rounds.reduce((inner, round) => inner + countSteps(round), 0), 0);
}

/** All steps in the order they started, with their depth. */
export function* flatSteps(steps: readonly Step[], depth = 0): Generator<{ step: Step; depth: number }> {
  for (const step of steps) {
    yield { step, depth };
    for (const round of step.rounds) yield* flatSteps(round, depth + 1);
  }
}

const FOUND_LABELS: Record<string, string> = {
  exact: "by its locator",
  words: "by words",
  healed: "healed",
  cached: "by what worked last time",
  model: "by the model",
};

/** How an element was found, in words. */
export function describeFound(how: string): string {
  return FOUND_LABELS[how] ?? how;
}

/** "Download File" for `DownloadFile`. */
export function kindTitle(kind: string): string {
  return kind.replace(/V\d+$/, "").replace(/([a-z])([A-Z])/g, "$1 $2");
}
