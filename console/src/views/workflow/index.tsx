/** One workflow: reads it and the kinds of blocks, and keeps the draft and the live session while it is open. */
import { useEffect, useMemo } from "preact/hooks";
import { call } from "../../api/client";
import { useReading } from "../../app/reading";
import { query } from "../../app/router";
import { Empty } from "../../design/card";
import { Draft } from "./draft";
import { Editor } from "./editor";
import { Kinds, type Kind } from "./kinds";
import { LiveSession } from "./live_session";
import type { Parameter } from "./parameters";
import { walk, type Blocks } from "./tree_edit";

export default function Workflow({ id }: { id: string }) {
  const workflow = useReading(`workflow ${id}`, () => call("/workflows/get", { id }), { nouns: ["workflow"] });
  const described = useReading("kinds", () => call("/workflows/blocks/kinds", {}));
  const kinds = useMemo(() => described.value && new Kinds(described.value.kinds as unknown as Kind[], described.value.models as never), [described.value]);
  const draft = useMemo(() => new Draft(id), [id]);
  const session = useMemo(() => new LiveSession(id), [id]);
  const current = workflow.value?.workflow;
  const wanted = query.value.get("block");
  useEffect(() => {
    if (!current || (draft.base !== 0 && draft.isChanged.value)) return;
    if (current.version !== draft.base) draft.open(current.version, current.blocks as never);
  }, [current?.version]);
  useEffect(() => {
    const key = wanted && keyOf(draft.blocks.value, wanted);
    if (key) draft.selected.value = key;
  }, [wanted, current?.version]);
  if (workflow.problem || described.problem) return <Empty title={workflow.problem ?? described.problem ?? ""} />;
  if (!current || !kinds) return <p role="status">Loading…</p>;
  const kept = { id, name: current.name, version: current.version, parameters: current.parameters as unknown as readonly Parameter[], output: current.output as unknown };
  return <Editor workflow={kept} kinds={kinds} draft={draft} session={session} again={workflow.again} />;
}

/** The editor's key of a block that a link names by its id or its reference. */
function keyOf(blocks: Blocks, name: string): string | undefined {
  for (const { block } of walk(blocks)) if (block.key === name || block.blockReferenceId === name) return block.key;
  return undefined;
}
