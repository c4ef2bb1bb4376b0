/** One workflow: its tree of blocks, the form of the chosen one, and everything to run and mend it. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { call, sentence } from "../../api/client";
import { useReading } from "../../app/reading";
import { query, setQuery } from "../../app/router";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { save as saveFile } from "../../design/json";
import { notify } from "../../design/notice";
import { Badge } from "../../design/status";
import { Tabs } from "../../design/tabs";
import { BlockForm } from "./block_form";
import { BlockTree } from "./block_tree";
import { Describe } from "./describe";
import { Draft } from "./draft";
import { KindPicker } from "./kind_picker";
import { LivePanel } from "./live_panel";
import { failedKey, LiveSession, type Settings } from "./live_session";
import { Kinds, type Kind } from "./kinds";
import { namesAt } from "./names";
import { Parameters, type Parameter } from "./parameters";
import { problemOf, type Problem } from "./problems";
import { RunDialog } from "./run_dialog";
import { SessionDialog } from "./session_dialog";
import { copyOf, find, insert, newKey, placeOf, remove, toService, update, type Block, type Place } from "./tree_edit";
import { Versions } from "./versions";

export default function Workflow({ id }: { id: string }) {
  const workflow = useReading(`workflow ${id}`, () => call("/workflows/get", { id }), { nouns: ["workflow"] });
  const described = useReading("kinds", () => call("/workflows/blocks/kinds", {}));
  const kinds = useMemo(() => described.value && new Kinds(described.value.kinds as unknown as Kind[], described.value.models as never), [described.value]);
  const draft = useMemo(() => new Draft(id), [id]);
  const session = useMemo(() => new LiveSession(id), [id]);
  const current = workflow.value?.workflow;
  useEffect(() => {
    if (!current || (draft.base !== 0 && draft.isChanged.value)) return;
    if (current.version !== draft.base) draft.open(current.version, current.blocks as never);
    const wanted = query.value.get("block");
    if (wanted && !draft.selected.value) draft.selected.value = wanted;
  }, [current?.version]);
  if (workflow.problem || described.problem) return <Empty title={workflow.problem ?? described.problem ?? ""} />;
  if (!current || !kinds) return <p role="status">Loading…</p>;
  return <Editor id={id} name={current.name} version={current.version} parameters={current.parameters as unknown as Parameter[]} output={typeof current.output === "string" ? current.output : ""} kinds={kinds} draft={draft} session={session} again={workflow.again} />;
}

interface EditorProps {
  id: string;
  name: string;
  version: number;
  parameters: readonly Parameter[];
  output: string;
  kinds: Kinds;
  draft: Draft;
  session: LiveSession;
  again: () => void;
}

function Editor({ id, name, version, parameters, output, kinds, draft, session, again }: EditorProps) {
  const [place, setPlace] = useState<Place>();
  const [isDescribing, setDescribing] = useState(false);
  const [isRunning, setRunning] = useState<{ startBlockId?: string }>();
  const [beforeOpening, setBeforeOpening] = useState<() => Promise<void>>();
  const [problem, setProblem] = useState<Problem>();
  const blocks = draft.blocks.value;
  const block = draft.block.value;
  const isStale = version !== draft.base;

  const save = async (): Promise<boolean> => {
    try {
      const answer = await call("/workflows/blocks/update", { workflowId: id, version: draft.base, operations: [{ type: "replaceAll", blocks: toService(blocks) }] } as never);
      setProblem(undefined);
      const saved = (answer as { version?: number }).version ?? draft.base + 1;
      draft.wasSaved(saved, answer.blocks as never);
      again();
      notify(`Saved as version ${saved}.`);
      return true;
    } catch (trouble) {
      show(sentence(trouble));
      return false;
    }
  };
  const add = (kind: Kind) => {
    if (!place) return;
    const made = newBlock(kind);
    draft.change(insert(blocks, place, [made]));
    draft.selected.value = made.key;
    setPlace(undefined);
  };
  /** Do something in the live session; it is opened first where there is none, after asking what it needs. */
  const live = async (act: () => Promise<void>) => {
    if (session.isOpen.value) return act();
    if (parameters.length > 0) return setBeforeOpening(() => act);
    await session.open({ params: {} });
    return act();
  };
  const tryBlocks = (what: { blockId?: string; lastBlockId?: string }, words: string) =>
    live(async () => {
      try {
        await session.run(draft.blocks.value, what, words);
        const failed = failedKey(session.part.value, draft.blocks.value);
        if (failed) draft.selected.value = failed;
      } catch (trouble) {
        show(sentence(trouble));
      }
    });
  const show = (text: string) => {
    const found = problemOf(text, draft.blocks.value);
    setProblem(found);
    if (found.key) draft.selected.value = found.key;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && session.isPicking.value) session.stopPicking();
    editorKey(event, draft, save);
  };
  return (
    <div onKeyDown={onKeyDown}>
      <div class="view-head">
        <div class="row">
          <h1>{name}</h1>
          <span class="muted small">version {draft.base}</span>
          {draft.isChanged.value && <Badge kind="warn">Not saved</Badge>}
        </div>
        <div class="row">
          <Button kind="quiet" icon="undo" label="Undo" disabled={!draft.canUndo.value} onPress={() => draft.undo()} />
          <Button kind="quiet" icon="redo" label="Redo" disabled={!draft.canRedo.value} onPress={() => draft.redo()} />
          <Button onPress={() => setDescribing(true)}>Describe a step</Button>
          <Button kind="quiet" icon="download" onPress={() => exportFile(id, name)}>
            Export
          </Button>
          <Button icon="check" disabled={!draft.isChanged.value} onPress={save}>
            Save
          </Button>
          <Button kind="quiet" onPress={async () => (!draft.isChanged.value || (await save())) && setRunning({})}>
            Start an execution
          </Button>
          <Button kind="primary" icon="play" disabled={session.running.value !== ""} onPress={() => tryBlocks({}, "Running all blocks…")}>
            Run
          </Button>
        </div>
      </div>
      {isStale && draft.isChanged.value && (
        <p class="banner" role="alert">
          Somebody has saved version {version} meanwhile. Saving yours is refused until you take theirs.{" "}
          <Button
            onPress={() => {
              draft.discard();
              again();
            }}
          >
            Take theirs
          </Button>
        </p>
      )}
      {problem && !problem.key && (
        <p class="banner bad" role="alert">
          {problem.text}
        </p>
      )}
      <div class={session.isOpen.value ? "editor with-live" : "editor"}>
        <Card flush title="Blocks">
          <BlockTree blocks={blocks} kinds={kinds} selected={draft.selected.value} problems={new Set(problem?.key ? [problem.key] : [])} onSelect={(key) => select(draft, key)} onChange={(next) => draft.change(next)} onInsert={setPlace} />
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
                      <BlockTools block={block} draft={draft} isBusy={session.running.value !== ""} onRun={(startBlockId) => setRunning({ startBlockId })} onTry={tryBlocks} />
                      <BlockForm block={block} kinds={kinds} names={namesAt(blocks, block.key, parameters.map((one) => one.name))} problems={problem?.key === block.key ? { [problem.field]: problem.text } : {}} onPick={() => live(async () => session.startPicking())} onChange={(next) => draft.change(update(blocks, next.key, () => next))} />
                      {problem?.key === block.key && <p class="field-problem" role="alert">{problem.text}</p>}
                    </>
                  ) : (
                    <Empty title={blocks.length ? "Choose a block to see its fields." : "No blocks yet."}>{blocks.length === 0 && "Insert the first one with the + on the left, or describe a step in words."}</Empty>
                  ),
              },
              { name: "Parameters", content: () => <Parameters key={version} parameters={parameters} output={output} onSave={(list, text) => saveParameters(id, list, text).then(again)} />, count: parameters.length },
              { name: "Versions", content: () => <Versions workflowId={id} version={version} onRestored={again} /> },
            ]}
          />
        </Card>
        {session.isOpen.value && <LivePanel session={session} onLocator={(locator) => draft.selected.value && draft.change(update(draft.blocks.value, draft.selected.value, (one) => ({ ...one, locator })))} />}
      </div>
      {beforeOpening && (
        <SessionDialog
          parameters={parameters}
          onClose={() => setBeforeOpening(undefined)}
          onOpen={async (settings: Settings) => {
            await session.open(settings);
            setBeforeOpening(undefined);
            await beforeOpening();
          }}
        />
      )}
      {place && <KindPicker kinds={kinds} onPick={add} onClose={() => setPlace(undefined)} />}
      {isDescribing && (
        <Describe
          workflowId={id}
          executionId={query.value.get("execution")}
          blocks={blocks}
          onClose={() => setDescribing(false)}
          onTake={(added) => {
            draft.change(insert(blocks, afterSelected(draft), added));
            setDescribing(false);
          }}
        />
      )}
      {isRunning && <RunDialog workflowId={id} parameters={parameters} startBlockId={isRunning.startBlockId} onClose={() => setRunning(undefined)} />}
    </div>
  );
}

interface ToolsProps {
  block: Block;
  draft: Draft;
  isBusy: boolean;
  onRun: (startBlockId: string) => void;
  onTry: (what: { blockId?: string; lastBlockId?: string }, words: string) => Promise<void>;
}

function BlockTools({ block, draft, isBusy, onRun, onTry }: ToolsProps) {
  const blocks = draft.blocks.value;
  const copy = () => navigator.clipboard.writeText(JSON.stringify(toService([block]), null, 2)).then(() => notify("Copied as JSON."));
  const drop = () => {
    const before = blocks;
    draft.change(remove(blocks, block.key));
    draft.selected.value = undefined;
    notify(`“${block.name}” is gone.`, "good", () => draft.change(before));
  };
  return (
    <div class="row block-tools">
      <Button icon="play" disabled={isBusy} onPress={() => onTry({ blockId: block.key }, `Running “${block.name}”…`)}>
        Run this block
      </Button>
      <Button disabled={isBusy} onPress={() => onTry({ lastBlockId: block.key }, `Running to “${block.name}”…`)}>
        Run to here
      </Button>
      {block.id && !draft.isChanged.value && (
        <Button kind="quiet" icon="play" onPress={() => onRun(block.id!)}>
          Run from here
        </Button>
      )}
      <Button kind="quiet" icon="copy" onPress={copy}>
        Copy
      </Button>
      <Button kind="quiet" icon="plus" onPress={() => draft.change(insert(blocks, afterSelected(draft), [copyOf(block)]))}>
        Duplicate
      </Button>
      <Button kind="quiet" icon="trash" onPress={drop}>
        Delete
      </Button>
    </div>
  );
}

function newBlock(kind: Kind): Block {
  return {
    key: newKey(),
    type: kind.type,
    name: kind.title,
    locator: null,
    data: {},
    isCacheable: true,
    skipIfNotPresent: false,
    useWorkflowRecoveryAgent: false,
    transformerFn: "",
    sequenceData: Object.fromEntries(kind.sequences.map((one) => [one, []])),
  };
}

function afterSelected(draft: Draft): Place {
  const blocks = draft.blocks.value;
  const place = draft.selected.value ? placeOf(blocks, draft.selected.value) : undefined;
  return place ? { ...place, index: place.index + 1 } : { parent: null, sequence: "sequence", index: blocks.length };
}

function select(draft: Draft, key: string): void {
  draft.selected.value = key;
  if (find(draft.blocks.value, key)?.id) setQuery({ block: key });
}

function editorKey(event: KeyboardEvent, draft: Draft, save: () => Promise<unknown>): void {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key === "s") void save();
  else if (isCommand && !isTyping && event.key === "z" && !event.shiftKey) draft.undo();
  else if (isCommand && !isTyping && (event.key === "y" || (event.key === "z" && event.shiftKey))) draft.redo();
  else if (isCommand && !isTyping && event.key === "v") void paste(draft);
  else return;
  event.preventDefault();
}

/** Blocks from the clipboard, as JSON: one, a list, or a whole exported workflow. */
async function paste(draft: Draft): Promise<void> {
  try {
    const { fromService } = await import("./tree_edit");
    const parsed: unknown = JSON.parse(await navigator.clipboard.readText());
    const list = Array.isArray(parsed) ? parsed : [(parsed as { blocks?: unknown }).blocks ?? parsed].flat();
    draft.change(insert(draft.blocks.value, afterSelected(draft), fromService(list as never).map(copyOf)));
  } catch {
    notify("The clipboard holds no blocks.", "bad");
  }
}

async function exportFile(id: string, name: string): Promise<void> {
  const answer = await call("/workflows/export", { id });
  saveFile(JSON.stringify(answer, null, 2), `${name}.workflow.json`);
}

async function saveParameters(id: string, parameters: readonly Parameter[], output: string): Promise<void> {
  await call("/workflows/update", { id, parameters, output: output || null } as never);
  notify("Saved.");
}

