/** Schedules: their next times, their history, and a switch for each. */
import { useState } from "preact/hooks";
import { call, errorMessage, type Schemas } from "../../api/client";
import { navigate, searchParams } from "../../app/router";
import { hasScope } from "../../app/session";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState, ListState } from "../../design/card";
import { confirmAction } from "../../design/dialog";
import { CheckField } from "../../design/field";
import { notify } from "../../design/notice";
import { History } from "./history";
import { ScheduleForm } from "./schedule_form";
import { NextTimes } from "./times_fields";

export type Schedule = Schemas["Schedule"];

export default function Schedules() {
  const { value, problem } = useQuery("schedules", () => call("/schedules/list", { limit: 1000 }), {
    nouns: ["schedule", "execution"],
  });
  const [isNew, setNew] = useState(searchParams.value.has("new"));
  return (
    <>
      <div class="view-head">
        <h1>Schedules</h1>
        <Button needs="edit" kind="primary" icon="plus" onPress={() => setNew(true)}>
          New schedule
        </Button>
      </div>
      <ListState isLoaded={value !== undefined} problem={problem} />
      {value?.total === 0 && (
        <Card>
          <EmptyState title="No schedules yet.">A schedule starts a workflow at set times.</EmptyState>
        </Card>
      )}
      <div class="stack">
        {value?.schedules.map((one) => (
          <ScheduleCard key={one.id} schedule={one} after={value} />
        ))}
      </div>
      {isNew && <ScheduleForm onClose={() => setNew(false)} />}
    </>
  );
}

function ScheduleCard({ schedule, after }: { schedule: Schedule; after: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const title = schedule.name ?? schedule.workflow.name;
  const deleteSchedule = async () => {
    if (
      await confirmAction(
        "Delete this schedule?",
        "Its history is deleted too. Its executions are kept.",
        "Delete schedule",
      )
    )
      await call("/schedules/delete", { id: schedule.id });
  };
  const runNow = async () => {
    const { execution } = await call("/schedules/run", { id: schedule.id });
    navigate(`/executions/${execution.id}`);
  };
  return (
    <Card
      title={title}
      actions={
        hasScope("edit") && (
          <CheckField
            label={`${title} is on`}
            checked={schedule.enabled}
            onInput={(enabled) => void setEnabled(schedule.id, enabled)}
          />
        )
      }
    >
      <p>
        {schedule.description} <span class="muted">({schedule.timeZone})</span>
      </p>
      <p class="small muted">
        <a href={`/workflows/${schedule.workflow.id}`}>{schedule.workflow.name}</a> · <code>{schedule.cron}</code>
      </p>
      {schedule.enabled ? (
        <NextTimes moments={schedule.nextRuns} timeZone={schedule.timeZone} />
      ) : (
        <p class="small muted">Switched off: it starts no executions.</p>
      )}
      <div class="row card-actions">
        <Button needs="run" icon="play" onPress={runNow}>
          Run now
        </Button>
        <Button needs="edit" onPress={() => setEditing(true)}>
          Change
        </Button>
        <Button expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          History
        </Button>
        <Button needs="edit" kind="quiet" icon="trash" label={`Delete ${title}`} onPress={deleteSchedule} />
      </div>
      {isOpen && <History id={schedule.id} after={after} />}
      {isEditing && <ScheduleForm schedule={schedule} onClose={() => setEditing(false)} />}
    </Card>
  );
}

async function setEnabled(id: string, enabled: boolean): Promise<void> {
  await call("/schedules/update", { id, enabled }).catch((error: unknown) => notify(errorMessage(error), "bad"));
}
