/** `Settings`: what belongs to the workflow as a whole. */
import { CheckField, TextField } from "../../design/field";
import type { Draft } from "./draft";
import type { Problem } from "./problems";

export function Settings({ draft, problems }: { draft: Draft; problems: readonly Problem[] }) {
  const { name, tags, retrySafe } = draft.content.value;
  const problemAt = (field: string) => problems.find((one) => one.field.split(".")[0] === field)?.text;
  return (
    <div class="stack">
      <TextField
        label="Workflow name"
        value={name}
        onInput={(next) => draft.edit({ name: next })}
        problem={problemAt("name")}
        required
      />
      <TextField
        label="Tags"
        help="Separated by commas."
        value={tags.join(",")}
        onInput={(text) => draft.edit({ tags: text === "" ? [] : text.split(",") })}
        problem={problemAt("tags")}
      />
      <CheckField
        label="Safe to repeat"
        help="A failed run is repeated automatically even after it has sent something: repeating does no harm."
        checked={retrySafe}
        onInput={(next) => draft.edit({ retrySafe: next })}
      />
    </div>
  );
}
