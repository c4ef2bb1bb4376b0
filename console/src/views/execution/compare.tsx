/** Two runs of one workflow side by side, step by step, with the first difference highlighted. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { setSearchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState } from "../../design/card";
import { formatDuration } from "../../design/format";
import { useInfiniteScroll } from "../../design/infinite_scroll";
import { Picture } from "../../design/picture";
import { Badge } from "../../design/status";
import { Time } from "../../design/time";
import { allEvents } from "./events";
import { readRun, type Run } from "./run";
import { flatSteps, describeFound, stepsOf, type Step } from "./steps";

interface Pair {
  readonly mine: Step | undefined;
  readonly good: Step | undefined;
  readonly depth: number;
  /** How the two steps differ, in words; empty if they do not. */
  readonly difference: string;
}

export function Comparison({ execution, steps, goodId }: { execution: Run; steps: readonly Step[]; goodId: string }) {
  const { value, problem } = useQuery(`compare ${goodId}`, async () => {
    const [run, events] = await Promise.all([readRun(goodId), allEvents(goodId)]);
    return { run, steps: stepsOf(events) };
  });
  const pairs = useMemo(() => (value ? align(steps, value.steps, execution, value.run) : []), [steps, value]);
  return (
    <Card
      title="Compare with the last good run"
      flush
      actions={
        <Button
          kind="quiet"
          icon="close"
          label="Close the comparison"
          onPress={() => setSearchParams({ compare: "" })}
        />
      }
    >
      {problem && <EmptyState title={problem} />}
      {!problem && !value && (
        <p role="status" class="pad">
          Loading…
        </p>
      )}
      {value && (
        <>
          <p class="small muted pad">
            The last good run is <a href={`/executions/${goodId}`}>{value.run.name ?? goodId}</a>, started{" "}
            <Time iso={value.run.startTime} />.
          </p>
          <Pairs pairs={pairs} />
        </>
      )}
    </Card>
  );
}

function Pairs({ pairs }: { pairs: readonly Pair[] }) {
  const first = pairs.findIndex((one) => one.difference);
  const firstDifferenceRow = useRef<HTMLTableRowElement>(null);
  const from = Math.max(0, first - 20); // hide what is equal long before the first difference
  const visiblePairs = pairs.slice(from);
  const { visibleCount, sentinel } = useInfiniteScroll<HTMLTableRowElement>(visiblePairs.length);
  useEffect(() => firstDifferenceRow.current?.scrollIntoView({ block: "center" }), [first]);
  if (first < 0) return <EmptyState title="Both runs did the same steps with the same results." />;
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
        {visiblePairs.slice(0, visibleCount).map((one, index) => {
          const isFirst = from + index === first;
          return (
            <tr
              key={index}
              ref={isFirst ? firstDifferenceRow : null}
              class={isFirst ? "first-difference" : one.difference ? "differs" : ""}
              aria-current={isFirst || undefined}
            >
              <td>
                {isFirst && <strong class="small difference-word">First difference: {one.difference}</strong>}
                <StepCell step={one.mine} depth={one.depth} withPicture={isFirst} />
              </td>
              <td>
                <StepCell step={one.good} depth={one.depth} withPicture={isFirst} />
              </td>
            </tr>
          );
        })}
        {visibleCount < visiblePairs.length && (
          <tr ref={sentinel}>
            <td colSpan={2}>…</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function StepCell({ step, depth, withPicture }: { step: Step | undefined; depth: number; withPicture: boolean }) {
  if (!step) return <span class="muted small">did not run</span>;
  const kind = { running: "busy", done: "good", failed: "bad", skipped: "idle" }[step.state];
  const picture = step.after ?? step.before;
  return (
    <div class="side" data-depth={Math.min(depth, 4)}>
      <div class="row">
        <span class="step-title">{step.name}</span>
        <Badge kind={kind}>{step.state}</Badge>
        {step.found && step.found !== "exact" && <Badge>{describeFound(step.found)}</Badge>}
        {step.durationMs !== undefined && <span class="small muted">{formatDuration(step.durationMs)}</span>}
      </div>
      {withPicture && <p class="small muted">{step.message}</p>}
      {withPicture && picture && <Picture url={picture} alt={`The page at “${step.name}”`} />}
    </div>
  );
}

/** Pair the steps of both runs: the same block, in the same order. */
function align(mine: readonly Step[], good: readonly Step[], execution: Run, goodRun: Run): Pair[] {
  const left = [...flatSteps(mine)];
  const right = [...flatSteps(good)];
  const pairs: Pair[] = [];
  let at = 0;
  for (const { step, depth } of left) {
    const found = right.findIndex((other, index) => index >= at && other.step.blockId === step.blockId);
    for (const skipped of found < 0 ? [] : right.slice(at, found))
      pairs.push({ mine: undefined, good: skipped.step, depth: skipped.depth, difference: "this step did not run" });
    const partner = found < 0 ? undefined : right[found]?.step;
    if (found >= 0) at = found + 1;
    pairs.push({
      mine: step,
      good: partner,
      depth,
      difference: describeDifference(step, partner, depth, execution, goodRun),
    });
  }
  for (const rest of right.slice(at))
    pairs.push({ mine: undefined, good: rest.step, depth: rest.depth, difference: "this step did not run" });
  return pairs;
}

/** How a step differs from its partner, in words; empty if it does not. */
function describeDifference(mine: Step, good: Step | undefined, depth: number, execution: Run, goodRun: Run): string {
  if (!good) return "this step is new";
  if (mine.state !== good.state) return `${mine.state} instead of ${good.state}`;
  if (mine.found !== good.found)
    return `its element was found ${describeFound(mine.found ?? "not at all")} instead of ${describeFound(good.found ?? "not at all")}`;
  if (depth > 0 || mine.rounds.length > 0) return "";
  const outputs = [execution, goodRun].map((run) =>
    JSON.stringify(((run.context as { blocks?: Record<string, unknown> }).blocks ?? {})[mine.reference]),
  );
  return outputs[0] === outputs[1] ? "" : "its output is different";
}
