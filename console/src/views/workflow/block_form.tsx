/** The form `Block`: the fields that all blocks have, and those of the kind's schema. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../design/button";
import { CheckField, FieldProblem, labelClass, TextField } from "../../design/field";
import { CodeField, languageOf } from "../../forms/code_field";
import type { Schema } from "../../forms/schema";
import { SchemaForm, type FormContext, type Values } from "../../forms/schema_form";
import type { Block } from "./block_edits";
import type { Kind, Kinds } from "./kinds";

interface Props {
  block: Block;
  /** Whether it was just added; its first field then takes the focus. */
  isNew: boolean;
  kinds: Kinds;
  names: readonly string[];
  /** Its output when the block last ran. */
  sample: unknown;
  makeParameter: (label: string, value: unknown) => string;
  problems: Readonly<Record<string, string>>;
  /** Pick the block's element on the live page. */
  onPick: () => unknown;
  onChange: (block: Block) => void;
}

export function BlockForm({ block, isNew, kinds, names, sample, makeParameter, problems, onPick, onChange }: Props) {
  const [showsMore, setShowsMore] = useState(false);
  const kind = kinds.get(block.type);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const part = asksForElement(kind) ? "" : ".data-form ";
    if (isNew) form.current?.querySelector<HTMLElement>(`${part}.schema-form .control`)?.focus();
  }, [block.key, isNew]);
  const context: FormContext = { models: kinds.models, names, problems, sample, makeParameter };
  const locatorContext: FormContext = { ...context, problems: problemsOf(problems, "locator") };
  const locator = kinds.models["Locator"];
  return (
    <form ref={form} class="block-form" aria-label="Block" onSubmit={(event) => event.preventDefault()}>
      <div class="stack">
        <p class="small muted">
          {kind ? `${kind.label}: ${kind.purpose}` : `This installation has no block kind “${block.type}”.`}{" "}
          {kind && (
            <a href={`/guide/blocks.html#${kind.type}`} target="_blank" rel="noreferrer">
              More in the guide
            </a>
          )}
        </p>
        <TextField
          label="Name"
          value={block.name}
          onInput={(name) => onChange({ ...block, name })}
          problem={problems["name"]}
        />
        {kind && kind.locatorUse !== "unused" && locator && (
          <fieldset class="schema-group">
            <legend class={labelClass(kind.locatorUse === "required")}>Element</legend>
            <Button needs="run" icon="pick" onPress={onPick}>
              Pick
            </Button>
            <FieldProblem text={problems["locator"]} />
            <SchemaForm
              schema={locator}
              value={block.locator ?? {}}
              onChange={(next) => onChange({ ...block, locator: Object.keys(next).length ? next : null })}
              context={locatorContext}
            />
          </fieldset>
        )}
        {kind && (
          <div class="data-form">
            <SchemaForm
              key={block.key}
              schema={neededFields(kind.data as Schema, block)}
              value={block.data as Values}
              onChange={(data) => onChange({ ...block, data })}
              context={{ ...context, problems: problemsOf(problems, "data") }}
            />
          </div>
        )}
        <details open={showsMore} onToggle={(event) => setShowsMore(event.currentTarget.open)}>
          <summary>Options and reference</summary>
          <div class="stack">
            <TextField
              label="Reference"
              help="Templates use this name for the block's output."
              mono
              value={block.blockReferenceId ?? ""}
              onInput={(text) => onChange(withReference(block, text))}
              problem={problems["blockReferenceId"]}
            />
            <CheckField
              label="Skip if not present"
              help="Continues with the next block when the element is missing."
              checked={block.skipIfNotPresent}
              onInput={(skipIfNotPresent) => onChange({ ...block, skipIfNotPresent })}
            />
            <CheckField
              label="Cacheable"
              help="Remembers for the next run how the element was found."
              checked={block.isCacheable}
              onInput={(isCacheable) => onChange({ ...block, isCacheable })}
            />
            <CheckField
              label="Recovery agent"
              help="Lets a recovery agent try when the block fails."
              checked={block.useWorkflowRecoveryAgent}
              onInput={(useWorkflowRecoveryAgent) => onChange({ ...block, useWorkflowRecoveryAgent })}
            />
            {showsMore && (
              <CodeField
                label="Transformer"
                help="A function over the output, in Python or JavaScript."
                value={block.transformerFn}
                language={languageOf(block.transformerFn)}
                onInput={(transformerFn) => onChange({ ...block, transformerFn })}
                problem={problems["transformerFn"]}
              />
            )}
          </div>
        </details>
      </div>
    </form>
  );
}

/** Whether a block of this kind begins with its element: not where that is optional and something else is required. */
function asksForElement(kind: Kind | undefined): boolean {
  const { required = [] } = (kind?.data ?? {}) as Schema;
  return kind?.locatorUse === "required" || (kind?.locatorUse === "optional" && required.length === 0);
}

/** The fields to ask for: one that only stands in for a locator is left out beside one. */
function neededFields(schema: Schema, { locator }: Block): Schema {
  if (!locator || Object.keys(locator).length === 0) return schema;
  const needed = Object.entries(schema.properties ?? {}).filter(([, one]) => !one["x-insteadOfLocator"]);
  return { ...schema, properties: Object.fromEntries(needed) };
}

function withReference(block: Block, text: string): Block {
  const { blockReferenceId: _, ...rest } = block;
  return text ? { ...rest, blockReferenceId: text } : rest;
}

/** The problems of one part, with paths relative to it. */
function problemsOf(problems: Readonly<Record<string, string>>, part: string): Record<string, string> {
  const inner = Object.entries(problems).filter(([path]) => path.startsWith(`${part}.`));
  return Object.fromEntries(inner.map(([path, text]) => [path.slice(part.length + 1), text]));
}
