/** How many things wait for a person, shown beside the navigation's link. */
import { signal } from "@preact/signals";
import { call } from "../api/client";
import { onChange } from "../api/events";

const AT_MOST_EVERY_MS = 400;

export const attentionCount = signal(0);

/** What changes when something begins or ceases to wait for a person. */
export const ATTENTION_NOUNS = ["execution", "attention", "authentication", "login", "workflow"] as const;

/** Count now, and whenever something begins or ceases to wait. */
export function startCounting(): void {
  const count = async () => {
    const { total } = await call("/attention/list", { limit: 1 });
    attentionCount.value = total;
  };
  const quietly = () => void count().catch(() => undefined); // a count that fails stays as it was
  let timer: ReturnType<typeof setTimeout> | undefined;
  onChange(ATTENTION_NOUNS, () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      quietly();
    }, AT_MOST_EVERY_MS);
  });
  quietly();
}
