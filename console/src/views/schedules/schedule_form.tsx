/** The dialog for a new or changed schedule; the service validates it. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { searchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { SelectField, TextField } from "../../design/field";
import { savedFromApi } from "../workflow/content";
import { hiddenValues, ParameterFields, paramsOf, shownValues } from "../workflow/parameter_fields";
import { askedParameters, columnsRead } from "../workflow/used_parameters";
import type { Schedule } from "./index";
import { cronOf, timesOf } from "./times";
import { TimesFields } from "./times_fields";

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
  const [workflowId, setWorkflow] = useState(schedule?.workflow.id ?? searchParams.value.get("new") ?? "");
  const [times, setTimes] = useState(() => timesOf(schedule?.cron ?? "30 7 * * MON-FRI"));
  const [timeZone, setTimeZone] = useState(schedule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const given = schedule?.params ?? {};
  const [values, setValues] = useState(() => shownValues(given));
  const content = useContent(workflowId);
  const parameters = content ? askedParameters(content, given) : [];
  const cron = cronOf(times);
  const [loginId, setLogin] = useState(schedule?.loginId ?? "");
  const [catchUp, setCatchUp] = useState<Schedule["catchUp"]>(schedule?.catchUp ?? "none");
  const [overlap, setOverlap] = useState<Schedule["overlap"]>(schedule?.overlap ?? "skip");
  const save = async () => {
    const fields = {
      workflowId,
      cron,
      timeZone,
      params: { ...hiddenValues(given), ...paramsOf(parameters, values) },
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
      {content && (
        <ParameterFields
          parameters={parameters}
          values={values}
          onChange={setValues}
          columnsOf={(name) => columnsRead(content.blocks, name)}
        />
      )}
      <TimesFields times={times} timeZone={timeZone} onTimes={setTimes} onTimeZone={setTimeZone} />
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
        <Button kind="primary" disabled={!content || !cron} onPress={save}>
          Save
        </Button>
      </div>
    </Dialog>
  );
}

/** The content of the chosen workflow, which says what to ask for. */
function useContent(workflowId: string) {
  const { value } = useQuery(`workflow ${workflowId}`, () =>
    workflowId ? call("/workflows/get", { id: workflowId }) : Promise.resolve(undefined),
  );
  return value && savedFromApi(value.workflow).content;
}
