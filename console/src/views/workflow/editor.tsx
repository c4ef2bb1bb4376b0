/** The editor: the tree of blocks, the form of the chosen one, and the live page beside them. */
import { useState } from "preact/hooks";
import { call, sentence } from "../../api/client";
import { query, setQuery } from "../../app/router";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { notify } from "../../design/notice";
import { Tabs } from "../../design/tabs";
import { BlockForm } from "./block_form";
import { BlockTools } from "./block_tools";
import { BlockTree } from "./block_tree";
import { afterSelected, copyBlock, deleteBlock, pasteBlocks } from "./clipboard";
import { Describe } from "./describe";
import type { Draft } from "./draft";
import { EditorHead } from "./editor_head";
import { KindPicker } from "./kind_picker";
import type { Kind, Kinds } from "./kinds";
import { LivePanel } from "./live_panel";
import { failedKey, type LiveSession, type Settings, type What } from "./live_session";
import { Mending } from "./mending";
import { namesAt, wantsLogin } from "./names";
import { Output } from "./output";
import { Parameters, type Parameter } from "./parameters";
import { at, problemOf, warningsOf, type Problem } from "./problems";
import { RunDialog } from "./run_dialog";
import { SessionDialog } from "./session_dialog";
import { appendBlock, recordInto } from "./recorded_blocks";
import { find, fromService, insert, newBlock, toService, update, type Place } from "./tree_edit";
import { Versions } from "./versions";

export interface Kept {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly parameters: readonly Parameter[];
  readonly output: unknown;
}

interface Props {
  workflow: Kept;
  kinds: Kinds;
  draft: Draft;
  session: LiveSession;
  again: () => void;
}

export function Editor({ workflow, kinds, draft, session, again }: Props) {
  const { id, version, parameters } = workflow;
  const [place, setPlace] = useState<Place>();
  const [isDescribing, setDescribing] = useState(false);
  const [starting, setStarting] = useState<{ startBlockId?: string }>();
  const [opening, setOpening] = useState<() => Promise<void>>();
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const blocks = draft.blocks.value;
  const block = draft.block.value;
  const isBusy = session.running.value !== "";
  const mendedId = query.value.get("execution");

  const refused = (text: string) => {
    const found = problemOf(text, draft.blocks.value);
    setProblems([found]);
    if (found.key) draft.selected.value = found.key;
  };
  const save = async (): Promise<boolean> => {
    try {
      const answer = await call("/workflows/blocks/update", { workflowId: id, version: draft.base, operations: [{ type: "replaceAll", blocks: toService(blocks) }] } as never);
      draft.wasSaved(answer.version, answer.blocks as never);
      setProblems(warningsOf(answer.warnings, draft.blocks.value));
      again();
      notify(`Saved as version ${answer.version}.`);
      return true;
    } catch (trouble) {
      refused(sentence(trouble));
      return false;
    }
  };
  /** Do something in the live session; where there is none it is opened first, after asking what it needs. */
  const live = async (act: () => Promise<void>) => {
    if (session.isOpen.value) return act();
    if (mendedId) {
      await session.open({ params: {}, executionId: mendedId });
      return act();
    }
    if (parameters.length > 0 || wantsLogin(draft.blocks.value, kinds)) return setOpening(() => act);
    await session.open({ params: {} });
    return act();
  };
  const tryBlocks = (what: What, words: string) =>
    live(async () => {
      setProblems([]);
      try {
        await session.run(draft.blocks.value, what, words);
        const failed = failedKey(session.part.value, draft.blocks.value);
        if (failed) draft.selected.value = failed;
      } catch (trouble) {
        refused(sentence(trouble));
      }
    });
  /** Point at an element; where a failed run is mended, on the page that the run failed at. */
  const pick = async () => {
    if (mendedId && block && !session.isOpen.value) await tryBlocks({ lastBlockId: block.key }, `Running to “${block.name}”…`);
    await live(async () => session.startPicking());
  };
  const add = (kind: Kind) => {
    if (!place) return;
    const made = newBlock(kind.type, kind.title, kind.sequences);
    draft.change(insert(blocks, place, [made]));
    select(draft, made.key);
    setPlace(undefined);
  };
  const take = (locator: Record<string, unknown>) => {
    const key = draft.selected.value;
    if (key) draft.change(update(draft.blocks.value, key, (one) => ({ ...one, locator })));
  };
  const record = () => live(() => session.record(draft.blocks.value.length === 0, recordInto(draft)));
  const openAddress = async (url: string) => {
    if (!kinds.opener) return;
    const made = newBlock(kinds.opener.type, kinds.opener.title, [], { data: { url } });
    appendBlock(draft, made);
    await tryBlocks({ blockId: made.key }, `Opening ${url}…`);
  };
  const own = problems.filter((one) => one.key === block?.key);
  const whole = problems.filter((one) => !one.key);
  return (
    <div onKeyDown={(event) => onKey(event, draft, session, save)}>
      <EditorHead
        workflow={workflow}
        draft={draft}
        isBusy={isBusy}
        onSave={save}
        onDescribe={async () => setDescribing(!draft.isChanged.value || (await save()))}
        onStart={async () => (!draft.isChanged.value || (await save())) && setStarting({})}
        onRun={() => tryBlocks({}, "Running all blocks…")}
        isRecording={session.isRecording.value}
        onRecord={record}
      />
      {version !== draft.base && draft.isChanged.value && <TakeTheirs version={version} draft={draft} again={again} />}
      {mendedId && <Mending executionId={mendedId} />}
      {whole.map((one) => (
        <p key={one.text} class={one.isWarning ? "banner" : "banner bad"} role="alert">
          {one.text}
        </p>
      ))}
      <div class={session.isOpen.value ? "editor with-live" : "editor"}>
        <Card flush title="Blocks">
          <BlockTree blocks={blocks} kinds={kinds} selected={draft.selected.value} problems={new Set(problems.flatMap((one) => one.key ?? []))} onSelect={(key) => select(draft, key)} onChange={(next) => draft.change(next)} onInsert={setPlace} onCopy={() => copyBlock(draft)} onDelete={() => deleteBlock(draft)} />
        </Card>
        <Card>
          <Tabs
            label="Edit"
            param="edit"
            tabs={[
              {
                name: "Block",
                content: () =>
                  block ? (
                    <>
                      <BlockTools block={block} draft={draft} isBusy={isBusy} onStart={(startBlockId) => setStarting({ startBlockId })} onTry={tryBlocks} onInsert={setPlace} />
                      {own.filter((one) => !one.field).map((one) => (
                        <p key={one.text} class={one.isWarning ? "banner small" : "banner bad small"} role="alert">
                          {one.text}
                        </p>
                      ))}
                      <BlockForm block={block} kinds={kinds} names={namesAt(blocks, block.key, parameters.map((one) => one.name))} problems={at(own)} onPick={pick} onChange={(next) => draft.change(update(blocks, next.key, () => next))} />
                    </>
                  ) : (
                    <Empty title={blocks.length ? "Choose a block to see its fields." : "No blocks yet."}>{blocks.length === 0 && "Insert the first one with the + on the left, describe a step in words, or record what you do on the page."}</Empty>
                  ),
              },
              { name: "Parameters", content: () => <Parameters key={version} workflowId={id} parameters={parameters} onSaved={again} />, count: parameters.length },
              { name: "Output", content: () => <Output key={version} workflowId={id} output={workflow.output} names={namesAt(blocks, undefined, parameters.map((one) => one.name))} onSaved={again} /> },
              { name: "Versions", content: () => <Versions workflowId={id} version={version} onRestored={again} /> },
            ]}
          />
        </Card>
        {session.isOpen.value && <LivePanel session={session} onLocator={take} onRead={(made) => appendBlock(draft, fromService([made])[0]!)} onOpen={openAddress} />}
      </div>
      {place && <KindPicker kinds={kinds} onPick={add} onClose={() => setPlace(undefined)} />}
      {isDescribing && (
        <Describe
          workflowId={id}
          executionId={session.id.value ?? mendedId}
          blocks={blocks}
          place={afterSelected(draft)}
          onClose={() => setDescribing(false)}
          onApplied={(answer) => {
            draft.tookOver(answer.version, answer.blocks as never);
            setDescribing(false);
            again();
          }}
        />
      )}
      {starting && <RunDialog workflowId={id} parameters={parameters} startBlockId={starting.startBlockId} onClose={() => setStarting(undefined)} />}
      {opening && (
        <SessionDialog
          parameters={parameters}
          onClose={() => setOpening(undefined)}
          onOpen={async (settings: Settings) => {
            await session.open(settings);
            setOpening(undefined);
            void opening();
          }}
        />
      )}
    </div>
  );
}

function TakeTheirs({ version, draft, again }: { version: number; draft: Draft; again: () => void }) {
  const take = () => {
    draft.discard();
    again();
  };
  return (
    <p class="banner" role="alert">
      Somebody has saved version {version} meanwhile. Saving yours is refused until you take theirs. <Button onPress={take}>Take theirs</Button>
    </p>
  );
}

function select(draft: Draft, key: string): void {
  draft.selected.value = key;
  if (find(draft.blocks.value, key)?.id) setQuery({ block: key });
}

function onKey(event: KeyboardEvent, draft: Draft, session: LiveSession, save: () => Promise<unknown>): void {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement || (event.target as Element).shadowRoot !== null;
  const isCommand = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (event.key === "Escape" && session.isPicking.value) session.stopPicking();
  else if (isCommand && key === "s") void save();
  else if (isCommand && !isTyping && key === "z" && !event.shiftKey) draft.undo();
  else if (isCommand && !isTyping && (key === "y" || key === "z")) draft.redo();
  else if (isCommand && !isTyping && key === "v") void pasteBlocks(draft);
  else return;
  event.preventDefault();
}
