/** One execution: what happened, why it failed, what came out, and what can be done about it. */
import { useMemo } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { go } from "../../app/router";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { ask } from "../../design/dialog";
import { JsonView } from "../../design/json";
import { Badge, Status } from "../../design/status";
import { Tabs } from "../../design/tabs";
import { duration, Time } from "../../design/time";
import { EventTable } from "./event_table";
import { FileList } from "./file_list";
import { ResultView } from "./result";
import { StepList } from "./step_list";
import { countSteps, failedStep, stepsOf, type Event, type Step } from "./steps";
import { Thread } from "./thread";

type Run = Omit<Schemas["FinishedExecution"], "status"> & { status: Schemas["ExecutionSummary"]["status"] };
const FINISHED = new Set(["Completed", "Failed"]);
const EVENTS_PAGE = 1000;

export default function Execution({ id }: { id: string }) {
  const concerns = { nouns: ["execution", "event"], concerns: (change: { id: string }) => change.id === id };
  const run = useReading(`execution ${id}`, () => call("/executions/get", { id }), concerns);
  const events = useReading(`events ${id}`, () => allEvents(id), concerns).value ?? [];
  const steps = useMemo(() => stepsOf(events), [events]);
  const execution = run.value?.execution as Run | undefined;
  if (!execution) return run.problem ? <Empty title={run.problem} /> : <p role="status">Loading…</p>;
  return (
    <>
      <Head execution={execution} />
      {execution.status === "Failed" && <Problem execution={execution} step={failedStep(steps)} />}
      <div class="execution">
        <div class="stack">
          <Steps execution={execution} steps={steps} />
        </div>
        <div class="stack">
          <Card>
            <Tabs
              label="About this execution"
              tabs={[
                { name: "Result", content: () => <ResultView response={execution.response} isFinished={FINISHED.has(execution.status)} /> },
                { name: "Files", content: () => <FileList execution={execution} />, count: execution.downloads?.files.length ?? 0 },
                { name: "Thread", content: () => <Thread id={execution.agentConversationThreadId ?? null} /> },
                { name: "Events", content: () => <EventTable events={events} />, count: events.length },
                { name: "Parameters", content: () => <JsonView value={execution.params} name="parameters" /> },
              ]}
            />
          </Card>
        </div>
      </div>
    </>
  );
}

function Head({ execution }: { execution: Run }) {
  const isFinished = FINISHED.has(execution.status);
  const { id } = execution;
  return (
    <div class="view-head">
      <div class="stack head-words">
        <div class="row">
          <h1>{execution.name ?? execution.workflow.name}</h1>
          <Status value={execution.status} />
          {execution.isTest && <Badge>Test</Badge>}
        </div>
        <p class="muted small">
          <a href={`/workflows/${execution.workflow.id}`}>{execution.workflow.name}</a> · started <Time iso={execution.startTime} />
          {isFinished && ` · took ${duration(execution.durationMs)}`} · attempt {execution.attempts} of {execution.totalAttempts} · <span class="mono">{id}</span>
        </p>
        {execution.status === "Completed" && <p>{execution.summary}</p>}
      </div>
      <div class="row">
        {isFinished ? (
          <Button icon="retry" kind="primary" onPress={() => retry(id)}>
            Retry
          </Button>
        ) : (
          <>
            {execution.status === "Paused" ? (
              <Button icon="play" onPress={() => call("/executions/resume", { id })}>
                Resume
              </Button>
            ) : (
              <Button icon="pause" disabled={execution.status !== "InProgress"} onPress={() => call("/executions/pause", { id })}>
                Pause
              </Button>
            )}
            <Button icon="stop" kind="danger" onPress={() => cancel(id)}>
              Cancel
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

function Problem({ execution, step }: { execution: Run; step: Step | undefined }) {
  const [first = "", ...rest] = execution.errorAnalysis.split("\n");
  const picture = step?.after ?? step?.before;
  return (
    <section class="problem" aria-label="Why it failed">
      <div class="stack">
        <h2>{first}</h2>
        <div class="problem-text">{rest.join("\n")}</div>
        {step && (
          <div class="row">
            <a class="button primary" href={`/workflows/${execution.workflow.id}?block=${step.blockId}&execution=${execution.id}`}>
              Fix this block
            </a>
          </div>
        )}
      </div>
      {picture && (
        <a href={picture} target="_blank" rel="noreferrer">
          <img src={picture} alt="The page when it failed" />
        </a>
      )}
    </section>
  );
}

function Steps({ execution, steps }: { execution: Run; steps: readonly Step[] }) {
  const workflow = useReading(`workflow ${execution.workflow.id}`, () => call("/workflows/get", { id: execution.workflow.id })).value?.workflow;
  const blocks = useMemo(() => flat(workflow?.blocks ?? []), [workflow]);
  const response = (execution.response ?? {}) as Record<string, unknown>;
  const canRun = FINISHED.has(execution.status);
  return (
    <Card title={`Steps (${countSteps(steps)})`} flush>
      {steps.length === 0 ? (
        <Empty title={FINISHED.has(execution.status) ? "No step ran." : "Waiting for its first step."} />
      ) : (
        <StepList
          label="Steps"
          steps={steps}
          actions={{
            kindOf: (blockId) => blocks.get(blockId)?.type ?? "",
            inputOf: (blockId) => blocks.get(blockId)?.data,
            outputOf: (reference) => response[reference],
            ...(canRun ? { runFrom: (blockId: string) => runFrom(execution, blockId) } : {}),
          }}
        />
      )}
    </Card>
  );
}

type Block = Schemas["Block"];

/** Every block of a tree by its id. */
function flat(blocks: readonly Block[], into = new Map<string, Block>()): Map<string, Block> {
  for (const one of blocks) {
    into.set(one.id, one);
    for (const inner of Object.values(one.sequenceData ?? {})) flat((inner ?? []) as Block[], into);
  }
  return into;
}

async function allEvents(id: string): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (;;) {
    const page = await call("/executions/events", { id, limit: EVENTS_PAGE, offset: events.length });
    events.push(...page.events);
    if (events.length >= page.total || page.events.length === 0) return events;
  }
}

async function retry(id: string): Promise<void> {
  const answer = await call("/executions/retry", { id });
  go(`/executions/${answer.execution.execution.id}`);
}

async function cancel(id: string): Promise<void> {
  if (await ask("Cancel this execution", "It ends as Failed, and its browser is closed.", "Cancel it")) await call("/executions/cancel", { id });
}

async function runFrom(execution: Run, startBlockId: string): Promise<void> {
  const answer = await call("/workflows/execute", {
    workflowId: execution.workflow.id,
    params: execution.params,
    startBlockId,
    isTest: execution.isTest,
    ...(execution.logins[0] ? { loginId: execution.logins[0].id } : {}),
  });
  go(`/executions/${answer.execution.id}`);
}
