/** A form on a page: what the service refuses stands beside its field, as in a dialog. */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { DialogProblems, ProblemScope } from "./problem_scope";
import { TextWithCode } from "./text_with_code";

interface Props {
  label?: string;
  children: ComponentChildren;
  /** Whether its fields stand beside its button. */
  isLine?: boolean;
}

export function Form({ label, children, isLine = false }: Props) {
  const problems = useMemo(() => new ProblemScope(), []);
  return (
    <form
      class="stack"
      aria-label={label}
      onSubmit={(event) => event.preventDefault()}
      onInput={() => problems.clear()}
    >
      <DialogProblems.Provider value={problems}>
        {isLine ? <div class="row code-form">{children}</div> : children}
        <OtherProblem scope={problems} />
      </DialogProblems.Provider>
    </form>
  );
}

/** The problem that no field shows. */
export function OtherProblem({ scope }: { scope: ProblemScope }) {
  // a field shows its own problem only after it was drawn with it, so both are read here
  return scope.message.value && scope.rest ? (
    <p class="banner bad" role="alert">
      <TextWithCode text={scope.rest} />
    </p>
  ) : null;
}
