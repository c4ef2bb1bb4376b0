/** The dialog for a new or changed schedule; the service validates it. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { SelectField, TextField } from "../../design/field";
import type { Schedule } from "./index";

const CATCH_UP = [
  ["none", "Skip them"],
  ["latest", "Run only the latest"],
  ["all", "Run all of them"],
] as const;
const OVERLAP = [
  ["skip", "Skip the new run"],
  ["queue", "Start the new run afterwards"],
] as const;

export function ScheduleForm({ schedule, onClose }: { schedule?: Schedule; onClose: () => void }) {
  const workflows = useQuery("workflows", () => call("/workflows/list", { limit: 1000 })).value?.workflows ?? [];
  const logins = useQuery("logins", () => call("/logins/list", {})).value?.logins ?? [];
  const [name, setName] = useState(schedule?.name ?? "");
  const [workflowId, setWorkflow] = useState(schedule?.workflow.id ?? "");
  const [cron, setCron] = useState(schedule?.cron ?? "0 9 * * MON-FRI");
  const [timeZone, setTimeZone] = useState(schedule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [params, setParams] = useState(JSON.stringify(schedule?.params ?? {}, null, 2));
  const [loginId, setLogin] = useState(schedule?.loginId ?? "");
  const [catchUp, setCatchUp] = useState<Schedule["catchUp"]>(schedule?.catchUp ?? "none");
  const [overlap, setOverlap] = useState<Schedule["overlap"]>(schedule?.overlap ?? "skip");
  const save = async () => {
    const fields = {
      workflowId,
      cron,
      timeZone,
      params: parseParams(params),
      catchUp,
      overlap,
      ...(name ? { name } : {}),
      ...(loginId ? { loginId } : {}),
    };
    if (schedule) await call("/schedules/update", { ...fields, id: schedule.id });
    else await call("/schedules/create", fields);
    onClose();
  };
  return (
    <Dialog title={schedule ? "Change the schedule" : "New schedule"} onClose={onClose} wide>
      <SelectField
        label="Workflow"
        path="workflowId"
        value={workflowId}
        onInput={setWorkflow}
        options={[["", "Choose…"], ...workflows.map((one) => [one.id, one.name] as const)]}
      />
      <TextField
        label="Cron"
        path="cron"
        help="Minute, hour, day of month, month, day of week: 30 8 * * MON-FRI is 08:30 on working days."
        value={cron}
        onInput={setCron}
        mono
        required
      />
      <TextField label="Time zone" path="timeZone" value={timeZone} onInput={setTimeZone} required />
      <TextField
        label="Parameters"
        path="params"
        help="A JSON object."
        value={params}
        onInput={setParams}
        rows={4}
        mono
      />
      <SelectField
        label="Login"
        value={loginId}
        onInput={setLogin}
        options={[["", "None"], ...logins.map((one) => [one.id, one.name] as const)]}
      />
      <SelectField label="Missed times" value={catchUp} onInput={setCatchUp} options={CATCH_UP} />
      <SelectField
        label="If the previous run is still running"
        value={overlap}
        onInput={setOverlap}
        options={OVERLAP}
      />
      <TextField label="Name" path="name" value={name} onInput={setName} />
      <div class="row dialog-actions">
        <Button kind="primary" disabled={!workflowId || !cron || !timeZone} onPress={save}>
          Save
        </Button>
      </div>
    </Dialog>
  );
}

function parseParams(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new Error("`params`: this is not valid JSON");
  }
}
