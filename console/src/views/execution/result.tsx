/** What a run put out: a table where it is a list of records, JSON else. */
import { useState } from "preact/hooks";
import { Empty } from "../../design/card";
import { JsonView, save } from "../../design/json";
import { Button } from "../../design/button";

const SHOWN_ROWS = 500;

export function ResultView({ response, isFinished }: { response: unknown; isFinished: boolean }) {
  if (response === undefined || response === null || Object.keys(response as object).length === 0) {
    return <Empty title={isFinished ? "It put out nothing." : "Nothing yet."} />;
  }
  return (
    <div class="stack">
      {Object.entries(response as Record<string, unknown>).map(([name, value]) => (
        <section key={name} class="stack" aria-label={name}>
          <h3 class="mono">{name}</h3>
          {isRecords(value) ? <Records name={name} rows={value} /> : <JsonView value={value} name={name} />}
        </section>
      ))}
    </div>
  );
}

type Row = Record<string, unknown>;

function isRecords(value: unknown): value is Row[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => one !== null && typeof one === "object" && !Array.isArray(one));
}

function Records({ name, rows }: { name: string; rows: readonly Row[] }) {
  const columns = columnsOf(rows);
  return (
    <>
      <div class="row spread">
        <span class="small muted">{rows.length > SHOWN_ROWS ? `The first ${SHOWN_ROWS} of ${rows.length} rows` : rows.length === 1 ? "1 row" : `${rows.length} rows`}</span>
        <span class="row">
          <Button icon="copy" kind="quiet" onPress={() => navigator.clipboard.writeText(JSON.stringify(rows, null, 2))}>
            Copy
          </Button>
          <Button icon="download" kind="quiet" onPress={() => save(csv(columns, rows), `${name}.csv`, "text/csv")}>
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
        {rows.slice(0, SHOWN_ROWS).map((row, index) => (
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

/** A list inside a row is folded, and a table of its own once it is opened. */
function Cell({ value }: { value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  if (!isRecords(value)) return <>{shown(value)}</>;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{value.length === 1 ? "1 row" : `${value.length} rows`}</summary>
      {isOpen && <RecordTable columns={columnsOf(value)} rows={value} />}
    </details>
  );
}

function columnsOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.slice(0, SHOWN_ROWS).flatMap((one) => Object.keys(one)))];
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}

/** Text a spreadsheet can open; a leading = + - @ is kept from becoming a formula. */
function csv(columns: readonly string[], rows: readonly Row[]): string {
  const cell = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  return [columns.map(cell).join(","), ...rows.map((row) => columns.map((one) => cell(shown(row[one]))).join(","))].join("\r\n");
}
