/** `Parameters`: the inputs of a run, with types. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { Button } from "../../design/button";
import { CheckField, SelectField, TextField } from "../../design/field";
import { formatValue } from "../../design/format";
import { notify } from "../../design/notice";

export type Parameter = Schemas["Parameter"];
type ParameterType = NonNullable<Parameter["type"]>;

const TYPES: readonly ParameterType[] = ["string", "number", "boolean", "date", "file", "object", "array"];

interface Props {
  workflowId: string;
  parameters: readonly Parameter[];
  onSaved: () => void;
}

export function Parameters({ workflowId, parameters, onSaved }: Props) {
  const [list, setList] = useState(parameters);
  const save = async () => {
    await call("/workflows/update", { id: workflowId, parameters: [...list] });
    notify("Saved.");
    onSaved();
  };
  const set = (at: number, change: Partial<Parameter>) => setList(list.map((one, index) => (index === at ? { ...one, ...change } : one)));
  return (
    <div class="stack">
      {list.map((one, at) => (
        <fieldset key={at} class="schema-group">
          <legend>{one.name || "New parameter"}</legend>
          <div class="parameter">
            <TextField label="Name" value={one.name} onInput={(name) => set(at, { name })} />
            <SelectField label="Type" value={one.type ?? "string"} onInput={(type) => set(at, { type })} options={TYPES.map((type) => [type, type] as const)} />
            <TextField label="Default" value={formatValue(one.default)} onInput={(value) => set(at, { default: parseDefault(one.type, value) })} />
          </div>
          <TextField label="Description" value={one.description ?? ""} onInput={(description) => set(at, { description })} />
          <div class="row">
            <CheckField label="Required" checked={one.isRequired ?? false} onInput={(isRequired) => set(at, { isRequired })} />
            <CheckField label="Secret" checked={one.isSecret ?? false} onInput={(isSecret) => set(at, { isSecret })} />
            <Button needs="edit" kind="quiet" icon="trash" onPress={() => setList(list.filter((_, index) => index !== at))}>
              Remove
            </Button>
          </div>
        </fieldset>
      ))}
      <div class="row">
        <Button needs="edit" icon="plus" onPress={() => setList([...list, { name: "", type: "string" }])}>
          Add parameter
        </Button>
      </div>
      <div class="row">
        <Button needs="edit" kind="primary" onPress={save}>
          Save parameters
        </Button>
      </div>
    </div>
  );
}

/** A default value in its declared type; text that does not parse is kept, and the service reports it on saving. */
function parseDefault(type: Parameter["type"], text: string): unknown {
  if (text === "") return null;
  if (type === "number" && Number.isFinite(Number(text))) return Number(text);
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  if (type === "object" || type === "array") {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  return text;
}
