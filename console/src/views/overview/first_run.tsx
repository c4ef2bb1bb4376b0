/** What a new installation shows: the demo's run with its pictures, and three things to try. */
import { call, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { go } from "../../app/router";
import { Button } from "../../design/button";
import { Card } from "../../design/card";
import { notify } from "../../design/notice";
import { Status } from "../../design/status";

type Demo = NonNullable<Schemas["DemoAnswer"]["demo"]>;

const PICTURES = 6;

export function FirstRun({ demo }: { demo: Demo }) {
  const id = demo.executionId;
  const concerns = { nouns: ["execution", "event"], concerns: (change: { id: string }) => change.id === id };
  const run = useReading(`first run ${id}`, async () => (id ? call("/executions/get", { id }) : undefined), concerns).value?.execution;
  const events = useReading(`first run events ${id}`, async () => (id ? call("/executions/events", { id, limit: 1000 }) : undefined), concerns).value?.events ?? [];
  const pictures = events.filter((one) => one.screenshotUrl);
  return (
    <Card title="Welcome to Pagehand">
      <p>
        A workflow signed in to <a href={demo.url}>the demo portal</a> with a stored login and a one-time code, read three pages of claims and
        downloaded the letters of those that are open. {run && <Status value={run.status} />}
      </p>
      {pictures.length > 0 && id && (
        <a class="film" href={`/executions/${id}`} aria-label="Look at the demo run step by step">
          {spread(pictures).map((one) => (
            <img key={one.seq} src={one.screenshotUrl ?? ""} alt="" />
          ))}
        </a>
      )}
      {demo.isBroken && (
        <p class="muted">The portal is broken now: ids, classes, labels and the order of things have changed. Run the workflow and watch it find its way.</p>
      )}
      <div class="row">
        <Button needs="run" kind="primary" icon="play" onPress={() => runLive(demo)}>
          Run it live
        </Button>
        <Button needs="edit" onPress={() => setBroken(!demo.isBroken)}>{demo.isBroken ? "Mend the portal" : "Break the portal"}</Button>
        <Button needs="edit" icon="plus" onPress={build}>
          Build a workflow
        </Button>
      </div>
    </Card>
  );
}

async function runLive(demo: Demo): Promise<void> {
  const { execution } = await call("/workflows/execute", { workflowId: demo.workflowId, name: "Run by hand" });
  go(`/executions/${execution.id}`);
}

async function setBroken(isBroken: boolean): Promise<void> {
  await call("/demo/break", { isBroken });
  notify(isBroken ? "The portal's markup has changed." : "The portal is as it was.");
}

async function build(): Promise<void> {
  const { workflow } = await call("/workflows/create", { name: "My first workflow", blocks: [] });
  go(`/workflows/${workflow.id}`);
}

/** A few pictures from the beginning to the end. */
function spread<T>(all: readonly T[]): readonly T[] {
  if (all.length <= PICTURES) return all;
  return Array.from({ length: PICTURES }, (_, index) => all[Math.round((index * (all.length - 1)) / (PICTURES - 1))]!);
}
