/** The service's refusal of a draft, put where it belongs: `blocks[2].data.url` → the block and its field. */
import { walk, type Block, type Blocks } from "./tree_edit";

export interface Problem {
  readonly key: string | undefined;
  readonly field: string;
  readonly text: string;
}

/** Find the block and field a sentence names; a sentence that names none belongs to the whole. */
export function problemOf(sentence: string, blocks: Blocks): Problem {
  const path = /`?(?:operations\[\d+\]\.)?(blocks(?:\[\d+\]|\.\w+)+)/.exec(sentence)?.[1];
  const placed = path ? follow(path, blocks) : undefined;
  if (placed) return { ...placed, text: sentence };
  for (const { block } of walk(blocks)) {
    const reference = block.blockReferenceId;
    if (reference && sentence.includes(`\`${reference}\``)) return { key: block.key, field: fieldIn(sentence), text: sentence };
  }
  return { key: undefined, field: "", text: sentence };
}

/** Walk a path such as `blocks[2].sequenceData.sequence[0].data.url`. */
function follow(path: string, blocks: Blocks): { key: string; field: string } | undefined {
  let list: Blocks | undefined = blocks;
  let block: Block | undefined;
  let rest = path.replace(/^blocks/, "");
  for (;;) {
    const index = /^\[(\d+)\]/.exec(rest);
    if (!index) break;
    block = list?.[Number(index[1])];
    rest = rest.slice(index[0].length);
    const inner = /^\.sequenceData\.(\w+)/.exec(rest);
    if (!inner || !block) break;
    list = block.sequenceData[inner[1] ?? ""];
    rest = rest.slice(inner[0].length);
  }
  return block ? { key: block.key, field: rest.replace(/^\./, "").replaceAll(/\[(\d+)\]/g, ".$1") } : undefined;
}

function fieldIn(sentence: string): string {
  return /`((?:data|locator)[.\w]*)`/.exec(sentence)?.[1] ?? "";
}
