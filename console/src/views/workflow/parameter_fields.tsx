/** Fields for parameter values. */
import { TextField } from "../../design/field";
import type { Parameter } from "./content";

type Values = Record<string, string>;

export function ParameterFields({
  parameters,
  values,
  onChange,
}: {
  parameters: readonly Parameter[];
  values: Values;
  onChange: (values: Values) => void;
}) {
  return (
    <>
      {parameters.map((one) => (
        <TextField
          key={one.name}
          path={`params.${one.name}`}
          label={one.name + (one.isRequired ? " *" : "")}
          help={one.description ?? ""}
          type={one.isSecret ? "password" : one.type === "number" ? "number" : one.type === "date" ? "date" : "text"}
          placeholder={one.default === undefined || one.default === null ? "" : String(one.default)}
          value={values[one.name] ?? ""}
          onInput={(text) => onChange({ ...values, [one.name]: text })}
        />
      ))}
    </>
  );
}

/** The values in their declared types; empty fields are left out, so defaults apply. */
export function paramsOf(parameters: readonly Parameter[], values: Values): Record<string, unknown> {
  return Object.fromEntries(
    parameters.filter((one) => values[one.name]).map((one) => [one.name, parseValue(one, values[one.name] ?? "")]),
  );
}

function parseValue(parameter: Parameter, text: string): unknown {
  if (parameter.type === "number") return Number(text);
  if (parameter.type === "boolean") return text === "true";
  if (parameter.type !== "object" && parameter.type !== "array") return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`\`params.${parameter.name}\`: this is not valid JSON`);
  }
}
