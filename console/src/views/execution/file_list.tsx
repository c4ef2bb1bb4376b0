/** The files of a run: downloads, files that blocks wrote, the response as a file, and a trace. */
import { sameOriginUrl, type Schemas } from "../../api/client";
import { EmptyState } from "../../design/card";
import { formatBytes } from "../../design/format";

export function FileList({ files }: { files: readonly Schemas["File"][] }) {
  if (files.length === 0) return <EmptyState title="No files." />;
  return (
    <ul class="files">
      {files.map((one) => (
        <li key={one.id} class="row spread">
          <a href={sameOriginUrl(one.downloadUrl)} download={one.name} class="clip">
            {one.name}
          </a>
          <span class="small muted">{formatBytes(one.sizeBytes)}</span>
        </li>
      ))}
    </ul>
  );
}
