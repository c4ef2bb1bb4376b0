/** How many things wait for a person, shown beside the navigation's link. */
import { signal } from "@preact/signals";
import { call } from "../api/client";
import { onChange } from "../api/events";

export const attentionCount = signal(0);

/** Count now, and whenever something begins or ceases to wait. */
export function startCounting(): void {
  const count = async () => {
    const { total } = await call("/executions/list", { status: "Paused", limit: 1 });
    attentionCount.value = total;
  };
  const quietly = () => void count().catch(() => undefined); // a count that fails stays as it was
  onChange(["execution", "attention"], quietly);
  quietly();
}
