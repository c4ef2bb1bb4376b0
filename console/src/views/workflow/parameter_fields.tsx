/** Fields for the values of parameters, each by its type. */
import { upload } from "../../api/upload";
import { Button } from "../../design/button";
import { chooseFiles } from "../../design/choose_files";
import { SelectField, TextField } from "../../design/field";
import { formatValue } from "../../design/format";
import { ArrayField } from "../../forms/array_field";
import type { Parameter } from "./content";

/** What was entered, by name: text, or the value itself where a field makes one. */
export type Values = Readonly<Record<string, unknown>>;

/** What the service shows in place of a secret value; sent back, it stands for that value. */
const MASK = "********";

/** The values that can be shown; a secret one that is not typed again stays as it was. */
export function shownValues(params: Values): Values {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== MASK));
}

/** The secret values, as the service shows them. */
export function hiddenValues(params: Values): Values {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value === MASK));
}

interface Props {
  parameters: readonly Parameter[];
  values: Values;
  onChange: (values: Values) => void;
  /** The columns that the blocks read of the rows of a parameter. */
  columnsOf?: (name: string) => readonly string[];
}

export function ParameterFields({ parameters, values, onChange, columnsOf = () => [] }: Props) {
  return (
    <>
      {parameters.map((one) => (
        <ParameterField
          key={one.name}
          parameter={one}
          value={values[one.name]}
          columns={columnsOf(one.name)}
          onInput={(value) => onChange({ ...values, [one.name]: value })}
        />
      ))}
    </>
  );
}

interface FieldProps {
  parameter: Parameter;
  value: unknown;
  columns: readonly string[];
  onInput: (value: unknown) => void;
}

const INPUT_TYPES = { number: "number", date: "date" } as const;

function ParameterField({ parameter, value, columns, onInput }: FieldProps) {
  const { name, type, description, isSecret, isRequired } = parameter;
  const shared = { path: `params.${name}`, label: name, required: isRequired ?? false, help: description ?? "" };
  const given = value ?? parameter.default;
  if (type === "array" && (given === undefined || given === null || Array.isArray(given)))
    return (
      <ArrayField {...shared} value={(given as readonly unknown[] | null) ?? []} columns={columns} onInput={onInput} />
    );
  if (type === "boolean")
    return (
      <SelectField
        {...shared}
        value={value === undefined ? "" : String(value)}
        onInput={onInput}
        options={[
          ["", parameter.default == null ? "Not given" : `As by default: ${yesNo(parameter.default)}`],
          ["true", "Yes"],
          ["false", "No"],
        ]}
      />
    );
  if (type === "file") return <FileField {...shared} value={value} onInput={onInput} />;
  return (
    <TextField
      {...shared}
      type={isSecret ? "password" : (INPUT_TYPES[type as keyof typeof INPUT_TYPES] ?? "text")}
      {...(type === "object" ? { rows: 4, mono: true } : {})}
      placeholder={formatValue(parameter.default)}
      value={typeof value === "object" ? JSON.stringify(value, null, 2) : formatValue(value)}
      onInput={onInput}
    />
  );
}

function yesNo(value: unknown): string {
  return value === true || value === "true" ? "yes" : "no";
}

/** A stored file: chosen here and uploaded, or named by its id. */
function FileField({
  value,
  onInput,
  ...shared
}: Omit<FieldProps, "parameter" | "columns"> & { path: string; label: string; help: string; required: boolean }) {
  const choose = async () => {
    const [file] = await chooseFiles({ multiple: false });
    if (file) onInput((await upload("/files/upload", file)).id);
  };
  return (
    <div>
      <TextField {...shared} placeholder="The id of a file" value={formatValue(value)} onInput={onInput} />
      <Button kind="quiet" icon="upload" onPress={choose}>
        Choose a file
      </Button>
    </div>
  );
}

/** The values in their declared types; empty fields are left out, so defaults apply. */
export function paramsOf(parameters: readonly Parameter[], values: Values): Record<string, unknown> {
  const isGiven = (one: Parameter) => values[one.name] !== undefined && values[one.name] !== "";
  return Object.fromEntries(
    parameters.filter(isGiven).map((one) => [one.name, parseValue(one, values[one.name])] as const),
  );
}

function parseValue(parameter: Parameter, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (parameter.type === "number") return Number(value);
  if (parameter.type === "boolean") return value === "true";
  if (parameter.type !== "object" && parameter.type !== "array") return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new Error(`\`params.${parameter.name}\`: this is not valid JSON`);
  }
}
