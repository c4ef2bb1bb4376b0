/** All workflows, with how they fare. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { go } from "../../app/router";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { ask, Dialog } from "../../design/dialog";
import { TextField } from "../../design/field";
import { Badge, percent, Status } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { Time } from "../../design/time";

type Item = Schemas["WorkflowList"]["workflows"][number] & { figures?: Figures; next?: string };
type Figures = Schemas["StatisticsAnswer"]["statistics"]["workflows"][number];

const COLUMNS: readonly Column<Item>[] = [
  { name: "Name", cell: (one) => <a href={`/workflows/${one.id}`}>{one.name}</a> },
  { name: "Tags", cell: (one) => one.tags.map((tag) => <Badge key={tag.id}>{tag.name}</Badge>), minor: true },
  { name: "Last result", cell: (one) => one.figures && <Status value={one.figures.lastStatus} />, width: "125px" },
  { name: "Success rate", cell: (one) => percent(one.figures?.successRate), width: "110px", isFigure: true },
  { name: "Next schedule", cell: (one) => one.next && <Time iso={one.next} />, width: "125px", minor: true },
  { name: "Version", cell: (one) => `v${one.version}`, width: "75px", minor: true },
  { name: "Changed", cell: (one) => <Time iso={one.updatedAt} />, width: "125px", minor: true },
  { name: "Delete", cell: (one) => <Button needs="edit" kind="quiet" icon="trash" label={`Delete ${one.name}`} onPress={() => drop(one)} />, width: "70px" },
];

export default function Workflows() {
  const { value, problem } = useReading("workflows", () => call("/workflows/list", { limit: 1000 }), { nouns: ["workflow"] });
  const figures = useReading("figures", () => call("/statistics/get", { days: 1 }), { nouns: ["execution", "workflow"] }).value?.statistics.workflows ?? [];
  const schedules = useReading("schedules", () => call("/schedules/list", { limit: 1000 }), { nouns: ["schedule"] }).value?.schedules ?? [];
  const nextOf = (id: string) => schedules.filter((one) => one.enabled && one.workflow.id === id).flatMap((one) => one.nextRuns).sort()[0];
  const rows = value?.workflows.map((one) => ({ ...one, figures: figures.find(({ workflow }) => workflow.id === one.id), next: nextOf(one.id) }) as Item) ?? [];
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div class="view-head">
        <h1>Workflows</h1>
        <div class="row">
          <ImportButton />
          <Button needs="edit" kind="primary" icon="plus" onPress={() => setNew(true)}>
            New workflow
          </Button>
        </div>
      </div>
      <Card flush>
        {problem && <Empty title={problem} />}
        {value?.total === 0 && <Empty title="No workflows yet.">Make one, or import a file.</Empty>}
        {value && value.total > 0 && <Table label="Workflows" rows={rows} columns={COLUMNS} keyOf={(one) => one.id} total={value.total} />}
      </Card>
      {isNew && <NewWorkflow onClose={() => setNew(false)} />}
    </>
  );
}

async function drop(one: Item): Promise<void> {
  if (await ask("Delete this workflow", `“${one.name}” and its schedules are gone; its executions stay.`, "Delete it")) await call("/workflows/delete", { id: one.id });
}

function NewWorkflow({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const make = async () => {
    const answer = await call("/workflows/create", { name, blocks: [] });
    go(`/workflows/${answer.workflow.id}`);
  };
  return (
    <Dialog title="New workflow" onClose={onClose}>
      <TextField label="Name" value={name} onInput={setName} required />
      <div class="row dialog-actions">
        <Button kind="primary" disabled={!name.trim()} onPress={make}>
          Make it
        </Button>
      </div>
    </Dialog>
  );
}

function ImportButton() {
  const choose = () =>
    new Promise<void>((resolve, reject) => {
      const input = document.createElement("input");
      input.type = "file";
      input.accept = ".json,application/json";
      input.onchange = () => {
        const [file] = input.files ?? [];
        if (!file) return resolve();
        importFile(file).then(resolve, reject);
      };
      input.oncancel = () => resolve();
      input.click();
    });
  return (
    <Button needs="edit" icon="upload" onPress={choose}>
      Import
    </Button>
  );
}

async function importFile(file: File): Promise<void> {
  const read = JSON.parse(await file.text()) as { workflow?: unknown };
  const answer = await call("/workflows/import", (read.workflow ? read : { workflow: read }) as never);
  go(`/workflows/${answer.workflow.id}`);
}
