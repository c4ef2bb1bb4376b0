/** The dialog that opens a live session: parameters and login. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { SelectField } from "../../design/field";
import type { SessionSettings } from "./live_session";
import { ParameterFields, paramsOf } from "./parameter_fields";
import type { Parameter } from "./content";

interface Props {
  parameters: readonly Parameter[];
  onOpen: (settings: SessionSettings) => Promise<void>;
  onClose: () => void;
}

export function SessionDialog({ parameters, onOpen, onClose }: Props) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [loginId, setLogin] = useState("");
  const logins = useQuery("logins", () => call("/logins/list", {}), { nouns: ["login"] }).value?.logins ?? [];
  return (
    <Dialog title="Open a live session" onClose={onClose}>
      <ParameterFields parameters={parameters} values={values} onChange={setValues} />
      {logins.length > 0 && (
        <SelectField
          label="Login"
          value={loginId}
          onInput={setLogin}
          options={[["", "None"], ...logins.map((one) => [one.id, one.name] as const)]}
        />
      )}
      <div class="row dialog-actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button
          kind="primary"
          icon="play"
          onPress={() => onOpen({ params: paramsOf(parameters, values), ...(loginId ? { loginId } : {}) })}
        >
          Open
        </Button>
      </div>
    </Dialog>
  );
}
