/** `Parameters` and `Output`: what a run is given, and what it answers with. */
import { useState } from "preact/hooks";
import { Button } from "../../design/button";
import { CheckField, SelectField, TextField } from "../../design/field";

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
  parameters: readonly Parameter[];
  output: string;
  onSave: (parameters: readonly Parameter[], output: string) => Promise<unknown>;
}

export function Parameters({ parameters, output, onSave }: Props) {
  const [list, setList] = useState(parameters);
  const [text, setText] = useState(output);
  const set = (at: number, change: Partial<Parameter>) => setList(list.map((one, index) => (index === at ? { ...one, ...change } : one)));
  return (
    <div class="stack">
      {list.map((one, at) => (
        <fieldset key={at} class="schema-group">
          <legend>{one.name || "New parameter"}</legend>
          <div class="parameter">
            <TextField label="Name" value={one.name} onInput={(name) => set(at, { name })} />
            <SelectField label="Type" value={one.type ?? "string"} onInput={(type) => set(at, { type })} options={TYPES.map((type) => [type, type] as const)} />
            <TextField label="Default" value={one.default === undefined || one.default === null ? "" : String(one.default)} onInput={(value) => set(at, { default: value === "" ? null : value })} />
          </div>
          <TextField label="Description" value={one.description ?? ""} onInput={(description) => set(at, { description })} />
          <div class="row">
            <CheckField label="Required" checked={one.isRequired ?? false} onInput={(isRequired) => set(at, { isRequired })} />
            <CheckField label="Secret" checked={one.isSecret ?? false} onInput={(isSecret) => set(at, { isSecret })} />
            <Button kind="quiet" icon="trash" onPress={() => setList(list.filter((_, index) => index !== at))}>
              Remove
            </Button>
          </div>
        </fieldset>
      ))}
      <div class="row">
        <Button icon="plus" onPress={() => setList([...list, { name: "", type: "string" }])}>
          Add parameter
        </Button>
      </div>
      <TextField label="Output" help="A template for the response; empty answers with every block's output." mono value={text} onInput={setText} />
      <div class="row">
        <Button kind="primary" onPress={() => onSave(list, text)}>
          Save parameters and output
        </Button>
      </div>
    </div>
  );
}
