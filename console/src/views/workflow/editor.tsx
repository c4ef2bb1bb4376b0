/** The editor: the tree of blocks, the form of the selected one, and the live page beside them. */
import { useState } from "preact/hooks";
import { setSearchParams } from "../../app/router";
import { Button } from "../../design/button";
import { Card } from "../../design/card";
import { Tabs } from "../../design/tabs";
import { blocksFromApi, findBlock, insertBlocks, newBlock, type Place } from "./block_edits";
import { BlockPanel, ProblemBanners } from "./block_panel";
import { BlockTree } from "./block_tree";
import { afterSelected, copyToClipboard, deleteBlock, pasteBlocks } from "./clipboard";
import { Describe } from "./describe";
import type { Draft } from "./draft";
import { useEditorActions, type EditorProps } from "./editor_actions";
import { EditorHead } from "./editor_head";
import { FixBanner } from "./fix_banner";
import { KindPicker } from "./kind_picker";
import type { Kind } from "./kinds";
import { LivePanel } from "./live_panel";
import type { LiveSession } from "./live_session";
import { Output } from "./output";
import { Parameters } from "./parameters";
import { appendBlock } from "./recorded_blocks";
import { RunDialog } from "./run_dialog";
import { SessionDialog } from "./session_dialog";
import { namesAt } from "./template_names";
import { Versions } from "./versions";

export function Editor(props: EditorProps) {
  const { workflow, kinds, draft, session, refetch } = props;
  const { id, version, parameters } = workflow;
  const actions = useEditorActions(props);
  const { problems, failedExecutionId } = actions;
  const [insertPlace, setInsertPlace] = useState<Place>();
  const [isDescribing, setDescribing] = useState(false);
  const [runStart, setRunStart] = useState<{ startBlockId?: string }>();
  const blocks = draft.blocks.value;
  const isBusy = session.running.value !== "";
  const parameterNames = parameters.map((one) => one.name);

  const addBlock = (kind: Kind) => {
    if (!insertPlace) return;
    const added = newBlock(kind.type, kind.title, kind.sequences);
    draft.change(insertBlocks(blocks, insertPlace, [added]));
    select(draft, added.key);
    setInsertPlace(undefined);
  };
  return (
    <div onKeyDown={(event) => onShortcut(event, draft, session, actions.save)}>
      <EditorHead
        workflow={workflow}
        draft={draft}
        isBusy={isBusy}
        onSave={actions.save}
        onDescribe={async () => setDescribing(await actions.saveChanges())}
        onStart={async () => (await actions.saveChanges()) && setRunStart({})}
        onRun={() => actions.runBlocks({}, "Running all blocks…")}
        isRecording={session.isRecording.value}
        onRecord={actions.record}
      />
      {version !== draft.base && draft.isChanged.value && <VersionConflict version={version} draft={draft} refetch={refetch} />}
      {failedExecutionId && <FixBanner executionId={failedExecutionId} />}
      <ProblemBanners problems={problems.filter((one) => !one.key)} />
      <div class={session.isOpen.value ? "editor with-live" : "editor"}>
        <Card flush title="Blocks">
          <BlockTree
            blocks={blocks}
            kinds={kinds}
            selected={draft.selected.value}
            problems={new Set(problems.flatMap((one) => one.key ?? []))}
            onSelect={(key) => select(draft, key)}
            onChange={(next) => draft.change(next)}
            onInsert={setInsertPlace}
            onCopy={() => copyToClipboard(draft)}
            onDelete={() => deleteBlock(draft)}
          />
        </Card>
        <Card>
          <Tabs
            label="Edit"
            param="edit"
            tabs={[
              {
                name: "Block",
                content: () => <BlockPanel draft={draft} kinds={kinds} parameters={parameterNames} actions={actions} isBusy={isBusy} onStart={(startBlockId) => setRunStart({ startBlockId })} onInsert={setInsertPlace} />,
              },
              { name: "Parameters", content: () => <Parameters key={version} workflowId={id} parameters={parameters} onSaved={refetch} />, count: parameters.length },
              { name: "Output", content: () => <Output key={version} workflowId={id} output={workflow.output} names={namesAt(blocks, undefined, parameterNames)} onSaved={refetch} /> },
              { name: "Versions", content: () => <Versions workflowId={id} version={version} onRestored={refetch} /> },
            ]}
          />
        </Card>
        {session.isOpen.value && <LivePanel session={session} onLocator={actions.applyLocator} onExtract={(block) => appendBlock(draft, blocksFromApi([block])[0]!)} onOpen={actions.openUrl} />}
      </div>
      {insertPlace && <KindPicker kinds={kinds} onPick={addBlock} onClose={() => setInsertPlace(undefined)} />}
      {isDescribing && (
        <Describe
          workflowId={id}
          executionId={session.id.value ?? failedExecutionId}
          blocks={blocks}
          place={afterSelected(draft)}
          onClose={() => setDescribing(false)}
          onApplied={(answer) => {
            draft.replaceWith(answer.version, answer.blocks);
            setDescribing(false);
            refetch();
          }}
        />
      )}
      {runStart && <RunDialog workflowId={id} parameters={parameters} startBlockId={runStart.startBlockId} onClose={() => setRunStart(undefined)} />}
      {actions.needsSessionSettings && <SessionDialog parameters={parameters} onClose={actions.cancelOpening} onOpen={actions.openSession} />}
    </div>
  );
}

function VersionConflict({ version, draft, refetch }: { version: number; draft: Draft; refetch: () => void }) {
  const load = () => {
    draft.discard();
    refetch();
  };
  return (
    <p class="banner" role="alert">
      Version {version} was saved elsewhere. Load it before you save; Undo then brings your changes back. <Button onPress={load}>{`Load version ${version}`}</Button>
    </p>
  );
}

function select(draft: Draft, key: string): void {
  draft.selected.value = key;
  if (findBlock(draft.blocks.value, key)?.id) setSearchParams({ block: key });
}

function onShortcut(event: KeyboardEvent, draft: Draft, session: LiveSession, save: () => Promise<unknown>): void {
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
