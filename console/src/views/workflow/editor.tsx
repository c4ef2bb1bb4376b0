/** The editor: the tree of blocks, the form of the selected one, and the live page beside them. */
import { useMemo, useState } from "preact/hooks";
import { call } from "../../api/client";
import { navigate, setSearchParams } from "../../app/router";
import { useInSearch, type Hit } from "../../app/search";
import { hasScope } from "../../app/session";
import { Card } from "../../design/card";
import { Tabs } from "../../design/tabs";
import { newObject, type Schema } from "../../forms/schema";
import { SampleSource } from "../../forms/template_field";
import { blocksFromApi, insertBlocks, newBlock, walkBlocks, type Block, type Place } from "./block_edits";
import { BlockPanel, ProblemBanners } from "./block_panel";
import { BlockTree } from "./block_tree";
import { afterSelected, copyToClipboard, deleteSelected, pasteBlocks } from "./clipboard";
import { Conflicts } from "./conflicts";
import type { Content } from "./content";
import { Describe } from "./describe";
import type { Draft } from "./draft";
import { useEditorActions, type EditorProps } from "./editor_actions";
import { EditorHead } from "./editor_head";
import { FixBanner } from "./fix_banner";
import { KindPicker } from "./kind_picker";
import type { Kind } from "./kinds";
import { LivePanel } from "./live_panel";
import type { LiveSession } from "./live_session";
import { JsonView } from "./json_view";
import { Output } from "./output";
import { Parameters } from "./parameters";
import { appendBlock } from "./recorded_blocks";
import { RunDialog, type RunSettings } from "./run_dialog";
import { RunFromDialog } from "./run_from_dialog";
import { Runs } from "./runs";
import { Samples } from "./samples";
import { Settings } from "./settings";
import { namesAt } from "./template_names";
import { Versions } from "./versions";

export function Editor(props: EditorProps) {
  const { workflowId: id, kinds, draft, session, refetch } = props;
  const { parameters } = draft.content.value;
  const { version } = draft.base.value;
  const actions = useEditorActions(props);
  const { problems, failedExecutionId } = actions;
  const [insertPlace, setInsertPlace] = useState<Place>();
  /** The block that was added last. */
  const [added, setAdded] = useState<string>();
  /** The content before the steps that are being described. */
  const [describedFrom, setDescribedFrom] = useState<Content>();
  const [isStarting, setStarting] = useState(false);
  const [runFrom, setRunFrom] = useState<Block>();
  const samples = useMemo(() => new Samples(id, draft, session), [id, draft, session]);
  const blocks = draft.blocks.value;
  const isBusy = session.running.value !== "";
  const parameterNames = parameters.map((one) => one.name);

  const describe = async () => (await actions.saveChanges()) && setDescribedFrom(draft.content.value);
  const start = async () => (await actions.saveChanges()) && setStarting(true);
  useInSearch(() => [
    ...[...walkBlocks(blocks)].map(({ block }): Hit => {
      const more = kinds.get(block.type)?.title;
      return { group: "Blocks", name: block.name, more, open: () => select(draft, block.key) };
    }),
    ...(hasScope("edit") ? action("Save", actions.save) : []),
    ...(hasScope("edit") ? action("Describe a step", describe) : []),
    ...(hasScope("run") ? action("Run in the background", start) : []),
  ]);
  const addBlock = (kind: Kind) => {
    if (!insertPlace) return;
    const added = newBlock(kind.type, kind.label, kind.sequences, {
      data: newObject(kind.data as Schema, kinds.models),
    });
    draft.change(insertBlocks(blocks, insertPlace, [added]));
    select(draft, added.key);
    setInsertPlace(undefined);
    setAdded(added.key);
  };
  return (
    <div
      onKeyDown={(event) => onShortcut(event, draft, session, actions.save)}
      onPaste={(event) => isForBlocks(event) && pasteBlocks(draft, event)}
    >
      <EditorHead
        workflowId={id}
        draft={draft}
        isBusy={isBusy}
        onSave={actions.save}
        onDescribe={describe}
        onStart={start}
        onRun={actions.runBlocks}
        onRunFrom={setRunFrom}
        isRecording={session.isRecording.value}
        onRecord={actions.record}
      />
      <Conflicts draft={draft} />
      {!draft.isKept.value && (
        <p class="banner" role="alert">
          The browser has no room left to keep your changes. Save them before you close this tab.
        </p>
      )}
      {failedExecutionId && <FixBanner executionId={failedExecutionId} />}
      <ProblemBanners problems={problems.filter((one) => !one.key && !one.field)} />
      <div class={`editor ${session.isOpen.value ? "with-live" : ""} ${session.isRecording.value ? "recording" : ""}`}>
        <Card flush title="Blocks">
          <BlockTree
            blocks={blocks}
            kinds={kinds}
            selected={draft.selected.value}
            selectedKeys={draft.selectedKeys.value}
            problems={new Map(problems.flatMap((one) => (one.key ? [[one.key, one] as const] : [])))}
            running={session.runningBlocks.value}
            onSelect={(key) => select(draft, key)}
            onSelectTogether={(keys, last) => draft.selectTogether(keys, last)}
            onChange={(next) => draft.change(next)}
            onInsert={setInsertPlace}
            onCopy={() => copyToClipboard(draft)}
            onDelete={() => deleteSelected(draft)}
          />
        </Card>
        <SampleSource.Provider value={samples}>
          <Card>
            <Tabs
              label="Edit"
              param="edit"
              tabs={[
                {
                  name: "Block",
                  content: () => (
                    <BlockPanel
                      draft={draft}
                      kinds={kinds}
                      parameters={parameterNames}
                      outputs={session.outputs.value}
                      actions={actions}
                      onInsert={setInsertPlace}
                      added={added}
                    />
                  ),
                },
                {
                  name: "Parameters",
                  content: () => <Parameters draft={draft} problems={problems} />,
                  count: parameters.length,
                },
                {
                  name: "Output",
                  content: () => (
                    <Output
                      draft={draft}
                      names={namesAt(blocks, undefined, parameterNames)}
                      problem={problems.find((one) => one.field.startsWith("output"))?.text}
                    />
                  ),
                },
                {
                  name: "Settings",
                  content: () => <Settings draft={draft} problems={problems.filter((one) => !one.key)} />,
                },
                { name: "JSON", content: () => <JsonView draft={draft} problems={problems} /> },
                { name: "Runs", content: () => <Runs workflowId={id} blocks={blocks} /> },
                {
                  name: "Versions",
                  content: () => <Versions workflowId={id} version={version} onRestored={refetch} />,
                },
              ]}
            />
          </Card>
        </SampleSource.Provider>
        {session.isOpen.value && (
          <LivePanel
            session={session}
            onLocator={actions.applyLocator}
            onExtract={(block) => appendBlock(draft, blocksFromApi([block])[0]!)}
            onOpen={actions.openUrl}
            onCheck={actions.addCheck}
            onForEachRow={isTable(draft) ? actions.forEachRow : undefined}
            onParametrize={actions.parametrize}
          />
        )}
      </div>
      {insertPlace && <KindPicker kinds={kinds} onPick={addBlock} onClose={() => setInsertPlace(undefined)} />}
      {describedFrom && (
        <Describe
          workflowId={id}
          executionId={session.id.value ?? failedExecutionId}
          blocks={blocks}
          place={afterSelected(draft)}
          onClose={() => setDescribedFrom(undefined)}
          onApplied={(answer) => {
            draft.adoptBlocks(answer.version, blocksFromApi(answer.blocks), describedFrom);
            setDescribedFrom(undefined);
            refetch();
          }}
        />
      )}
      {isStarting && (
        <RunDialog
          title="Run in the background"
          draft={draft}
          isExecution
          onRun={async (settings) => (await actions.saveChanges()) && startExecution(id, settings)}
          onClose={() => setStarting(false)}
        />
      )}
      {runFrom && (
        <RunFromDialog
          workflowId={id}
          blocks={blocks}
          kinds={kinds}
          block={runFrom}
          hasPage={session.url.value !== undefined}
          executionId={failedExecutionId}
          onRun={actions.runBlocks}
          onClose={() => setRunFrom(undefined)}
        />
      )}
      {actions.needsSessionSettings && (
        <RunDialog
          title="Run"
          draft={draft}
          isExecution={false}
          onRun={actions.openSession}
          onClose={actions.cancelOpening}
        />
      )}
    </div>
  );
}

function action(name: string, act: () => Promise<unknown>): Hit[] {
  return [{ group: "Actions", name, open: () => void act() }];
}

/** Whether the selected block reads rows. */
function isTable(draft: Draft): boolean {
  return (draft.block.value?.data["schema"] as { type?: string } | undefined)?.type === "array";
}

async function startExecution(workflowId: string, settings: RunSettings): Promise<void> {
  const { execution } = await call("/workflows/execute", { workflowId, ...settings });
  navigate(`/executions/${execution.id}`);
}

function select(draft: Draft, key: string): void {
  draft.selected.value = key;
  setSearchParams({ block: key });
}

/** Whether a key or a paste is meant for the blocks: not while typing, not in a dialog, not where a field took it. */
function isForBlocks(event: Event): boolean {
  const target = event.target as Element;
  const isTyping = target.matches("input, textarea") || target.shadowRoot !== null;
  return !event.defaultPrevented && !isTyping && !target.closest("dialog");
}

function onShortcut(event: KeyboardEvent, draft: Draft, session: LiveSession, save: () => Promise<unknown>): void {
  const isBlocks = isForBlocks(event);
  const isCommand = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (event.key === "Escape" && session.isPicking.value) session.stopPicking();
  else if (isCommand && key === "s" && !(event.target as Element).closest("dialog")) void save();
  else if (isCommand && isBlocks && key === "z" && !event.shiftKey) draft.undo();
  else if (isCommand && isBlocks && (key === "y" || key === "z")) draft.redo();
  else return;
  event.preventDefault();
}
