/** The organization at a glance: what runs and waits, how workflows fare, and what failed last. */
import { useEffect, useState } from "preact/hooks";
import type { ComponentType } from "preact";
import { call, sentence, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { Card, Empty } from "../../design/card";
import { percent, Status } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { duration } from "../../design/time";
import { Failures } from "./failures";
import { FirstRun } from "./first_run";

type Statistics = Schemas["StatisticsAnswer"]["statistics"];
type Figures = Statistics["workflows"][number];
type Days = Statistics["days"];

const LIVE = { nouns: ["execution", "workflow"] };

const COLUMNS: readonly Column<Figures>[] = [
  { name: "Workflow", cell: (one) => <a href={`/workflows/${one.workflow.id}`}>{one.workflow.name}</a> },
  { name: "Last", cell: (one) => <Status value={one.lastStatus} />, width: "150px" },
  { name: "Success rate", cell: (one) => percent(one.successRate), width: "130px", isFigure: true },
  { name: "Median duration", cell: (one) => (one.medianDurationMs === null ? "–" : duration(one.medianDurationMs)), width: "160px", isFigure: true, minor: true },
  { name: "Healed", cell: (one) => (one.healed ? `${one.healed} element${one.healed === 1 ? "" : "s"}` : "–"), width: "120px", isFigure: true, minor: true },
];

export default function Overview() {
  const { value, problem } = useReading("statistics", () => call("/statistics/get", {}), LIVE);
  const demo = useReading("demo", () => call("/demo/get", {}), { nouns: ["demo", "execution", "workflow"] }).value?.demo;
  if (!value) return <Opening problem={problem} />;
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
        <Card title="Workflows" flush>
          {figures.workflows.length === 0 ? (
            <Empty title="Nothing has run yet.">
              <a href="/workflows">Make a workflow</a> and run it; how it fares shows up here.
            </Empty>
          ) : (
            <Table label="How workflows fare" rows={figures.workflows} columns={COLUMNS} keyOf={(one) => one.workflow.id} total={figures.workflows.length} />
          )}
        </Card>
        <Failures failures={figures.failures} />
      </div>
    </>
  );
}

function Opening({ problem }: { problem: string | undefined }) {
  return (
    <>
      <div class="view-head">
        <h1>Overview</h1>
      </div>
      {problem ? <Empty title={problem} /> : <p role="status">Loading…</p>}
    </>
  );
}

function Counts({ figures }: { figures: Statistics }) {
  const since = localMinute(Date.now() - 86_400_000);
  const cards = [
    { word: "Running", count: figures.running, to: "/executions?status=InProgress&tests=none", kind: "busy" },
    { word: "Waiting for a person", count: figures.waiting, to: "/attention", kind: "warn" },
    { word: "Failed in the last 24 hours", count: figures.failedLastDay, to: `/executions?status=Failed&from=${since}&tests=none`, kind: "bad" },
    { word: "Healed elements", count: figures.healed, to: "/workflows", kind: "good" },
  ];
  return (
    <ul class="counts" aria-label="Right now">
      {cards.map(({ word, count, to, kind }) => (
        <li key={word}>
          <a class={count ? `count ${kind}` : "count"} href={to}>
            <span class="count-number">{count}</span>
            <span>{word}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The chart and its library are loaded when the overview is open, and never keep it from showing. */
function LazyChart({ days }: { days: Days }) {
  const [Chart, setChart] = useState<ComponentType<{ days: Days }>>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    import("./chart").then(
      (one) => setChart(() => one.Chart),
      (trouble: unknown) => setProblem(sentence(trouble)),
    );
  }, []);
  if (problem) return <Empty title={problem} />;
  return Chart ? <Chart days={days} /> : <div class="chart" />;
}

/** A moment as the field `From` of the executions writes it: local time to the minute. */
function localMinute(at: number): string {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
