/** The table of workflows, with their statistics. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { navigate, searchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState } from "../../design/card";
import { chooseFiles } from "../../design/choose_files";
import { confirmAction, Dialog } from "../../design/dialog";
import { TextField } from "../../design/field";
import { formatPercent } from "../../design/format";
import { Badge, Status } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { Time } from "../../design/time";

type Item = Schemas["WorkflowList"]["workflows"][number] & { figures?: Figures; next?: string };
type Figures = Schemas["StatisticsAnswer"]["statistics"]["workflows"][number];

const COLUMNS: readonly Column<Item>[] = [
  { name: "Name", cell: (one) => <a href={`/workflows/${one.id}`}>{one.name}</a> },
  { name: "Tags", cell: (one) => one.tags.map((tag) => <Badge key={tag.id}>{tag.name}</Badge>), minor: true },
  { name: "Last result", cell: (one) => one.figures && <Status value={one.figures.lastStatus} />, width: 125 },
  { name: "Success rate", cell: (one) => formatPercent(one.figures?.successRate), width: 110, isNumeric: true },
  { name: "Next schedule", cell: (one) => one.next && <Time iso={one.next} />, width: 125, minor: true },
  { name: "Version", cell: (one) => `v${one.version}`, width: 75, minor: true },
  { name: "Changed", cell: (one) => <Time iso={one.updatedAt} />, width: 125, minor: true },
  {
    name: "Delete",
    cell: (one) => (
      <Button needs="edit" kind="quiet" icon="trash" label={`Delete ${one.name}`} onPress={() => deleteWorkflow(one)} />
    ),
    width: 70,
  },
];

export default function Workflows() {
  const { value, problem } = useQuery("workflows", () => call("/workflows/list", { limit: 1000 }), {
    nouns: ["workflow"],
  });
  const figures =
    useQuery("figures", () => call("/statistics/get", { days: 1 }), { nouns: ["execution", "workflow"] }).value
      ?.statistics.workflows ?? [];
  const schedules =
    useQuery("schedules", () => call("/schedules/list", { limit: 1000 }), { nouns: ["schedule"] }).value?.schedules ??
    [];
  const nextRunOf = (id: string) =>
    schedules
      .filter((one) => one.enabled && one.workflow.id === id)
      .flatMap((one) => one.nextRuns)
      .sort()[0];
  const rows =
    value?.workflows.map(
      (one) =>
        ({ ...one, figures: figures.find(({ workflow }) => workflow.id === one.id), next: nextRunOf(one.id) }) as Item,
    ) ?? [];
  const [isNew, setNew] = useState(searchParams.value.has("new"));
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
        {problem && <EmptyState title={problem} />}
        {value?.total === 0 && <EmptyState title="No workflows yet.">Create one, or import a file.</EmptyState>}
        {value && value.total > 0 && (
          <Table label="Workflows" rows={rows} columns={COLUMNS} keyOf={(one) => one.id} total={value.total} />
        )}
      </Card>
      {isNew && <NewWorkflow onClose={() => setNew(false)} />}
    </>
  );
}

async function deleteWorkflow(one: Item): Promise<void> {
  if (
    await confirmAction(
      "Delete this workflow?",
      `“${one.name}” and its schedules will be deleted. Its executions are kept.`,
      "Delete workflow",
    )
  )
    await call("/workflows/delete", { id: one.id });
}

function NewWorkflow({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const create = async () => {
    const answer = await call("/workflows/create", { name, blocks: [] });
    navigate(`/workflows/${answer.workflow.id}`);
  };
  return (
    <Dialog title="New workflow" onClose={onClose}>
      <TextField label="Name" path="name" value={name} onInput={setName} required />
      <div class="row dialog-actions">
        <Button kind="primary" disabled={!name.trim()} onPress={create}>
          Create workflow
        </Button>
      </div>
    </Dialog>
  );
}

function ImportButton() {
  const importFile = async () => {
    const [file] = await chooseFiles({ accept: ".json,application/json", multiple: false });
    if (!file) return;
    const exported = JSON.parse(await file.text()) as Schemas["ImportWorkflow"] | Schemas["ImportWorkflow"]["workflow"];
    const answer = await call(
      "/workflows/import",
      "workflow" in exported ? (exported as Schemas["ImportWorkflow"]) : { workflow: exported },
    );
    navigate(`/workflows/${answer.workflow.id}`);
  };
  return (
    <Button needs="edit" icon="upload" onPress={importFile}>
      Import
    </Button>
  );
}
