/** Two runs of one workflow side by side, step by step, the first difference marked. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useReading } from "../../app/reading";
import { setQuery } from "../../app/router";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { useGrowing } from "../../design/growing";
import { Picture } from "../../design/picture";
import { Badge } from "../../design/status";
import { duration, Time } from "../../design/time";
import { allEvents } from "./events";
import { readRun, type Run } from "./run";
import { flatSteps, foundWords, stepsOf, type Step } from "./steps";

interface Pair {
  readonly mine: Step | undefined;
  readonly good: Step | undefined;
  readonly depth: number;
  readonly differs: string;
}

export function Comparison({ execution, steps, goodId }: { execution: Run; steps: readonly Step[]; goodId: string }) {
  const { value, problem } = useReading(`compare ${goodId}`, async () => {
    const [run, events] = await Promise.all([readRun(goodId), allEvents(goodId)]);
    return { run, steps: stepsOf(events) };
  });
  const pairs = useMemo(() => (value ? align(steps, value.steps, execution, value.run) : []), [steps, value]);
  return (
    <Card
      title="Compare with the last good run"
      flush
      actions={<Button kind="quiet" icon="close" label="Close the comparison" onPress={() => setQuery({ compare: "" })} />}
    >
      {problem && <Empty title={problem} />}
      {!problem && !value && <p role="status" class="pad">Loading…</p>}
      {value && (
        <>
          <p class="small muted pad">
            The last good run is <a href={`/executions/${goodId}`}>{value.run.name ?? goodId}</a>, started <Time iso={value.run.startTime} />.
          </p>
          <Pairs pairs={pairs} />
        </>
      )}
    </Card>
  );
}

function Pairs({ pairs }: { pairs: readonly Pair[] }) {
  const first = pairs.findIndex((one) => one.differs);
  const marked = useRef<HTMLTableRowElement>(null);
  const from = Math.max(0, first - 20); // what is equal long before the difference is of no interest
  const shownPairs = pairs.slice(from);
  const { shown, end } = useGrowing<HTMLTableRowElement>(shownPairs.length);
  useEffect(() => marked.current?.scrollIntoView({ block: "center" }), [first]);
  if (first < 0) return <Empty title="Both runs did the same." />;
  return (
    <table class="comparison" aria-label="Comparison">
      <thead>
        <tr>
          <th scope="col">This run</th>
          <th scope="col">Last good run</th>
        </tr>
      </thead>
      <tbody>
        {from > 0 && (
          <tr>
            <td colSpan={2} class="small muted">{`${from} equal steps`}</td>
          </tr>
        )}
        {shownPairs.slice(0, shown).map((one, index) => {
          const isFirst = from + index === first;
          return (
            <tr key={index} ref={isFirst ? marked : null} class={isFirst ? "first-difference" : one.differs ? "differs" : ""} aria-current={isFirst || undefined}>
              <td>
                {isFirst && <strong class="small difference-word">First difference: {one.differs}</strong>}
                <Side step={one.mine} depth={one.depth} withPicture={isFirst} />
              </td>
              <td>
                <Side step={one.good} depth={one.depth} withPicture={isFirst} />
              </td>
            </tr>
          );
        })}
        {shown < shownPairs.length && (
          <tr ref={end}>
            <td colSpan={2}>…</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function Side({ step, depth, withPicture }: { step: Step | undefined; depth: number; withPicture: boolean }) {
  if (!step) return <span class="muted small">did not run</span>;
  const kind = { running: "busy", done: "good", failed: "bad", skipped: "idle" }[step.state];
  const picture = step.after ?? step.before;
  return (
    <div class="side" data-depth={Math.min(depth, 4)}>
      <div class="row">
        <span class="step-title">{step.name}</span>
        <Badge kind={kind}>{step.state}</Badge>
        {step.found && step.found !== "exact" && <Badge>{foundWords(step.found)}</Badge>}
        {step.durationMs !== undefined && <span class="small muted">{duration(step.durationMs)}</span>}
      </div>
      {withPicture && <p class="small muted">{step.message}</p>}
      {withPicture && picture && <Picture url={picture} alt={`The page at “${step.name}”`} />}
    </div>
  );
}

/** Put the steps of both runs beside each other: the same block at the same turn belongs together. */
function align(mine: readonly Step[], good: readonly Step[], execution: Run, goodRun: Run): Pair[] {
  const left = [...flatSteps(mine)];
  const right = [...flatSteps(good)];
  const pairs: Pair[] = [];
  let at = 0;
  for (const { step, depth } of left) {
    const found = right.findIndex((other, index) => index >= at && other.step.blockId === step.blockId);
    for (const skipped of found < 0 ? [] : right.slice(at, found)) pairs.push({ mine: undefined, good: skipped.step, depth: skipped.depth, differs: "this step did not run" });
    const partner = found < 0 ? undefined : right[found]?.step;
    if (found >= 0) at = found + 1;
    pairs.push({ mine: step, good: partner, depth, differs: difference(step, partner, depth, execution, goodRun) });
  }
  for (const rest of right.slice(at)) pairs.push({ mine: undefined, good: rest.step, depth: rest.depth, differs: "this step did not run" });
  return pairs;
}

/** What is different between a step and its partner, in words; empty when nothing is. */
function difference(mine: Step, good: Step | undefined, depth: number, execution: Run, goodRun: Run): string {
  if (!good) return "this step is new";
  if (mine.state !== good.state) return `${mine.state} instead of ${good.state}`;
  if (mine.found !== good.found) return `its element was found ${foundWords(mine.found ?? "not at all")} instead of ${foundWords(good.found ?? "not at all")}`;
  if (depth > 0 || mine.rounds.length > 0) return "";
  const outputs = [execution, goodRun].map((run) => JSON.stringify(((run.context as { blocks?: Record<string, unknown> }).blocks ?? {})[mine.reference]));
  return outputs[0] === outputs[1] ? "" : "it put out something else";
}
