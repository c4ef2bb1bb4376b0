/** The editor's heading: the workflow's name, version and actions. */
import { hasScope } from "../../app/session";
import { Button } from "../../design/button";
import { chooseFiles } from "../../design/choose_files";
import { Badge } from "../../design/status";
import { exportWorkflow, importWorkflow, notifyUndoable } from "./clipboard";
import type { Block } from "./block_edits";
import type { Draft } from "./draft";
import type { BlockRange } from "./live_session";
import { RunMenu } from "./run_menu";

interface Props {
  workflowId: string;
  draft: Draft;
  isBusy: boolean;
  isRecording: boolean;
  onSave: () => Promise<unknown>;
  onDescribe: () => Promise<unknown>;
  onStart: () => Promise<unknown>;
  onRun: (range: BlockRange, progressText: string) => Promise<void>;
  onRunFrom: (block: Block) => void;
  onRecord: () => Promise<unknown>;
}

export function EditorHead({
  workflowId,
  draft,
  isBusy,
  isRecording,
  onSave,
  onDescribe,
  onStart,
  onRun,
  onRunFrom,
  onRecord,
}: Props) {
  const importFile = async () => {
    const [file] = await chooseFiles({ accept: ".json,application/json", multiple: false });
    if (file) await importWorkflow(draft, file);
  };
  const discard = () => {
    draft.discard();
    notifyUndoable(draft, "Your changes are discarded.");
  };
  return (
    <div class="view-head">
      <div class="row">
        <h1>{draft.content.value.name}</h1>
        <span class="small muted">version {draft.base.value.version}</span>
        {draft.isChanged.value && (
          <>
            <Badge kind="warn">Not saved</Badge>
            <Button needs="edit" kind="quiet" icon="trash" label="Discard changes" onPress={discard} />
          </>
        )}
      </div>
      <div class="row">
        <Button
          needs="edit"
          kind="quiet"
          icon="undo"
          label="Undo"
          disabled={!draft.canUndo.value}
          onPress={() => draft.undo()}
        />
        <Button
          needs="edit"
          kind="quiet"
          icon="redo"
          label="Redo"
          disabled={!draft.canRedo.value}
          onPress={() => draft.redo()}
        />
        <Button compact needs="edit" kind="quiet" icon="upload" onPress={importFile}>
          Import
        </Button>
        <Button
          compact
          kind="quiet"
          icon="download"
          onPress={() => exportWorkflow(workflowId, draft.content.value.name)}
        >
          Export
        </Button>
        <Button compact needs="edit" kind="quiet" icon="describe" onPress={onDescribe}>
          Describe a step
        </Button>
        {!isRecording && hasScope("run") && (
          <Button needs="edit" icon="record" disabled={isBusy} onPress={onRecord}>
            Record
          </Button>
        )}
        <Button
          needs="edit"
          icon="check"
          disabled={!draft.isChanged.value || draft.theirs.value !== undefined}
          onPress={onSave}
        >
          Save
        </Button>
        <RunMenu block={draft.block.value} isBusy={isBusy} onRun={onRun} onRunFrom={onRunFrom} onStart={onStart} />
      </div>
    </div>
  );
}
