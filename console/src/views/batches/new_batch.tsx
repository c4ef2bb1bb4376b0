/** The dialog that turns a sheet into a batch: choose workflow and file, map the columns, check the rows, start. */
import { useMemo, useRef, useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { upload } from "../../api/upload";
import { navigate } from "../../app/router";
import { hasScope } from "../../app/session";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { chooseFiles } from "../../design/choose_files";
import { Dialog } from "../../design/dialog";
import { CheckField, SelectField, TextField } from "../../design/field";
import { formatCount } from "../../design/format";
import { ProblemScope } from "../../design/problem_scope";
import { UploadProgress, type UploadState } from "../../design/upload_progress";
import { Preview, type Parameter } from "./preview";
import { inOrderOf, mappingOf, readSheet, type Mapping, type Sheet } from "./sheet";

export function NewBatch({ onClose }: { onClose: () => void }) {
  const workflows = useQuery("workflows", () => call("/workflows/list", { limit: 1000 })).value?.workflows ?? [];
  const [workflowId, setWorkflow] = useState("");
  const [file, setFile] = useState<Schemas["File"]>();
  const [uploadState, setUploadState] = useState<UploadState>();
  const [preview, setPreview] = useState<{ sheet: Sheet; mapping: Mapping }>();
  const [name, setName] = useState("");
  const [concurrency, setConcurrency] = useState("");
  const logins = useQuery("logins", () => call("/logins/list", {})).value?.logins ?? [];
  const [loginId, setLogin] = useState("");
  const [skipsInvalid, setSkipsInvalid] = useState(false);
  const isClosed = useRef(false);
  const problems = useMemo(() => new ProblemScope(), []);
  const parameters = useParameters(workflowId);
  const loadPreview = async (workflow: string, from: Schemas["File"], mapping?: Mapping) => {
    const sheet = await readSheet(workflow, from.id, mapping);
    setPreview({ sheet, mapping: inOrderOf(sheet, mapping ?? mappingOf(sheet)) });
  };
  const chooseSheet = async () => {
    const [chosen] = await chooseFiles({ accept: ".csv,.tsv,.xlsx,.xlsm,.xls,.ods,text/csv", multiple: false });
    if (!chosen) return;
    await deleteSheet(file);
    setFile(undefined);
    setPreview(undefined);
    try {
      const stored = await upload("/batches/uploadSheet", chosen, (fraction) =>
        setUploadState({ name: chosen.name, fraction }),
      );
      if (isClosed.current) return void (await deleteSheet(stored));
      await loadPreview(workflowId, stored).catch((error: unknown) =>
        deleteSheet(stored).then(() => Promise.reject(error)),
      );
      setFile(stored);
    } finally {
      setUploadState(undefined);
    }
    if (!name) setName(chosen.name.replace(/\.\w+$/, ""));
  };
  const count = preview ? (skipsInvalid ? preview.sheet.total - preview.sheet.wrong : preview.sheet.total) : 0;
  const isReady = file !== undefined && count > 0 && (preview?.sheet.wrong === 0 || skipsInvalid) && name !== "";
  const start = async () => {
    if (!file || !preview) return;
    const chosen = { name, workflowId, fileId: file.id, columns: preview.mapping, leaveOutWrongRows: skipsInvalid };
    const answer = await call("/batches/createFromSheet", {
      ...chosen,
      ...(concurrency ? { concurrency: Number(concurrency) } : {}),
      ...(loginId ? { loginId } : {}),
    });
    navigate(`/batches/${answer.batch.id}`);
  };
  const chooseWorkflow = (id: string) => {
    setWorkflow(id);
    setPreview(undefined);
    if (id && file) void loadPreview(id, file).catch((error: unknown) => problems.report(error));
  };
  const close = () => {
    isClosed.current = true;
    void deleteSheet(file);
    onClose();
  };
  return (
    <Dialog title="New batch" onClose={close} problems={problems} wide>
      <SelectField
        label="Workflow"
        path="workflowId"
        value={workflowId}
        onInput={chooseWorkflow}
        options={[["", "Choose…"], ...workflows.map((one) => [one.id, one.name] as const)]}
      />
      <div class="row">
        <Button icon="upload" disabled={!workflowId} onPress={chooseSheet}>
          Choose a sheet
        </Button>
        {uploadState ? (
          <UploadProgress {...uploadState} />
        ) : (
          <span class="muted" role="status">
            {file && preview
              ? `${file.name}: ${formatCount(preview.sheet.total, "row")}`
              : "CSV or Excel file with column names in the first row"}
          </span>
        )}
      </div>
      {preview && file && (
        <>
          <Preview
            sheet={preview.sheet}
            mapping={preview.mapping}
            parameters={parameters}
            onMap={(mapping) =>
              void loadPreview(workflowId, file, mapping).catch((error: unknown) => problems.report(error))
            }
          />
          {preview.sheet.wrong > 0 && preview.sheet.wrong < preview.sheet.total && (
            <CheckField label="Skip invalid rows" checked={skipsInvalid} onInput={setSkipsInvalid} />
          )}
          <TextField label="Name" path="name" value={name} onInput={setName} required />
          {logins.length > 0 && (
            <SelectField
              label="Login"
              path="loginId"
              value={loginId}
              onInput={setLogin}
              options={[["", "None"], ...logins.map((one) => [one.id, one.name] as const)]}
            />
          )}
          <TextField
            label="Concurrency"
            path="concurrency"
            help="How many rows run at the same time. Leave empty for the default."
            type="number"
            value={concurrency}
            onInput={setConcurrency}
          />
        </>
      )}
      <div class="row dialog-actions">
        <Button kind="primary" icon="play" disabled={!isReady} onPress={start}>
          {isReady ? `Start ${formatCount(count, "execution")}` : "Start"}
        </Button>
      </div>
    </Dialog>
  );
}

/** Delete a sheet that no batch uses. A key without `edit` cannot; the service's retention deletes it later. */
async function deleteSheet(file: Schemas["File"] | undefined): Promise<void> {
  if (file && hasScope("edit")) await call("/files/delete", { id: file.id });
}

/** The declared parameters, and those that blocks use without a declaration. */
function useParameters(workflowId: string): readonly Parameter[] {
  const workflow = useQuery(`parameters ${workflowId}`, () =>
    workflowId ? call("/workflows/get", { id: workflowId }) : Promise.resolve(undefined),
  ).value?.workflow;
  const declared = (workflow?.parameters ?? []) as readonly Parameter[];
  const properties = Object.keys((workflow?.inputSchema?.["properties"] as object | undefined) ?? {});
  return [
    ...declared,
    ...properties.filter((one) => !declared.some(({ name }) => name === one)).map((name) => ({ name })),
  ];
}
