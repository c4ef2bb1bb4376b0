/** The result of a run: a list of objects as a table, everything else as JSON. */
import { useState } from "preact/hooks";
import { sameOriginUrl, type Schemas } from "../../api/client";
import { Button } from "../../design/button";
import { EmptyState } from "../../design/card";
import { copyText } from "../../design/copy_text";
import { saveText } from "../../design/download";
import { formatCount, formatValue } from "../../design/format";
import { JsonView } from "../../design/json";

const MAX_ROWS = 500;

export function ResultView({ response, isFinished }: { response: unknown; isFinished: boolean }) {
  if (response === undefined || response === null || Object.keys(response as object).length === 0) {
    return <EmptyState title={isFinished ? "This run has no output." : "No output yet."} />;
  }
  return (
    <div class="stack">
      {Object.entries(response as Record<string, unknown>).map(([name, value]) => (
        <section key={name} class="stack" aria-label={name}>
          <h3 class="mono">{name}</h3>
          <Output name={name} value={value} />
        </section>
      ))}
    </div>
  );
}

/** The parameters of a run: lists as tables. */
export function ParameterValues({ values }: { values: Record<string, unknown> }) {
  const lists = Object.entries(values).filter(([, value]) => isRecords(value));
  const others = Object.fromEntries(Object.entries(values).filter(([, value]) => !isRecords(value)));
  return (
    <div class="stack">
      {(lists.length === 0 || Object.keys(others).length > 0) && <JsonView value={others} name="parameters" />}
      {lists.length > 0 && <ResultView response={Object.fromEntries(lists)} isFinished />}
    </div>
  );
}

function Output({ name, value }: { name: string; value: unknown }) {
  if (isRecords(value)) return <Records name={name} rows={value} />;
  if (isFile(value)) return <FileLink file={value} />;
  return <JsonView value={value} name={name} />;
}

type Row = Record<string, unknown>;
type FileInfo = Pick<Schemas["File"], "name" | "downloadUrl">;

/** Whether an output is a stored file. The URL must be a signed one of this service: pages can put any JSON here. */
function isFile(value: unknown): value is FileInfo {
  const file = value as Partial<FileInfo> | null;
  if (typeof file?.name !== "string" || typeof file.downloadUrl !== "string" || !URL.canParse(file.downloadUrl))
    return false;
  return sameOriginUrl(file.downloadUrl).startsWith(`${location.origin}/files/download?`);
}

function FileLink({ file }: { file: FileInfo }) {
  return (
    <a href={sameOriginUrl(file.downloadUrl)} download={file.name}>
      {file.name}
    </a>
  );
}

function isRecords(value: unknown): value is Row[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => one !== null && typeof one === "object" && !Array.isArray(one))
  );
}

function Records({ name, rows }: { name: string; rows: readonly Row[] }) {
  const columns = columnsOf(rows);
  return (
    <>
      <div class="row spread">
        <span class="small muted">
          {rows.length > MAX_ROWS ? `The first ${MAX_ROWS} of ${rows.length} rows` : formatCount(rows.length, "row")}
        </span>
        <span class="row">
          <Button icon="copy" kind="quiet" onPress={() => copyText(JSON.stringify(rows, null, 2))}>
            Copy
          </Button>
          <Button
            icon="download"
            kind="quiet"
            onPress={() => saveText(toCsv(columns, rows), `${name}.csv`, "text/csv")}
          >
            Download
          </Button>
        </span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Rows of ${name}`}>
        <RecordTable columns={columns} rows={rows} />
      </div>
    </>
  );
}

function RecordTable({ columns, rows }: { columns: readonly string[]; rows: readonly Row[] }) {
  return (
    <table class="records">
      <thead>
        <tr>
          {columns.map((one) => (
            <th key={one} scope="col">
              {one}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MAX_ROWS).map((row, index) => (
          <tr key={index}>
            {columns.map((one) => (
              <td key={one}>
                <Cell value={row[one]} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A cell; a stored file is a link, a list of objects is a folded table. */
function Cell({ value }: { value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  if (isFile(value)) return <FileLink file={value} />;
  if (!isRecords(value)) return <>{formatValue(value)}</>;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{formatCount(value.length, "row")}</summary>
      {isOpen && <RecordTable columns={columnsOf(value)} rows={value} />}
    </details>
  );
}

function columnsOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.slice(0, MAX_ROWS).flatMap((one) => Object.keys(one)))];
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}

/** CSV text; a leading = + - @ is escaped so that spreadsheets do not read it as a formula. */
function toCsv(columns: readonly string[], rows: readonly Row[]): string {
  const cell = (text: string) =>
    `"${(/^[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  return [
    columns.map(cell).join(","),
    ...rows.map((row) => columns.map((one) => cell(formatValue(row[one]))).join(",")),
  ].join("\r\n");
}
