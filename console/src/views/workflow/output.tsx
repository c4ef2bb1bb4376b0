/** `Output`: what a run answers with; a template, or JSON with templates in it. */
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
  ["everything", "Everything: each block's output by its reference"],
  ["template", "One value: a template"],
  ["json", "JSON with templates in it"],
] as const;

export function Output({ workflowId, output, names, onSaved }: Props) {
  const [shape, setShape] = useState(output === null || output === undefined ? "everything" : typeof output === "string" ? "template" : "json");
  const [value, setValue] = useState(output);
  const save = async () => {
    // an empty text stands for none
    await call("/workflows/update", { id: workflowId, output: shape === "everything" ? "" : (value ?? "") });
    notify("Saved.");
    onSaved();
  };
  return (
    <div class="stack">
      <SelectField label="Answers with" value={shape} onInput={(next) => (setShape(next), setValue(next === "json" ? {} : ""))} options={SHAPES} />
      {shape === "template" && <TemplateField label="Output" help="Such as {{blocks.Extract_1}}: it keeps the type of what it names." value={typeof value === "string" ? value : ""} names={names} onInput={setValue} />}
      {shape === "json" && <JsonField label="Output" help="Numbers, lists and objects keep their types; templates are filled in." problem={undefined} value={value} onInput={setValue} />}
      <div class="row">
        <Button needs="edit" kind="primary" onPress={save}>
          Save output
        </Button>
      </div>
    </div>
  );
}
