/** A form drawn from a JSON Schema: the console knows no block kind by name. */
import { useState } from "preact/hooks";
import { Button } from "../design/button";
import { CheckField, SelectField } from "../design/field";
import { Prose } from "../design/prose";
import { CodeField, languageOf } from "./code_field";
import { JsonField } from "./json_field";
import { controlOf, fieldsOf, follow, forms, labelOf, type Field, type Models, type Schema } from "./schema";
import { TemplateField } from "./template_field";

export type Values = Record<string, unknown>;

export interface FormContext {
  readonly models: Models;
  /** Names that templates can speak of. */
  readonly names: readonly string[];
  /** What is wrong, by the field's path (`fields.0.value`). */
  readonly problems: Readonly<Record<string, string>>;
}

interface Props {
  schema: Schema;
  value: Values;
  onChange: (value: Values) => void;
  context: FormContext;
  path?: string;
  /** How many fields are shown whether they are used or not. */
  always?: number;
}

export function SchemaForm({ schema, value, onChange, context, path = "", always = 3 }: Props) {
  const fields = fieldsOf(schema, context.models);
  const [isWhole, setWhole] = useState(false);
  const isUsed = (one: Field) => one.isRequired || value[one.name] !== undefined;
  const first = fields.filter((one) => isUsed(one) || fields.indexOf(one) < always || context.problems[join(path, one.name)] !== undefined);
  const rest = fields.filter((one) => !first.includes(one));
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = value;
    onChange(next === undefined ? rest : { ...value, [name]: next });
  };
  const draw = (one: Field) => (
    <FieldControl key={one.name} field={one} value={value[one.name]} onChange={(next) => set(one.name, next)} context={context} path={join(path, one.name)} />
  );
  return (
    <div class="schema-form">
      {first.map(draw)}
      {isWhole && rest.map(draw)}
      {rest.length > 0 && (
        <Button kind="quiet" icon={isWhole ? "up" : "down"} expanded={isWhole} onPress={() => setWhole(!isWhole)}>
          {isWhole ? "Fewer fields" : `${rest.length} more field${rest.length === 1 ? "" : "s"}`}
        </Button>
      )}
    </div>
  );
}

interface FieldProps {
  field: Field;
  value: unknown;
  onChange: (value: unknown) => void;
  context: FormContext;
  path: string;
}

function FieldControl({ field, value, onChange, context, path }: FieldProps) {
  const problem = context.problems[path];
  const common = { label: field.label + (field.isRequired ? " *" : ""), help: field.help, problem };
  const asText = typeof value === "string" && value.includes("{{");
  if (asText && field.control !== "text") {
    return <TemplateField {...common} value={value} names={context.names} onInput={(text) => onChange(text === "" ? undefined : text)} />;
  }
  switch (field.control) {
    case "boolean":
      return <CheckField label={field.label} help={field.help} problem={problem} checked={Boolean(value ?? field.schema.default)} onInput={onChange} />;
    case "choice":
      return (
        <SelectField
          {...common}
          value={value === undefined ? "" : String(value)}
          onInput={(text) => onChange(text === "" ? undefined : (field.options.find((one) => String(one) === text) ?? text))}
          options={[["", field.schema.default === undefined ? "Choose…" : `${String(field.schema.default)} (default)`], ...field.options.map((one) => [String(one), String(one)] as const)]}
        />
      );
    case "number":
    case "text":
      if (isCode(field)) {
        const text = value === undefined || value === null ? "" : String(value);
        return <CodeField {...common} value={text} language={languageOf(text)} onInput={(next) => onChange(read(next, field))} />;
      }
      return (
        <TemplateField
          {...common}
          value={value === undefined || value === null ? "" : String(value)}
          names={context.names}
          placeholder={field.schema.default === undefined || field.schema.default === null ? "" : String(field.schema.default)}
          isLong={isLong(field)}
          onInput={(text) => onChange(read(text, field))}
        />
      );
    case "object":
      if (value === undefined && !field.isRequired && !problem) {
        return (
          <div>
            <Button kind="quiet" icon="plus" onPress={() => onChange({})}>
              {field.label}
            </Button>
            {field.help && <p class="field-help"><Prose text={field.help} /></p>}
          </div>
        );
      }
      return (
        <fieldset class="schema-group">
          <legend>{field.label}</legend>
          {field.help && <p class="field-help"><Prose text={field.help} /></p>}
          <SchemaForm schema={field.schema} value={(value ?? {}) as Values} onChange={(next) => onChange(Object.keys(next).length ? next : undefined)} context={context} path={path} />
        </fieldset>
      );
    case "alternatives":
      return <Alternatives field={field} value={value} onChange={onChange} context={context} path={path} />;
    case "list":
      return <List field={field} value={value} onChange={onChange} context={context} path={path} />;
    default:
      return <JsonField {...common} value={value} takesText={forms(field.schema, context.models).some((one) => one.type === "string")} onInput={onChange} />;
  }
}

/** A value that can have one of several shapes: which one is chosen first, then its fields. */
function Alternatives({ field, value, onChange, context, path }: FieldProps) {
  const shapes = forms(field.schema, context.models);
  const given = value !== null && typeof value === "object" ? Object.keys(value) : [];
  const fits = shapes.findIndex((one) => given.length > 0 && given.every((key) => one.properties?.[key]));
  const [chosen, setChosen] = useState(fits);
  const shape = shapes[fits >= 0 ? fits : chosen];
  const nameOf = (one: Schema) => labelOf(one.required?.[0] ?? Object.keys(one.properties ?? {})[0] ?? "value");
  return (
    <fieldset class="schema-group">
      <legend>{field.label}</legend>
      {field.help && <p class="field-help"><Prose text={field.help} /></p>}
      <SelectField
        label="Kind"
        value={shape ? String(shapes.indexOf(shape)) : ""}
        onInput={(text) => {
          setChosen(Number(text));
          onChange(undefined);
        }}
        options={[["", "Choose…"], ...shapes.map((one, index) => [String(index), nameOf(one)] as const)]}
      />
      {shape && <SchemaForm schema={shape} value={(value ?? {}) as Values} onChange={onChange} context={context} path={path} />}
      {context.problems[path] && <p class="field-problem">{context.problems[path]}</p>}
    </fieldset>
  );
}

function List({ field, value, onChange, context, path }: FieldProps) {
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const schema = follow(field.schema.items ?? {}, context.models);
  const control = controlOf(forms(schema, context.models));
  const replace = (index: number, next: unknown) => onChange(items.map((one, at) => (at === index ? next : one)));
  const remove = (index: number) => {
    const rest = items.filter((_, at) => at !== index);
    onChange(rest.length ? rest : undefined);
  };
  return (
    <fieldset class="schema-group">
      <legend>{field.label}</legend>
      {field.help && <p class="field-help"><Prose text={field.help} /></p>}
      {items.map((one, index) => (
        <div key={index} class="schema-item">
          <FieldControl
            field={{ name: String(index), label: `${field.label} ${index + 1}`, help: "", isRequired: false, schema, control, options: schema.enum ?? [] }}
            value={one}
            onChange={(next) => replace(index, next ?? "")}
            context={context}
            path={join(path, String(index))}
          />
          <Button kind="quiet" icon="trash" label={`Remove ${field.label} ${index + 1}`} onPress={() => remove(index)} />
        </div>
      ))}
      <Button kind="quiet" icon="plus" onPress={() => onChange([...items, control === "object" ? {} : ""])}>
        {`Add to ${field.label.toLowerCase()}`}
      </Button>
      {context.problems[path] && <p class="field-problem">{context.problems[path]}</p>}
    </fieldset>
  );
}

function isCode(field: Field): boolean {
  return /^(code|script|function)$/.test(field.name);
}

/** Prompts, bodies and expressions want room. */
function isLong(field: Field): boolean {
  return /^(prompt|body|goal|inputText|message|expression)$/.test(field.name);
}

function read(text: string, field: Field): unknown {
  if (text === "" && !field.isRequired) return undefined;
  const isNumber = field.control === "number" || (field.schema.type === undefined && /^-?\d+(\.\d+)?$/.test(text));
  return isNumber && text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function join(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}
