/** Sheets as the service reads them: each row holds the parameters of one execution. */
import { call, type Schemas } from "../../api/client";

export type Sheet = Schemas["Sheet"];
/** The parameter each column fills; other columns are ignored. */
export type Mapping = Readonly<Record<string, string>>;

export const PREVIEW_ROWS = 8;

/** Read a stored sheet; without a mapping the service matches columns and parameters by name. */
export async function readSheet(workflowId: string, fileId: string, columns?: Mapping): Promise<Sheet> {
  const answer = await call("/batches/readSheet", {
    workflowId,
    fileId,
    limit: PREVIEW_ROWS,
    ...(columns ? { columns } : {}),
  });
  return answer.sheet;
}

export function mappingOf(sheet: Sheet): Mapping {
  return Object.fromEntries(
    sheet.columns.flatMap((one) => (one.parameter === null ? [] : [[one.name, one.parameter]])),
  );
}

/** The mapping in the order of the sheet's columns, which is that of the parameters wherever they are shown. */
export function inOrderOf(sheet: Sheet, mapping: Mapping): Mapping {
  return Object.fromEntries(
    sheet.columns.flatMap(({ name }) => (mapping[name] === undefined ? [] : [[name, mapping[name]]])),
  );
}
