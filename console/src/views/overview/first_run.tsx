/** The welcome card of a new installation: the demo run with its screenshots, and three things to try. */
import { call, type Schemas } from "../../api/client";
import { navigate } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card } from "../../design/card";
import { notify } from "../../design/notice";
import { Status } from "../../design/status";

type Demo = NonNullable<Schemas["DemoAnswer"]["demo"]>;

const MAX_PICTURES = 6;

export function FirstRun({ demo }: { demo: Demo }) {
  const id = demo.executionId;
  const concerns = { nouns: ["execution", "event"], concerns: (change: { id: string }) => change.id === id };
  const run = useQuery(`first run ${id}`, async () => (id ? call("/executions/get", { id }) : undefined), concerns)
    .value?.execution;
  const events =
    useQuery(
      `first run events ${id}`,
      async () => (id ? call("/executions/events", { id, limit: 1000 }) : undefined),
      concerns,
    ).value?.events ?? [];
  const pictures = events.filter((one) => one.screenshotUrl);
  return (
    <Card title="Welcome to Pagehand">
      <p>
        This workflow signed in to <a href={demo.url}>the demo portal</a> with a stored login and a one-time code, read
        three pages of claims and downloaded the letters of the open ones. {run && <Status value={run.status} />}
      </p>
      {pictures.length > 0 && id && (
        <a class="film" href={`/executions/${id}`} aria-label="Look at the demo run step by step">
          {sample(pictures).map((one) => (
            <img key={one.seq} src={one.screenshotUrl ?? ""} alt="" />
          ))}
        </a>
      )}
      {demo.isBroken && (
        <p class="muted">
          The portal is broken: its ids, classes, labels and the order of its elements have changed. Run the workflow
          again and watch it heal.
        </p>
      )}
      <div class="row">
        <Button needs="run" kind="primary" icon="play" onPress={() => runLive(demo)}>
          Run it live
        </Button>
        <Button needs="edit" onPress={() => setBroken(!demo.isBroken)}>
          {demo.isBroken ? "Restore the portal" : "Break the portal"}
        </Button>
        <Button needs="edit" icon="plus" onPress={buildWorkflow}>
          Build a workflow
        </Button>
      </div>
    </Card>
  );
}

async function runLive(demo: Demo): Promise<void> {
  const { execution } = await call("/workflows/execute", { workflowId: demo.workflowId, name: "Run by hand" });
  navigate(`/executions/${execution.id}`);
}

async function setBroken(isBroken: boolean): Promise<void> {
  await call("/demo/break", { isBroken });
  notify(isBroken ? "The portal's markup has changed." : "The portal is restored.");
}

async function buildWorkflow(): Promise<void> {
  const { workflow } = await call("/workflows/create", { name: "My first workflow", blocks: [] });
  navigate(`/workflows/${workflow.id}`);
}

/** Up to `MAX_PICTURES` items, evenly spaced from first to last. */
function sample<T>(all: readonly T[]): readonly T[] {
  if (all.length <= MAX_PICTURES) return all;
  return Array.from(
    { length: MAX_PICTURES },
    (_, index) => all[Math.round((index * (all.length - 1)) / (MAX_PICTURES - 1))]!,
  );
}
