/** One batch: how far it is, and which rows failed. */
import { call } from "../../api/client";
import { useReading } from "../../app/reading";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { ask } from "../../design/dialog";
import { Progress } from "../../design/progress";
import { Status } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { save } from "../../design/json";
import type { Schemas } from "../../api/client";

type Item = Schemas["ExecutionSummary"];
const COLUMNS: readonly Column<Item>[] = [
  { name: "Status", cell: (one) => <Status value={one.status} />, width: "128px" },
  { name: "Parameters", cell: (one) => <a href={`/executions/${one.id}`}>{one.truncatedParams}</a> },
  { name: "Reason", cell: (one) => (one as { failure?: { message?: string } | null }).failure?.message ?? "", minor: true },
];

export default function OneBatch({ id }: { id: string }) {
  const { value, problem } = useReading(`batch ${id}`, () => call("/batches/get", { id }), { nouns: ["batch", "execution"] });
  const rows = useReading(`batch rows ${id}`, () => call("/executions/list", { batch: id, limit: 1000 }), { nouns: ["execution"] }).value?.executions ?? [];
  if (problem) return <Empty title={problem} />;
  if (!value) return <p role="status">Loading…</p>;
  const { batch } = value;
  const failed = rows.filter((one) => one.status === "Failed");
  return (
    <>
      <div class="view-head">
        <h1>{batch.name}</h1>
        <div class="row">
          <Button icon="retry" disabled={failed.length === 0} onPress={() => Promise.all(failed.map((one) => call("/executions/retry", { id: one.id })))}>
            Retry failed rows
          </Button>
          <Button icon="download" onPress={() => results(id, batch.name)}>
            Results as CSV
          </Button>
          {batch.status === "running" && (
            <Button kind="danger" icon="stop" onPress={async () => (await ask("Cancel this batch", "What has not finished ends as Failed.", "Cancel it")) && call("/batches/cancel", { id })}>
              Cancel
            </Button>
          )}
        </div>
      </div>
      <div class="stack">
        <Card>
          <Progress label="Progress" done={batch.progress.completed} failed={batch.progress.failed} total={batch.total} />
        </Card>
        <Card flush>{rows.length > 0 && <Table label="Rows" rows={rows} columns={COLUMNS} keyOf={(one) => one.id} total={batch.total} />}</Card>
      </div>
    </>
  );
}

/** Every row with its parameters, status and response. */
async function results(batch: string, name: string): Promise<void> {
  const lines: string[][] = [];
  let cursor: string | null = null;
  do {
    const page: Schemas["ExecutionList"] = await call("/executions/list", { batch, limit: 1000, ...(cursor ? { cursor } : {}) });
    for (const one of page.executions) {
      const { execution } = await call("/executions/get", { id: one.id });
      lines.push([one.id, one.status, JSON.stringify(one.params), JSON.stringify((execution as { response?: unknown }).response ?? null)]);
    }
    cursor = page.nextCursor ?? null;
  } while (cursor);
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  save([["id", "status", "params", "response"], ...lines].map((line) => line.map(cell).join(",")).join("\r\n"), `${name}.csv`, "text/csv");
}
