/** `JSON`: the whole draft as text, for those who would rather type it. Saving checks it like the forms. */
import { useEffect, useRef, useState } from "preact/hooks";
import { CodeField } from "../../forms/code_field";
import { ProblemBanners } from "./block_panel";
import { contentFromJson, contentToApi, type Content } from "./content";
import type { Draft } from "./draft";
import { labelOf } from "../../design/format";
import { findBlock } from "./block_edits";
import type { Problem } from "./problems";

/** What every block has unless it says otherwise. */
const DEFAULTS: Record<string, unknown> = {
  isCacheable: true,
  skipIfNotPresent: false,
  useWorkflowRecoveryAgent: false,
  transformerFn: "",
};

/** Text that is no workflow yet, kept while another tab is open. */
const unfinished = new WeakMap<Draft, string>();

export function JsonView({ draft, problems }: { draft: Draft; problems: readonly Problem[] }) {
  const content = draft.content.value;
  const [text, setText] = useState(() => unfinished.get(draft) ?? textOf(content));
  const [problem, setProblem] = useState<string>();
  const typed = useRef<Content>(content);
  useEffect(() => {
    // an undo or another tab changed it; what was typed here stays as it was typed
    if (content !== typed.current) setText(textOf(content));
    typed.current = content;
  }, [content]);
  const change = (next: string) => {
    setText(next);
    try {
      const read = contentFromJson(JSON.parse(next), draft.content.value);
      typed.current = read;
      unfinished.delete(draft);
      setProblem(undefined);
      draft.edit(read);
    } catch (error) {
      unfinished.set(draft, next);
      setProblem(error instanceof SyntaxError ? "This is not valid JSON yet." : (error as Error).message);
    }
  };
  return (
    <div class="stack json-view">
      <ProblemBanners problems={problems.map((one) => ({ ...one, text: inPlace(one, content) }))} isSmall />
      <CodeField
        label="Workflow as JSON"
        help="Changes here and in the forms are the same draft: undo, Save and its checks are for both."
        language="json"
        value={text}
        problem={problem}
        onInput={change}
      />
    </div>
  );
}

function textOf(content: Content): string {
  const { output, ...rest } = contentToApi(content);
  const whole = output === "" ? rest : { ...rest, output };
  return JSON.stringify(whole, (name, value: unknown) => (DEFAULTS[name] === value ? undefined : value), 2);
}

/** "“Open the portal”, URL: expected an address". */
function inPlace({ key, field, text }: Problem, { blocks }: Content): string {
  const name = key && findBlock(blocks, key)?.name;
  const place = [name && `“${name}”`, field && labelOf(field.split(".").at(-1)!)].filter(Boolean).join(", ");
  return place ? `${place}: ${text}` : text;
}
