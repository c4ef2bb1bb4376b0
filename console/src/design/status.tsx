/** An execution's status as a coloured label; the text alone is enough to read it. */

const KIND: Record<string, string> = {
  Completed: "good",
  Failed: "bad",
  InProgress: "busy",
  Paused: "warn",
  Enqueued: "idle",
};
const LABEL: Record<string, string> = { InProgress: "In progress" };

/** In pixels: the widest status with the padding of its cell. */
export const STATUS_WIDTH = 136;

export function Status({ value }: { value: string }) {
  return <span class={`status ${KIND[value] ?? "idle"}`}>{LABEL[value] ?? value}</span>;
}

export function Badge({ children, kind = "idle" }: { children: string; kind?: string }) {
  return <span class={`status ${kind}`}>{children}</span>;
}
