/** Files on their way to the service, as a form and in pieces: they are never held as text. */
import { refusal, Refused, UNREACHABLE, type Schemas } from "./client";

/** Send one file; `onProgress` hears which part of it has arrived, from 0 to 1. */
export function upload(path: "/files/upload" | "/batches/uploadSheet", file: File, onProgress: (part: number) => void = () => undefined): Promise<Schemas["File"]> {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    form.append("file", file, file.name);
    const request = new XMLHttpRequest(); // fetch does not report progress of what it sends
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
    request.onerror = () => reject(new Refused(UNREACHABLE, 0));
    request.onload = () => {
      const answer = request.response as { file?: Schemas["File"]; error?: string } | null;
      if (request.status === 200 && answer?.file) resolve(answer.file);
      else reject(refusal(request.status, answer?.error));
    };
    request.open("POST", path);
    request.send(form);
  });
}
