/** The files of a run: what it downloaded and made, and its whole response. */
import type { Schemas } from "../../api/client";
import { Empty } from "../../design/card";

export function FileList({ execution }: { execution: Pick<Schemas["FinishedExecution"], "downloads" | "responseFile"> }) {
  const files = [...(execution.downloads?.files ?? []), ...(execution.responseFile ? [execution.responseFile] : [])];
  if (files.length === 0) return <Empty title="No files." />;
  return (
    <ul class="files">
      {files.map((one) => (
        <li key={one.id} class="row spread">
          <a href={one.downloadUrl} download={one.name} class="clip">
            {one.name}
          </a>
          <span class="small muted">{size(one.sizeBytes)}</span>
        </li>
      ))}
    </ul>
  );
}

/** "12 kB", "3.4 MB". */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
