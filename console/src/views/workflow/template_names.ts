/** The names templates can speak of at a block: parameters, outputs of blocks before it, items of loops around it. */
import type { Kinds } from "./kinds";
import { walk, type Blocks } from "./tree_edit";

export function namesAt(blocks: Blocks, key: string | undefined, parameters: readonly string[]): readonly string[] {
  const names = [...parameters.map((one) => `params.${one}`)];
  const order = [...walk(blocks)];
  const at = order.findIndex(({ block }) => block.key === key);
  for (const { block } of at < 0 ? order : order.slice(0, at)) {
    if (block.blockReferenceId) names.push(`blocks.${block.blockReferenceId}`);
  }
  if (at >= 0 && order[at]!.depth > 0) names.push("item", "index");
  return [...names, "execution.id", "now", "login.username"];
}

/** Whether blocks take the login a run is started with: a template names it, or a block signs in with none of its own. */
export function wantsLogin(blocks: Blocks, kinds: Kinds): boolean {
  const signsIn = (type: string) => kinds.get(type)?.aliases.includes("signIn") ?? false;
  return [...walk(blocks)].some(({ block }) => /\{\{\s*login\./.test(JSON.stringify(block.data)) || (signsIn(block.type) && !block.data["loginId"]));
}
