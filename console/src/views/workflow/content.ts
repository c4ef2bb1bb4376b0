/** Everything that one version of a workflow consists of: the draft edits all of it, and one save sends all of it. */
import type { Schemas } from "../../api/client";
import { blocksFromApi, blocksToApi, type ApiBlock, type Blocks } from "./block_edits";

/** A parameter in the editor; its key stays the same while its name is typed. */
export interface Parameter extends Readonly<Schemas["Parameter"]> {
  readonly key: string;
}

export interface Content {
  readonly name: string;
  readonly tags: readonly string[];
  readonly retrySafe: boolean;
  readonly pictures: Schemas["Workflow"]["pictures"];
  readonly output: unknown;
  readonly parameters: readonly Parameter[];
  readonly blocks: Blocks;
}

/** The content of a saved version. */
export interface Saved {
  readonly version: number;
  readonly content: Content;
}

type ApiWorkflow = Pick<
  Schemas["Workflow"],
  "name" | "tags" | "retrySafe" | "pictures" | "output" | "parameters" | "blocks" | "version"
>;

export function savedFromApi({ version, tags, output, parameters, blocks, ...settings }: ApiWorkflow): Saved {
  return {
    version,
    content: {
      name: settings.name,
      tags: tags.map((one) => one.name),
      retrySafe: settings.retrySafe,
      pictures: settings.pictures,
      output: output ?? null,
      parameters: parameters.map((one) => ({ key: one.name, ...one })),
      blocks: blocksFromApi(blocks),
    },
  };
}

/** The content as `/workflows/update` takes it; an empty text removes the declared output. */
export function contentToApi({ output, parameters, tags, blocks, ...settings }: Content) {
  return {
    ...settings,
    tags: tags.map((one) => one.trim()).filter(Boolean),
    output: output ?? "",
    parameters: parameters.map(({ key: _, ...one }) => one),
    blocks: blocksToApi(blocks),
  };
}

const FIELDS = ["name", "tags", "retrySafe", "pictures", "output", "parameters", "blocks"];
const BLOCK_FIELDS = [
  ...["id", "type", "name", "blockReferenceId", "locator", "data", "sequenceData"],
  ...["isCacheable", "skipIfNotPresent", "useWorkflowRecoveryAgent", "transformerFn"],
];

/** The content that typed JSON describes; fails with a sentence where the form could not show it. */
export function contentFromJson(json: unknown, before: Content): Content {
  const fields = objectAt("The workflow", json, FIELDS);
  const blocks = checkedBlocks("blocks", fields["blocks"] ?? []);
  const parameters = listAt("parameters", fields["parameters"] ?? []).map((one, at) => {
    const parameter = objectAt(`\`parameters[${at}]\``, one) as unknown as Schemas["Parameter"];
    return { ...parameter, key: parameter.name };
  });
  return {
    name: textAt("name", fields["name"] ?? before.name),
    tags: listAt("tags", fields["tags"] ?? []).map((one) => textAt("tags", one)),
    retrySafe: Boolean(fields["retrySafe"] ?? false),
    pictures: (fields["pictures"] as Content["pictures"] | undefined) ?? before.pictures,
    output: fields["output"] ?? null,
    parameters,
    blocks: blocksFromApi(blocks),
  };
}

function checkedBlocks(path: string, json: unknown): ApiBlock[] {
  return listAt(path, json).map((one, at) => {
    const place = `${path}[${at}]`;
    const block = objectAt(`\`${place}\``, one, BLOCK_FIELDS);
    textAt(`${place}.type`, block["type"]);
    for (const field of ["data", "locator", "sequenceData"])
      if (block[field] != null) objectAt(`\`${place}.${field}\``, block[field]);
    for (const [name, inner] of Object.entries((block["sequenceData"] ?? {}) as Record<string, unknown>))
      checkedBlocks(`${place}.sequenceData.${name}`, inner ?? []);
    return block as unknown as ApiBlock;
  });
}

function objectAt(what: string, json: unknown, allowed?: readonly string[]): Record<string, unknown> {
  if (json === null || typeof json !== "object" || Array.isArray(json)) throw new Error(`${what}: expected an object.`);
  const unknown = allowed && Object.keys(json).find((name) => !allowed.includes(name));
  if (unknown) throw new Error(`${what} has no field \`${unknown}\`.`);
  return json as Record<string, unknown>;
}

function listAt(path: string, json: unknown): readonly unknown[] {
  if (!Array.isArray(json)) throw new Error(`\`${path}\`: expected a list.`);
  return json;
}

function textAt(path: string, json: unknown): string {
  if (typeof json !== "string" || json === "") throw new Error(`\`${path}\`: expected a text.`);
  return json;
}
