/** Why a run failed: the reason, the screenshot of that moment, and a link to fix the block. */
import { hasScope } from "../../app/session";
import { inWordsOfTheForm } from "../../design/format";
import { Picture } from "../../design/picture";
import { TextWithCode } from "../../design/text_with_code";
import type { Run } from "./run";
import type { Step } from "./steps";

export function FailurePanel({ execution, step }: { execution: Run; step: Step | undefined }) {
  const [first = "", ...rest] = inWordsOfTheForm(execution.errorAnalysis).split("\n").filter(Boolean);
  const screenshot = step?.after ?? step?.before;
  const blockId = execution.failure?.blockId ?? step?.blockId;
  return (
    <section class={screenshot ? "problem with-picture" : "problem"} aria-label="Why it failed">
      <div class="stack">
        <h2>
          <TextWithCode text={first} />
        </h2>
        {rest.length > 0 && <Analysis lines={rest} />}
        {blockId && hasScope("edit") && (
          <div class="row">
            <a
              class="button primary"
              href={`/workflows/${execution.workflow.id}?block=${encodeURIComponent(blockId)}&execution=${execution.id}`}
            >
              Fix this block
            </a>
          </div>
        )}
      </div>
      {screenshot && <Picture url={screenshot} alt="The page when it failed" />}
    </section>
  );
}

/** The lines of the analysis; "Expected: …" becomes a term and its description. */
function Analysis({ lines }: { lines: readonly string[] }) {
  return (
    <dl class="problem-text">
      {lines.map((line, index) => {
        const [, name, fact] = /^([A-Z][A-Za-z' ]{2,24}): (.*)$/.exec(line) ?? [];
        return name && fact ? (
          <>
            <dt key={`name ${index}`}>{name}</dt>
            <dd key={index}>
              <TextWithCode text={fact} isLinked />
            </dd>
          </>
        ) : (
          <>
            <dt key={`name ${index}`} class="sr-only">
              Note
            </dt>
            <dd key={index} class="whole">
              <TextWithCode text={line} isLinked />
            </dd>
          </>
        );
      })}
    </dl>
  );
}
