/** Why a run failed: the reason on top, the picture of that moment, and the way to mend it. */
import { may } from "../../app/session";
import { Picture } from "../../design/picture";
import { Prose } from "../../design/prose";
import type { Run } from "./run";
import type { Step } from "./steps";

export function Problem({ execution, step }: { execution: Run; step: Step | undefined }) {
  const [first = "", ...rest] = execution.errorAnalysis.split("\n").filter(Boolean);
  const picture = step?.after ?? step?.before;
  const blockId = execution.failure?.blockId ?? step?.blockId;
  return (
    <section class={picture ? "problem with-picture" : "problem"} aria-label="Why it failed">
      <div class="stack">
        <h2>
          <Prose text={first} />
        </h2>
        {rest.length > 0 && <Analysis lines={rest} />}
        {blockId && may("edit") && (
          <div class="row">
            <a class="button primary" href={`/workflows/${execution.workflow.id}?block=${encodeURIComponent(blockId)}&execution=${execution.id}`}>
              Fix this block
            </a>
          </div>
        )}
      </div>
      {picture && <Picture url={picture} alt="The page when it failed" />}
    </section>
  );
}

/** "Expected: …" and the like, as the service writes them: one fact a line. */
function Analysis({ lines }: { lines: readonly string[] }) {
  return (
    <dl class="problem-text">
      {lines.map((line, index) => {
        const [, name, fact] = /^([A-Z][A-Za-z' ]{2,24}): (.*)$/.exec(line) ?? [];
        return name && fact ? (
          <>
            <dt key={`name ${index}`}>{name}</dt>
            <dd key={index}>
              <Prose text={fact} />
            </dd>
          </>
        ) : (
          <>
            <dt key={`name ${index}`} class="sr-only">
              Note
            </dt>
            <dd key={index} class="whole">
              <Prose text={line} />
            </dd>
          </>
        );
      })}
    </dl>
  );
}
