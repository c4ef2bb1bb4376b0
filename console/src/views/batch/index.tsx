/** One batch: its progress, its rows and their results. */
import { signal } from "@preact/signals";
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
import { Status, STATUS_WIDTH } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { TextWithCode } from "../../design/text_with_code";
import { confirmRetry } from "../execution/retry";
import { usePages, type Item } from "../executions/pages";

const PARALLEL_RETRIES = 10;
const onlyFailed = signal(false);

/** How many parameters and how many results have a column; the results as CSV have all. */
const MAX_VALUES = 6;

function columnsFor(rows: readonly Item[]): readonly Column<Item>[] {
  const params = namesIn(rows.map((one) => one.params));
  const results = namesIn(rows.map((one) => one.response ?? {}));
  const value = (name: string, read: (row: Item) => unknown): Column<Item> => ({
    name,
    cell: (row) => formatValue(read(row)),
    isLabelled: true,
  });
  return [
    {
      name: "Row",
      cell: (one) => <a href={`/executions/${one.id}`}>{String(one.metadata["row"] ?? "Open")}</a>,
      width: 72,
      isLabelled: true,
    },
    { name: "Status", cell: (one) => <Status value={one.status} />, width: STATUS_WIDTH },
    ...params.map((name) => value(name, (row) => row.params[name])),
    ...results.map((name) => value(params.includes(name) ? `${name} (result)` : name, (row) => row.response?.[name])),
    ...(rows.some(reasonOf) ? [REASON] : []),
  ];
}

const REASON: Column<Item> = {
  name: "Reason",
  cell: (one) => <TextWithCode text={reasonOf(one)} />,
  isLong: true,
  minor: true,
};

function reasonOf({ failure, waiting }: Item): string {
  return failure?.message ?? waiting?.reason ?? "";
}

function namesIn(values: readonly Record<string, unknown>[]): readonly string[] {
  return [...new Set(values.flatMap((one) => Object.keys(one)))].slice(0, MAX_VALUES);
}

/** In the order of the sheet, as soon as all rows are there. */
function inOrder(rows: readonly Item[], total: number | undefined): readonly Item[] {
  const numberOf = ({ metadata }: Item) => Number(metadata["row"] ?? 0);
  return rows.length === total ? [...rows].reverse().sort((a, b) => numberOf(a) - numberOf(b)) : rows;
}

export default function BatchView({ id }: { id: string }) {
  const { value, problem } = useQuery(`batch ${id}`, () => call("/batches/get", { id }), {
    nouns: ["batch", "execution"],
  });
  const { rows, total, more } = usePages({
    batch: id,
    withResponse: true,
    ...(onlyFailed.value ? { status: "Failed" as const } : {}),
  });
  if (problem) return <EmptyState title={problem} />;
  if (!value) return <p role="status">Loading…</p>;
  const { batch } = value;
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
        <CheckField label="Only failed rows" checked={onlyFailed.value} onInput={(isOn) => (onlyFailed.value = isOn)} />
        <Card flush>
          {total === 0 && (
            <EmptyState
              title={onlyFailed.value ? "No row has failed." : "The executions of this batch have been deleted."}
            />
          )}
          {rows.length > 0 && (
            <Table
              label="Rows"
              rows={inOrder(rows, total)}
              columns={columnsFor(rows)}
              keyOf={(one) => one.id}
              total={total ?? rows.length}
              onEnd={more}
            />
          )}
        </Card>
      </div>
    </>
  );
}

function Counts({ batch }: { batch: Schemas["Batch"] }) {
  const { progress } = batch;
  const counts = [
    [progress.completed, "completed"],
    [progress.failed, "failed"],
    [progress.inProgress, "running"],
    [progress.paused, "waiting for a person"],
    [progress.enqueued, "in the queue"],
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
