/** The list `Steps`: nested, rounds folded, each step with its picture and what went in and out. */
import { useState } from "preact/hooks";
import { Button } from "../../design/button";
import { Icon } from "../../design/icon";
import { JsonView } from "../../design/json";
import { Badge } from "../../design/status";
import { duration } from "../../design/time";
import type { Step } from "./steps";

interface Actions {
  readonly kindOf: (blockId: string) => string;
  readonly inputOf: (blockId: string) => unknown;
  readonly outputOf: (reference: string) => unknown;
  readonly runFrom?: (blockId: string) => Promise<unknown>;
}

const WORD = { running: "running", done: "done", failed: "failed", skipped: "skipped" } as const;
const KIND = { running: "busy", done: "good", failed: "bad", skipped: "idle" } as const;

export function StepList({ steps, actions, label }: { steps: readonly Step[]; actions: Actions; label?: string }) {
  return (
    <ol class="steps" aria-label={label}>
      {steps.map((step) => (
        <StepItem key={step.seq} step={step} actions={actions} />
      ))}
    </ol>
  );
}

function StepItem({ step, actions }: { step: Step; actions: Actions }) {
  const [isOpen, setOpen] = useState(step.state === "failed");
  const kind = actions.kindOf(step.blockId);
  return (
    <li class={`step ${step.state}`}>
      <div class="step-line">
        <button type="button" class="step-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="step-arrow" aria-hidden="true">
            <Icon name={isOpen ? "down" : "right"} />
          </span>
          <span class="step-name">
            <span class="step-title">{step.name}</span>
            <span class="muted small clip">{step.message && step.message !== `${step.name} is done` ? step.message : kind}</span>
          </span>
        </button>
        <span class="step-facts small">
          {step.found && step.found !== "exact" && <Badge kind={step.found === "healed" ? "warn" : "idle"}>{step.found}</Badge>}
          {step.durationMs !== undefined && <span class="muted">{duration(step.durationMs)}</span>}
          <Badge kind={KIND[step.state]}>{WORD[step.state]}</Badge>
        </span>
      </div>
      {isOpen && <Details step={step} kind={kind} actions={actions} />}
      {step.rounds.length > 0 && <Rounds rounds={step.rounds} actions={actions} />}
    </li>
  );
}

function Details({ step, kind, actions }: { step: Step; kind: string; actions: Actions }) {
  const input = actions.inputOf(step.blockId);
  const output = actions.outputOf(step.reference);
  const run = actions.runFrom;
  return (
    <div class="step-details">
      <div class="row spread">
        <span class="small muted">
          {[kind, step.reference && `\`${step.reference}\``, step.found && `found by ${step.found}`].filter(Boolean).join(" · ")}
        </span>
        {run && (
          <Button kind="quiet" icon="play" onPress={() => run(step.blockId)}>
            Run from here
          </Button>
        )}
      </div>
      {(step.before ?? step.after) && (
        <div class="step-pictures">
          {step.before && <Picture url={step.before} word="Before" name={step.name} />}
          {step.after && <Picture url={step.after} word="After" name={step.name} />}
        </div>
      )}
      {input !== undefined && <Folded title="Input" value={input} />}
      {output !== undefined && <Folded title="Output" value={output} />}
      {Object.keys(step.data).length > 0 && <Folded title="Details" value={step.data} />}
    </div>
  );
}

function Picture({ url, word, name }: { url: string; word: string; name: string }) {
  return (
    <figure>
      <a href={url} target="_blank" rel="noreferrer">
        <img src={url} alt={`The page ${word.toLowerCase()} “${name}”`} loading="lazy" />
      </a>
      <figcaption class="small muted">{word}</figcaption>
    </figure>
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

function Rounds({ rounds, actions }: { rounds: readonly (readonly Step[])[]; actions: Actions }) {
  if (rounds.length === 1) return <StepList steps={rounds[0] ?? []} actions={actions} />;
  return (
    <ol class="rounds">
      {rounds.map((round, index) => (
        <Round key={index} round={round} number={index + 1} actions={actions} />
      ))}
    </ol>
  );
}

function Round({ round, number, actions }: { round: readonly Step[]; number: number; actions: Actions }) {
  const hasFailed = round.some((one) => one.state === "failed");
  const [isOpen, setOpen] = useState(hasFailed);
  return (
    <li>
      <button type="button" class="round-head small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "down" : "right"} /> Round {number}
        {hasFailed && <Badge kind="bad">failed</Badge>}
      </button>
      {isOpen && <StepList steps={round} actions={actions} />}
    </li>
  );
}
