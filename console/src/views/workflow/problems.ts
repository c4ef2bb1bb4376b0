/** The service's refusal of a draft, put where it belongs: `blocks[2].data.url` → the block and its field. */
import { walk, type Block, type Blocks } from "./tree_edit";

export interface Problem {
  readonly key: string | undefined;
  readonly field: string;
  readonly text: string;
  /** Probably not meant, and kept all the same. */
  readonly isWarning?: boolean;
}

/** What the service found doubtful in what it kept. */
export function warningsOf(warnings: readonly { blockReferenceId?: string | null; field: string; message: string }[] | undefined, blocks: Blocks): readonly Problem[] {
  const keys = new Map([...walk(blocks)].map(({ block }) => [block.blockReferenceId, block.key]));
  return (warnings ?? []).map((one) => ({ key: keys.get(one.blockReferenceId ?? undefined), field: dotted(one.field), text: `Check this: ${one.message}`, isWarning: true }));
}

/** The problems of one block by their fields. */
export function at(problems: readonly Problem[]): Record<string, string> {
  return Object.fromEntries(problems.filter((one) => one.field).map((one) => [one.field, one.text]));
}

function dotted(path: string): string {
  return path.replace(/^\./, "").replaceAll(/\[(\d+)\]/g, ".$1");
}

/** Find the block and field a sentence names; a sentence that names none belongs to the whole. */
export function problemOf(sentence: string, blocks: Blocks): Problem {
  const path = /`?(?:operations\[\d+\]\.)?(blocks(?:\[\d+\]|\.\w+)+)/.exec(sentence)?.[1];
  const placed = path ? follow(path, blocks) : undefined;
  if (placed) return { key: placed.key, field: placed.field || fieldIn(sentence), text: sentence };
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
  return block ? { key: block.key, field: dotted(rest) } : undefined;
}

function fieldIn(sentence: string): string {
  return dotted(/`((?:data|locator|name|transformerFn|blockReferenceId)[.\w[\]]*)`/.exec(sentence)?.[1] ?? "");
}
