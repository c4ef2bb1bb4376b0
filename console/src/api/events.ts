/** The one stream of changes: views subscribe to it and read again what they show. Nothing polls. */
import { signal } from "@preact/signals";
import { ApiError, post } from "./client";

export interface Change {
  /** What changed: `execution`, `workflow`, `attention` … */
  readonly noun: string;
  readonly id: string;
  readonly status?: string;
}

type Listener = (change: Change) => void;

/** Whether the stream is connected. While it is not, what views show may be old. */
export const isLive = signal(false);

const MAX_PENDING = 500;
const RETRY_MS = 5000;
const EVERYTHING: Change = { noun: "*", id: "" };
const listeners = new Set<Listener>();
/** Changes that arrived while the tab was hidden; dispatched when it is shown again. */
const pending = new Map<string, Change>();
let source: EventSource | undefined;

/** Open the stream once; it is opened again when it ends. */
export function openStream(): void {
  if (source) return;
  document.addEventListener("visibilitychange", dispatchPending);
  connect();
}

function connect(): void {
  source = new EventSource("/console/events");
  source.onopen = () => {
    const wasClosed = !isLive.value;
    isLive.value = true;
    // changes made while the stream was down are unknown, so anything may have changed
    if (wasClosed) dispatch(EVERYTHING);
  };
  source.onerror = () => {
    isLive.value = false;
    if (source?.readyState !== EventSource.CLOSED) return;
    void retry();
  };
  source.onmessage = (message: MessageEvent<string>) => dispatch(JSON.parse(message.data) as Change);
}

/** Open the stream again after it was refused, unless the session has ended, which leads to the sign-in page. */
async function retry(): Promise<void> {
  try {
    await post("/console/session/get", {});
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return;
  }
  setTimeout(connect, RETRY_MS);
}

/** Subscribe to changes of some nouns; returns the function that unsubscribes. */
export function onChange(nouns: readonly string[], listener: Listener): () => void {
  const filtered: Listener = (change) => {
    if (change.noun === "*" || nouns.includes(change.noun)) listener(change);
  };
  listeners.add(filtered);
  return () => listeners.delete(filtered);
}

/** Call the listeners now, or when the tab is visible again: a hidden tab sends no requests. */
function dispatch(change: Change): void {
  if (document.visibilityState === "hidden") addPending(change);
  else for (const listener of [...listeners]) listener(change);
}

function addPending(change: Change): void {
  pending.set(`${change.noun} ${change.id}`, change);
  if (pending.size <= MAX_PENDING) return;
  pending.clear();
  pending.set("*", EVERYTHING);
}

function dispatchPending(): void {
  if (document.visibilityState === "hidden") return;
  const changes = [...pending.values()];
  pending.clear();
  changes.forEach(dispatch);
}
