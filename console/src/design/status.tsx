/** An execution's status as a word with a colour; the word alone says it. */

const KIND: Record<string, string> = {
  Completed: "good",
  Failed: "bad",
  InProgress: "busy",
  Paused: "warn",
  Enqueued: "idle",
};
const WORD: Record<string, string> = { InProgress: "In progress" };

export function Status({ value }: { value: string }) {
  return <span class={`status ${KIND[value] ?? "idle"}`}>{WORD[value] ?? value}</span>;
}

/** A rate between 0 and 1 as people say it. */
export function percent(rate: number | null | undefined): string {
  return rate === null || rate === undefined ? "–" : `${Math.round(rate * 100)} %`;
}

export function Badge({ children, kind = "idle" }: { children: string; kind?: string }) {
  return <span class={`status ${kind}`}>{children}</span>;
}
