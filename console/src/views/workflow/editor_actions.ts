/** What the editor does on a click: save, run blocks, pick an element, record. */
import { useState } from "preact/hooks";
import { ApiError, call, errorMessage } from "../../api/client";
import { searchParams, setSearchParams } from "../../app/router";
import { confirmAction } from "../../design/dialog";
import { formatCount } from "../../design/format";
import { notify } from "../../design/notice";
import { newBlock, referencesOf, updateBlock } from "./block_edits";
import { fullAddress } from "../../forms/address";
import { contentToApi, savedFromApi } from "./content";
import type { Draft } from "./draft";
import type { Kinds } from "./kinds";
import { failedBlockKey, type BlockRange, type LiveSession, type Locator, type SessionSettings } from "./live_session";
import { isHalfJson } from "./output";
import { withParameters } from "./parameter_names";
import { problemOf, tabOf, warningsOf, type Problem, type Warnings } from "./problems";
import { appendBlock, recordInto } from "./recorded_blocks";
import { repeatForEachRow } from "./repeat_rows";
import { usesLogin } from "./template_names";
import { undeclaredParameters } from "./used_parameters";

export interface EditorProps {
  workflowId: string;
  kinds: Kinds;
  draft: Draft;
  session: LiveSession;
  /** What is doubtful in the saved version. */
  warnings: Warnings;
  refetch: () => void;
}

export function useEditorActions({ workflowId, kinds, draft, session, warnings, refetch }: EditorProps) {
  const [errors, setProblems] = useState<readonly Problem[]>([]);
  const [actionAfterOpening, setActionAfterOpening] = useState<() => Promise<void>>();
  const failedExecutionId = searchParams.value.get("execution");

  const showProblem = (text: string) => {
    const problem = problemOf(text, draft.blocks.value);
    setProblems([problem]);
    if (problem.key) draft.selected.value = problem.key;
    if (searchParams.value.get("edit") !== "JSON") setSearchParams({ edit: tabOf(problem) });
  };
  /** Save the draft; returns whether it was saved. */
  const save = async (): Promise<boolean> => {
    const sent = draft.content.value;
    if (draft.theirs.value) return false; // the conflicts are on the screen
    if (isHalfJson(sent.output)) {
      showProblem("`output`: this is not valid JSON");
      return false;
    }
    try {
      const { workflow } = await call("/workflows/update", {
        id: workflowId,
        version: draft.base.value.version,
        ...contentToApi(sent),
      });
      draft.markSaved(sent, savedFromApi(workflow));
      setProblems([]);
      refetch();
      notify(`Saved as version ${workflow.version}.`);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return saveOverNewer();
      showProblem(errorMessage(error));
      return false;
    }
  };
  /** Somebody saved a version that this tab does not know yet: merge it and save, unless there is a conflict. */
  const saveOverNewer = async (): Promise<boolean> => {
    const { workflow } = await call("/workflows/get", { id: workflowId });
    draft.meet(savedFromApi(workflow));
    return draft.base.value.version === workflow.version && save();
  };
  /** Save if something has changed; returns whether everything is saved. */
  const saveChanges = async () => !draft.isChanged.value || (await save());
  /** Act in the live session; if none is open, open one first, after asking for its parameters and login. */
  const inLiveSession = async (act: () => Promise<void>, likeExecutionId = failedExecutionId) => {
    if (session.isOpen.value) return act();
    if (likeExecutionId) {
      await session.open({ params: {}, executionId: likeExecutionId });
      return act();
    }
    if (parameterNames().length > 0 || usesLogin(draft.blocks.value, kinds)) return setActionAfterOpening(() => act);
    await session.open({ params: {} });
    return act();
  };
  const openSession = async ({ params, loginId }: SessionSettings) => {
    await session.open({ params, ...(loginId ? { loginId } : {}) });
    session.asked = new Set(parameterNames());
    setActionAfterOpening(undefined);
    void actionAfterOpening?.();
  };
  const parameterNames = () =>
    [...draft.content.value.parameters, ...undeclaredParameters(draft.content.value)].map((one) => one.name);
  /** End a session that has been used, so that blocks run from the first one as they would in an execution. */
  const closeUsedSession = async (): Promise<string | undefined> => {
    const id = session.id.value;
    if (!id || !session.hasRun) return undefined;
    const { execution } = await call("/executions/get", { id });
    await session.close();
    const hasLogin = execution.logins.length > 0 || !usesLogin(draft.blocks.value, kinds);
    const isGiven = (name: string) => name in execution.params || session.asked.has(name);
    return hasLogin && parameterNames().every(isGiven) ? id : undefined;
  };
  /** Run blocks; a session that has to be opened first takes the parameters and login of an earlier run. */
  const runBlocks = async (range: BlockRange, progressText: string, givenId = failedExecutionId ?? undefined) => {
    const isFromStart = !range.blockId && !range.firstBlockId;
    const likeExecutionId = (isFromStart ? await closeUsedSession() : undefined) ?? givenId;
    await inLiveSession(async () => {
      setProblems([]);
      try {
        await session.run(draft.blocks.value, range, progressText);
        const failed = failedBlockKey(session.part.value, draft.blocks.value);
        if (failed) draft.selected.value = failed;
      } catch (error) {
        showProblem(errorMessage(error));
      }
    }, likeExecutionId);
  };
  /** Pick an element; while fixing a failed run, on the page where it failed. */
  const pick = async () => {
    const block = draft.block.value;
    if (failedExecutionId && block && !session.isOpen.value)
      await runBlocks({ lastBlockId: block.key }, `Running to “${block.name}”…`);
    await inLiveSession(async () => session.startPicking());
  };
  const applyLocator = (locator: Locator) => {
    const key = draft.selected.value;
    if (key) draft.change(updateBlock(draft.blocks.value, key, (block) => ({ ...block, locator: { ...locator } })));
  };
  /** Record; in a new session the blocks that are there are run first, up to the selected one. */
  const record = async () => {
    const last = draft.block.value ?? draft.blocks.value.at(-1);
    if (last && !session.isOpen.value) {
      const text = `Recording goes on where “${last.name}” ends, so the blocks up to it are run now, with all they do.`;
      if (!(await confirmAction("Run the blocks first?", text, "Run and record"))) return;
      draft.selected.value = last.key;
    }
    const isNew = !session.isOpen.value;
    await inLiveSession(async () => {
      if (last && isNew) await runBlocks({ lastBlockId: last.key }, `Running to “${last.name}”…`);
      await session.record(!last, recordInto(draft, session.recordedKeys));
    });
  };
  /** Wait in a new block for what the person pointed at: the element, its text, or its value. */
  const addCheck = (locator: Locator, { state, name, value }: Check) => {
    if (!kinds.check) return;
    const data = { condition: { element: { ...locator }, state, ...(value === undefined ? {} : { value }) } };
    appendBlock(draft, newBlock(kinds.check.type, `Check ${name}`, [], { data }));
  };
  /** Go through the rows of the table that the selected block reads. */
  const forEachRow = () => {
    const block = draft.block.value;
    if (!block || !kinds.loop) return;
    const reference = referencesOf(draft.blocks.value).get(block.key)!;
    draft.change(updateBlock(draft.blocks.value, block.key, (one) => ({ ...one, blockReferenceId: reference })));
    const data = { over: { items: `{{blocks.${reference}}}` } };
    const loop = newBlock(kinds.loop.type, "For each row", kinds.loop.sequences, { data });
    appendBlock(draft, loop);
  };
  const repeatRows = () => kinds.loop && repeatForEachRow(draft, kinds.loop);
  const parametrize = () => {
    const { content, count } = withParameters(draft.content.value, session.recordedKeys);
    if (count) draft.edit(content);
    notify(count ? `${formatCount(count, "value")} became parameters.` : "No recorded block has a typed value left.");
  };
  /** Open a URL in the live session by a new block. */
  const openUrl = async (typed: string) => {
    if (!kinds.opener) return;
    const url = fullAddress(typed);
    const added = newBlock(kinds.opener.type, `Open ${url.replace(/^https?:\/\//, "")}`, [], { data: { url } });
    appendBlock(draft, added);
    await runBlocks({ blockId: added.key }, `Opening ${url}…`);
  };
  return {
    problems: [...errors, ...warningsOf(warnings, draft.base.value.content.blocks, draft.blocks.value)],
    failedExecutionId,
    needsSessionSettings: actionAfterOpening !== undefined,
    cancelOpening: () => setActionAfterOpening(undefined),
    openSession,
    save,
    saveChanges,
    runBlocks,
    pick,
    applyLocator,
    record,
    addCheck,
    forEachRow,
    repeatForEachRow: repeatRows,
    parametrize,
    openUrl,
  };
}

/** What a recorded check says of its element. */
export interface Check {
  readonly state: "visible" | "textContains" | "valueEquals" | "checked" | "unchecked";
  /** As the person chooses it, and in the name of the block. */
  readonly text: string;
  readonly name: string;
  readonly value?: string;
}

export type EditorActions = ReturnType<typeof useEditorActions>;
