/** Reads a JSON Schema for forms: resolves references and chooses a control for each field. */
import { labelOf } from "../design/format";

export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Record<string, Schema>;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Exactly one of these fields is set; the words for each choice. */
  readonly "x-exactlyOneOf"?: Readonly<Record<string, string>>;
  /** The values that are offered; others are possible. */
  readonly "x-suggestions"?: readonly string[];
  /** Asked for only where the block has no locator. */
  readonly "x-insteadOfLocator"?: boolean;
  /** What a choice among several schemas is called. */
  readonly "x-label"?: string;
}

export type Control =
  "text" | "number" | "boolean" | "choice" | "object" | "list" | "map" | "alternatives" | "oneOf" | "json";

/** A field as the form shows it. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
  readonly control: Control;
  readonly options: readonly unknown[];
  /** Completes what was typed when the field is left. */
  readonly complete?: (text: string) => string;
}

/** The schemas that a block's schema refers to, by name. */
export type Models = Record<string, Schema>;

/** Replace `$ref` by the schema it names; keys beside `$ref` override that schema. */
export function resolveRef(schema: Schema, models: Models): Schema {
  const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  if (!ref) return schema;
  const model = models[ref.split("/").at(-1) ?? ""] ?? {};
  const { $ref: _, allOf: __, ...siblings } = schema;
  return { ...resolveRef(model, models), ...siblings };
}

/** The schemas a value may have, without null and without a bare template. */
export function variantsOf(schema: Schema, models: Models): Schema[] {
  const resolved = resolveRef(schema, models);
  const choices = resolved.anyOf ?? resolved.oneOf;
  if (!choices) return [resolved];
  return choices.flatMap((one) => variantsOf(one, models)).filter((one) => one.type !== "null" && !isTemplate(one));
}

function isTemplate(schema: Schema): boolean {
  return schema.type === "string" && schema.pattern !== undefined && schema.pattern.includes("\\{\\{");
}

/** The fields of an object, in the order of its schema; of a locator `words` first: they survive page changes best. */
export function fieldsOf(schema: Schema, models: Models): Field[] {
  const resolved = resolveRef(schema, models);
  const { words, ...others } = resolved.properties ?? {};
  const known = namesIn(resolved, models);
  return Object.entries(words ? { words, ...others } : others).map(([name, one]) => {
    const fieldSchema = resolveRef(one, models);
    const variants = variantsOf(one, models);
    return {
      name,
      label: labelOf(name),
      help: inWords(fieldSchema.description ?? variants[0]?.description ?? "", known),
      isRequired: resolved.required?.includes(name) ?? false,
      schema:
        variants.length === 1
          ? { ...variants[0], ...(fieldSchema.default === undefined ? {} : { default: fieldSchema.default }) }
          : fieldSchema,
      control: controlOf(variants),
      options: variants.flatMap((variant) => variant.enum ?? (variant.const === undefined ? [] : [variant.const])),
    };
  });
}

/** The names of an object's fields, and of what can be chosen in them. */
function namesIn({ properties = {} }: Schema, models: Models): ReadonlySet<string> {
  const choices = Object.values(properties).flatMap((one) =>
    variantsOf(one, models).flatMap((variant) => [...(variant.enum ?? []), ...(variant["x-suggestions"] ?? [])]),
  );
  return new Set([...Object.keys(properties), ...choices.map(String)]);
}

/** A description as the form has it: the field `loginId` is “Login ID” there. */
function inWords(text: string, known: ReadonlySet<string>): string {
  return text.replace(/`(\w+)`|\b([a-z]+[A-Z]\w*)\b/g, (all, quoted?: string, bare?: string) => {
    const name = quoted ?? bare ?? "";
    return known.has(name) ? `“${labelOf(name)}”` : all;
  });
}

/** What a new object begins with: the first option of each choice that has to be made, the first item of each list. */
export function newObject(schema: Schema, models: Models): Record<string, unknown> {
  const begun = fieldsOf(schema, models).map(({ name, isRequired, control, options, schema: inner }) => {
    const items = resolveRef(inner.items ?? {}, models);
    const isList = control === "list" && controlOf(variantsOf(items, models)) === "object";
    const value = control === "choice" ? options[0] : isList ? [newObject(items, models)] : undefined;
    return [name, isRequired ? value : undefined] as const;
  });
  return Object.fromEntries(begun.filter(([, value]) => value !== undefined));
}

/** The control for a field with these variants. */
export function controlOf(variants: readonly Schema[]): Control {
  if (variants.length > 0 && variants.every((one) => one.enum !== undefined || one.const !== undefined))
    return "choice";
  if (variants.length !== 1)
    return isTextOrNumber(variants) ? "text" : variants.length > 1 && isChoice(variants) ? "alternatives" : "json";
  const [one] = variants;
  switch (one?.type) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return "list";
    case "object":
      return one["x-exactlyOneOf"] ? "oneOf" : one.properties ? "object" : "map";
    default:
      return "json";
  }
}

/** Objects with different fields; one text beside them is an expression. */
function isChoice(variants: readonly Schema[]): boolean {
  const objects = variants.filter((one) => one.type === "object" && one.properties);
  return (
    objects.length > 0 &&
    variants.every((one) => objects.includes(one) || one.type === "string") &&
    variants.length - objects.length <= 1
  );
}

function isTextOrNumber(variants: readonly Schema[]): boolean {
  return (
    variants.length > 0 &&
    variants.every((one) => one.type === "string" || one.type === "integer" || one.type === "number")
  );
}
