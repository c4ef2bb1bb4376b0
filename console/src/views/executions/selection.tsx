/** The actions for selected executions. */
import { call, errorMessage } from "../../api/client";
import { Button } from "../../design/button";
import { confirmAction } from "../../design/dialog";
import { saveText } from "../../design/download";
import { formatCount } from "../../design/format";
import { notify } from "../../design/notice";
import { confirmRetry } from "../execution/retry";
import type { Item } from "./pages";

const FINISHED = new Set(["Completed", "Failed"]);

export function Selection({ rows, onDone }: { rows: readonly Item[]; onDone: () => void }) {
  const finished = rows.filter((one) => FINISHED.has(one.status));
  const unfinished = rows.filter((one) => !FINISHED.has(one.status));
  const retry = async () => {
    if (!(await confirmRetry(finished))) return;
    await forAll(finished, "retried", (id) => call("/executions/retry", { id }));
    onDone();
  };
  return (
    <div class="selection row" role="toolbar" aria-label="Selected executions">
      <strong>{rows.length} selected</strong>
      <Button needs="run" icon="retry" disabled={finished.length === 0} onPress={retry}>
        Retry
      </Button>
      <Button
        needs="run"
        icon="stop"
        disabled={unfinished.length === 0}
        onPress={async () => {
          if (
            !(await confirmAction(
              "Cancel the selected executions?",
              `${formatCount(unfinished.length, "execution")} will end as Failed.`,
              "Cancel executions",
            ))
          )
            return;
          await forAll(unfinished, "cancelled", (id) => call("/executions/cancel", { id }));
          onDone();
        }}
      >
        Cancel
      </Button>
      <Button icon="download" onPress={() => saveText(JSON.stringify(rows, null, 2), "executions.json")}>
        Export
      </Button>
      <Button kind="quiet" onPress={onDone}>
        Clear
      </Button>
    </div>
  );
}

async function forAll(rows: readonly Item[], done: string, act: (id: string) => Promise<unknown>): Promise<void> {
  const errors: string[] = [];
  for (const one of rows) {
    await act(one.id).catch((error: unknown) => errors.push(errorMessage(error)));
  }
  if (rows.length > errors.length) notify(`${rows.length - errors.length} ${done}.`);
  if (errors[0])
    notify(errors.length === 1 ? errors[0] : `${errors.length} failed. The first error: ${errors[0]}`, "bad");
}
