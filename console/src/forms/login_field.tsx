/** Which login a block uses: chosen by its name, or given by a parameter. */
import { call } from "../api/client";
import { useQuery } from "../app/use_query";
import { SelectField } from "../design/field";

const FROM_PARAMETER = "{{params.login}}";

interface Props {
  label: string;
  help: string;
  problem: string | undefined;
  required: boolean;
  value: string;
  onInput: (value: string | undefined) => void;
}

export function LoginField({ value, onInput, ...common }: Props) {
  const logins = useQuery("logins", () => call("/logins/list", {}), { nouns: ["login"] }).value?.logins;
  const isUnknown = value && !logins?.some((one) => one.id === value);
  return (
    <SelectField
      {...common}
      value={value}
      onInput={(id) => onInput(id || undefined)}
      options={[
        ["", "Choose…"],
        ...(logins ?? []).map((one) => [one.id, one.name] as const),
        ...(isUnknown ? [[value, logins ? `${value} (there is no such login)` : value] as const] : []),
        [FROM_PARAMETER, "Given by a parameter"],
      ]}
    />
  );
}
