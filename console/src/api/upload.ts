/** Uploads as a multipart form, with progress. */
import { apiError, ApiError, UNREACHABLE, type Schemas } from "./client";

/** Upload one file; `onProgress` gets the fraction that was sent, from 0 to 1. */
export function upload(
  path: "/files/upload" | "/batches/uploadSheet",
  file: File,
  onProgress: (fraction: number) => void = () => undefined,
): Promise<Schemas["File"]> {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    form.append("file", file, file.name);
    const request = new XMLHttpRequest(); // fetch reports no upload progress
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
    request.onerror = () => reject(new ApiError(UNREACHABLE, 0));
    request.onload = () => {
      const answer = request.response as { file?: Schemas["File"]; error?: string } | null;
      if (request.status === 200 && answer?.file) resolve(answer.file);
      else reject(apiError(request.status, answer));
    };
    request.open("POST", path);
    request.send(form);
  });
}
