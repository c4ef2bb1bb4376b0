/** Before a retry: what the earlier run has already done outside, because the retry does it again. */
import { confirmAction } from "../../design/dialog";
import { formatCount } from "../../design/format";
import { flatSteps, type Step } from "./steps";

interface Effect {
  readonly blockReferenceId: string;
  readonly what: string;
}

const MAX_NAMED = 8;

/** What executions did outside. */
export function effectsOf(executions: readonly { readonly metadata: Record<string, unknown> }[]): readonly Effect[] {
  return executions.flatMap((one) => (one.metadata["effects"] as readonly Effect[] | undefined) ?? []);
}

/** Ask before a run that starts at a block; resolves to whether it may. */
export async function confirmRunFrom(
  execution: { readonly metadata: Record<string, unknown> },
  blockId: string,
  steps: readonly Step[],
): Promise<boolean> {
  const order = [...flatSteps(steps)].map(({ step }) => step);
  const start = order.findIndex((one) => one.blockId === blockId);
  const repeated = new Set(order.slice(start).map((one) => one.reference));
  const effects = effectsOf([execution]).filter((one) => repeated.has(one.blockReferenceId));
  if (effects.length === 0) return true;
  const named = effects.slice(0, MAX_NAMED).map((one) => `• \`${one.blockReferenceId}\`: ${one.what}`);
  return confirmAction(
    "Do it again?",
    ["This run has already done the following, from this block on. It is done again:", ...named].join("\n"),
    "Run anyway",
  );
}

/** Ask if the executions had effects; resolves to whether they may be retried. */
export async function confirmRetry(
  executions: readonly { readonly metadata: Record<string, unknown> }[],
): Promise<boolean> {
  const effects = effectsOf(executions);
  if (effects.length === 0) return true;
  const named = effects.slice(0, MAX_NAMED).map((one) => `• \`${one.blockReferenceId}\`: ${one.what}`);
  const more = effects.length > MAX_NAMED ? [`• and ${effects.length - MAX_NAMED} more`] : [];
  const whose =
    executions.length === 1 ? "The earlier run has" : `${formatCount(executions.length, "earlier run")} have`;
  return confirmAction(
    "Do it again?",
    [`${whose} already done this. A retry starts at the beginning and does it again:`, ...named, ...more].join("\n"),
    "Retry anyway",
  );
}
