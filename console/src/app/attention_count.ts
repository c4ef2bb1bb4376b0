/** The number of items that wait for a person, shown in the navigation. */
import { signal } from "@preact/signals";
import { call } from "../api/client";
import { onChange } from "../api/events";

const MIN_INTERVAL_MS = 400;

export const attentionCount = signal(0);

/** A change to one of these may add or remove an item that waits for a person. */
export const ATTENTION_NOUNS = ["execution", "attention", "authentication", "login", "workflow"] as const;

/** Read the count now and after every change that may affect it. */
export function startAttentionCount(): void {
  const read = async () => {
    const { total } = await call("/attention/list", { limit: 1 });
    attentionCount.value = total;
  };
  const refresh = () => void read().catch(() => undefined); // on an error the last count stays
  let timer: ReturnType<typeof setTimeout> | undefined;
  onChange(ATTENTION_NOUNS, () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      refresh();
    }, MIN_INTERVAL_MS);
  });
  refresh();
}
