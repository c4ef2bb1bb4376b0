/** Finds what typing changed. */

/** The path of the one text or number in which two values differ; undefined if they differ in anything else. */
export function changedText(before: unknown, after: unknown, path = ""): string | undefined {
  if (isText(before) && isText(after)) return path;
  // the first letter may make the object that it stands in
  const [old, now] = [before ?? {}, after ?? {}];
  if (!isTree(old) || !isTree(now)) return undefined;
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  const [name, ...others] = [...names].filter((one) => old[one] !== now[one]);
  return name && others.length === 0 ? changedText(old[name], now[name], `${path}.${name}`) : undefined;
}

function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string" || typeof value === "number";
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === "object";
}
