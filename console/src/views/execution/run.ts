/** Reading and starting executions for this view. */
import { call, type Schemas } from "../../api/client";
import type { Step } from "./steps";

/** An execution in any status; some fields are set only when it is finished. */
export type Run = Omit<Schemas["FinishedExecution"], "status"> & Pick<Schemas["Execution"], "status" | "waiting">;

/** Block outputs by reference; each round of a loop has its own. */
export type Outputs = Record<string, unknown>;

/** The output of each block. If the workflow declares an output of its own, they are only in the context. */
export function outputsOf(execution: Run): Outputs {
  const inContext = (execution.context as { blocks?: Outputs } | undefined)?.blocks;
  return inContext ?? (execution.response as Outputs | undefined) ?? {};
}

/** The outputs of the blocks inside a step: those of one round, if it is a loop. */
export function outputsOfRound(step: Step, outputs: Outputs, round: number): Outputs {
  const ofLoop = outputs[step.reference];
  return Array.isArray(ofLoop) ? ((ofLoop[round] ?? {}) as Outputs) : outputs;
}

export function isFinished(execution: Pick<Run, "status">): boolean {
  return execution.status === "Completed" || execution.status === "Failed";
}

export async function readRun(id: string): Promise<Run> {
  return (await call("/executions/get", { id })).execution as Run;
}

/** The id of the last completed run of the workflow before this one; if there is none, of the newest completed run. */
export async function lastGoodRun(execution: Run): Promise<string | undefined> {
  const good = { workflowId: execution.workflow.id, status: "Completed", limit: 2 } as const;
  for (const filter of [{ ...good, toTs: execution.startTime }, good]) {
    const { executions } = await call("/executions/list", filter);
    const other = executions.find((one) => one.id !== execution.id);
    if (other) return other.id;
  }
  return undefined;
}

/** What an execution in the queue waits for, if it is a login that serves one execution at a time. */
export async function holderOfLogin(execution: Run): Promise<{ login: string; id: string } | undefined> {
  for (const { id, name } of execution.logins) {
    const { login } = await call("/logins/get", { id });
    if (login.supportConcurrentLogins) continue;
    for (const status of ["InProgress", "Paused"] as const) {
      const [other] = (await call("/executions/list", { loginId: id, status, limit: 1 })).executions;
      if (other) return { login: name, id: other.id };
    }
  }
  return undefined;
}

/** Run the current version of the workflow from a block on, with what this run left before it. */
export async function runFrom(execution: Run, startBlockId: string): Promise<string> {
  const answer = await call("/workflows/execute", {
    workflowId: execution.workflow.id,
    continueExecutionId: execution.id,
    startBlockId,
    isTest: execution.isTest,
    ...(execution.name ? { name: execution.name } : {}),
  });
  return answer.execution.id;
}
