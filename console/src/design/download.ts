/** Saving text and bytes as files on the user's computer. */
import { post } from "../api/client";

/** Call an operation that answers with a file, and save the file; throws `ApiError`. */
export async function download(path: string, body: object, name: string): Promise<void> {
  const response = await post(path, body);
  saveBlob(await response.blob(), name);
}

export function saveText(text: string, name: string, type = "application/json"): void {
  saveBlob(new Blob([text], { type }), name);
}

function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
