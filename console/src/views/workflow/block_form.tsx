/** The form `Block`: what is common to all blocks, and the kind's own fields from its schema. */
import { useState } from "preact/hooks";
import { Button } from "../../design/button";
import { CheckField, TextField } from "../../design/field";
import { CodeField, languageOf } from "../../forms/code_field";
import { SchemaForm, type FormContext, type Values } from "../../forms/schema_form";
import type { Schema } from "../../forms/schema";
import type { Kinds } from "./kinds";
import type { Block } from "./tree_edit";

interface Props {
  block: Block;
  kinds: Kinds;
  names: readonly string[];
  problems: Readonly<Record<string, string>>;
  /** Point at the block's element on the live page. */
  onPick: () => unknown;
  onChange: (block: Block) => void;
}

export function BlockForm({ block, kinds, names, problems, onPick, onChange }: Props) {
  const [hasMore, setMore] = useState(false);
  const kind = kinds.get(block.type);
  const context: FormContext = { models: kinds.models, names, problems };
  const locatorContext: FormContext = { ...context, problems: within(problems, "locator") };
  const locator = kinds.models["Locator"];
  return (
    <form class="block-form" aria-label="Block" onSubmit={(event) => event.preventDefault()}>
      <div class="stack">
        <p class="small muted">{kind ? `${kind.title}: ${kind.purpose}` : `This installation has no kind ${block.type}.`}</p>
        <TextField label="Name" value={block.name} onInput={(name) => onChange({ ...block, name })} problem={problems["name"]} />
        {kind && kind.locatorUse !== "unused" && locator && (
          <fieldset class="schema-group">
            <legend>{kind.locatorUse === "required" ? "Element *" : "Element"}</legend>
            <Button needs="run" icon="pick" onPress={onPick}>
              Pick
            </Button>
            {problems["locator"] && <p class="field-problem">{problems["locator"]}</p>}
            <SchemaForm schema={wordsFirst(locator)} always={1} value={block.locator ?? {}} onChange={(next) => onChange({ ...block, locator: Object.keys(next).length ? next : null })} context={locatorContext} />
          </fieldset>
        )}
        {kind && <SchemaForm key={block.key} schema={kind.data} value={block.data as Values} onChange={(data) => onChange({ ...block, data })} context={{ ...context, problems: within(problems, "data") }} />}
        <details open={hasMore} onToggle={(event) => setMore(event.currentTarget.open)}>
          <summary>Flags and reference</summary>
          <div class="stack">
            <TextField label="Reference" help="Templates call this block's output by it." mono value={block.blockReferenceId ?? ""} onInput={(text) => onChange(withReference(block, text))} problem={problems["blockReferenceId"]} />
            <CheckField label="Skip if not present" help="Goes on without it when its element is not there." checked={block.skipIfNotPresent} onInput={(skipIfNotPresent) => onChange({ ...block, skipIfNotPresent })} />
            <CheckField label="Cacheable" help="Remembers what was found for the next run." checked={block.isCacheable} onInput={(isCacheable) => onChange({ ...block, isCacheable })} />
            <CheckField label="Recovery agent" help="Tries to help when the block fails." checked={block.useWorkflowRecoveryAgent} onInput={(useWorkflowRecoveryAgent) => onChange({ ...block, useWorkflowRecoveryAgent })} />
            {hasMore && <CodeField label="Transformer" help="A function over the output, in Python or JavaScript." value={block.transformerFn} language={languageOf(block.transformerFn)} onInput={(transformerFn) => onChange({ ...block, transformerFn })} problem={problems["transformerFn"]} />}
          </div>
        </details>
      </div>
    </form>
  );
}

/** Words are what lasts longest, so they come first; the rest is shown where it is used. */
function wordsFirst(locator: Schema): Schema {
  const { words, ...others } = locator.properties ?? {};
  return words ? { ...locator, properties: { words, ...others } } : locator;
}

function withReference(block: Block, text: string): Block {
  const { blockReferenceId: _, ...rest } = block;
  return text ? { ...rest, blockReferenceId: text } : rest;
}

/** The problems of one part, with its name taken off their paths. */
function within(problems: Readonly<Record<string, string>>, part: string): Record<string, string> {
  const inner = Object.entries(problems).filter(([path]) => path.startsWith(`${part}.`));
  return Object.fromEntries(inner.map(([path, text]) => [path.slice(part.length + 1), text]));
}
