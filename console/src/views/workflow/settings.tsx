/** `Settings`: what belongs to the workflow as a whole. */
import { CheckField, SelectField, TextField } from "../../design/field";
import type { Draft } from "./draft";
import type { Problem } from "./problems";

const PICTURES = [
  ["all", "after every block that changes the page"],
  ["acts", "after every block that presses or enters something"],
  ["failures", "of failures only"],
  ["none", "none"],
] as const;

export function Settings({ draft, problems }: { draft: Draft; problems: readonly Problem[] }) {
  const { name, tags, retrySafe, pictures } = draft.content.value;
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
      <SelectField
        label="Pictures"
        help="Each costs time, most on large pages. A failure can be understood best with all of them."
        value={pictures}
        options={PICTURES}
        onInput={(next) => draft.edit({ pictures: next })}
      />
    </div>
  );
}
