/** An object of which exactly one field is set: the user chooses which, and sees only that one. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { labelClass, SelectField } from "../design/field";
import { fieldsOf, type Field, type Models } from "./schema";

interface Props {
  field: Field;
  value: unknown;
  models: Models;
  /** Names that templates may use. */
  names: readonly string[];
  problem: string | undefined;
  onChange: (value: unknown) => void;
  /** Draws the field that was chosen. */
  renderField: (field: Field, value: unknown, onChange: (value: unknown) => void) => ComponentChildren;
}

const TEMPLATE = " template";
const FROM_TEMPLATE = "For example {{params.rows}} or {{blocks.Extract_1}}: one round for each of its items.";

export function OneOfField({ field, value, models, names, problem, onChange, renderField }: Props) {
  const label = field.schema["x-label"] ?? field.label;
  const labels = field.schema["x-exactlyOneOf"] ?? {};
  const inner = fieldsOf(field.schema, models).filter((one) => one.name in labels);
  const current = value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  const [chosen, setChosen] = useState("");
  const set = inner.find((one) => current[one.name] !== undefined && current[one.name] !== null);
  const isTemplate = (name: string) => typeof current[name] === "string" && String(current[name]).includes("{{");
  const selected =
    chosen || (set ? (set.control === "list" && isTemplate(set.name) ? set.name + TEMPLATE : set.name) : "");
  const shown = inner.find((one) => one.name === selected.replace(TEMPLATE, ""));
  // a list is either typed here, or comes from elsewhere by a template
  const options = inner.flatMap((one) =>
    one.control === "list"
      ? [[one.name + TEMPLATE, "A parameter or output"] as const, [one.name, "A list typed here"] as const]
      : [[one.name, labels[one.name] ?? one.label] as const],
  );
  const choose = (name: string) => {
    setChosen(name);
    const next = name.replace(TEMPLATE, "");
    if (name !== selected)
      onChange(next && shown?.name === next && typeof current[next] !== "string" ? value : undefined);
  };
  return (
    <fieldset class="schema-group">
      <legend class={labelClass(field.isRequired)}>{label}</legend>
      <SelectField
        label={label}
        hideLabel
        value={selected}
        onInput={choose}
        options={[["", "Choose…"], ...options]}
        problem={problem}
      />
      {shown &&
        renderField(
          selected.endsWith(TEMPLATE)
            ? {
                ...shown,
                control: "text",
                label: "Which",
                help: FROM_TEMPLATE,
                complete: (text) => templateOf(text, names),
              }
            : shown,
          current[shown.name] ?? undefined,
          (next) => onChange(next === undefined ? undefined : { [shown.name]: next }),
        )}
    </fieldset>
  );
}

/** `rows` → `{{params.rows}}`, `blocks.Read` → `{{blocks.Read}}`; what is a template already, or no name, stays. */
function templateOf(text: string, names: readonly string[]): string {
  const name = text.trim();
  if (!/^[A-Za-z_][\w-]*(\.[\w-]+)*$/.test(name)) return text;
  if (name.includes(".")) return `{{${name}}}`;
  return `{{${names.find((one) => one === `blocks.${name}`) ?? `params.${name}`}}}`;
}
