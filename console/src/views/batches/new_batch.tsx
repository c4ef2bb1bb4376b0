/** A sheet becomes a batch: choose it, map its columns to the workflow's parameters, start. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { useReading } from "../../app/reading";
import { go } from "../../app/router";
import { Button } from "../../design/button";
import { chooseFiles } from "../../design/choose_files";
import { Dialog } from "../../design/dialog";
import { SelectField, TextField } from "../../design/field";
import { parseCsv } from "./csv";

export function NewBatch({ onClose }: { onClose: () => void }) {
  const workflows = useReading("workflows", () => call("/workflows/list", { limit: 1000 })).value?.workflows ?? [];
  const [workflowId, setWorkflow] = useState("");
  const [name, setName] = useState("");
  const [rows, setRows] = useState<readonly Record<string, string>[]>([]);
  const [names, setNames] = useState<Record<string, string>>({});
  const [concurrency, setConcurrency] = useState("");
  const choose = async () => {
    const [file] = await chooseFiles({ accept: ".csv,text/csv", multiple: false });
    if (!file) return;
    const read = parseCsv(await file.text());
    if (read.length === 0) throw new Error("The sheet has a heading at most: there are no rows to run.");
    setRows(read);
    setNames(Object.fromEntries(Object.keys(read[0] ?? {}).map((one) => [one, one])));
    if (!name) setName(file.name.replace(/\.\w+$/, ""));
  };
  const start = async () => {
    const mapped = rows.map((row) => Object.fromEntries(Object.entries(row).flatMap(([column, value]) => (names[column] ? [[names[column], value]] : []))));
    const answer = await call("/batches/create", { name, workflowId, rows: mapped, ...(concurrency ? { concurrency: Number(concurrency) } : {}) } as never);
    go(`/batches/${answer.batch.id}`);
  };
  return (
    <Dialog title="New batch" onClose={onClose} wide>
      <SelectField label="Workflow" value={workflowId} onInput={setWorkflow} options={[["", "Choose…"], ...workflows.map((one) => [one.id, one.name] as const)]} />
      <div class="row">
        <Button icon="upload" onPress={choose}>
          Choose a sheet
        </Button>
        <span class="muted">{rows.length > 0 && `${rows.length} rows`}</span>
      </div>
      {rows[0] && (
        <fieldset class="schema-group">
          <legend>Columns</legend>
          {Object.keys(rows[0]).map((column) => (
            <TextField key={column} label={`“${column}” becomes parameter`} help={`For example: ${rows[0]?.[column] ?? ""}`} value={names[column] ?? ""} onInput={(text) => setNames({ ...names, [column]: text })} />
          ))}
        </fieldset>
      )}
      <TextField label="Name" value={name} onInput={setName} required />
      <TextField label="At once" help="How many run at the same time; empty leaves it to the service." type="number" value={concurrency} onInput={setConcurrency} />
      <div class="row dialog-actions">
        <Button kind="primary" icon="play" disabled={!workflowId || !name || rows.length === 0} onPress={start}>
          Start
        </Button>
      </div>
    </Dialog>
  );
}
