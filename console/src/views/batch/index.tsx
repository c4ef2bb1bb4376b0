/** One batch: its progress, its rows and their results. */
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState } from "../../design/card";
import { confirmAction } from "../../design/dialog";
import { download } from "../../design/download";
import { CheckField } from "../../design/field";
import { formatCount, formatNumber, formatValue } from "../../design/format";
import { notify } from "../../design/notice";
import { Progress } from "../../design/progress";
import { Badge, Status, STATUS_WIDTH } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { TextWithCode } from "../../design/text_with_code";
import { confirmRetry } from "../execution/retry";
import { usePages, type Item } from "../executions/pages";

const PARALLEL_RETRIES = 10;
const onlyFailed = signal(false);

/** A row of the sheet that has no execution, because the workflow would have refused it. */
interface Skipped {
  readonly id: string;
  readonly number: number;
  readonly problem: string;
  readonly params: Item["params"];
}
type Row = Item | Skipped;

/** How many parameters and how many results have a column; the results as CSV have all. */
const MAX_VALUES = 6;

function columnsFor(rows: readonly Row[]): readonly Column<Row>[] {
  const params = namesIn(rows.map((one) => one.params));
  const results = namesIn(rows.map(resultOf));
  const value = (name: string, read: (row: Row) => unknown): Column<Row> => ({
    name,
    cell: (row) => formatValue(read(row)),
    isLabelled: true,
  });
  return [
    { name: "Row", cell: (one) => <RowNumber row={one} />, width: 72, isLabelled: true },
    {
      name: "Status",
      cell: (one) => (isSkipped(one) ? <Badge kind="warn">Skipped</Badge> : <Status value={one.status} />),
      width: STATUS_WIDTH,
    },
    ...params.map((name) => value(name, (row) => row.params[name])),
    ...results.map((name) => value(params.includes(name) ? `${name} (result)` : name, (row) => resultOf(row)[name])),
    ...(rows.some(reasonOf) ? [REASON] : []),
  ];
}

const REASON: Column<Row> = {
  name: "Reason",
  cell: (one) => <TextWithCode text={reasonOf(one)} />,
  isLong: true,
  minor: true,
};

function RowNumber({ row }: { row: Row }) {
  return isSkipped(row) ? <>{row.number}</> : <a href={`/executions/${row.id}`}>{numberOf(row) || "Open"}</a>;
}

function isSkipped(row: Row): row is Skipped {
  return "problem" in row;
}

function numberOf(row: Row): number {
  return isSkipped(row) ? row.number : ((row.metadata["row"] as number | undefined) ?? 0);
}

function resultOf(row: Row): Readonly<Record<string, unknown>> {
  return isSkipped(row) ? {} : (row.response ?? {});
}

function reasonOf(row: Row): string {
  return isSkipped(row) ? row.problem : (row.failure?.message ?? row.waiting?.reason ?? "");
}

function namesIn(values: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return [...new Set(values.flatMap((one) => Object.keys(one)))].slice(0, MAX_VALUES);
}

/** In the order of the sheet, as soon as all rows are there; until then the skipped ones come first. */
function inOrder(rows: readonly Item[], total: number | undefined, skipped: readonly Skipped[]): readonly Row[] {
  if (rows.length !== total) return [...skipped, ...rows];
  return [...[...rows].reverse(), ...skipped].sort((a, b) => numberOf(a) - numberOf(b));
}

export default function BatchView({ id }: { id: string }) {
  const { value, problem } = useQuery(`batch ${id}`, () => call("/batches/get", { id }), {
    nouns: ["batch", "execution"],
  });
  const skipped = useSkipped(id, value?.batch.skipped ?? 0);
  const { rows, total, more } = usePages({
    batch: id,
    withResponse: true,
    ...(onlyFailed.value ? { status: "Failed" as const } : {}),
  });
  if (problem) return <EmptyState title={problem} />;
  if (!value) return <p role="status">Loading…</p>;
  const { batch } = value;
  const shown = inOrder(rows, total, skipped);
  return (
    <>
      <div class="view-head">
        <h1>{batch.name}</h1>
        <div class="row">
          <Button
            compact
            needs="run"
            icon="retry"
            disabled={batch.progress.failed === 0}
            onPress={() => retryFailed(id)}
          >
            Retry failed rows
          </Button>
          <Button compact icon="download" onPress={() => download("/batches/results", { id }, `${batch.name}.csv`)}>
            Results as CSV
          </Button>
          <Button
            compact
            icon="files"
            title="The results as CSV, and the files of every row"
            onPress={() => download("/batches/resultsZip", { id }, `${batch.name}.zip`)}
          >
            Results and files as ZIP
          </Button>
          {batch.status === "running" && (
            <Button needs="run" icon="pause" onPress={() => call("/batches/pause", { id })}>
              Pause
            </Button>
          )}
          {batch.status === "paused" && (
            <Button needs="run" icon="play" onPress={() => call("/batches/resume", { id })}>
              Resume
            </Button>
          )}
          {(batch.status === "running" || batch.status === "paused") && (
            <Button
              needs="run"
              kind="danger"
              icon="stop"
              onPress={async () =>
                (await confirmAction(
                  "Cancel this batch?",
                  "Rows that have not finished end as Failed.",
                  "Cancel batch",
                )) && call("/batches/cancel", { id })
              }
            >
              Cancel
            </Button>
          )}
        </div>
      </div>
      <div class="stack">
        <Card>
          <Progress
            label="Progress"
            done={batch.progress.completed}
            failed={batch.progress.failed}
            total={batch.total}
          />
          <Counts batch={batch} />
        </Card>
        <CheckField
          label={skipped.length ? "Only failed and skipped rows" : "Only failed rows"}
          checked={onlyFailed.value}
          onInput={(isOn) => (onlyFailed.value = isOn)}
        />
        <Card flush>
          {total === 0 && skipped.length === 0 && (
            <EmptyState
              title={onlyFailed.value ? "No row has failed." : "The executions of this batch have been deleted."}
            />
          )}
          {shown.length > 0 && (
            <Table
              label="Rows"
              rows={shown}
              columns={columnsFor(shown)}
              keyOf={(one) => one.id}
              total={(total ?? rows.length) + skipped.length}
              onEnd={more}
            />
          )}
        </Card>
      </div>
    </>
  );
}

function useSkipped(id: string, count: number): readonly Skipped[] {
  const { value } = useQuery(`skipped rows ${id} ${count > 0}`, () =>
    count > 0 ? call("/batches/skippedRows", { id, limit: 1000 }) : Promise.resolve(undefined),
  );
  const rows = value?.rows ?? [];
  return useMemo(() => rows.map((one) => ({ ...one, id: `row ${one.number}`, problem: one.problem ?? "" })), [value]);
}

function Counts({ batch }: { batch: Schemas["Batch"] }) {
  const { progress } = batch;
  const counts = [
    [progress.completed, "completed"],
    [progress.failed, "failed"],
    [progress.inProgress, "running"],
    [progress.paused, "waiting for a person"],
    [progress.enqueued, "in the queue"],
    [batch.skipped, "skipped: the workflow would refuse them"],
  ] as const;
  return (
    <p class="small muted">
      <a href={`/workflows/${batch.workflow.id}`}>{batch.workflow.name}</a>
      {batch.status === "paused" && " · paused: no new rows start"}
      {counts.filter(([count]) => count > 0).map(([count, label]) => ` · ${formatNumber(count)} ${label}`)}
    </p>
  );
}

/** Retry every failed row that has not been retried yet, a few at a time. */
async function retryFailed(batch: string): Promise<void> {
  const all: Item[] = [];
  let cursor: string | null | undefined;
  do {
    const page: Schemas["ExecutionList"] = await call("/executions/list", {
      batch,
      limit: 1000,
      ...(cursor ? { cursor } : {}),
    });
    all.push(...page.executions);
    cursor = page.nextCursor;
  } while (cursor);
  const retried = new Set(all.map((one) => one.metadata["retryOf"]));
  const failed = all.filter((one) => one.status === "Failed" && !retried.has(one.id));
  if (!(await confirmRetry(failed))) return;
  for (let at = 0; at < failed.length; at += PARALLEL_RETRIES) {
    await Promise.all(failed.slice(at, at + PARALLEL_RETRIES).map((one) => call("/executions/retry", { id: one.id })));
  }
  notify(
    failed.length === 0
      ? "All failed rows have been retried already."
      : `Retrying ${formatCount(failed.length, "row")}.`,
  );
}
