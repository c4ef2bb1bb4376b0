/** One execution: what happened, why it failed, what came out, and what can be done about it. */
import { useMemo, useState } from "preact/hooks";
import { useReading } from "../../app/reading";
import { go, query } from "../../app/router";
import { Card, Empty } from "../../design/card";
import { JsonView } from "../../design/json";
import { Tabs } from "../../design/tabs";
import { OwnTab } from "../../live/own_tab";
import { LiveScreen } from "../../live/screen";
import { Comparison } from "./compare";
import { EventTable } from "./event_table";
import { useEvents } from "./events";
import { FileList } from "./file_list";
import { Head } from "./head";
import { Problem } from "./problem";
import { Proposal } from "./proposal";
import { ResultView } from "./result";
import { isFinished, readRun, runFrom, type Run } from "./run";
import { StepList, type Outputs } from "./step_list";
import { countSteps, failedStep, stepsOf, type Event, type Step } from "./steps";
import { Thread } from "./thread";

export default function Execution({ id }: { id: string }) {
  const concerns = { nouns: ["execution", "event"], concerns: (change: { id: string }) => !change.id || change.id === id };
  const { value: execution, problem } = useReading(`execution ${id}`, () => readRun(id), concerns);
  const events = useEvents(id);
  const steps = useMemo(() => stepsOf(events ?? []), [events]);
  if (!execution) return problem ? <Missing id={id} problem={problem} /> : <p role="status">Loading…</p>;
  const goodId = query.value.get("compare");
  const proposes = Array.isArray(execution.metadata["proposedOperations"]);
  return (
    <>
      <Head execution={execution} />
      {execution.status === "Failed" && <Problem execution={execution} step={failedStep(steps)} />}
      {goodId && (
        <div class="stack above">
          <Comparison execution={execution} steps={steps} goodId={goodId} />
        </div>
      )}
      <div class="execution">
        <div class="stack">
          {!isFinished(execution) && execution.liveViewUrl && <Live url={execution.liveViewUrl} said={execution.waiting?.reason} />}
          {proposes && (
            <Card title="A change to the workflow is proposed">
              <Proposal by={{ id }} />
            </Card>
          )}
          <Steps execution={execution} steps={steps} isRead={events !== undefined} />
        </div>
        <div class="stack">
          <About execution={execution} events={events ?? []} />
        </div>
      </div>
    </>
  );
}

function Live({ url, said }: { url: string; said: string | undefined }) {
  const [first] = useState(url); // a key that may only watch gets another link each time; the connection stays
  return (
    <Card>
      <LiveScreen url={first} said={said} actions={<OwnTab url={url} />} />
    </Card>
  );
}

function Missing({ id, problem }: { id: string; problem: string }) {
  return (
    <Card>
      <Empty title={problem}>
        <p class="mono small">{id}</p>
        <a href="/executions">All executions</a>
      </Empty>
    </Card>
  );
}

function About({ execution, events }: { execution: Run; events: readonly Event[] }) {
  const files = execution.downloads?.files.length ?? 0;
  return (
    <Card>
      <Tabs
        label="About this execution"
        tabs={[
          { name: "Result", content: () => <ResultView response={execution.response} isFinished={isFinished(execution)} /> },
          { name: "Files", content: () => <FileList execution={execution} />, count: files },
          { name: "Thread", content: () => <Thread id={execution.agentConversationThreadId ?? null} /> },
          { name: "Events", content: () => <EventTable events={events} />, count: events.length },
          { name: "Parameters", content: () => <JsonView value={execution.params} name="parameters" /> },
        ]}
      />
    </Card>
  );
}

function Steps({ execution, steps, isRead }: { execution: Run; steps: readonly Step[]; isRead: boolean }) {
  const from = isFinished(execution) ? async (blockId: string) => go(`/executions/${await runFrom(execution, blockId)}`) : undefined;
  return (
    <Card title={`Steps (${countSteps(steps)})`} flush>
      {steps.length === 0 ? (
        <Empty title={!isRead ? "Loading…" : isFinished(execution) ? "No step ran." : "Waiting for its first step."} />
      ) : (
        <StepList label="Steps" steps={steps} outputs={outputsOf(execution)} runFrom={from} />
      )}
    </Card>
  );
}

/** What each block put out; a workflow that declares its own output still shows them in its context. */
function outputsOf(execution: Run): Outputs {
  const inContext = (execution.context as { blocks?: Outputs } | undefined)?.blocks;
  return inContext ?? (execution.response as Outputs | undefined) ?? {};
}
