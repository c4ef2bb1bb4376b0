/** A sheet as the service reads it: rows of params for one workflow. */
import { call, type Schemas } from "../../api/client";

export type Sheet = Schemas["Sheet"];
/** Which parameter each column is meant for; a column that is not in it is left out. */
export type Mapping = Readonly<Record<string, string>>;

const LARGEST_MB = 7;

/** Have the service read a file; without a mapping it matches columns and parameters by their names. */
export async function readSheet(workflowId: string, file: File, columns?: Mapping): Promise<Sheet> {
  if (file.size > LARGEST_MB * 1_000_000) throw new Error(`The sheet is larger than ${LARGEST_MB} MB. Split it into several batches.`);
  const answer = await call("/batches/readSheet", { workflowId, contentBase64: await base64(file), ...(columns ? { columns } : {}) });
  return answer.sheet;
}

export function mappingOf(sheet: Sheet): Mapping {
  return Object.fromEntries(sheet.columns.flatMap((one) => (one.parameter === null ? [] : [[one.name, one.parameter]])));
}

function base64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ""));
    reader.onerror = () => reject(new Error("The file cannot be read."));
    reader.readAsDataURL(file);
  });
}
