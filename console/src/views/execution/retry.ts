/** Before a retry: what the earlier run has already done outside, because the retry does it again. */
import { confirmAction } from "../../design/dialog";
import { formatCount } from "../../design/format";

interface Effect {
  readonly blockReferenceId: string;
  readonly what: string;
}

const MAX_NAMED = 8;

/** Ask if the executions had effects; resolves to whether they may be retried. */
export async function confirmRetry(
  executions: readonly { readonly metadata: Record<string, unknown> }[],
): Promise<boolean> {
  const effects = executions.flatMap((one) => (one.metadata["effects"] as readonly Effect[] | undefined) ?? []);
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
