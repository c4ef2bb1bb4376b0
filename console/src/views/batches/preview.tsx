/** What a sheet would start: its columns' parameters, its first rows, and the rows that the workflow would refuse. */
import { SelectField } from "../../design/field";
import { Prose } from "../../design/prose";
import { SHOWN, type Mapping, type Sheet } from "./sheet";

const LEFT_OUT = "";

interface Props {
  sheet: Sheet;
  mapping: Mapping;
  /** Parameters of the workflow, with their types. */
  parameters: readonly Parameter[];
  onMap: (mapping: Mapping) => void;
}

export interface Parameter {
  readonly name: string;
  readonly type?: string | null;
  readonly isRequired?: boolean;
}

export function Preview({ sheet, mapping, parameters, onMap }: Props) {
  const missing = parameters.filter((one) => one.isRequired && !Object.values(mapping).includes(one.name));
  return (
    <>
      <fieldset class="schema-group sheet-columns">
        <legend>Columns</legend>
        {sheet.columns.map(({ name }) => (
          <SelectField
            key={name}
            label={name}
            value={mapping[name] ?? LEFT_OUT}
            options={choices(name, parameters, mapping)}
            onInput={(parameter) => onMap(mapped(mapping, name, parameter))}
          />
        ))}
      </fieldset>
      {missing.length > 0 && <p class="field-problem">{`No column is meant for ${missing.map((one) => `“${one.name}”`).join(", ")}, which the workflow requires.`}</p>}
      <WrongRows sheet={sheet} />
      <FirstRows sheet={sheet} mapping={mapping} />
    </>
  );
}

function choices(column: string, parameters: readonly Parameter[], mapping: Mapping): (readonly [string, string])[] {
  const named = parameters.map((one) => [one.name, `${one.name}${one.type ? ` (${one.type})` : ""}${one.isRequired ? ", required" : ""}`] as const);
  const isNamed = (name: string) => parameters.some((one) => one.name === name);
  const others = [column, mapping[column] ?? column].filter((one, at, all) => !isNamed(one) && all.indexOf(one) === at);
  return [[LEFT_OUT, "Left out"], ...named, ...others.map((one) => [one, `${one} (not declared)`] as const)];
}

/** A parameter is taken from one column: the one it was taken from before is left out. */
function mapped(mapping: Mapping, column: string, parameter: string): Mapping {
  const others = Object.entries(mapping).filter(([name, value]) => name !== column && value !== parameter);
  return Object.fromEntries(parameter === LEFT_OUT ? others : [...others, [column, parameter]]);
}

function WrongRows({ sheet }: { sheet: Sheet }) {
  if (sheet.wrong === 0) return null;
  const shown = sheet.rows.filter((one) => one.problem !== null).slice(0, SHOWN);
  return (
    <section aria-label="Wrong rows" class="sheet-wrong">
      <h3>{sheet.wrong === 1 ? "One row does not fit" : `${sheet.wrong.toLocaleString("en")} rows do not fit`}</h3>
      <ul class="plain-list small">
        {shown.map((one) => (
          <li key={one.number}>
            <strong>Row {one.number}:</strong> <Prose text={one.problem ?? ""} />
          </li>
        ))}
        {sheet.wrong > shown.length && <li class="muted">{`and ${(sheet.wrong - shown.length).toLocaleString("en")} more`}</li>}
      </ul>
    </section>
  );
}

function FirstRows({ sheet, mapping }: { sheet: Sheet; mapping: Mapping }) {
  const names = sheet.columns.flatMap((one) => mapping[one.name] ?? []);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="First rows">
      <table class="records">
        <thead>
          <tr>
            <th scope="col">Row</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sheet.rows.slice(0, SHOWN).map((row) => (
            <tr key={row.number} class={row.problem === null ? "" : "wrong"}>
              <td>{row.number}</td>
              {names.map((name) => (
                <td key={name}>{shown(row.params[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function shown(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
