/** "Run again with changes": the parameters of a run, to change before the workflow runs with them once more. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { navigate } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { savedFromApi, type Content, type Parameter } from "../workflow/content";
import { ParameterFields, paramsOf, type Values } from "../workflow/parameter_fields";
import { columnsRead, undeclaredParameters } from "../workflow/used_parameters";
import { confirmRetry } from "./retry";
import type { Run } from "./run";

/** What the service shows in place of a secret value. */
const MASK = "********";

export function RunAgain({ execution, onClose }: { execution: Run; onClose: () => void }) {
  const { workflow } = execution;
  const { value, problem } = useQuery(`workflow ${workflow.id}`, () => call("/workflows/get", { id: workflow.id }));
  const [changed, setChanged] = useState<Values>(() => shownValues(execution.params));
  if (!value) return problem ? <Dialog title={problem} onClose={onClose} children={null} /> : null;
  const { content } = savedFromApi(value.workflow);
  const parameters = askedOf(content, execution.params);
  const run = async () => {
    if (!(await confirmRetry([execution]))) return;
    const answer = await call("/workflows/execute", {
      workflowId: workflow.id,
      likeExecutionId: execution.id,
      params: paramsOf(parameters, changed),
      isTest: execution.isTest,
      ...(execution.name ? { name: execution.name } : {}),
    });
    onClose();
    navigate(`/executions/${answer.execution.id}`);
  };
  return (
    <Dialog title="Run again with changes" onClose={onClose} wide>
      {parameters.length === 0 ? (
        <p>This workflow takes no parameters.</p>
      ) : (
        <p class="small muted">What you leave as it is stays as in this run, secret values included.</p>
      )}
      <ParameterFields
        parameters={parameters}
        values={changed}
        onChange={setChanged}
        columnsOf={(name) => columnsRead(content.blocks, name)}
      />
      <div class="row dialog-actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="primary" icon="play" onPress={run}>
          Run again
        </Button>
      </div>
    </Dialog>
  );
}

/** The values that can be shown; a secret one that is not typed again stays as it was. */
function shownValues(params: Record<string, unknown>): Values {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== MASK));
}

/** Everything the run was given and the workflow takes; what it takes by default is not needed. */
function askedOf(content: Content, given: Record<string, unknown>): readonly Parameter[] {
  const known = [...content.parameters, ...undeclaredParameters(content)];
  const names = new Set(known.map((one) => one.name));
  const extra = Object.keys(given).filter((name) => !names.has(name));
  const typeOf = (value: unknown) =>
    Array.isArray(value) ? "array" : value !== null && typeof value === "object" ? "object" : "string";
  const others = extra.map((name): Parameter => ({ key: name, name, type: typeOf(given[name]) }));
  return [...known, ...others].map((one) => ({ ...one, isRequired: false }));
}
