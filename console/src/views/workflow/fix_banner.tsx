/** Names the failed run that the user is fixing, and what a live session takes from it. */
import { call } from "../../api/client";
import { setSearchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";

export function FixBanner({ executionId }: { executionId: string }) {
  const { value } = useQuery(`failed run ${executionId}`, () => call("/executions/get", { id: executionId }));
  const execution = value?.execution;
  if (execution?.status !== "Failed") return null;
  const login = execution.logins[0];
  return (
    <p class="banner row spread" role="note">
      <span>
        You are fixing <a href={`/executions/${executionId}`}>{execution.name ?? "a failed run"}</a>.{" "}
        <strong>Run to here</strong> and <strong>Pick</strong> open a browser with its parameters
        {login ? ` and the login “${login.name}”` : ""}.
      </span>
      <Button
        kind="quiet"
        icon="close"
        label="Stop fixing this run"
        onPress={() => setSearchParams({ execution: "" })}
      />
    </p>
  );
}
