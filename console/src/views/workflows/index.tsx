/** The table of workflows, with their statistics. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { navigate, searchParams, setSearchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState, ListState } from "../../design/card";
import { chooseFiles } from "../../design/choose_files";
import { confirmAction, Dialog } from "../../design/dialog";
import { SelectField, TextField } from "../../design/field";
import { formatPercent } from "../../design/format";
import { notify } from "../../design/notice";
import { Badge, Status, STATUS_WIDTH } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { Time } from "../../design/time";
import { folderOf, nameIn, WorkflowName } from "../../design/workflow_name";

type Item = Schemas["WorkflowList"]["workflows"][number] & { figures?: Figures; next?: string };
type Figures = Schemas["StatisticsAnswer"]["statistics"]["workflows"][number];

const COLUMNS: readonly Column<Item>[] = [
  { name: "Name", cell: (one) => <WorkflowName name={one.name} href={`/workflows/${one.id}`} />, isLong: true },
  { name: "Tags", cell: (one) => one.tags.map((tag) => <Badge key={tag.id}>{tag.name}</Badge>), minor: true },
  { name: "Last result", cell: (one) => one.figures && <Status value={one.figures.lastStatus} />, width: STATUS_WIDTH },
  { name: "Success rate", cell: (one) => formatPercent(one.figures?.successRate), width: 110, isLabelled: true },
  { name: "Next schedule", cell: (one) => one.next && <Time iso={one.next} />, width: 116, minor: true },
  { name: "Changed", cell: (one) => <Time iso={one.updatedAt} />, width: 132, minor: true },
  {
    name: "Actions",
    cell: (one) => (
      <span class="row tight">
        <Button
          needs="edit"
          kind="quiet"
          icon="rename"
          label={`Rename or move ${one.name}`}
          onPress={() => (renamed.value = one)}
        />
        <Button needs="edit" kind="quiet" icon="copy" label={`Duplicate ${one.name}`} onPress={() => duplicate(one)} />
        <Button
          needs="edit"
          kind="quiet"
          icon="trash"
          label={`Delete ${one.name}`}
          onPress={() => deleteWorkflow(one)}
        />
      </span>
    ),
    width: 132,
  },
];

/** The workflow whose name is being changed. */
const renamed = signal<Item | undefined>(undefined);

export default function Workflows() {
  const valueOf = (name: string) => searchParams.value.get(name) ?? "";
  const [search, tag, folder] = ["search", "tag", "folder"].map(valueOf) as [string, string, string];
  const { value, problem } = useQuery(
    `workflows ${search} ${tag}`,
    () =>
      call("/workflows/list", {
        limit: 1000,
        ...(search ? { search } : {}),
        ...(tag ? { tagFilters: [tag] } : {}),
      }),
    { nouns: ["workflow"] },
  );
  const tags = useQuery("tags", () => call("/tags/list", {}), { nouns: ["workflow"] }).value?.tags ?? [];
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
  const folders = [...new Set(value?.workflows.map((one) => folderOf(one.name)))].filter(Boolean).sort();
  const isIn = (name: string) => !folder || `${folderOf(name)}/`.startsWith(`${folder}/`);
  const rows =
    value?.workflows
      .filter((one) => isIn(one.name))
      .map(
        (one) =>
          ({
            ...one,
            figures: figures.find(({ workflow }) => workflow.id === one.id),
            next: nextRunOf(one.id),
          }) as Item,
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
      <div class="filters" role="search" aria-label="Filter workflows">
        <TextField
          label="Search"
          type="search"
          value={search}
          onInput={(text) => setSearchParams({ search: text })}
          placeholder="Part of the name"
        />
        <SelectField
          label="Tag"
          value={tag}
          onInput={(next) => setSearchParams({ tag: next })}
          options={[["", "All"], ...tags.map((one) => [one.name, one.name] as const)]}
        />
        {(folders.length > 0 || folder) && (
          <SelectField
            label="Folder"
            value={folder}
            onInput={(next) => setSearchParams({ folder: next })}
            options={[
              ["", "All"],
              ...[...new Set([...folders, folder])].filter(Boolean).map((one) => [one, one] as const),
            ]}
          />
        )}
      </div>
      <Card flush>
        <ListState isLoaded={value !== undefined} problem={problem} />
        {value?.total === 0 && !search && !tag && (
          <EmptyState title="No workflows yet.">Create one, or import a file.</EmptyState>
        )}
        {value && rows.length === 0 && (value.total > 0 || search || tag) && (
          <EmptyState title="No workflow matches the filters." />
        )}
        {rows.length > 0 && (
          <Table label="Workflows" rows={rows} columns={COLUMNS} keyOf={(one) => one.id} total={rows.length} />
        )}
      </Card>
      {isNew && <NewWorkflow onClose={() => setNew(false)} />}
      {renamed.value && <Rename key={renamed.value.id} workflow={renamed.value} folders={folders} />}
    </>
  );
}

async function duplicate(one: Item): Promise<void> {
  const { workflow } = await call("/workflows/duplicate", { id: one.id });
  notify(`“${workflow.name}” is a copy of “${one.name}”.`);
}

function Rename({ workflow, folders }: { workflow: Item; folders: readonly string[] }) {
  const [folder, setFolder] = useState(folderOf(workflow.name));
  const [name, setName] = useState(nameIn(workflow.name));
  const close = () => (renamed.value = undefined);
  const rename = async () => {
    const path = [...folder.split("/"), name].map((one) => one.trim()).filter(Boolean);
    await call("/workflows/update", { id: workflow.id, name: path.join("/") });
    close();
  };
  return (
    <Dialog title="Rename or move" onClose={close}>
      <TextField label="Name" path="name" value={name} onInput={setName} required />
      <TextField
        label="Folder"
        help="Empty for none. Folders can have folders: `Finance/Invoices`."
        value={folder}
        onInput={setFolder}
        list={folders}
      />
      <div class="row dialog-actions">
        <Button kind="primary" disabled={!name.trim()} onPress={rename}>
          Save
        </Button>
      </div>
    </Dialog>
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
