/** Declaring parameters for values that stand in blocks. */
import { newKey, updateBlock, walkBlocks } from "./block_edits";
import type { Draft } from "./draft";

/** Declare a parameter named like a field; returns its name. */
export function addParameter(draft: Draft, label: string, value: unknown): string {
  const { parameters } = draft.content.value;
  const words = label
    .replace(/[^A-Za-z0-9 ]/g, "")
    .trim()
    .split(/ +/);
  const stem =
    words
      .map((one, at) => (at ? one.charAt(0).toUpperCase() + one.slice(1).toLowerCase() : one.toLowerCase()))
      .join("") || "value";
  const isTaken = (name: string) => parameters.some((one) => one.name === name);
  let name = stem;
  for (let number = 2; isTaken(name); number++) name = `${stem}${number}`;
  const type = typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "string";
  draft.edit({ parameters: [...parameters, { key: newKey(), name, type, default: value }] });
  return name;
}

/** Make a parameter of each value that was typed or chosen in these blocks; how many there were. */
export function makeParameters(draft: Draft, keys: ReadonlySet<string>): number {
  let count = 0;
  for (const { block } of walkBlocks(draft.blocks.value)) {
    const value = block.data["value"];
    if (!keys.has(block.key) || typeof value !== "string" || !value || value.includes("{{")) continue;
    const name = addParameter(draft, block.name.replace(/^(Fill in|Choose in|Choose|Set) /, ""), value);
    const withParameter = { ...block.data, value: `{{params.${name}}}` };
    draft.change(updateBlock(draft.blocks.value, block.key, (one) => ({ ...one, data: withParameter })));
    count++;
  }
  return count;
}
