/** A sheet as the service reads it: rows of params for one workflow. */
import { call, type Schemas } from "../../api/client";

export type Sheet = Schemas["Sheet"];
/** Which parameter each column is meant for; a column that is not in it is left out. */
export type Mapping = Readonly<Record<string, string>>;

export const SHOWN = 8;

/** Have the service read a stored file; without a mapping it matches columns and parameters by their names. */
export async function readSheet(workflowId: string, fileId: string, columns?: Mapping): Promise<Sheet> {
  const answer = await call("/batches/readSheet", { workflowId, fileId, limit: SHOWN, ...(columns ? { columns } : {}) });
  return answer.sheet;
}

export function mappingOf(sheet: Sheet): Mapping {
  return Object.fromEntries(sheet.columns.flatMap((one) => (one.parameter === null ? [] : [[one.name, one.parameter]])));
}
