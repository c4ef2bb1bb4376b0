/** Schedules: when workflows start by the clock, what became of it, and a switch for each. */
import { useState } from "preact/hooks";
import { call, sentence, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { go } from "../../app/router";
import { may } from "../../app/session";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { ask } from "../../design/dialog";
import { CheckField } from "../../design/field";
import { notify } from "../../design/notice";
import { History } from "./history";
import { ScheduleForm } from "./schedule_form";

export type Schedule = Schemas["Schedule"];

export default function Schedules() {
  const { value, problem } = useReading("schedules", () => call("/schedules/list", { limit: 1000 }), { nouns: ["schedule", "execution"] });
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div class="view-head">
        <h1>Schedules</h1>
        <Button needs="edit" kind="primary" icon="plus" onPress={() => setNew(true)}>
          New schedule
        </Button>
      </div>
      {problem && <Empty title={problem} />}
      {value?.total === 0 && (
        <Card>
          <Empty title="No schedules yet.">They start a workflow at certain times.</Empty>
        </Card>
      )}
      <div class="stack">
        {value?.schedules.map((one) => (
          <One key={one.id} schedule={one} after={value} />
        ))}
      </div>
      {isNew && <ScheduleForm onClose={() => setNew(false)} />}
    </>
  );
}

function One({ schedule, after }: { schedule: Schedule; after: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const [isEdited, setEdited] = useState(false);
  const title = schedule.name ?? schedule.workflow.name;
  const drop = async () => {
    if (await ask("Delete this schedule", "Its history goes too; its executions stay.", "Delete it")) await call("/schedules/delete", { id: schedule.id });
  };
  const runNow = async () => {
    const { execution } = await call("/schedules/run", { id: schedule.id });
    go(`/executions/${execution.id}`);
  };
  return (
    <Card
      title={title}
      actions={may("edit") && <CheckField label={`${title} is on`} checked={schedule.enabled} onInput={(enabled) => void turn(schedule.id, enabled)} />}
    >
      <p>
        {schedule.description} <span class="muted">({schedule.timeZone})</span>
      </p>
      <p class="small muted">
        <a href={`/workflows/${schedule.workflow.id}`}>{schedule.workflow.name}</a> · <code>{schedule.cron}</code>
      </p>
      <NextRuns schedule={schedule} />
      <div class="row card-actions">
        <Button needs="run" icon="play" onPress={runNow}>
          Run now
        </Button>
        <Button needs="edit" onPress={() => setEdited(true)}>Change</Button>
        <Button expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          History
        </Button>
        <Button needs="edit" kind="quiet" icon="trash" label={`Delete ${title}`} onPress={drop} />
      </div>
      {isOpen && <History id={schedule.id} after={after} />}
      {isEdited && <ScheduleForm schedule={schedule} onClose={() => setEdited(false)} />}
    </Card>
  );
}

async function turn(id: string, enabled: boolean): Promise<void> {
  await call("/schedules/update", { id, enabled }).catch((trouble: unknown) => notify(sentence(trouble), "bad"));
}

/** The next five times, as the clock shows them in the schedule's own zone. */
function NextRuns({ schedule }: { schedule: Schedule }) {
  if (!schedule.enabled) return <p class="small muted">Switched off: nothing starts by itself.</p>;
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", timeZone: schedule.timeZone });
  return (
    <ol class="small next-times" aria-label="Next times">
      {schedule.nextRuns.map((one) => (
        <li key={one}>
          <time dateTime={one}>{format.format(new Date(one))}</time>
        </li>
      ))}
    </ol>
  );
}
