/** Before running from a block on: where its page, cookies and outputs come from, and what happens a second time. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { SelectField } from "../../design/field";
import { formatCount } from "../../design/format";
import { Picture } from "../../design/picture";
import { TextWithCode } from "../../design/text_with_code";
import { effectsOf } from "../execution/retry";
import { isFinished } from "../execution/run";
import { walkBlocks, type Block, type Blocks } from "./block_edits";
import type { Kinds } from "./kinds";
import type { BlockRange } from "./live_session";

interface Props {
  workflowId: string;
  blocks: Blocks;
  kinds: Kinds;
  block: Block;
  /** A live session is open: its page can be used as it is. */
  hasPage: boolean;
  /** The run to offer first; the last one without it. */
  executionId: string | null;
  onRun: (range: BlockRange, progressText: string, executionId?: string) => Promise<void>;
  onClose: () => void;
}

type Way = "page" | "earlier" | "repeat";

export function RunFromDialog({ workflowId, blocks, kinds, block, hasPage, executionId, onRun, onClose }: Props) {
  const listed = useQuery(`runs of ${workflowId}`, () => call("/executions/list", { workflowId, limit: 20 })).value;
  const runs = listed?.executions.filter(isFinished) ?? [];
  const [chosenId, choose] = useState(executionId);
  const [chosenWay, setWay] = useState<Way>();
  const chosen = runs.find((one) => one.id === chosenId) ?? runs[0];
  const way = chosenWay ?? (hasPage ? "page" : chosen ? "earlier" : "repeat");
  const order = [...walkBlocks(blocks)].map((one) => one.block);
  const at = order.findIndex((one) => one.key === block.key);
  const effects = effectsIn(way === "repeat" ? order : order.slice(at), kinds, chosen);
  const run = async () => {
    onClose();
    const text = `Running from “${block.name}”…`;
    if (way === "repeat") await onRun({}, text);
    else if (way === "page") await onRun({ firstBlockId: block.key }, text);
    else if (chosen) await onRun({ firstBlockId: block.key, continueExecutionId: chosen.id }, text, chosen.id);
  };
  if (!listed) return null;
  return (
    <Dialog title={`Run from “${block.name}”`} onClose={onClose} wide>
      <fieldset class="ways">
        <legend>Start with</legend>
        {hasPage && (
          <WayChoice value="page" way={way} onChoose={setWay} label="The page that is open now">
            With the results of the blocks that ran in this session.
          </WayChoice>
        )}
        <WayChoice value="earlier" way={way} onChoose={setWay} label="What an earlier run left" disabled={!chosen}>
          {chosen
            ? "Its results, the address before this block, the cookies and the login. Nothing before is run again."
            : "There is no earlier run yet."}
        </WayChoice>
        {way === "earlier" && chosen && (
          <SelectField
            label="Earlier run"
            value={chosen.id}
            onInput={choose}
            options={runs.map((one) => [one.id, runLabel(one)] as const)}
          />
        )}
        <WayChoice value="repeat" way={way} onChoose={setWay} label="The first block: repeat what comes before">
          {`Runs ${formatCount(at, "block")} again before this one.`}
        </WayChoice>
      </fieldset>
      {way === "repeat" && <Repeated blocks={order.slice(0, at)} runs={runs.slice(0, 3)} />}
      {effects.length > 0 && (
        <div class="banner" role="note">
          This has effects outside{chosen ? "; an earlier run may have had them already" : ""}:
          <ul>
            {effects.map((one) => (
              <li key={one}>
                <TextWithCode text={one} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="row dialog-actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button kind={effects.length ? "danger" : "primary"} icon="play" onPress={run}>
          {effects.length ? "Run anyway" : "Run"}
        </Button>
      </div>
    </Dialog>
  );
}

interface WayProps {
  value: Way;
  way: Way;
  label: string;
  children: string;
  disabled?: boolean;
  onChoose: (way: Way) => void;
}

function WayChoice({ value, way, label, children, disabled, onChoose }: WayProps) {
  return (
    <div class="check">
      <input
        type="radio"
        id={`way-${value}`}
        name="way"
        checked={way === value}
        disabled={disabled}
        aria-describedby={`way-${value}-help`}
        onChange={() => onChoose(value)}
      />
      <label for={`way-${value}`}>{label}</label>
      <div class="field-help" id={`way-${value}-help`}>
        {children}
      </div>
    </div>
  );
}

/** What is repeated, with the newest pictures of earlier runs. */
function Repeated({ blocks, runs }: { blocks: readonly Block[]; runs: readonly { id: string }[] }) {
  const pictures = useQuery(`pictures of ${runs.map((one) => one.id).join()}`, async () => {
    const events = await Promise.all(runs.map(({ id }) => call("/executions/events", { id, limit: 1000 })));
    return new Map(
      events
        .reverse()
        .flatMap((answer) => answer.events)
        .flatMap((one) => (one.blockId && one.screenshotUrl ? [[one.blockId, one.screenshotUrl]] : [])),
    );
  }).value;
  return (
    <ol class="repeated" aria-label="Blocks that are repeated">
      {blocks.map((one) => {
        const url = pictures?.get(one.key);
        return (
          <li key={one.key}>
            <span class="small">{one.name}</span>
            {url && <Picture url={url} alt={`The page after “${one.name}” in the earlier run`} />}
          </li>
        );
      })}
    </ol>
  );
}

type ListedRun = { readonly metadata: Record<string, unknown> };

/** What the blocks do outside: what an earlier run did in them, and blocks that send something by their kind. */
function effectsIn(blocks: readonly Block[], kinds: Kinds, run: ListedRun | undefined): readonly string[] {
  const known = new Map((run ? effectsOf([run]) : []).map((one) => [one.blockReferenceId, one.what]));
  return blocks.flatMap((one) => {
    const what = one.blockReferenceId && known.get(one.blockReferenceId);
    if (what) return [`“${one.name}”: ${what}`];
    return kinds.get(one.type)?.group === "outside" ? [`“${one.name}” sends something`] : [];
  });
}

function runLabel(run: {
  name?: string | null;
  status: string;
  startTime: string;
  metadata: Record<string, unknown>;
}): string {
  const name = run.metadata["liveSession"] ? "Live session" : (run.name ?? "Run");
  return `${name}, ${run.status}, ${new Date(run.startTime).toLocaleString()}`;
}
