/** Files that the service makes on request, handed to the person. */
import { Refused } from "../api/client";
import { saveBlob } from "./json";

/** Ask an operation for a file; throws `Refused` with a sentence for people. */
export async function download(path: string, body: object, name: string): Promise<void> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    credentials: "same-origin",
  });
  if (!response.ok) {
    const answer = (await response.json().catch(() => ({}))) as { error?: string };
    throw new Refused(answer.error ?? `The service answered with status ${response.status}.`, response.status);
  }
  saveBlob(await response.blob(), name);
}
