/** One workflow: reads it and the block kinds, and holds its draft and live session. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { call } from "../../api/client";
import { searchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { EmptyState } from "../../design/card";
import { TextWithCode } from "../../design/text_with_code";
import type { Models } from "../../forms/schema";
import { walkBlocks, type Blocks } from "./block_edits";
import { savedFromApi } from "./content";
import { Draft } from "./draft";
import { DraftStore } from "./draft_store";
import { Editor } from "./editor";
import { Kinds } from "./kinds";
import { LiveSession } from "./live_session";

export default function Workflow({ id }: { id: string }) {
  const workflow = useQuery(`workflow ${id}`, () => call("/workflows/get", { id, withWarnings: true }), {
    nouns: ["workflow"],
  });
  const kindList = useQuery("kinds", () => call("/workflows/blocks/kinds", {}));
  const kinds = useMemo(
    () => kindList.value && new Kinds(kindList.value.kinds, kindList.value.models as Models),
    [kindList.value],
  );
  const session = useMemo(() => new LiveSession(id), [id]);
  const current = workflow.value?.workflow;
  const store = useDraftStore(id);
  const draft = useMemo(
    () => (store && current ? new Draft(store, savedFromApi(current)) : undefined),
    [store, current !== undefined],
  );
  const linkedBlock = searchParams.value.get("block");
  useEffect(() => {
    // a late answer can be older than what this tab has saved since
    if (draft && current && current.version > draft.base.value.version) draft.meet(savedFromApi(current));
  }, [draft, current?.version]);
  useEffect(() => {
    const key = linkedBlock && draft && keyOf(draft.blocks.value, linkedBlock);
    if (key) draft.selected.value = key;
  }, [linkedBlock, draft, current?.version]);
  const problem = workflow.problem ?? kindList.problem;
  // while the service restarts the draft stays on the screen
  if (problem && !(draft && kinds)) return <EmptyState title={problem} />;
  if (!draft || !kinds) return <p role="status">Loading…</p>;
  return (
    <>
      {problem && (
        <p class="banner bad" role="alert">
          <TextWithCode text={problem} />
        </p>
      )}
      <Editor
        workflowId={id}
        kinds={kinds}
        draft={draft}
        session={session}
        warnings={workflow.value?.warnings ?? []}
        refetch={workflow.refetch}
      />
    </>
  );
}

/** The store of this tab's draft, once it is known that no other tab holds it. */
function useDraftStore(id: string): DraftStore | undefined {
  const [store, setStore] = useState<DraftStore>();
  useEffect(() => {
    const opening = DraftStore.open(id);
    void opening.then(setStore);
    return () => void opening.then((opened) => opened.close());
  }, [id]);
  return store;
}

/** The key of a block that a link names by id or reference. */
function keyOf(blocks: Blocks, name: string): string | undefined {
  for (const { block } of walkBlocks(blocks))
    if (block.key === name || block.blockReferenceId === name) return block.key;
  return undefined;
}
