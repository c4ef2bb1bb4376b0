/** The newest failures, each with the last picture of its page and the reason in one line. */
import type { Schemas } from "../../api/client";
import { Card, Empty } from "../../design/card";
import { Prose } from "../../design/prose";
import { Time } from "../../design/time";

type Failure = Schemas["StatisticsAnswer"]["statistics"]["failures"][number];

export function Failures({ failures }: { failures: readonly Failure[] }) {
  return (
    <Card title="Newest failures" flush>
      {failures.length === 0 && <Empty title="Nothing has failed." />}
      {failures.length > 0 && (
        <ul class="failures">
          {failures.map((one) => (
            <li key={one.executionId}>
              <a class="failure" href={`/executions/${one.executionId}`}>
                {one.screenshotUrl ? <img src={one.screenshotUrl} alt="" loading="lazy" /> : <span class="no-picture small muted">No page</span>}
                <span class="failure-words">
                  <strong>{one.workflow.name}</strong>
                  {one.name && <span class="muted"> · {one.name}</span>}
                  <span class="failure-reason" title={one.reason}>
                    <Prose text={one.reason} />
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
