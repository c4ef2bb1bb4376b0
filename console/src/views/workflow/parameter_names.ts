/** Declaring parameters for values that stand in blocks. */
import { newKey, updateBlock, walkBlocks, type Block } from "./block_edits";
import type { Content, Parameter } from "./content";

/** A name that no parameter has: `title`, `title2` … */
export function freeName(parameters: readonly Parameter[], stem: string): string {
  const isTaken = (name: string) => parameters.some((one) => one.name === name);
  let name = stem;
  for (let number = 2; isTaken(name); number++) name = `${stem}${number}`;
  return name;
}

/** A parameter named like a field, with its value as the default. */
export function parameterFor(parameters: readonly Parameter[], label: string, value: unknown): Parameter {
  const words = label
    .replace(/[^A-Za-z0-9 ]/g, "")
    .trim()
    .split(/ +/);
  const stem = words
    .map((one, at) => (at ? one.charAt(0).toUpperCase() + one.slice(1).toLowerCase() : one.toLowerCase()))
    .join("");
  const type = typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "string";
  return {
    key: newKey(),
    name: freeName(parameters, /^[a-z]/.test(stem) ? stem : `value${stem}`),
    type,
    default: value,
  };
}

/** What a recorded block is about: "Fill in Title" → "Title". */
export function subjectOf({ name }: Block): string | undefined {
  return /^(?:Fill in|Choose in|Choose|Set) (?!a |from )(.+)/.exec(name)?.[1];
}

/** The content with a parameter for each value that was typed or chosen in these blocks, and how many there are. */
export function withParameters(content: Content, keys: ReadonlySet<string>): { content: Content; count: number } {
  let { blocks, parameters } = content;
  for (const { block } of walkBlocks(blocks)) {
    const { value, inputType } = block.data;
    const isTyped = typeof value === "string" && value !== "" && !value.includes("{{");
    if (!keys.has(block.key) || !isTyped || inputType === "SensitiveTextInput") continue;
    const added = parameterFor(parameters, subjectOf(block) ?? block.name, value);
    parameters = [...parameters, added];
    const data = { ...block.data, value: `{{params.${added.name}}}` };
    blocks = updateBlock(blocks, block.key, (one) => ({ ...one, data }));
  }
  return { content: { ...content, blocks, parameters }, count: parameters.length - content.parameters.length };
}
