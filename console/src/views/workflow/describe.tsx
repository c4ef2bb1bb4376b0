/** `Describe a step`: a sentence becomes blocks, shown as a diff before they are taken. */
import { useState } from "preact/hooks";
import { call, sentence, type Schemas } from "../../api/client";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { TextField } from "../../design/field";
import { Proposal } from "../execution/proposal";
import { find, type Blocks, type Place } from "./tree_edit";

interface Props {
  workflowId: string;
  executionId: string | null;
  /** The workflow as it is kept. */
  blocks: Blocks;
  /** Where the new blocks go. */
  place: Place;
  onApplied: (answer: Schemas["BlockList"]) => void;
  onClose: () => void;
}

export function Describe({ workflowId, executionId, blocks, place, onApplied, onClose }: Props) {
  const [message, setMessage] = useState("");
  const [threadId, setThread] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const propose = async () => {
    setProblem(undefined);
    setThread(undefined);
    try {
      const answer = await call("/workflows/blocks/chat", { workflowId, message, target: targetOf(blocks, place), ...(executionId ? { instructorExecutionId: executionId } : {}) } as Schemas["ChatAboutBlocks"]);
      setThread(answer.threadId);
    } catch (trouble) {
      setProblem(sentence(trouble));
    }
  };
  return (
    <Dialog title="Describe a step" onClose={onClose} wide>
      <TextField label="What should happen" help="Plain sentences: Open https://… and click Sign in. Then read the table of invoices." rows={4} value={message} onInput={setMessage} problem={problem} />
      <div class="row">
        <Button {...(threadId ? {} : { kind: "primary" })} disabled={!message.trim()} onPress={propose}>
          Propose blocks
        </Button>
      </div>
      {threadId && <Proposal by={{ threadId }} onApplied={onApplied} onDeclined={onClose} />}
    </Dialog>
  );
}

/** A place as the service names it: behind a block, or at the beginning of what holds it. */
function targetOf(blocks: Blocks, place: Place): object {
  const parent = place.parent === null ? undefined : find(blocks, place.parent);
  const siblings = place.parent === null ? blocks : (parent?.sequenceData[place.sequence] ?? []);
  const before = siblings[place.index - 1];
  if (before) return { type: "after", previousBlockId: before.id };
  return { type: "start", ...(parent ? { parentBlockId: parent.id, parentSequenceId: place.sequence } : {}) };
}
