/** What a live session needs before it opens: parameters for its blocks, and a login. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { useReading } from "../../app/reading";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { SelectField } from "../../design/field";
import type { Settings } from "./live_session";
import type { Parameter } from "./parameters";
import { ParameterFields, paramsOf } from "./parameter_fields";

interface Props {
  parameters: readonly Parameter[];
  onOpen: (settings: Settings) => Promise<void>;
  onClose: () => void;
}

export function SessionDialog({ parameters, onOpen, onClose }: Props) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [loginId, setLogin] = useState("");
  const logins = useReading("logins", () => call("/logins/list", {}), { nouns: ["login"] }).value?.logins ?? [];
  return (
    <Dialog title="Open a live session" onClose={onClose}>
      <ParameterFields parameters={parameters} values={values} onChange={setValues} />
      {logins.length > 0 && <SelectField label="Login" value={loginId} onInput={setLogin} options={[["", "None"], ...logins.map((one) => [one.id, one.name] as const)]} />}
      <div class="row dialog-actions">
        <Button onPress={onClose}>Not now</Button>
        <Button kind="primary" icon="play" onPress={() => onOpen({ params: paramsOf(parameters, values), ...(loginId ? { loginId } : {}) })}>
          Open
        </Button>
      </div>
    </Dialog>
  );
}
