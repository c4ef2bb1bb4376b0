/** The tab `Block`: the actions, problems and fields of the selected block. */
import { EmptyState } from "../../design/card";
import { formatCount } from "../../design/format";
import { TextWithCode } from "../../design/text_with_code";
import { keepUsedReferences, updateBlock, type Block, type Place } from "./block_edits";
import { BlockForm } from "./block_form";
import { BlockTools, SelectionTools } from "./block_tools";
import type { Draft } from "./draft";
import type { EditorActions } from "./editor_actions";
import type { Kinds } from "./kinds";
import { parameterFor, subjectOf } from "./parameter_names";
import { problemsByField, type Problem } from "./problems";
import { namesAt } from "./template_names";

interface Props {
  draft: Draft;
  kinds: Kinds;
  parameters: readonly string[];
  /** The outputs of blocks that have run in the live session, by key. */
  outputs: ReadonlyMap<string, unknown>;
  actions: EditorActions;
  onInsert: (place: Place) => void;
  /** The block that was added last: typing goes on in its form. */
  added: string | undefined;
}

export function BlockPanel(props: Props) {
  const { draft, actions } = props;
  const block = draft.block.value;
  if (draft.selectedBlocks.value.length > 1) {
    return (
      <section aria-label="Selected blocks" class="stack">
        <h2>{formatCount(draft.selectedBlocks.value.length, "block")} selected</h2>
        <div class="row block-tools">
          <SelectionTools draft={draft} onRepeat={actions.repeatForEachRow} />
        </div>
      </section>
    );
  }
  if (block) return <SelectedBlock {...props} block={block} />;
  if (draft.blocks.value.length > 0) return <EmptyState title="Select a block to see its fields." />;
  return (
    <EmptyState title="No blocks yet.">
      Insert the first one on the left, describe a step in words, or record what you do on a page.
    </EmptyState>
  );
}

function SelectedBlock({
  block,
  draft,
  kinds,
  parameters,
  outputs,
  actions,
  onInsert,
  added,
}: Props & { block: Block }) {
  const blocks = draft.blocks.value;
  const problems = actions.problems.filter((one) => one.key === block.key);
  return (
    <>
      <BlockTools block={block} draft={draft} onInsert={onInsert} onRepeat={actions.repeatForEachRow} />
      <ProblemBanners problems={problems.filter((one) => !one.field)} isSmall />
      <BlockForm
        block={block}
        isNew={block.key === added}
        kinds={kinds}
        names={namesAt(blocks, block.key, parameters)}
        sample={outputs.get(block.key)}
        makeParameter={(label, value) => {
          const { parameters } = draft.content.value;
          const added = parameterFor(parameters, (label === "Value" && subjectOf(block)) || label, value);
          draft.edit({ parameters: [...parameters, added] });
          return added.name;
        }}
        problems={problemsByField(problems)}
        onPick={actions.pick}
        onChange={(next) =>
          draft.change(updateBlock(keepUsedReferences(draft.blocks.value, next), next.key, () => next))
        }
      />
    </>
  );
}

export function ProblemBanners({ problems, isSmall = false }: { problems: readonly Problem[]; isSmall?: boolean }) {
  const classes = (one: Problem) =>
    ["banner", one.isWarning ? "" : "bad", isSmall ? "small" : ""].filter(Boolean).join(" ");
  return (
    <>
      {problems.map((one) => (
        <p key={one.text} class={classes(one)} role="alert">
          <TextWithCode text={one.text} />
        </p>
      ))}
    </>
  );
}
