/** The overview: what runs and waits, statistics per workflow, and the newest failures. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call, errorMessage, type Schemas } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Card, EmptyState } from "../../design/card";
import { formatDuration, formatPercent } from "../../design/format";
import { Status } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { WorkflowName } from "../../design/workflow_name";
import { Failures } from "./failures";
import { FirstRun } from "./first_run";

type Statistics = Schemas["StatisticsAnswer"]["statistics"];
type Figures = Statistics["workflows"][number];
type Days = Statistics["days"];

const CHANGES = { nouns: ["execution", "workflow"] };

const COLUMNS: readonly Column<Figures>[] = [
  { name: "Workflow", cell: (one) => <WorkflowName name={one.workflow.name} href={`/workflows/${one.workflow.id}`} /> },
  { name: "Last", cell: (one) => <Status value={one.lastStatus} />, width: 150 },
  { name: "Success rate", cell: (one) => formatPercent(one.successRate), width: 130, isLabelled: true },
  {
    name: "Median duration",
    cell: (one) => (one.medianDurationMs === null ? "–" : formatDuration(one.medianDurationMs)),
    width: 160,
    isLabelled: true,
    minor: true,
  },
  {
    name: "Healed elements",
    cell: (one) => one.healed || "–",
    width: 150,
    isLabelled: true,
    minor: true,
  },
];

export default function Overview() {
  const { value, problem } = useQuery("statistics", () => call("/statistics/get", {}), CHANGES);
  const demo = useQuery("demo", () => call("/demo/get", {}), { nouns: ["demo", "execution", "workflow"] }).value?.demo;
  if (!value) return <LoadingOverview problem={problem} />;
  const figures = value.statistics;
  const isNew = demo && figures.workflows.every((one) => one.workflow.id === demo.workflowId);
  return (
    <>
      <div class="view-head">
        <h1>Overview</h1>
      </div>
      <div class="stack">
        {isNew && <FirstRun demo={demo} />}
        <Counts figures={figures} />
        <Card title="Executions per day">
          <LazyChart days={figures.days} />
        </Card>
        <Failures failures={figures.failures} />
        <Card title="Workflows" flush>
          {figures.workflows.length === 0 ? (
            <EmptyState title="Nothing has run yet.">
              <a href="/workflows">Create a workflow</a> and run it to see its statistics here.
            </EmptyState>
          ) : (
            <Table
              label="Workflow statistics"
              rows={figures.workflows}
              columns={COLUMNS}
              keyOf={(one) => one.workflow.id}
              total={figures.workflows.length}
            />
          )}
        </Card>
      </div>
    </>
  );
}

function LoadingOverview({ problem }: { problem: string | undefined }) {
  return (
    <>
      <div class="view-head">
        <h1>Overview</h1>
      </div>
      {problem ? <EmptyState title={problem} /> : <p role="status">Loading…</p>}
    </>
  );
}

function Counts({ figures }: { figures: Statistics }) {
  const since = localDateTime(Date.now() - 86_400_000);
  const cards = [
    { label: "Running", count: figures.running, to: "/executions?status=InProgress&tests=none", kind: "busy" },
    { label: "Waiting for a person", count: figures.waiting, to: "/attention", kind: "warn" },
    {
      label: "Failed in the last 24 hours",
      count: figures.failedLastDay,
      to: `/executions?status=Failed&from=${since}&tests=none`,
      kind: "bad",
    },
    { label: "Healed elements", count: figures.healed, to: "/workflows", kind: "good" },
  ];
  return (
    <ul class="counts" aria-label="Right now">
      {cards.map(({ label, count, to, kind }) => (
        <li key={label}>
          <a class={count ? `count ${kind}` : "count"} href={to}>
            <span class="count-number">{count}</span>
            <span>{label}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The chart with its library, loaded after the overview is shown. */
function LazyChart({ days }: { days: Days }) {
  const [Chart, setChart] = useState<ComponentType<{ days: Days }>>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    import("./chart").then(
      (one) => setChart(() => one.Chart),
      (error: unknown) => setProblem(errorMessage(error)),
    );
  }, []);
  if (problem) return <EmptyState title={problem} />;
  return Chart ? <Chart days={days} /> : <div class="chart" />;
}

/** A time in the format of the filter `From`: local time to the minute. */
function localDateTime(at: number): string {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
