/** One batch: how far it is, which rows failed and why, and what came of them. */
import { signal } from "@preact/signals";
import { call, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { ask } from "../../design/dialog";
import { download } from "../../design/download";
import { CheckField } from "../../design/field";
import { notify } from "../../design/notice";
import { Progress } from "../../design/progress";
import { Prose } from "../../design/prose";
import { Status } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { usePages, type Item } from "../executions/pages";

const RETRIES_AT_ONCE = 10;
const onlyFailed = signal(false);

const COLUMNS: readonly Column<Item>[] = [
  { name: "Status", cell: (one) => <Status value={one.status} />, width: "128px" },
  { name: "Parameters", cell: (one) => <a href={`/executions/${one.id}`}>{inWords(one.params)}</a> },
  { name: "Reason", cell: (one) => <Prose text={one.failure?.message ?? one.waiting?.reason ?? ""} />, isLong: true, minor: true },
];

export default function OneBatch({ id }: { id: string }) {
  const { value, problem } = useReading(`batch ${id}`, () => call("/batches/get", { id }), { nouns: ["batch", "execution"] });
  const { rows, total, more } = usePages({ batch: id, ...(onlyFailed.value ? { status: "Failed" as const } : {}) });
  if (problem) return <Empty title={problem} />;
  if (!value) return <p role="status">Loading…</p>;
  const { batch } = value;
  return (
    <>
      <div class="view-head">
        <h1>{batch.name}</h1>
        <div class="row">
          <Button compact needs="run" icon="retry" disabled={batch.progress.failed === 0} onPress={() => retryFailed(id)}>
            Retry failed rows
          </Button>
          <Button compact icon="download" onPress={() => download("/batches/results", { id }, `${batch.name}.csv`)}>
            Results as CSV
          </Button>
          <Button compact icon="files" title="The results as CSV, and the files of every row" onPress={() => download("/batches/resultsZip", { id }, `${batch.name}.zip`)}>
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
            <Button needs="run" kind="danger" icon="stop" onPress={async () => (await ask("Cancel this batch", "What has not finished ends as Failed.", "Cancel it")) && call("/batches/cancel", { id })}>
              Cancel
            </Button>
          )}
        </div>
      </div>
      <div class="stack">
        <Card>
          <Progress label="Progress" done={batch.progress.completed} failed={batch.progress.failed} total={batch.total} />
          <Counts batch={batch} />
        </Card>
        <CheckField label="Only failed rows" checked={onlyFailed.value} onInput={(isOn) => (onlyFailed.value = isOn)} />
        <Card flush>
          {total === 0 && <Empty title={onlyFailed.value ? "No row has failed." : "The executions of this batch were cleaned away."} />}
          {rows.length > 0 && <Table label="Rows" rows={rows} columns={COLUMNS} keyOf={(one) => one.id} total={total ?? rows.length} onEnd={more} />}
        </Card>
      </div>
    </>
  );
}

function Counts({ batch }: { batch: Schemas["Batch"] }) {
  const { progress } = batch;
  const facts = [
    [progress.completed, "completed"],
    [progress.failed, "failed"],
    [progress.inProgress, "running"],
    [progress.paused, "waiting for a person"],
    [progress.enqueued, "in the queue"],
  ] as const;
  return (
    <p class="small muted">
      <a href={`/workflows/${batch.workflow.id}`}>{batch.workflow.name}</a>
      {batch.status === "paused" && " · paused: nothing more of it begins"}
      {facts.filter(([count]) => count > 0).map(([count, word]) => ` · ${count.toLocaleString("en")} ${word}`)}
    </p>
  );
}

/** `policy P-1, amount 12`: what tells the rows apart. */
function inWords(params: Record<string, unknown>): string {
  const words = Object.entries(params).map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return words.join(", ") || "No parameters";
}

/** Each failed row that was not retried before; some at a time, so that the service is not flooded. */
async function retryFailed(batch: string): Promise<void> {
  const all: Item[] = [];
  let cursor: string | null | undefined;
  do {
    const page: Schemas["ExecutionList"] = await call("/executions/list", { batch, limit: 1000, ...(cursor ? { cursor } : {}) });
    all.push(...page.executions);
    cursor = page.nextCursor;
  } while (cursor);
  const retried = new Set(all.map((one) => one.metadata["retryOf"]));
  const failed = all.filter((one) => one.status === "Failed" && !retried.has(one.id));
  for (let at = 0; at < failed.length; at += RETRIES_AT_ONCE) {
    await Promise.all(failed.slice(at, at + RETRIES_AT_ONCE).map((one) => call("/executions/retry", { id: one.id })));
  }
  notify(failed.length === 0 ? "Every failed row was retried already." : `${failed.length.toLocaleString("en")} ${failed.length === 1 ? "row runs" : "rows run"} again.`);
}
