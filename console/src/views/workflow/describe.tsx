/** `Describe a step`: turns sentences into blocks and shows them as a diff before they are applied. */
import { useState } from "preact/hooks";
import { ApiError, call, errorMessage, type Schemas } from "../../api/client";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { TextField } from "../../design/field";
import { Proposal } from "../execution/proposal";
import { OpenClauses, type PartlyUnderstood } from "./open_clauses";
import { findBlock, type Blocks, type Place, type SequenceName } from "./block_edits";

interface Props {
  workflowId: string;
  executionId: string | null;
  /** The saved blocks. */
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
  const [partly, setPartly] = useState<PartlyUnderstood>();
  const propose = async (text = message) => {
    setMessage(text);
    setProblem(undefined);
    setPartly(undefined);
    setThread(undefined);
    try {
      const answer = await call("/workflows/blocks/chat", {
        workflowId,
        message: text,
        target: targetOf(blocks, place),
        ...(executionId ? { instructorExecutionId: executionId } : {}),
      });
      setThread(answer.threadId);
    } catch (error) {
      const answer = error instanceof ApiError ? (error.answer as Partial<PartlyUnderstood>) : {};
      if (answer.understood && answer.notUnderstood?.length) setPartly(answer as PartlyUnderstood);
      else setProblem(errorMessage(error));
    }
  };
  return (
    <Dialog title="Describe a step" onClose={onClose} wide>
      <TextField
        label="What should happen"
        help="For example: Open https://… and click Sign in. Then read the table of invoices."
        rows={4}
        value={message}
        onInput={(text) => {
          setMessage(text);
          setPartly(undefined); // the places of its clauses are no longer those
        }}
        problem={problem}
      />
      <div class="row">
        <Button {...(threadId ? {} : { kind: "primary" })} disabled={!message.trim()} onPress={() => propose()}>
          Propose blocks
        </Button>
      </div>
      {partly && <OpenClauses message={message} partly={partly} onSettled={propose} />}
      {threadId && <Proposal by={{ threadId }} onApplied={onApplied} onDeclined={onClose} />}
    </Dialog>
  );
}

/** A place as the API names it: after a block, or at the start of a sequence. */
function targetOf(blocks: Blocks, place: Place): Schemas["Target"] {
  const parent = place.parent === null ? undefined : findBlock(blocks, place.parent);
  const siblings = place.parent === null ? blocks : (parent?.sequenceData[place.sequence] ?? []);
  const before = siblings[place.index - 1];
  if (before) return { type: "after", previousBlockId: before.key };
  return {
    type: "start",
    ...(parent ? { parentBlockId: parent.key, parentSequenceId: place.sequence as SequenceName } : {}),
  };
}
