/** The newest failures, each with its last screenshot and a one-line reason. */
import type { Schemas } from "../../api/client";
import { Card, EmptyState } from "../../design/card";
import { TextWithCode } from "../../design/text_with_code";
import { Time } from "../../design/time";

type Failure = Schemas["StatisticsAnswer"]["statistics"]["failures"][number];

export function Failures({ failures }: { failures: readonly Failure[] }) {
  return (
    <Card title="Newest failures" flush>
      {failures.length === 0 && <EmptyState title="Nothing has failed." />}
      {failures.length > 0 && (
        <ul class="failures">
          {failures.map((one) => (
            <li key={one.executionId}>
              <a class="failure" href={`/executions/${one.executionId}`}>
                {one.screenshotUrl ? (
                  <img src={one.screenshotUrl} alt="" loading="lazy" />
                ) : (
                  <span class="no-picture small muted">No screenshot</span>
                )}
                <span class="failure-words">
                  <strong>{one.workflow.name}</strong>
                  {one.name && <span class="muted"> · {one.name}</span>}
                  <span class="failure-reason" title={one.reason}>
                    <TextWithCode text={one.reason} />
                  </span>
                  <span class="small muted">
                    <Time iso={one.startTime} />
                  </span>
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
