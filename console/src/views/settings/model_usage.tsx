/** What the organization has spent on the language model. */
import { call } from "../../api/client";
import { useReading } from "../../app/reading";
import { Card, Empty } from "../../design/card";
import { Time } from "../../design/time";

export function ModelUsage() {
  const { value, problem } = useReading("model usage", () => call("/statistics/modelUsage", {}), { nouns: ["execution"] });
  const usage = value?.modelUsage;
  return (
    <Card title="Model usage">
      {problem && <Empty title={problem} />}
      {usage?.calls === 0 && <p class="muted">No execution has asked a language model.</p>}
      {usage && usage.calls > 0 && (
        <dl class="facts">
          <dt>Calls</dt>
          <dd>
            {number(usage.calls)} in {number(usage.executions)} executions
          </dd>
          <dt>Tokens</dt>
          <dd>
            {number(usage.inputTokens)} in, {number(usage.outputTokens)} out
          </dd>
          <dt>Cost</dt>
          <dd>{usage.costUsd > 0 ? `${usage.costUsd.toFixed(usage.costUsd < 1 ? 4 : 2)} USD` : "Not known for this model"}</dd>
          <dt>Since</dt>
          <dd>
            <Time iso={usage.since} />
          </dd>
        </dl>
      )}
    </Card>
  );
}

function number(count: number): string {
  return count.toLocaleString("en");
}
