/** One batch: its progress, its rows and their results. */
import { signal } from "@preact/signals";
import { call, type Schemas } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState } from "../../design/card";
import { confirmAction } from "../../design/dialog";
import { download } from "../../design/download";
import { CheckField } from "../../design/field";
import { formatCount, formatNumber } from "../../design/format";
import { notify } from "../../design/notice";
import { Progress } from "../../design/progress";
import { Status } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { TextWithCode } from "../../design/text_with_code";
import { confirmRetry } from "../execution/retry";
import { usePages, type Item } from "../executions/pages";

const PARALLEL_RETRIES = 10;
const onlyFailed = signal(false);

const COLUMNS: readonly Column<Item>[] = [
  { name: "Status", cell: (one) => <Status value={one.status} />, width: 128 },
  { name: "Parameters", cell: (one) => <a href={`/executions/${one.id}`}>{describeParams(one.params)}</a> },
  {
    name: "Reason",
    cell: (one) => <TextWithCode text={one.failure?.message ?? one.waiting?.reason ?? ""} />,
    isLong: true,
    minor: true,
  },
];

export default function BatchView({ id }: { id: string }) {
  const { value, problem } = useQuery(`batch ${id}`, () => call("/batches/get", { id }), {
    nouns: ["batch", "execution"],
  });
  const { rows, total, more } = usePages({ batch: id, ...(onlyFailed.value ? { status: "Failed" as const } : {}) });
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
              rows={rows}
              columns={COLUMNS}
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

/** The parameters of a row as text: `policy P-1, amount 12`. */
function describeParams(params: Record<string, unknown>): string {
  const parts = Object.entries(params).map(
    ([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return parts.join(", ") || "No parameters";
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
