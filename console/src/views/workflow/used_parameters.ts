/** Parameters that blocks use without the workflow declaring them, and the columns that loops read of a list. */
import { blocksToApi, newKey, walkBlocks, type Blocks } from "./block_edits";
import type { Content, Parameter } from "./content";

const USED = /\bparams(?:\.([A-Za-z_][\w-]*)|\[\\?["']([^"'\\]+)\\?["']\])/g;
const LOOPED = /\bparams\.([A-Za-z_][\w-]*)\s*\}\}/;

/** One for each; a list where a loop goes over it. */
export function undeclaredParameters({ blocks, output, parameters }: Content): readonly Parameter[] {
  const declared = new Set(parameters.map((one) => one.name));
  const written = JSON.stringify([blocksToApi(blocks), output]);
  const used = new Set([...written.matchAll(USED)].map((match) => (match[1] ?? match[2])!));
  const lists = new Set(loops(blocks).map((one) => one.parameter));
  return [...used]
    .filter((name) => !declared.has(name))
    .map((name) => ({ key: newKey(), name, type: lists.has(name) ? ("array" as const) : ("string" as const) }));
}

/** Everything that a workflow takes, and what it was given besides. */
export function askedParameters(content: Content, given: Readonly<Record<string, unknown>>): readonly Parameter[] {
  const known = [...content.parameters, ...undeclaredParameters(content)];
  const names = new Set(known.map((one) => one.name));
  const typeOf = (value: unknown) =>
    Array.isArray(value) ? "array" : value !== null && typeof value === "object" ? "object" : "string";
  const others = Object.keys(given)
    .filter((name) => !names.has(name))
    .map((name): Parameter => ({ key: name, name, type: typeOf(given[name]) }));
  return [...known, ...others];
}

/** The names that the blocks of a loop read of its items, if it goes over this parameter. */
export function columnsRead(blocks: Blocks, parameter: string): readonly string[] {
  const written = loops(blocks)
    .filter((one) => one.parameter === parameter)
    .map((one) => one.inside);
  return [...new Set([...written.join(" ").matchAll(/\bitem\.([A-Za-z_][\w-]*)/g)].map((match) => match[1]!))];
}

/** The blocks with others inside whose own data is a list from a parameter. */
function loops(blocks: Blocks): readonly { parameter: string; inside: string }[] {
  return [...walkBlocks(blocks)].flatMap(({ block }) => {
    const over = Object.keys(block.sequenceData).length > 0 && LOOPED.exec(JSON.stringify(block.data));
    return over && JSON.stringify(block.sequenceData).includes("item")
      ? [{ parameter: over[1]!, inside: JSON.stringify(block.sequenceData) }]
      : [];
  });
}
