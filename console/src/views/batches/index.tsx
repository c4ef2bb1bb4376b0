/** Batches: a workflow run once for each row of a sheet. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState, ListState } from "../../design/card";
import { labelOf } from "../../design/format";
import { Progress } from "../../design/progress";
import { Badge } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { Time } from "../../design/time";
import { WorkflowName } from "../../design/workflow_name";
import { NewBatch } from "./new_batch";

export type Batch = Schemas["Batch"];
const KIND = { running: "busy", paused: "warn", finished: "good", cancelled: "idle" } as const;

function kindOf({ status, progress }: Batch) {
  return status === "finished" && progress.failed > 0 ? "bad" : KIND[status];
}

const COLUMNS: readonly Column<Batch>[] = [
  { name: "Status", cell: (one) => <Badge kind={kindOf(one)}>{labelOf(one.status)}</Badge>, width: 120 },
  { name: "Name", cell: (one) => <a href={`/batches/${one.id}`}>{one.name}</a> },
  { name: "Workflow", cell: (one) => <WorkflowName name={one.workflow.name} />, minor: true },
  {
    name: "Progress",
    cell: (one) => (
      <Progress
        label={`Progress of ${one.name}`}
        done={one.progress.completed}
        failed={one.progress.failed}
        total={one.total}
      />
    ),
    width: 260,
    minor: true,
  },
  { name: "Started", cell: (one) => <Time iso={one.createdAt} />, width: 140, minor: true },
];

export default function Batches() {
  const { value, problem } = useQuery("batches", () => call("/batches/list", { limit: 1000 }), {
    nouns: ["batch", "execution"],
  });
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div class="view-head">
        <h1>Batches</h1>
        <Button needs="run" kind="primary" icon="upload" onPress={() => setNew(true)}>
          New batch
        </Button>
      </div>
      <Card flush>
        <ListState isLoaded={value !== undefined} problem={problem} />
        {value?.total === 0 && (
          <EmptyState title="No batches yet.">Upload a sheet to run a workflow once for each of its rows.</EmptyState>
        )}
        {value && value.total > 0 && (
          <Table label="Batches" rows={value.batches} columns={COLUMNS} keyOf={(one) => one.id} total={value.total} />
        )}
      </Card>
      {isNew && <NewBatch onClose={() => setNew(false)} />}
    </>
  );
}
