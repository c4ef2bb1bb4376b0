/** The files of a run: downloads, files that blocks wrote, and the response as a file. */
import type { Schemas } from "../../api/client";
import { EmptyState } from "../../design/card";
import { formatBytes } from "../../design/format";

type Files = Pick<Schemas["FinishedExecution"], "downloads" | "responseFile">;

export function filesOf({ downloads, responseFile }: Files) {
  return [...(downloads?.files ?? []), ...(responseFile ? [responseFile] : [])];
}

export function FileList({ execution }: { execution: Files }) {
  const files = filesOf(execution);
  if (files.length === 0) return <EmptyState title="No files." />;
  return (
    <ul class="files">
      {files.map((one) => (
        <li key={one.id} class="row spread">
          <a href={one.downloadUrl} download={one.name} class="clip">
            {one.name}
          </a>
          <span class="small muted">{formatBytes(one.sizeBytes)}</span>
        </li>
      ))}
    </ul>
  );
}
