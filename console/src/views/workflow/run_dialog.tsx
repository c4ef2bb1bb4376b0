/** What a run needs before it starts: its parameters and a login. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { useReading } from "../../app/reading";
import { go } from "../../app/router";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { CheckField, SelectField } from "../../design/field";
import { ParameterFields, paramsOf } from "./parameter_fields";
import type { Parameter } from "./parameters";

interface Props {
  workflowId: string;
  parameters: readonly Parameter[];
  startBlockId: string | undefined;
  onClose: () => void;
}

export function RunDialog({ workflowId, parameters, startBlockId, onClose }: Props) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [loginId, setLogin] = useState("");
  const [isTest, setTest] = useState(startBlockId !== undefined);
  const logins = useReading("logins", () => call("/logins/list", {}), { nouns: ["login"] }).value?.logins ?? [];
  const start = async () => {
    const answer = await call("/workflows/execute", {
      workflowId,
      params: paramsOf(parameters, values),
      isTest,
      ...(loginId ? { loginId } : {}),
      ...(startBlockId ? { startBlockId } : {}),
    });
    go(`/executions/${answer.execution.id}`);
  };
  return (
    <Dialog title={startBlockId ? "Run from this block" : "Run"} onClose={onClose}>
      <ParameterFields parameters={parameters} values={values} onChange={setValues} />
      {logins.length > 0 && <SelectField label="Login" value={loginId} onInput={setLogin} options={[["", "None"], ...logins.map((one) => [one.id, one.name] as const)]} />}
      <CheckField label="Test run" help="Kept apart from the runs that count." checked={isTest} onInput={setTest} />
      <div class="row dialog-actions">
        <Button onPress={onClose}>Not now</Button>
        <Button kind="primary" icon="play" onPress={start}>
          Start
        </Button>
      </div>
    </Dialog>
  );
}
