/** Files that the service makes on request, handed to the person. */
import { post } from "../api/client";
import { saveBlob } from "./json";

/** Ask an operation for a file; throws `Refused` with a sentence for people. */
export async function download(path: string, body: object, name: string): Promise<void> {
  const response = await post(path, body);
  saveBlob(await response.blob(), name);
}
