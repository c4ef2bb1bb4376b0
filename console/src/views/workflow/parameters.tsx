/** `Parameters`: the inputs of a run, with types. */
import { Button } from "../../design/button";
import { CheckField, SelectField, TextField } from "../../design/field";
import { useFocusAdded } from "../../design/focus_added";
import { formatValue } from "../../design/format";
import { ArrayField } from "../../forms/array_field";
import { newKey } from "./block_edits";
import type { Parameter } from "./content";
import type { Draft } from "./draft";
import type { Problem } from "./problems";
import { columnsRead, undeclaredParameters } from "./used_parameters";

const TYPES = ["string", "number", "boolean", "date", "file", "object", "array"] as const;

export function Parameters({ draft, problems }: { draft: Draft; problems: readonly Problem[] }) {
  const list = draft.content.value.parameters;
  const { box, focusAdded } = useFocusAdded<HTMLDivElement>(":scope > fieldset");
  const set = (key: string, change: Partial<Parameter>) =>
    draft.edit({ parameters: list.map((one) => (one.key === key ? { ...one, ...change } : one)) });
  const add = () => {
    focusAdded();
    draft.edit({ parameters: [...list, { key: newKey(), name: "", type: "string" }] });
  };
  const undeclared = undeclaredParameters(draft.content.value);
  return (
    <div ref={box} class="stack">
      {undeclared.length > 0 && (
        <div class="banner" role="note">
          <p>
            The blocks use {undeclared.map((one) => `“${one.name}”`).join(", ")}, which{" "}
            {undeclared.length > 1 ? "are" : "is"} not declared.
          </p>
          <Button needs="edit" icon="plus" onPress={() => draft.edit({ parameters: [...list, ...undeclared] })}>
            Declare
          </Button>
        </div>
      )}
      {list.map((one, at) => {
        const problemAt = (field: string) =>
          problems.find((problem) => problem.field === `parameters.${at}.${field}`)?.text;
        return (
          <fieldset key={one.key} class="schema-group">
            <legend>{one.name || "New parameter"}</legend>
            <div class="parameter">
              <TextField
                label="Name"
                value={one.name}
                onInput={(name) => set(one.key, { name })}
                problem={problemAt("name")}
              />
              <SelectField
                label="Type"
                value={one.type ?? "string"}
                onInput={(type) => set(one.key, { type })}
                options={TYPES.map((type) => [type, type] as const)}
              />
              {!isList(one) && (
                <TextField
                  label="Default"
                  value={formatValue(one.default)}
                  onInput={(value) => set(one.key, { default: parseDefault(one.type, value) })}
                  problem={problemAt("default")}
                />
              )}
            </div>
            {isList(one) && (
              <ArrayField
                label="Default"
                value={(one.default as readonly unknown[] | null) ?? []}
                columns={columnsRead(draft.blocks.value, one.name)}
                onInput={(value) => set(one.key, { default: value.length ? value : null })}
              />
            )}
            <TextField
              label="Description"
              value={one.description ?? ""}
              onInput={(description) => set(one.key, { description })}
              problem={problemAt("description")}
            />
            <div class="row">
              <CheckField
                label="Required"
                checked={one.isRequired ?? false}
                onInput={(isRequired) => set(one.key, { isRequired })}
              />
              <CheckField
                label="Secret"
                checked={one.isSecret ?? false}
                onInput={(isSecret) => set(one.key, { isSecret })}
              />
              <Button
                needs="edit"
                kind="quiet"
                icon="trash"
                onPress={() => draft.edit({ parameters: list.filter(({ key }) => key !== one.key) })}
              >
                Remove
              </Button>
            </div>
          </fieldset>
        );
      })}
      <div class="row">
        <Button needs="edit" icon="plus" onPress={add}>
          Add parameter
        </Button>
      </div>
    </div>
  );
}

function isList({ type, default: value }: Parameter): boolean {
  return type === "array" && (value === undefined || value === null || Array.isArray(value));
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
