/** `Parameters`: what a run is given, with types. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { Button } from "../../design/button";
import { CheckField, SelectField, TextField } from "../../design/field";
import { notify } from "../../design/notice";

export interface Parameter {
  readonly name: string;
  readonly type?: string;
  readonly isRequired?: boolean;
  readonly isSecret?: boolean;
  readonly default?: unknown;
  readonly description?: string;
}

const TYPES = ["string", "number", "boolean", "date", "file", "object", "array"] as const;

interface Props {
  workflowId: string;
  parameters: readonly Parameter[];
  onSaved: () => void;
}

export function Parameters({ workflowId, parameters, onSaved }: Props) {
  const [list, setList] = useState(parameters);
  const save = async () => {
    await call("/workflows/update", { id: workflowId, parameters: list } as never);
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
            <TextField label="Default" value={shown(one.default)} onInput={(value) => set(at, { default: typed(one.type, value) })} />
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

/** A default as the type that is declared; what does not fit yet stays text, and the service says so on saving. */
function typed(type: string | undefined, text: string): unknown {
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

function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
