/** `Output`: the response of a run, as a template or as JSON with templates. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { Button } from "../../design/button";
import { SelectField } from "../../design/field";
import { notify } from "../../design/notice";
import { JsonField } from "../../forms/json_field";
import { TemplateField } from "../../forms/template_field";

interface Props {
  workflowId: string;
  output: unknown;
  names: readonly string[];
  onSaved: () => void;
}

const SHAPES = [
  ["everything", "Every block's output, by reference"],
  ["template", "One value, from a template"],
  ["json", "JSON with templates"],
] as const;

export function Output({ workflowId, output, names, onSaved }: Props) {
  const [shape, setShape] = useState(output === null || output === undefined ? "everything" : typeof output === "string" ? "template" : "json");
  const [value, setValue] = useState(output);
  const save = async () => {
    // an empty string removes the declared output
    await call("/workflows/update", { id: workflowId, output: shape === "everything" ? "" : (value ?? "") });
    notify("Saved.");
    onSaved();
  };
  return (
    <div class="stack">
      <SelectField label="Response" value={shape} onInput={(next) => (setShape(next), setValue(next === "json" ? {} : ""))} options={SHAPES} />
      {shape === "template" && <TemplateField label="Output" help="For example {{blocks.Extract_1}}. The value keeps its type." value={typeof value === "string" ? value : ""} names={names} onInput={setValue} />}
      {shape === "json" && <JsonField label="Output" help="Templates are replaced; numbers, lists and objects keep their types." problem={undefined} value={value} onInput={setValue} />}
      <div class="row">
        <Button needs="edit" kind="primary" onPress={save}>
          Save output
        </Button>
      </div>
    </div>
  );
}
