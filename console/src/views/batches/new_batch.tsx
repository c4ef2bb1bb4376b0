/** A sheet becomes a batch: choose workflow and file, say what the columns mean, see what is wrong, start. */
import { useRef, useState } from "preact/hooks";
import { call, sentence, type Schemas } from "../../api/client";
import { upload } from "../../api/upload";
import { useReading } from "../../app/reading";
import { go } from "../../app/router";
import { may } from "../../app/session";
import { Button } from "../../design/button";
import { chooseFiles } from "../../design/choose_files";
import { Dialog } from "../../design/dialog";
import { CheckField, SelectField, TextField } from "../../design/field";
import { notify } from "../../design/notice";
import { Sending, type Transfer } from "../../design/sending";
import { Preview, type Parameter } from "./preview";
import { mappingOf, readSheet, type Mapping, type Sheet } from "./sheet";

export function NewBatch({ onClose }: { onClose: () => void }) {
  const workflows = useReading("workflows", () => call("/workflows/list", { limit: 1000 })).value?.workflows ?? [];
  const [workflowId, setWorkflow] = useState("");
  const [file, setFile] = useState<Schemas["File"]>();
  const [sending, setSending] = useState<Transfer>();
  const [read, setRead] = useState<{ sheet: Sheet; mapping: Mapping }>();
  const [name, setName] = useState("");
  const [concurrency, setConcurrency] = useState("");
  const [leavesOut, setLeavesOut] = useState(false);
  const isClosed = useRef(false);
  const parameters = useParameters(workflowId);
  const load = async (workflow: string, from: Schemas["File"], mapping?: Mapping) => {
    const sheet = await readSheet(workflow, from.id, mapping);
    setRead({ sheet, mapping: mapping ?? mappingOf(sheet) });
  };
  const choose = async () => {
    const [chosen] = await chooseFiles({ accept: ".csv,.tsv,.xlsx,.xlsm,.xls,.ods,text/csv", multiple: false });
    if (!chosen) return;
    await forget(file);
    setFile(undefined);
    setRead(undefined);
    try {
      const stored = await upload("/batches/uploadSheet", chosen, (part) => setSending({ name: chosen.name, part }));
      if (isClosed.current) return void (await forget(stored));
      await load(workflowId, stored).catch((trouble: unknown) => forget(stored).then(() => Promise.reject(trouble)));
      setFile(stored);
    } finally {
      setSending(undefined);
    }
    if (!name) setName(chosen.name.replace(/\.\w+$/, ""));
  };
  const count = read ? (leavesOut ? read.sheet.total - read.sheet.wrong : read.sheet.total) : 0;
  const isReady = file !== undefined && count > 0 && (read?.sheet.wrong === 0 || leavesOut) && name !== "";
  const start = async () => {
    if (!file || !read) return;
    const chosen = { name, workflowId, fileId: file.id, columns: read.mapping, leaveOutWrongRows: leavesOut };
    const answer = await call("/batches/createFromSheet", { ...chosen, ...(concurrency ? { concurrency: Number(concurrency) } : {}) });
    go(`/batches/${answer.batch.id}`);
  };
  const pick = (id: string) => {
    setWorkflow(id);
    setRead(undefined);
    if (id && file) void load(id, file).catch((trouble: unknown) => notify(sentence(trouble), "bad"));
  };
  const close = () => {
    isClosed.current = true;
    void forget(file);
    onClose();
  };
  return (
    <Dialog title="New batch" onClose={close} wide>
      <SelectField label="Workflow" value={workflowId} onInput={pick} options={[["", "Choose…"], ...workflows.map((one) => [one.id, one.name] as const)]} />
      <div class="row">
        <Button icon="upload" disabled={!workflowId} onPress={choose}>
          Choose a sheet
        </Button>
        {sending ? (
          <Sending {...sending} />
        ) : (
          <span class="muted" role="status">
            {file && read ? `${file.name}: ${read.sheet.total.toLocaleString("en")} ${read.sheet.total === 1 ? "row" : "rows"}` : "CSV or Excel; its first row names the columns"}
          </span>
        )}
      </div>
      {read && file && (
        <>
          <Preview sheet={read.sheet} mapping={read.mapping} parameters={parameters} onMap={(mapping) => void load(workflowId, file, mapping).catch((trouble: unknown) => notify(sentence(trouble), "bad"))} />
          {read.sheet.wrong > 0 && read.sheet.wrong < read.sheet.total && <CheckField label="Start without the rows that do not fit" checked={leavesOut} onInput={setLeavesOut} />}
          <TextField label="Name" value={name} onInput={setName} required />
          <TextField label="At once" help="How many run at the same time; empty leaves it to the service." type="number" value={concurrency} onInput={setConcurrency} />
        </>
      )}
      <div class="row dialog-actions">
        <Button kind="primary" icon="play" disabled={!isReady} onPress={start}>
          {isReady ? `Start ${count.toLocaleString("en")} ${count === 1 ? "execution" : "executions"}` : "Start"}
        </Button>
      </div>
    </Dialog>
  );
}

/** A sheet that starts nothing is not kept; who may not delete files leaves it to the service's retention. */
async function forget(file: Schemas["File"] | undefined): Promise<void> {
  if (file && may("edit")) await call("/files/delete", { id: file.id });
}

/** What the workflow declares, and what its blocks name without declaring it. */
function useParameters(workflowId: string): readonly Parameter[] {
  const workflow = useReading(`parameters ${workflowId}`, () => (workflowId ? call("/workflows/get", { id: workflowId }) : Promise.resolve(undefined))).value?.workflow;
  const declared = (workflow?.parameters ?? []) as readonly Parameter[];
  const properties = Object.keys((workflow?.inputSchema?.["properties"] as object | undefined) ?? {});
  return [...declared, ...properties.filter((one) => !declared.some(({ name }) => name === one)).map((name) => ({ name }))];
}
