/** The list `Steps`: nested steps with their screenshots, inputs and outputs; rounds of a loop are folded. */
import { useState } from "preact/hooks";
import { Button } from "../../design/button";
import { formatCount, formatDuration } from "../../design/format";
import { Icon } from "../../design/icon";
import { useInfiniteScroll } from "../../design/infinite_scroll";
import { JsonView } from "../../design/json";
import { Picture } from "../../design/picture";
import { Badge } from "../../design/status";
import { TextWithCode } from "../../design/text_with_code";
import { Healed } from "./healed";
import { outputsOfRound, type Outputs } from "./run";
import { describeFound, kindTitle, type Step } from "./steps";

type RunFrom = ((blockId: string) => Promise<unknown>) | undefined;

interface Props {
  steps: readonly Step[];
  outputs: Outputs;
  runFrom: RunFrom;
  label?: string;
}

const LABEL = { running: "running", done: "done", failed: "failed", skipped: "skipped" } as const;
const KIND = { running: "busy", done: "good", failed: "bad", skipped: "idle" } as const;

export function StepList({ steps, outputs, runFrom, label }: Props) {
  const { visibleCount, sentinel } = useInfiniteScroll<HTMLLIElement>(steps.length);
  return (
    <ol class="steps" aria-label={label}>
      {steps.slice(0, visibleCount).map((step, index) => (
        <>
          {label && step.attempt > 1 && step.attempt !== steps[index - 1]?.attempt && (
            <li key={`attempt ${step.attempt}`} class="attempt small muted">
              Attempt {step.attempt}
            </li>
          )}
          <StepItem key={step.seq} step={step} outputs={outputs} runFrom={runFrom} />
        </>
      ))}
      {visibleCount < steps.length && (
        <li ref={sentinel} class="attempt small muted">{`${steps.length - visibleCount} more`}</li>
      )}
    </ol>
  );
}

function StepItem({ step, outputs, runFrom }: { step: Step; outputs: Outputs; runFrom: RunFrom }) {
  const [isOpen, setOpen] = useState(step.state === "failed" && step.rounds.length === 0);
  const kind = kindTitle(step.kind);
  const note =
    step.message && step.message !== `${step.name} is done` ? step.message.replace(`${step.name} failed: `, "") : "";
  return (
    <li class={`step ${step.state}`}>
      <div class="step-line">
        <button type="button" class="step-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="step-arrow" aria-hidden="true">
            <Icon name={isOpen ? "down" : "right"} />
          </span>
          <span class="step-name">
            <span class="step-title">
              {step.name}
              {kind && kind !== step.name && <span class="step-kind small">{kind}</span>}
            </span>
            {note && (
              <span class="muted small clip">
                <TextWithCode text={note} />
              </span>
            )}
          </span>
        </button>
        <span class="step-facts small">
          {step.found && step.found !== "exact" && (
            <Badge kind={step.found === "healed" ? "warn" : "idle"}>{describeFound(step.found)}</Badge>
          )}
          {step.modelCalls > 0 && <Badge kind="busy">{formatCount(step.modelCalls, "model call")}</Badge>}
          {step.durationMs !== undefined && <span class="muted step-took">{formatDuration(step.durationMs)}</span>}
          <Badge kind={KIND[step.state]}>{LABEL[step.state]}</Badge>
        </span>
      </div>
      {isOpen && <Details step={step} kind={kind} output={outputs[step.reference]} runFrom={runFrom} />}
      {step.rounds.length > 0 && <Rounds step={step} outputs={outputs} runFrom={runFrom} />}
    </li>
  );
}

function Details({ step, kind, output, runFrom }: { step: Step; kind: string; output: unknown; runFrom: RunFrom }) {
  return (
    <div class="step-details">
      <div class="row spread">
        <dl class="facts small">
          <dt>Kind</dt>
          <dd>{kind || "–"}</dd>
          {step.reference && (
            <>
              <dt>Reference</dt>
              <dd class="mono">{step.reference}</dd>
            </>
          )}
          {step.found && (
            <>
              <dt>Element found</dt>
              <dd>{describeFound(step.found)}</dd>
            </>
          )}
          {step.modelCalls > 0 && (
            <>
              <dt>Model calls</dt>
              <dd>{step.modelCalls}</dd>
            </>
          )}
        </dl>
        {runFrom && (
          <Button needs="run" icon="play" onPress={() => runFrom(step.blockId)}>
            Run from here
          </Button>
        )}
      </div>
      {step.healing && <Healed healing={step.healing} />}
      {step.state === "failed" && (
        <p class="step-problem">
          <TextWithCode text={step.message} />
        </p>
      )}
      {(step.before ?? step.after) && (
        <div class="step-pictures">
          {step.before && (
            <Picture
              url={step.before}
              alt={`The page before “${step.name}”`}
              caption={step.place ? "Before; the element is marked" : "Before"}
              mark={step.place}
            />
          )}
          {step.after && <Picture url={step.after} alt={`The page after “${step.name}”`} caption="After" />}
        </div>
      )}
      <Lines lines={step.notes.slice(0, 20)} />
      <Lines title="Console" lines={step.console} />
      <Lines title="Failed requests" lines={step.failedRequests} />
      {step.input !== undefined && <Folded title="Input" value={step.input} />}
      {output !== undefined && <Folded title="Output" value={output} />}
    </div>
  );
}

function Lines({ title, lines }: { title?: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div role={title === undefined ? undefined : "group"} aria-label={title}>
      {title && <p class="small muted">{title}</p>}
      <ul class="step-notes small">
        {lines.map((line, index) => (
          <li key={index}>{title ? line : <TextWithCode text={line} />}</li>
        ))}
      </ul>
    </div>
  );
}

function Folded({ title, value }: { title: string; value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <JsonView value={value} name={title.toLowerCase()} />}
    </details>
  );
}

function Rounds({ step, outputs, runFrom }: { step: Step; outputs: Outputs; runFrom: RunFrom }) {
  const { rounds } = step;
  const { visibleCount, sentinel } = useInfiniteScroll<HTMLLIElement>(rounds.length);
  const outputsOf = (round: number) => outputsOfRound(step, outputs, round);
  if (rounds.length === 1) return <StepList steps={rounds[0] ?? []} outputs={outputsOf(0)} runFrom={runFrom} />;
  return (
    <ol class="rounds" aria-label={`Rounds of ${step.name}`}>
      {rounds.slice(0, visibleCount).map((round, index) => (
        <Round key={index} round={round} number={index + 1} outputs={outputsOf(index)} runFrom={runFrom} />
      ))}
      {visibleCount < rounds.length && (
        <li ref={sentinel} class="attempt small muted">{`${rounds.length - visibleCount} more rounds`}</li>
      )}
    </ol>
  );
}

function Round({
  round,
  number,
  outputs,
  runFrom,
}: {
  round: readonly Step[];
  number: number;
  outputs: Outputs;
  runFrom: RunFrom;
}) {
  const hasFailed = round.some((one) => one.state === "failed");
  const isRunning = round.some((one) => one.state === "running");
  const [chosen, setOpen] = useState<boolean>();
  const isOpen = chosen ?? (hasFailed || isRunning);
  const totalMs = round.reduce((sum, one) => sum + (one.durationMs ?? 0), 0);
  return (
    <li>
      <button type="button" class="round-head small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "down" : "right"} /> Round {number}
        <span class="muted">{formatCount(round.length, "step")}</span>
        <span class="muted step-took">{formatDuration(totalMs)}</span>
        {hasFailed && <Badge kind="bad">failed</Badge>}
        {isRunning && <Badge kind="busy">running</Badge>}
      </button>
      {isOpen && <StepList steps={round} outputs={outputs} runFrom={runFrom} />}
    </li>
  );
}
