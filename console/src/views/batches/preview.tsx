/** The preview of a sheet: which parameter each column fills, its first rows, and its invalid rows. */
import { SelectField } from "../../design/field";
import { formatCount, formatNumber, formatValue } from "../../design/format";
import { TextWithCode } from "../../design/text_with_code";
import { PREVIEW_ROWS, type Mapping, type Sheet } from "./sheet";

const IGNORED = "";

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
            value={mapping[name] ?? IGNORED}
            options={optionsFor(name, parameters, mapping)}
            onInput={(parameter) => onMap(mapColumn(mapping, name, parameter))}
          />
        ))}
      </fieldset>
      {missing.length > 0 && (
        <p class="field-problem">{`No column is mapped to ${missing.map((one) => `“${one.name}”`).join(", ")}, which the workflow requires.`}</p>
      )}
      <InvalidRows sheet={sheet} />
      <FirstRows sheet={sheet} mapping={mapping} />
    </>
  );
}

function optionsFor(column: string, parameters: readonly Parameter[], mapping: Mapping): (readonly [string, string])[] {
  const declared = parameters.map(
    (one) => [one.name, `${one.name}${one.type ? ` (${one.type})` : ""}${one.isRequired ? ", required" : ""}`] as const,
  );
  const isNamed = (name: string) => parameters.some((one) => one.name === name);
  const others = [column, mapping[column] ?? column].filter((one, at, all) => !isNamed(one) && all.indexOf(one) === at);
  return [
    [IGNORED, "Ignore this column"],
    ...declared,
    ...others.map((one) => [one, `${one} (not declared)`] as const),
  ];
}

/** Map a column to a parameter. Each parameter has one column, so its previous column is ignored. */
function mapColumn(mapping: Mapping, column: string, parameter: string): Mapping {
  const others = Object.entries(mapping).filter(([name, value]) => name !== column && value !== parameter);
  return Object.fromEntries(parameter === IGNORED ? others : [...others, [column, parameter]]);
}

function InvalidRows({ sheet }: { sheet: Sheet }) {
  if (sheet.wrong === 0) return null;
  const visible = sheet.rows.filter((one) => one.problem !== null).slice(0, PREVIEW_ROWS);
  return (
    <section aria-label="Invalid rows" class="sheet-wrong">
      <h3>{formatCount(sheet.wrong, "invalid row")}</h3>
      <ul class="plain-list small">
        {visible.map((one) => (
          <li key={one.number}>
            <strong>Row {one.number}:</strong> <TextWithCode text={one.problem ?? ""} />
          </li>
        ))}
        {sheet.wrong > visible.length && (
          <li class="muted">{`and ${formatNumber(sheet.wrong - visible.length)} more`}</li>
        )}
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
          {sheet.rows.slice(0, PREVIEW_ROWS).map((row) => (
            <tr key={row.number} class={row.problem === null ? "" : "wrong"}>
              <td>{row.number}</td>
              {names.map((name) => (
                <td key={name}>{formatValue(row.params[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
