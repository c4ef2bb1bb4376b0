/** A form generated from a JSON Schema. The console has no code for a particular block kind. */
import { useState } from "preact/hooks";
import { Button } from "../design/button";
import { CheckField, FieldProblem, labelClass, SelectField } from "../design/field";
import { useFocusAdded } from "../design/focus_added";
import { labelOf, singular } from "../design/format";
import { TextWithCode } from "../design/text_with_code";
import { addressOrPath } from "./address";
import { CodeField, languageOf } from "./code_field";
import { ColumnsField } from "./columns_field";
import { ComparisonField, parseComparison } from "./comparison_field";
import { JsonField } from "./json_field";
import { LoginField } from "./login_field";
import { OneOfField } from "./one_of_field";
import { controlOf, fieldsOf, newObject, resolveRef, variantsOf, type Field, type Models, type Schema } from "./schema";
import { TemplateField } from "./template_field";

export type Values = Record<string, unknown>;

export interface FormContext {
  readonly models: Models;
  /** Names that templates may use. */
  readonly names: readonly string[];
  /** Validation problems by the field's path (`fields.0.value`). */
  readonly problems: Readonly<Record<string, string>>;
  /** Its output when the block last ran. */
  readonly sample?: unknown;
  /** Declares a parameter with this value as its default; returns its name. */
  readonly makeParameter?: (label: string, value: unknown) => string;
}

interface Props {
  schema: Schema;
  value: Values;
  onChange: (value: Values) => void;
  context: FormContext;
  path?: string;
}

export function SchemaForm({ schema, value, onChange, context, path = "" }: Props) {
  const fields = fieldsOf(schema, context.models);
  const alwaysShown = fields[0]?.name === "words" ? 1 : 3;
  const [showsAll, setShowsAll] = useState(false);
  const isSet = (one: Field) => one.isRequired || value[one.name] !== undefined;
  const first = fields.filter(
    (one) => isSet(one) || fields.indexOf(one) < alwaysShown || context.problems[join(path, one.name)] !== undefined,
  );
  const rest = fields.filter((one) => !first.includes(one));
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = value;
    onChange(next === undefined ? rest : { ...value, [name]: next });
  };
  const renderField = (one: Field) => (
    <FieldControl
      key={one.name}
      field={one}
      value={value[one.name]}
      onChange={(next) => set(one.name, next)}
      context={context}
      path={join(path, one.name)}
    />
  );
  return (
    <div class="schema-form">
      {first.map(renderField)}
      {showsAll && rest.map(renderField)}
      {rest.length > 0 && (
        <Button kind="quiet" icon={showsAll ? "up" : "down"} expanded={showsAll} onPress={() => setShowsAll(!showsAll)}>
          {showsAll ? "Fewer fields" : `${rest.length} more field${rest.length === 1 ? "" : "s"}`}
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
  const common = { label: field.label, required: field.isRequired, help: field.help, problem };
  const complete = field.complete ?? (field.name === "url" ? addressOrPath : undefined);
  const isTemplate = typeof value === "string" && value.includes("{{");
  if (isTemplate && field.control !== "text") {
    return (
      <TemplateField
        {...common}
        value={value}
        names={context.names}
        onInput={(text) => onChange(text === "" ? undefined : text)}
      />
    );
  }
  switch (field.control) {
    case "boolean":
      return (
        <CheckField
          label={field.label}
          help={field.help}
          problem={problem}
          checked={Boolean(value ?? field.schema.default)}
          onInput={onChange}
        />
      );
    case "choice":
      return (
        <SelectField
          {...common}
          value={value === undefined ? "" : String(value)}
          onInput={(text) =>
            onChange(text === "" ? undefined : (field.options.find((one) => String(one) === text) ?? text))
          }
          options={[
            ["", field.schema.default === undefined ? "Choose…" : `${optionLabel(field.schema.default)} (default)`],
            ...field.options.map((one) => [String(one), optionLabel(one)] as const),
          ]}
        />
      );
    case "number":
    case "text":
      if (field.schema["x-suggestions"]) {
        const text = String(value ?? field.schema.default ?? "");
        const options = [...new Set([...field.schema["x-suggestions"], text])].filter(Boolean);
        return (
          <SelectField
            {...common}
            value={text}
            onInput={onChange}
            options={options.map((one) => [one, labelOf(one)] as const)}
          />
        );
      }
      if (field.name === "loginId" && !isTemplate)
        return <LoginField {...common} value={String(value ?? "")} onInput={onChange} />;
      if (isCode(field)) {
        const text = value === undefined || value === null ? "" : String(value);
        return (
          <CodeField
            {...common}
            value={text}
            language={languageOf(text)}
            onInput={(next) => onChange(parseText(next, field))}
          />
        );
      }
      return (
        <TemplateField
          {...common}
          value={value === undefined || value === null ? "" : String(value)}
          names={context.names}
          placeholder={
            field.schema.default === undefined || field.schema.default === null ? "" : String(field.schema.default)
          }
          isLong={isLong(field)}
          onInput={(text) => onChange(parseText(text, field))}
          onLeave={complete && ((text) => text !== complete(text) && onChange(complete(text)))}
          makeParameter={context.makeParameter && (() => context.makeParameter?.(field.label, value))}
        />
      );
    case "object":
      if (value === undefined && !field.isRequired && !problem) {
        return (
          <div>
            <Button kind="quiet" icon="plus" onPress={() => onChange({})}>
              {field.label}
            </Button>
            {field.help && (
              <p class="field-help">
                <TextWithCode text={field.help} />
              </p>
            )}
          </div>
        );
      }
      return (
        <fieldset class="schema-group">
          <legend class={labelClass(field.isRequired)}>{field.label}</legend>
          {field.help && (
            <p class="field-help">
              <TextWithCode text={field.help} />
            </p>
          )}
          <SchemaForm
            schema={field.schema}
            value={(value ?? {}) as Values}
            onChange={(next) => onChange(Object.keys(next).length ? next : undefined)}
            context={context}
            path={path}
          />
        </fieldset>
      );
    case "oneOf":
      return (
        <OneOfField
          field={field}
          value={value}
          models={context.models}
          names={context.names}
          problem={problem}
          onChange={onChange}
          renderField={(inner, current, set) => (
            <FieldControl
              key={inner.name + inner.control}
              field={inner}
              value={current}
              onChange={set}
              context={context}
              path={join(path, inner.name)}
            />
          )}
        />
      );
    case "alternatives":
      return <Alternatives field={field} value={value} onChange={onChange} context={context} path={path} />;
    case "list":
      return <List field={field} value={value} onChange={onChange} context={context} path={path} />;
    case "map":
      if (field.name === "schema")
        return <ColumnsField {...common} value={value} sample={context.sample} onInput={onChange} />;
      return <JsonField {...common} value={value} onInput={onChange} />;
    default:
      return (
        <JsonField
          {...common}
          value={value}
          allowsText={variantsOf(field.schema, context.models).some((one) => one.type === "string")}
          onInput={onChange}
        />
      );
  }
}

/** One of several schemas: the user chooses it, then fills in its fields. A text beside objects is an expression. */
function Alternatives({ field, value, onChange, context, path }: FieldProps) {
  const all = variantsOf(field.schema, context.models);
  const hasText = all.some((one) => one.type === "string");
  // an object with nothing but an expression says what the text says
  const variants = all.filter((one) => one.type === "object" && !(hasText && isExpression(one)));
  const keys = value !== null && typeof value === "object" ? Object.keys(value) : [];
  const text =
    typeof value === "string"
      ? value
      : hasText && keys.length === 1 && keys[0] === "expression"
        ? String((value as Values)["expression"])
        : undefined;
  const matching = variants.findIndex((one) => keys.length > 0 && keys.every((key) => one.properties?.[key]));
  const [chosen, setChosen] = useState("");
  const found =
    matching >= 0 ? String(matching) : text === undefined ? "" : parseComparison(text) ? COMPARISON : EXPRESSION;
  // half a comparison is a text that does not parse: what was chosen stays
  const selected = chosen && (found === "" || !/^\d/.test(found)) ? chosen : found;
  const variant = variants[Number(selected || NaN)];
  const texts = hasText
    ? ([
        [COMPARISON, "Values are compared"],
        [EXPRESSION, "Expression"],
      ] as const)
    : [];
  const choose = (next: string) => {
    setChosen(next);
    if (!(texts.some(([name]) => name === next) && text !== undefined)) onChange(undefined);
  };
  return (
    <fieldset class="schema-group">
      <legend class={labelClass(field.isRequired)}>{field.label}</legend>
      {field.help && (
        <p class="field-help">
          <TextWithCode text={field.help} />
        </p>
      )}
      <SelectField
        label="Kind"
        value={selected}
        onInput={choose}
        options={[
          ["", "Choose…"],
          ...variants.map((one, index) => [String(index), choiceLabel(one)] as const),
          ...texts,
        ]}
      />
      {variant && (
        <SchemaForm
          schema={variant}
          value={(value ?? {}) as Values}
          onChange={onChange}
          context={context}
          path={path}
        />
      )}
      {selected === COMPARISON && (
        <ComparisonField value={text ?? ""} names={context.names} problem={undefined} onInput={onChange} />
      )}
      {selected === EXPRESSION && (
        <TemplateField
          label="Expression"
          help="For example `params.amount > 100 and blocks.Read.total`."
          value={text ?? ""}
          names={context.names}
          isLong
          onInput={(next) => onChange(next === "" ? undefined : next)}
        />
      )}
      <FieldProblem text={context.problems[path]} />
    </fieldset>
  );
}

const COMPARISON = "comparison";
const EXPRESSION = "expression";

function isExpression({ properties = {} }: Schema): boolean {
  return Object.keys(properties).join() === "expression";
}

function choiceLabel(one: Schema): string {
  return one["x-label"] ?? labelOf(one.required?.[0] ?? Object.keys(one.properties ?? {})[0] ?? "value");
}

function List({ field, value, onChange, context, path }: FieldProps) {
  const { box, focusAdded } = useFocusAdded<HTMLFieldSetElement>(":scope > .schema-item");
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const variants = variantsOf(field.schema.items ?? {}, context.models);
  // an object beside a template is drawn as the object
  const schema = variants.length === 1 ? variants[0]! : resolveRef(field.schema.items ?? {}, context.models);
  const control = controlOf(variants);
  const replace = (index: number, next: unknown) => onChange(items.map((one, at) => (at === index ? next : one)));
  const remove = (index: number) => {
    const rest = items.filter((_, at) => at !== index);
    onChange(rest.length ? rest : undefined);
  };
  return (
    <fieldset ref={box} class="schema-group">
      <legend class={labelClass(field.isRequired)}>{field.label}</legend>
      {field.help && (
        <p class="field-help">
          <TextWithCode text={field.help} />
        </p>
      )}
      {items.map((one, index) => (
        <div key={index} class="schema-item">
          <FieldControl
            field={{
              name: String(index),
              label: `${singular(field.label)} ${index + 1}`,
              help: "",
              isRequired: false,
              schema,
              control,
              options: schema.enum ?? [],
            }}
            value={one}
            onChange={(next) => replace(index, next ?? "")}
            context={context}
            path={join(path, String(index))}
          />
          <Button
            kind="quiet"
            icon="trash"
            label={`Remove ${singular(field.label)} ${index + 1}`}
            onPress={() => remove(index)}
          />
        </div>
      ))}
      <Button
        kind="quiet"
        icon="plus"
        onPress={() => {
          focusAdded();
          onChange([...items, control === "object" ? newObject(schema, context.models) : ""]);
        }}
      >
        {`Add to ${field.label.toLowerCase()}`}
      </Button>
      <FieldProblem text={context.problems[path]} />
    </fieldset>
  );
}

/** `SensitiveTextInput` → "Sensitive text input"; `GET` and `application/json` stay as they are. */
function optionLabel(option: unknown): string {
  const text = String(option);
  return /^[A-Za-z][a-z]+([A-Z][a-z]+)*$/.test(text) ? labelOf(text) : text;
}

function isCode(field: Field): boolean {
  return /^(code|script|function)$/.test(field.name);
}

/** Fields that get a text area. */
function isLong(field: Field): boolean {
  return /^(prompt|body|goal|inputText|message|expression)$/.test(field.name);
}

function parseText(text: string, field: Field): unknown {
  if (text === "" && !field.isRequired) return undefined;
  const isNumber = field.control === "number" || (field.schema.type === undefined && /^-?\d+(\.\d+)?$/.test(text));
  return isNumber && text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function join(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}
