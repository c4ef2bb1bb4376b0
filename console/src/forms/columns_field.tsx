/** The columns of what is read, as a table; the JSON Schema behind it is the other view. */
import { useState } from "preact/hooks";
import { Button } from "../design/button";
import { CheckField, FieldProblem, labelClass, SelectField } from "../design/field";
import { useFocusAdded } from "../design/focus_added";
import { formatValue } from "../design/format";
import { JsonField } from "./json_field";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}
interface ObjectSchema {
  readonly type?: string;
  readonly properties?: Record<string, { type?: string; description?: string }>;
  readonly required?: readonly string[];
  readonly items?: ObjectSchema;
}
interface Props {
  label: string;
  help: string;
  problem: string | undefined;
  required?: boolean;
  value: unknown;
  /** What the last run read. */
  sample: unknown;
  onInput: (value: unknown) => void;
}

const TYPES = [
  ["string", "Text"],
  ["number", "Number"],
  ["boolean", "Yes or no"],
] as const;

export function ColumnsField({ label, help, problem, required = false, value, sample, onInput }: Props) {
  const table = tableOf(value);
  const { box, focusAdded } = useFocusAdded<HTMLFieldSetElement>("tbody tr");
  const [showsCode, setShowsCode] = useState(!table);
  const toggle = (
    <Button kind="quiet" pressed={showsCode} disabled={!table} onPress={() => setShowsCode(!showsCode)}>
      Code
    </Button>
  );
  if (!table || showsCode) {
    return (
      <div>
        {toggle}
        <JsonField label={label} help={help} problem={problem} required={required} value={value} onInput={onInput} />
      </div>
    );
  }
  const { columns, isMany } = table;
  const write = (next: readonly Column[], many = isMany) => onInput(next.length ? schemaOf(next, many) : undefined);
  const rename = (at: number, name: string) =>
    set(at, { name: columns.some((one, index) => index !== at && one.name === name) ? `${name}_` : name });
  const set = (at: number, change: Partial<Column>) =>
    write(columns.map((one, index) => (index === at ? { ...one, ...change } : one)));
  const first = (Array.isArray(sample) ? sample[0] : sample) as Record<string, unknown> | undefined;
  return (
    <fieldset ref={box} class="schema-group">
      <legend class={labelClass(required)}>Columns</legend>
      <div class="row spread">
        <CheckField
          label="Many rows"
          help="One object for each row; otherwise one object."
          checked={isMany}
          onInput={(many) => write(columns, many)}
        />
        {toggle}
      </div>
      {columns.length > 0 && (
        <div class="columns-table">
          <table class="records">
            <thead>
              <tr>
                {["Name", "What to read", "Type", "Required", "Sample", ""].map((one) => (
                  <th key={one} scope="col">
                    {one || <span class="sr-only">Remove</span>}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {columns.map((one, at) => (
                <tr key={at}>
                  <td>
                    <input
                      class="control"
                      aria-label={`Name of column ${at + 1}`}
                      value={one.name}
                      onInput={(event) => rename(at, event.currentTarget.value)}
                    />
                  </td>
                  <td>
                    <input
                      class="control"
                      aria-label={`What to read into column ${at + 1}`}
                      placeholder="The column's heading"
                      value={one.description}
                      onInput={(event) => set(at, { description: event.currentTarget.value })}
                    />
                  </td>
                  <td>
                    <SelectField
                      label={`Type of column ${at + 1}`}
                      hideLabel
                      value={one.type as "string"}
                      onInput={(type) => set(at, { type })}
                      options={TYPES}
                    />
                  </td>
                  <td>
                    <CheckField
                      label={`Column ${at + 1} is required`}
                      hideLabel
                      checked={one.isRequired}
                      onInput={(isRequired) => set(at, { isRequired })}
                    />
                  </td>
                  <td class="small muted">{formatValue(first?.[one.name])}</td>
                  <td>
                    <Button
                      kind="quiet"
                      icon="trash"
                      label={`Remove column ${at + 1}`}
                      onPress={() => write(columns.filter((_, index) => index !== at))}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Button
        kind="quiet"
        icon="plus"
        onPress={() => {
          focusAdded();
          write([
            ...columns,
            { name: `column${columns.length + 1}`, type: "string", description: "", isRequired: false },
          ]);
        }}
      >
        Add column
      </Button>
      <FieldProblem text={problem} />
    </fieldset>
  );
}

/** The columns of a schema; undefined if it says more than a table can show. */
function tableOf(value: unknown): { columns: readonly Column[]; isMany: boolean } | undefined {
  if (value === undefined || value === null) return { columns: [], isMany: true };
  if (typeof value !== "object" || Array.isArray(value)) return undefined;
  if (Object.keys(value).length === 0) return { columns: [], isMany: true };
  const schema = value as ObjectSchema;
  const isMany = schema.type === "array";
  const row = isMany ? schema.items : schema;
  if (!row?.properties) return undefined;
  const required = row.required ?? [];
  const columns = Object.entries(row.properties).map(([name, { type = "string", description = "" }]) => ({
    name,
    type,
    description,
    isRequired: required.includes(name),
  }));
  // what the table cannot show must not get lost when one of its cells changes
  return JSON.stringify(sorted(schemaOf(columns, isMany))) === JSON.stringify(sorted(schema))
    ? { columns, isMany }
    : undefined;
}

function schemaOf(columns: readonly Column[], isMany: boolean): ObjectSchema {
  const required = columns.filter((one) => one.isRequired).map((one) => one.name);
  const row = {
    type: "object",
    properties: Object.fromEntries(
      columns.map((one) => [
        one.name,
        { type: one.type, ...(one.description ? { description: one.description } : {}) },
      ]),
    ),
    ...(required.length ? { required } : {}),
  };
  return isMany ? { type: "array", items: row } : row;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
