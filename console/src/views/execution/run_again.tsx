/** "Run again with changes": the parameters of a run, to change before the workflow runs with them once more. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { navigate } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { savedFromApi } from "../workflow/content";
import { ParameterFields, paramsOf, shownValues, type Values } from "../workflow/parameter_fields";
import { askedParameters, columnsRead } from "../workflow/used_parameters";
import { confirmRetry } from "./retry";
import type { Run } from "./run";

export function RunAgain({ execution, onClose }: { execution: Run; onClose: () => void }) {
  const { workflow } = execution;
  const { value, problem } = useQuery(`workflow ${workflow.id}`, () => call("/workflows/get", { id: workflow.id }));
  const [changed, setChanged] = useState<Values>(() => shownValues(execution.params));
  if (!value) return problem ? <Dialog title={problem} onClose={onClose} children={null} /> : null;
  const { content } = savedFromApi(value.workflow);
  // what it takes by default is not needed
  const parameters = askedParameters(content, execution.params).map((one) => ({ ...one, isRequired: false }));
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
