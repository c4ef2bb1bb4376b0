/** The heading of an execution: its name, status and actions. */
import { useState } from "preact/hooks";
import { call, sameOriginUrl, type Schemas } from "../../api/client";
import { navigate, searchParams, setSearchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { confirmAction } from "../../design/dialog";
import { download } from "../../design/download";
import { formatDuration } from "../../design/format";
import { notify } from "../../design/notice";
import { Badge, Status } from "../../design/status";
import { TextWithCode } from "../../design/text_with_code";
import { Time } from "../../design/time";
import { confirmRetry } from "./retry";
import { RunAgain } from "./run_again";
import { holderOfLogin, isFinished, lastGoodRun, type Run } from "./run";

interface Props {
  execution: Run;
  /** The Playwright trace, if one was kept. */
  trace: Schemas["File"] | undefined;
}

export function ExecutionHead({ execution, trace }: Props) {
  const { id } = execution;
  return (
    <div class="view-head">
      <div class="stack head-words">
        <div class="row">
          <h1>{execution.name ?? execution.workflow.name}</h1>
          <Status value={execution.status} />
          {execution.isTest && <Badge>Test</Badge>}
        </div>
        <p class="muted small facts-line">
          <a href={`/workflows/${execution.workflow.id}`}>{execution.workflow.name}</a>
          <span>
            started <Time iso={execution.startTime} />
          </span>
          {isFinished(execution) && <span>took {formatDuration(execution.durationMs)}</span>}
          <span>
            attempt {execution.attempts} of {execution.totalAttempts}
          </span>
          {execution.batch && (
            <a href={`/batches/${execution.batch.id}`}>
              {execution.metadata["row"] === undefined
                ? execution.batch.name
                : `row ${String(execution.metadata["row"])} of ${execution.batch.name}`}
            </a>
          )}
          {execution.parentExecutionId && (
            <a href={`/executions/${execution.parentExecutionId}`}>started by another execution</a>
          )}
          <span class="mono">{id}</span>
        </p>
        {execution.status === "Completed" && execution.summary && (
          <p class="summary">
            <TextWithCode text={execution.summary} />
          </p>
        )}
        {/* who drives is said in the live view: a line here would move its picture under the pointer */}
        {execution.status === "Paused" && execution.waiting && execution.waiting.kind !== "driving" && (
          <p class="waits">
            <TextWithCode text={execution.waiting.reason} />
          </p>
        )}
        {execution.status === "Enqueued" && <WhyQueued execution={execution} />}
      </div>
      <div class="row">
        {isFinished(execution) ? (
          <FinishedActions execution={execution} trace={trace} />
        ) : (
          <RunningActions execution={execution} />
        )}
      </div>
    </div>
  );
}

function WhyQueued({ execution }: { execution: Run }) {
  const holder = useQuery(`holder for ${execution.id}`, () => holderOfLogin(execution), { nouns: ["execution"] }).value;
  return (
    <p class="muted">
      {holder ? (
        <>
          In the queue: the login {holder.login} serves one execution at a time, and{" "}
          <a href={`/executions/${holder.id}`}>another one</a> uses it.
        </>
      ) : (
        "In the queue: it starts when there is room for one more."
      )}
    </p>
  );
}

function RunningActions({ execution }: { execution: Run }) {
  const { id, status } = execution;
  return (
    <>
      {status === "Paused" && (
        <Button needs="run" icon="play" kind="primary" onPress={() => call("/executions/resume", { id })}>
          Resume
        </Button>
      )}
      {status === "InProgress" && (
        <Button needs="run" icon="pause" onPress={() => call("/executions/pause", { id })}>
          Pause
        </Button>
      )}
      <Button needs="run" icon="stop" kind="danger" onPress={() => cancel(id)}>
        Cancel
      </Button>
    </>
  );
}

function FinishedActions({ execution, trace }: Props) {
  const { id } = execution;
  const compared = searchParams.value.get("compare");
  const [isChanging, setChanging] = useState(false);
  return (
    <>
      <Button needs="run" icon="retry" kind="primary" onPress={() => retry(execution)}>
        Retry
      </Button>
      <Button needs="run" compact icon="play" onPress={() => setChanging(true)}>
        Run again with changes
      </Button>
      {isChanging && <RunAgain execution={execution} onClose={() => setChanging(false)} />}
      <Button
        compact
        icon="compare"
        pressed={!!compared}
        onPress={() => (compared ? setSearchParams({ compare: "" }) : compare(execution))}
      >
        Compare with the last good run
      </Button>
      <Button compact icon="download" onPress={() => download("/executions/evidence", { id }, `evidence-${id}.zip`)}>
        Download evidence
      </Button>
      {trace && (
        <a
          class="button"
          href={sameOriginUrl(trace.downloadUrl)}
          download={`trace-${id}.zip`}
          title="Open it with: npx playwright show-trace"
        >
          Download trace
        </a>
      )}
    </>
  );
}

async function retry(execution: Run): Promise<void> {
  if (!(await confirmRetry([execution]))) return;
  const answer = await call("/executions/retry", { id: execution.id });
  navigate(`/executions/${answer.execution.execution.id}`);
}

async function cancel(id: string): Promise<void> {
  if (
    await confirmAction("Cancel this execution?", "It ends as Failed, and its browser is closed.", "Cancel execution")
  )
    await call("/executions/cancel", { id });
}

async function compare(execution: Run): Promise<void> {
  const good = await lastGoodRun(execution);
  if (good) setSearchParams({ compare: good });
  else notify("No other run of this workflow has completed yet.", "bad");
}
