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

const listeners = new Set<Listener>();
let source: EventSource | undefined;

/** Open the stream once; the browser connects again by itself. */
export function openStream(): void {
  if (source) return;
  source = new EventSource("/console/events");
  source.onopen = () => {
    const wasClosed = !isLive.value;
    isLive.value = true;
    // whatever happened while the stream was down is unknown: everything may have changed
    if (wasClosed) tell({ noun: "*", id: "" });
  };
  source.onerror = () => {
    isLive.value = false;
  };
  source.onmessage = (message: MessageEvent<string>) => tell(JSON.parse(message.data) as Change);
}

/** Close it, on signing out. */
export function closeStream(): void {
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

function tell(change: Change): void {
  for (const listener of [...listeners]) listener(change);
}
