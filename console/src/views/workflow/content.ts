/** Everything that one version of a workflow consists of: the draft edits all of it, and one save sends all of it. */
import type { Schemas } from "../../api/client";
import { blocksFromApi, blocksToApi, type Blocks } from "./block_edits";

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
