/** The dialog that starts a run: parameters, login, test run. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { navigate } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { CheckField, SelectField } from "../../design/field";
import { ParameterFields, paramsOf } from "./parameter_fields";
import type { Parameter } from "./content";

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
  const logins = useQuery("logins", () => call("/logins/list", {}), { nouns: ["login"] }).value?.logins ?? [];
  const start = async () => {
    const answer = await call("/workflows/execute", {
      workflowId,
      params: paramsOf(parameters, values),
      isTest,
      ...(loginId ? { loginId } : {}),
      ...(startBlockId ? { startBlockId } : {}),
    });
    navigate(`/executions/${answer.execution.id}`);
  };
  return (
    <Dialog title={startBlockId ? "Run from this block" : "Run"} onClose={onClose}>
      <ParameterFields parameters={parameters} values={values} onChange={setValues} />
      {logins.length > 0 && (
        <SelectField
          label="Login"
          value={loginId}
          onInput={setLogin}
          options={[["", "None"], ...logins.map((one) => [one.id, one.name] as const)]}
        />
      )}
      <CheckField label="Test run" help="Not counted in the statistics." checked={isTest} onInput={setTest} />
      <div class="row dialog-actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="primary" icon="play" onPress={start}>
          Start
        </Button>
      </div>
    </Dialog>
  );
}
