/** `Versions`: what each version changed, and a way to restore it. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { EmptyState } from "../../design/card";
import { Time } from "../../design/time";
import { savedFromApi } from "./content";
import { contentDifferences, type Difference } from "./diff";
import { DiffView } from "./diff_view";

interface Props {
  workflowId: string;
  version: number;
  onRestored: () => void;
}

export function Versions({ workflowId, version, onRestored }: Props) {
  const { value, problem } = useQuery(`versions ${workflowId} ${version}`, () =>
    call("/workflows/versions", { id: workflowId, limit: 200 }),
  );
  if (problem) return <EmptyState title={problem} />;
  return (
    <ul class="versions">
      {(value?.versions ?? []).map((one) => (
        <Version
          key={one.version}
          workflowId={workflowId}
          number={one.version}
          createdAt={one.createdAt}
          isCurrent={one.version === version}
          onRestored={onRestored}
        />
      ))}
    </ul>
  );
}

function Version({
  workflowId,
  number,
  createdAt,
  isCurrent,
  onRestored,
}: {
  workflowId: string;
  number: number;
  createdAt: string;
  isCurrent: boolean;
  onRestored: () => void;
}) {
  const [changes, setChanges] = useState<readonly Difference[]>();
  const show = async () => setChanges(changes ? undefined : await changesOf(workflowId, number));
  return (
    <li>
      <div class="row spread">
        <span>
          <strong>Version {number}</strong>{" "}
          <span class="small muted">
            <Time iso={createdAt} />
          </span>
        </span>
        <span class="row">
          <Button kind="quiet" expanded={changes !== undefined} onPress={show}>
            What changed
          </Button>
          {!isCurrent && (
            <Button
              needs="edit"
              icon="undo"
              onPress={async () => {
                await call("/workflows/restore", { id: workflowId, version: number });
                onRestored();
              }}
            >
              Restore
            </Button>
          )}
        </span>
      </div>
      {changes && <DiffView differences={changes} />}
    </li>
  );
}

async function changesOf(id: string, version: number): Promise<readonly Difference[]> {
  const read = async (at: number) => savedFromApi((await call("/workflows/get", { id, version: at })).workflow).content;
  return contentDifferences(version > 1 ? await read(version - 1) : undefined, await read(version));
}
