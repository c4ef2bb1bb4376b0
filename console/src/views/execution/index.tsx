/** One execution: its steps, its result, why it failed, and its live view while it runs. */
import { useMemo, useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { navigate, searchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Card, EmptyState } from "../../design/card";
import { Tabs } from "../../design/tabs";
import { OpenInNewTab } from "../../live/open_in_new_tab";
import { LiveScreen } from "../../live/screen";
import { Comparison } from "./compare";
import { EventTable } from "./event_table";
import { useEvents } from "./events";
import { FailurePanel } from "./failure";
import { FileList } from "./file_list";
import { ExecutionHead } from "./head";
import { Proposal } from "./proposal";
import { ParameterValues, ResultView } from "./result";
import { confirmRunFrom } from "./retry";
import { isFinished, outputsOf, readRun, runFrom, type Run } from "./run";
import { StepList } from "./step_list";
import { countSteps, failedStep, stepsOf, type Event, type Step } from "./steps";
import { Thread } from "./thread";

/** The name of the file that holds a Playwright trace. */
const TRACE = "trace.zip";

export default function Execution({ id }: { id: string }) {
  const concerns = {
    nouns: ["execution", "event"],
    concerns: (change: { id: string }) => !change.id || change.id === id,
  };
  const { value: execution, problem } = useQuery(`execution ${id}`, () => readRun(id), concerns);
  const events = useEvents(id);
  const files = useQuery(`files of ${id}`, () => call("/files/list", { executionId: id, limit: 1000 }), concerns).value;
  const steps = useMemo(() => stepsOf(events ?? []), [events]);
  if (!execution) return problem ? <NotFound id={id} problem={problem} /> : <p role="status">Loading…</p>;
  const goodId = searchParams.value.get("compare");
  const proposes = Array.isArray(execution.metadata["proposedOperations"]);
  return (
    <>
      <ExecutionHead execution={execution} trace={files?.files.find((one) => one.name === TRACE)} />
      {execution.status === "Failed" && <FailurePanel execution={execution} step={failedStep(steps)} />}
      {goodId && (
        <div class="stack above">
          <Comparison execution={execution} steps={steps} goodId={goodId} />
        </div>
      )}
      <div class="execution">
        <div class="stack">
          {!isFinished(execution) && execution.liveViewUrl && (
            <Live url={execution.liveViewUrl} shownReason={execution.waiting?.reason} />
          )}
          {proposes && (
            <Card title="A change to the workflow is proposed">
              <Proposal by={{ id }} />
            </Card>
          )}
          <Steps execution={execution} steps={steps} isLoaded={events !== undefined} />
        </div>
        <div class="stack">
          <Details execution={execution} events={events ?? []} files={files?.files ?? []} />
        </div>
      </div>
    </>
  );
}

function Live({ url, shownReason }: { url: string; shownReason: string | undefined }) {
  const [initialUrl] = useState(url); // for a key without `run` the URL changes with every read; the connection stays
  return (
    <Card>
      <LiveScreen url={initialUrl} shownReason={shownReason} actions={<OpenInNewTab url={url} />} />
    </Card>
  );
}

function NotFound({ id, problem }: { id: string; problem: string }) {
  return (
    <Card>
      <EmptyState title={problem}>
        <p class="mono small">{id}</p>
        <a href="/executions">All executions</a>
      </EmptyState>
    </Card>
  );
}

interface DetailsProps {
  execution: Run;
  events: readonly Event[];
  files: readonly Schemas["File"][];
}

function Details({ execution, events, files }: DetailsProps) {
  return (
    <Card>
      <Tabs
        label="About this execution"
        tabs={[
          {
            name: "Result",
            content: () => <ResultView response={execution.response} isFinished={isFinished(execution)} />,
          },
          { name: "Files", content: () => <FileList files={files} />, count: files.length },
          { name: "Thread", content: () => <Thread id={execution.agentConversationThreadId ?? null} /> },
          { name: "Events", content: () => <EventTable events={events} />, count: events.length },
          { name: "Parameters", content: () => <ParameterValues values={execution.params} /> },
        ]}
      />
    </Card>
  );
}

function Steps({ execution, steps, isLoaded }: { execution: Run; steps: readonly Step[]; isLoaded: boolean }) {
  const startFrom = isFinished(execution)
    ? async (blockId: string) => {
        if (await confirmRunFrom(execution, blockId, steps))
          navigate(`/executions/${await runFrom(execution, blockId)}`);
      }
    : undefined;
  return (
    <Card title={`Steps (${countSteps(steps)})`} flush>
      {steps.length === 0 ? (
        <EmptyState
          title={!isLoaded ? "Loading…" : isFinished(execution) ? "No step ran." : "Waiting for the first step."}
        />
      ) : (
        <StepList label="Steps" steps={steps} outputs={outputsOf(execution)} runFrom={startFrom} />
      )}
    </Card>
  );
}
