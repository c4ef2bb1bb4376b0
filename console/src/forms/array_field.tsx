/** A list of values or of rows, as a table; cells copied from a sheet can be pasted, and a CSV file loaded. */
import { useId } from "preact/hooks";
import { Button } from "../design/button";
import { chooseFiles } from "../design/choose_files";
import { labelClass } from "../design/field";
import { useFocusAdded } from "../design/focus_added";
import { formatValue } from "../design/format";

type Row = Record<string, unknown>;

interface Props {
  label: string;
  help?: string;
  required?: boolean;
  value: readonly unknown[];
  /** The columns of an empty table; without them it has one column and the rows are plain values. */
  columns: readonly string[];
  onInput: (value: readonly unknown[]) => void;
}

const MAX_SHOWN = 200;
const ONLY = "Value";

export function ArrayField({ label, help, required, value, columns, onInput }: Props) {
  const id = useId();
  const { box, focusAdded } = useFocusAdded<HTMLFieldSetElement>("tbody tr");
  const names = columnsOf(value, columns);
  const isPlain = names.length === 1 && names[0] === ONLY;
  const cell = (row: unknown, name: string) => (isPlain ? row : (row as Row | null)?.[name]);
  const write = (at: number, name: string, text: string) =>
    onInput(
      value.map((row, index) => {
        if (index !== at) return row;
        const typed = typeof cell(row, name) === "number" && text !== "" && !isNaN(+text) ? Number(text) : text;
        return isPlain ? typed : { ...(row as Row), [name]: typed };
      }),
    );
  /** Rows of a sheet: with the names of its columns first where the table has none of its own yet. */
  const take = (grid: readonly (readonly string[])[], at: number, column: number) => {
    const [head = [], ...body] = grid;
    const isHeader = isPlain
      ? value.every((one) => one === "") && head.length > 1
      : head.every((one) => names.includes(one));
    const into = isHeader ? head : names.slice(column);
    const rows = (isHeader ? body : grid).map((cells) =>
      isPlain && !isHeader
        ? (cells[0] ?? "")
        : Object.fromEntries(into.map((name, index) => [name, cells[index] ?? ""])),
    );
    const kept = value.map((row, index) => {
      const pasted = rows[index - at];
      return index < at || pasted === undefined ? row : isPlain ? pasted : { ...(row as Row), ...(pasted as Row) };
    });
    onInput(isHeader && isPlain ? rows : [...kept, ...rows.slice(Math.max(0, value.length - at))]);
  };
  const paste = (event: ClipboardEvent, at: number, column: number) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!/[\t\n]/.test(text.trim())) return;
    event.preventDefault();
    take(parseSheet(text), at, column);
  };
  const load = async () => {
    const [file] = await chooseFiles({ accept: ".csv,.tsv,.txt,text/csv", multiple: false });
    if (!file) return;
    const [head = [], ...body] = parseSheet(await file.text());
    onInput(body.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ""]))));
  };
  return (
    <fieldset
      ref={box}
      class="schema-group array-field"
      aria-describedby={help ? `${id}-help` : undefined}
      onPaste={(event) => value.length === 0 && paste(event, 0, 0)}
    >
      <legend class={labelClass(required)}>{label}</legend>
      {value.length > 0 && (
        <div class="columns-table">
          <table class="records">
            <thead>
              <tr>
                {names.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
                <th scope="col">
                  <span class="sr-only">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {value.slice(0, MAX_SHOWN).map((row, at) => (
                <tr key={at}>
                  {names.map((name, column) => (
                    <td key={name}>
                      <input
                        class="control"
                        aria-label={`${name}, row ${at + 1}`}
                        value={formatValue(cell(row, name))}
                        onInput={(event) => write(at, name, event.currentTarget.value)}
                        onPaste={(event) => paste(event, at, column)}
                      />
                    </td>
                  ))}
                  <td>
                    <Button
                      kind="quiet"
                      icon="trash"
                      label={`Remove row ${at + 1}`}
                      onPress={() => onInput(value.filter((_, index) => index !== at))}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {value.length > MAX_SHOWN && <p class="small muted">{`The first ${MAX_SHOWN} of ${value.length} rows`}</p>}
      <div class="row">
        <Button
          icon="plus"
          onPress={() => {
            focusAdded();
            onInput([...value, isPlain ? "" : emptyRow(names)]);
          }}
        >
          Add a row
        </Button>
        <Button kind="quiet" icon="upload" onPress={load}>
          Load a CSV file
        </Button>
        <span class="small muted">Cells copied from a sheet can be pasted.</span>
      </div>
      {help && (
        <div class="field-help" id={`${id}-help`}>
          {help}
        </div>
      )}
    </fieldset>
  );
}

function emptyRow(names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, ""]));
}

function columnsOf(value: readonly unknown[], fallback: readonly string[]): readonly string[] {
  const isRow = (one: unknown): one is Row => one !== null && typeof one === "object" && !Array.isArray(one);
  const names = new Set(value.slice(0, MAX_SHOWN).flatMap((one) => (isRow(one) ? Object.keys(one) : [])));
  if (names.size > 0) return [...names];
  return value.length === 0 && fallback.length > 0 ? fallback : [ONLY];
}

/** The cells of text copied from a sheet (tabs) or of a CSV file (commas or semicolons, texts in quotes). */
export function parseSheet(text: string): string[][] {
  const [firstLine = ""] = text.split("\n");
  const separator = firstLine.includes("\t") ? "\t" : firstLine.includes(";") ? ";" : ",";
  const rows: string[][] = [[""]];
  let isQuoted = false;
  const clean = text
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .replace(/\n+$/, "");
  for (let at = 0; at < clean.length; at++) {
    const one = clean[at]!;
    const row = rows.at(-1)!;
    if (one === '"' && isQuoted && clean[at + 1] === '"') row[row.length - 1] += clean[++at]!;
    else if (one === '"' && (isQuoted || row.at(-1) === "")) isQuoted = !isQuoted;
    else if (one === separator && !isQuoted) row.push("");
    else if (one === "\n" && !isQuoted) rows.push([""]);
    else row[row.length - 1] += one;
  }
  return rows;
}
