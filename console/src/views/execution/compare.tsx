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
import { outputsOf, outputsOfRound, readRun, type Outputs, type Run } from "./run";
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
  const pairs = useMemo(
    () =>
      value
        ? align({ steps, outputs: outputsOf(execution) }, { steps: value.steps, outputs: outputsOf(value.run) })
        : [],
    [steps, value],
  );
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

interface Side {
  readonly steps: readonly Step[];
  readonly outputs: Outputs;
}

/** Pair the steps of both runs: the same block, in the same order, in the same round. */
function align(mine: Side, good: Side, depth = 0): Pair[] {
  const pairs: Pair[] = [];
  let at = 0;
  const onlyGood = (until: number) => {
    for (; at < until; at += 1) pairs.push(...alone("good", good.steps[at]!, depth));
  };
  for (const step of mine.steps) {
    const found = good.steps.findIndex((other, index) => index >= at && other.blockId === step.blockId);
    onlyGood(found);
    const partner = good.steps[found];
    if (!partner) {
      pairs.push(...alone("mine", step, depth));
      continue;
    }
    at = found + 1;
    const inner = alignRounds([step, mine.outputs], [partner, good.outputs], depth + 1);
    // a step that differs by one inside it is not the first to differ
    const isInside = inner.some((one) => one.difference);
    const difference = isInside ? "" : describeDifference(step, partner, mine.outputs, good.outputs);
    pairs.push({ mine: step, good: partner, depth, difference }, ...inner);
  }
  onlyGood(good.steps.length);
  return pairs;
}

function alignRounds(mine: readonly [Step, Outputs], good: readonly [Step, Outputs], depth: number): Pair[] {
  const count = Math.max(mine[0].rounds.length, good[0].rounds.length);
  const side = ([step, outputs]: readonly [Step, Outputs], round: number): Side => ({
    steps: step.rounds[round] ?? [],
    outputs: outputsOfRound(step, outputs, round),
  });
  return Array.from({ length: count }, (_, round) => align(side(mine, round), side(good, round), depth)).flat();
}

/** A step and those inside, of one of the runs. */
function alone(side: "mine" | "good", step: Step, depth: number): Pair[] {
  const difference = side === "mine" ? "this step is new" : "this step did not run";
  return [...flatSteps([step], depth)].map((one) => ({
    mine: undefined,
    good: undefined,
    [side]: one.step,
    depth: one.depth,
    difference,
  }));
}

/** How a step differs from its partner, in words; empty if it does not. */
function describeDifference(mine: Step, good: Step, mineOutputs: Outputs, goodOutputs: Outputs): string {
  if (mine.state !== good.state) return `${mine.state} instead of ${good.state}`;
  if (mine.found !== good.found)
    return `its element was found ${describeFound(mine.found ?? "not at all")} instead of ${describeFound(good.found ?? "not at all")}`;
  const [own, other] = [mineOutputs, goodOutputs].map((one) => JSON.stringify(one[mine.reference], withoutIds));
  return own === other ? "" : "its output is different";
}

/** A file has another id and address in every run. */
function withoutIds(_: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || !("downloadUrl" in value)) return value;
  return { ...value, id: "", key: "", downloadUrl: "" };
}
