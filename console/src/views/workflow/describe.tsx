/** `Describe a step`: a sentence becomes blocks, shown as a diff before they are taken. */
import { useState } from "preact/hooks";
import { call, sentence } from "../../api/client";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { TextField } from "../../design/field";
import { differences } from "./diff";
import { DiffView } from "./diff_view";
import { copyOf, fromService, insert, type Blocks, type Place } from "./tree_edit";

interface Props {
  workflowId: string;
  executionId: string | null;
  blocks: Blocks;
  /** Where the new blocks go. */
  place: Place;
  onTake: (blocks: Blocks) => void;
  onClose: () => void;
}

export function Describe({ workflowId, executionId, blocks, place, onTake, onClose }: Props) {
  const [message, setMessage] = useState("");
  const [proposed, setProposed] = useState<Blocks>();
  const [problem, setProblem] = useState<string>();
  const propose = async () => {
    setProblem(undefined);
    try {
      const answer = await call("/workflows/blocks/chat", { workflowId, message, ...(executionId ? { instructorExecutionId: executionId } : {}) });
      setProposed(fromService(answer.blocks as unknown as Record<string, unknown>[]).map(copyOf));
    } catch (trouble) {
      setProblem(sentence(trouble));
    }
  };
  const after = proposed && insert(blocks, place, proposed);
  return (
    <Dialog title="Describe a step" onClose={onClose} wide>
      <TextField label="What should happen" help="Plain sentences: Open https://… and click Sign in. Then read the table of invoices." rows={4} value={message} onInput={setMessage} problem={problem} />
      <div class="row">
        <Button kind={proposed ? "quiet" : "primary"} disabled={!message.trim()} onPress={propose}>
          Propose blocks
        </Button>
      </div>
      {after && (
        <>
          <DiffView differences={differences(blocks, after)} />
          <div class="row dialog-actions">
            <Button onPress={onClose}>Leave it</Button>
            <Button kind="primary" icon="check" onPress={() => onTake(after)}>
              Apply
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
