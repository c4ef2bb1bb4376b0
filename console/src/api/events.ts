/** The one stream of changes: views listen to it and read again what they show. Nothing polls. */
import { signal } from "@preact/signals";

export interface Change {
  /** What changed: `execution`, `workflow`, `attention` … */
  readonly noun: string;
  readonly id: string;
  readonly status?: string;
}

type Listener = (change: Change) => void;

/** Whether the stream is open; views show when what they hold may be old. */
export const isLive = signal(false);

const MOST_HELD = 500;
const EVERYTHING: Change = { noun: "*", id: "" };
const listeners = new Set<Listener>();
/** What changed while nobody looked at the tab; applied when it is shown again. */
const held = new Map<string, Change>();
let source: EventSource | undefined;

/** Open the stream once; the browser connects again by itself. */
export function openStream(): void {
  if (source) return;
  document.addEventListener("visibilitychange", catchUp);
  source = new EventSource("/console/events");
  source.onopen = () => {
    const wasClosed = !isLive.value;
    isLive.value = true;
    // whatever happened while the stream was down is unknown: everything may have changed
    if (wasClosed) tell(EVERYTHING);
  };
  source.onerror = () => {
    isLive.value = false;
  };
  source.onmessage = (message: MessageEvent<string>) => tell(JSON.parse(message.data) as Change);
}

/** Close it, on signing out. */
export function closeStream(): void {
  document.removeEventListener("visibilitychange", catchUp);
  held.clear();
  source?.close();
  source = undefined;
  isLive.value = false;
}

/** Hear of changes to some nouns; call the answer to stop. */
export function onChange(nouns: readonly string[], listener: Listener): () => void {
  const one: Listener = (change) => {
    if (change.noun === "*" || nouns.includes(change.noun)) listener(change);
  };
  listeners.add(one);
  return () => listeners.delete(one);
}

/** Tell the views at once, or when the tab is looked at: a hidden tab reads nothing. */
function tell(change: Change): void {
  if (document.visibilityState === "hidden") hold(change);
  else for (const listener of [...listeners]) listener(change);
}

function hold(change: Change): void {
  held.set(`${change.noun} ${change.id}`, change);
  if (held.size <= MOST_HELD) return;
  held.clear();
  held.set("*", EVERYTHING);
}

function catchUp(): void {
  if (document.visibilityState === "hidden") return;
  const missed = [...held.values()];
  held.clear();
  missed.forEach(tell);
}
