/** The names that templates of a block may use: parameters, outputs of earlier blocks, items of enclosing loops. */
import { referencesOf, walkBlocks, type Blocks } from "./block_edits";
import type { Kinds } from "./kinds";

export function namesAt(blocks: Blocks, key: string | undefined, parameters: readonly string[]): readonly string[] {
  const names = [...parameters.map((one) => `params.${one}`)];
  const order = [...walkBlocks(blocks)];
  const at = order.findIndex(({ block }) => block.key === key);
  const references = referencesOf(blocks);
  for (const { block } of at < 0 ? order : order.slice(0, at)) names.push(`blocks.${references.get(block.key)!}`);
  if (at >= 0 && order[at]!.depth > 0) names.push("item", "index");
  return [...names, "execution.id", "now", "login.username"];
}

/** Whether blocks use the run's login: in a template, or in a sign-in block without its own login. */
export function usesLogin(blocks: Blocks, kinds: Kinds): boolean {
  const signsIn = (type: string) => kinds.get(type)?.aliases.includes("signIn") ?? false;
  return [...walkBlocks(blocks)].some(
    ({ block }) => /\{\{\s*login\./.test(JSON.stringify(block.data)) || (signsIn(block.type) && !block.data["loginId"]),
  );
}
