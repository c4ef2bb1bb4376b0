/** What can be done with several executions at once. */
import { call, sentence } from "../../api/client";
import { Button } from "../../design/button";
import { ask } from "../../design/dialog";
import { save } from "../../design/json";
import { notify } from "../../design/notice";
import type { Item } from "./pages";

const FINISHED = new Set(["Completed", "Failed"]);

export function Selection({ rows, onDone }: { rows: readonly Item[]; onDone: () => void }) {
  const finished = rows.filter((one) => FINISHED.has(one.status));
  const open = rows.filter((one) => !FINISHED.has(one.status));
  return (
    <div class="selection row" role="toolbar" aria-label="Selected executions">
      <strong>{rows.length} selected</strong>
      <Button needs="run" icon="retry" disabled={finished.length === 0} onPress={() => forAll(finished, "retried", (id) => call("/executions/retry", { id })).then(onDone)}>
        Retry
      </Button>
      <Button
        needs="run"
        icon="stop"
        disabled={open.length === 0}
        onPress={async () => {
          if (!(await ask("Cancel executions", `${open.length} execution(s) end as Failed.`, "Cancel them"))) return;
          await forAll(open, "cancelled", (id) => call("/executions/cancel", { id }));
          onDone();
        }}
      >
        Cancel
      </Button>
      <Button icon="download" onPress={() => save(JSON.stringify(rows, null, 2), "executions.json")}>
        Export
      </Button>
      <Button kind="quiet" onPress={onDone}>
        Clear
      </Button>
    </div>
  );
}

async function forAll(rows: readonly Item[], done: string, act: (id: string) => Promise<unknown>): Promise<void> {
  const troubles: string[] = [];
  for (const one of rows) {
    await act(one.id).catch((trouble: unknown) => troubles.push(sentence(trouble)));
  }
  if (rows.length > troubles.length) notify(`${rows.length - troubles.length} ${done}.`);
  if (troubles[0]) notify(troubles.length === 1 ? troubles[0] : `${troubles.length} were refused. The first: ${troubles[0]}`, "bad");
}
