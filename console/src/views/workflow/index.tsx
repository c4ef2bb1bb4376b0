/** One workflow: reads it and the block kinds, and holds its draft and live session. */
import { useEffect, useMemo } from "preact/hooks";
import { call } from "../../api/client";
import { searchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { EmptyState } from "../../design/card";
import type { Models } from "../../forms/schema";
import { walkBlocks, type Blocks } from "./block_edits";
import { Draft } from "./draft";
import { Editor } from "./editor";
import { Kinds } from "./kinds";
import { LiveSession } from "./live_session";

export default function Workflow({ id }: { id: string }) {
  const workflow = useQuery(`workflow ${id}`, () => call("/workflows/get", { id }), { nouns: ["workflow"] });
  const kindList = useQuery("kinds", () => call("/workflows/blocks/kinds", {}));
  const kinds = useMemo(() => kindList.value && new Kinds(kindList.value.kinds, kindList.value.models as Models), [kindList.value]);
  const draft = useMemo(() => new Draft(id), [id]);
  const session = useMemo(() => new LiveSession(id), [id]);
  const current = workflow.value?.workflow;
  const linkedBlock = searchParams.value.get("block");
  useEffect(() => {
    if (!current || (draft.base !== 0 && draft.isChanged.value)) return;
    if (current.version !== draft.base) draft.open(current.version, current.blocks);
  }, [current?.version]);
  useEffect(() => {
    const key = linkedBlock && keyOf(draft.blocks.value, linkedBlock);
    if (key) draft.selected.value = key;
  }, [linkedBlock, current?.version]);
  if (workflow.problem || kindList.problem) return <EmptyState title={workflow.problem ?? kindList.problem ?? ""} />;
  if (!current || !kinds) return <p role="status">Loading…</p>;
  return <Editor workflow={current} kinds={kinds} draft={draft} session={session} refetch={workflow.refetch} />;
}

/** The key of a block that a link names by id or reference. */
function keyOf(blocks: Blocks, name: string): string | undefined {
  for (const { block } of walkBlocks(blocks)) if (block.key === name || block.blockReferenceId === name) return block.key;
  return undefined;
}
