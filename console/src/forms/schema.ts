/** JSON Schema as forms need it: references followed, templates set apart, one kind of control per field. */

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
}

export type Control = "text" | "number" | "boolean" | "choice" | "object" | "list" | "map" | "alternatives" | "json";

/** A field as the form shows it. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
  readonly control: Control;
  readonly options: readonly unknown[];
}

/** Everything a block's schema refers to by name. */
export type Models = Record<string, Schema>;

/** The schema a reference stands for, with what stands beside the reference. */
export function follow(schema: Schema, models: Models): Schema {
  const named = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  if (!named) return schema;
  const model = models[named.split("/").at(-1) ?? ""] ?? {};
  const { $ref: _, allOf: __, ...beside } = schema;
  return { ...follow(model, models), ...beside };
}

/** What a field can be, apart from a template alone and from null. */
export function forms(schema: Schema, models: Models): Schema[] {
  const whole = follow(schema, models);
  const choices = whole.anyOf ?? whole.oneOf;
  if (!choices) return [whole];
  return choices.flatMap((one) => forms(one, models)).filter((one) => one.type !== "null" && !isTemplate(one));
}

function isTemplate(schema: Schema): boolean {
  return schema.type === "string" && schema.pattern !== undefined && schema.pattern.includes("\\{\\{");
}

/** The fields of an object, in the order of its schema. */
export function fieldsOf(schema: Schema, models: Models): Field[] {
  const whole = follow(schema, models);
  return Object.entries(whole.properties ?? {}).map(([name, one]) => {
    const described = follow(one, models);
    const possible = forms(one, models);
    return {
      name,
      label: labelOf(name),
      help: described.description ?? possible[0]?.description ?? "",
      isRequired: whole.required?.includes(name) ?? false,
      schema: possible.length === 1 ? { ...possible[0], ...(described.default === undefined ? {} : { default: described.default }) } : described,
      control: controlOf(possible),
      options: possible.flatMap((form) => form.enum ?? (form.const === undefined ? [] : [form.const])),
    };
  });
}

/** The control that fits what a field can be. */
export function controlOf(possible: readonly Schema[]): Control {
  if (possible.length > 0 && possible.every((one) => one.enum !== undefined || one.const !== undefined)) return "choice";
  if (possible.length !== 1) return isTextOrNumber(possible) ? "text" : possible.every((one) => one.type === "object") && possible.length > 1 ? "alternatives" : "json";
  const [one] = possible;
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
      return one.properties ? "object" : "map";
    default:
      return "json";
  }
}

function isTextOrNumber(possible: readonly Schema[]): boolean {
  return possible.length > 0 && possible.every((one) => one.type === "string" || one.type === "integer" || one.type === "number");
}

/** `skipIfNotPresent` → "Skip if not present". */
export function labelOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
