/** `Output`: the response of a run, as a template or as JSON with templates. */
import { SelectField } from "../../design/field";
import { JsonField } from "../../forms/json_field";
import { TemplateField } from "../../forms/template_field";
import type { Draft } from "./draft";

const SHAPES = [
  ["everything", "Every block's output, by reference"],
  ["template", "One value, from a template"],
  ["json", "JSON with templates"],
] as const;

/** Whether a value is JSON that is still being typed. */
export function isHalfJson(value: unknown): boolean {
  return typeof value === "string" && /^\s*(\{(?!\{)|\[)/.test(value);
}

const EMPTY = { everything: null, template: "", json: {} };

export function Output({
  draft,
  names,
  problem,
}: {
  draft: Draft;
  names: readonly string[];
  problem: string | undefined;
}) {
  const value = draft.content.value.output;
  const shape = value === null ? "everything" : typeof value === "string" && !isHalfJson(value) ? "template" : "json";
  const set = (output: unknown) => draft.edit({ output });
  return (
    <div class="stack">
      <SelectField label="Response" value={shape} onInput={(next) => set(EMPTY[next])} options={SHAPES} />
      {shape === "template" && (
        <TemplateField
          label="Output"
          help="For example {{blocks.Extract_1}}. The value keeps its type."
          value={String(value)}
          names={names}
          problem={problem}
          onInput={set}
        />
      )}
      {shape === "json" && (
        <JsonField
          label="Output"
          help="Templates are replaced; numbers, lists and objects keep their types."
          problem={problem}
          value={value}
          onInput={(next) => set(next ?? {})}
        />
      )}
    </div>
  );
}
