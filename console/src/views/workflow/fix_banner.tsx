/** Says which failed run the editor was opened for, and what a live session takes over from it. */
import { call } from "../../api/client";
import { useReading } from "../../app/reading";
import { setQuery } from "../../app/router";
import { Button } from "../../design/button";

export function Mending({ executionId }: { executionId: string }) {
  const { value } = useReading(`mended ${executionId}`, () => call("/executions/get", { id: executionId }));
  const execution = value?.execution;
  if (execution?.status !== "Failed") return null;
  const login = execution.logins[0];
  return (
    <p class="banner row spread" role="note">
      <span>
        You are mending <a href={`/executions/${executionId}`}>{execution.name ?? "a failed run"}</a>. <strong>Run to here</strong> and <strong>Pick</strong> open a browser with
        its parameters{login ? ` and the login “${login.name}”` : ""}.
      </span>
      <Button kind="quiet" icon="close" label="Forget the failed run" onPress={() => setQuery({ execution: "" })} />
    </p>
  );
}
