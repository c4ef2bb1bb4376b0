/** The names templates can speak of at a block: parameters, outputs of blocks before it, items of loops around it. */
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
