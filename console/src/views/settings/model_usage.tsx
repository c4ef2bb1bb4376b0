/** The organization's use of language models. */
import { call } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Card, EmptyState } from "../../design/card";
import { formatCount, formatNumber } from "../../design/format";
import { Time } from "../../design/time";

export function ModelUsage() {
  const { value, problem } = useQuery("model usage", () => call("/statistics/modelUsage", {}), {
    nouns: ["execution"],
  });
  const usage = value?.modelUsage;
  return (
    <Card title="Model usage">
      {problem && <EmptyState title={problem} />}
      {usage?.calls === 0 && <p class="muted">No execution has used a language model.</p>}
      {usage && usage.calls > 0 && (
        <dl class="facts">
          <dt>Calls</dt>
          <dd>
            {formatNumber(usage.calls)} in {formatCount(usage.executions, "execution")}
          </dd>
          <dt>Tokens</dt>
          <dd>
            {formatNumber(usage.inputTokens)} in, {formatNumber(usage.outputTokens)} out
          </dd>
          <dt>Cost</dt>
          <dd>
            {usage.costUsd > 0 ? `${usage.costUsd.toFixed(usage.costUsd < 1 ? 4 : 2)} USD` : "Not known for this model"}
          </dd>
          <dt>Since</dt>
          <dd>
            <Time iso={usage.since} />
          </dd>
        </dl>
      )}
    </Card>
  );
}
