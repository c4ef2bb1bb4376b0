/** CSV text as rows by their heading: quoted cells, either line end, comma, semicolon or tab. */
export function parseCsv(text: string): Record<string, string>[] {
  const clean = text.replace(/^\uFEFF/, "");
  const firstLine = clean.slice(0, clean.search(/[\r\n]|$/));
  const separator = [",", ";", "\t"].reduce((best, one) => (firstLine.split(one).length > firstLine.split(best).length ? one : best), ",");
  const [heading, ...rows] = cells(clean, separator).filter((row) => row.some((cell) => cell !== ""));
  if (!heading) return [];
  return rows.map((row) => Object.fromEntries(heading.map((name, at) => [name.trim(), row[at] ?? ""])));
}

function cells(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const one = text[at]!;
    if (isQuoted) {
      if (one !== '"') cell += one;
      else if (text[at + 1] === '"') cell += text[++at];
      else isQuoted = false;
    } else if (one === '"' && cell === "") isQuoted = true;
    else if (one === separator || one === "\n") {
      rows.at(-1)!.push(cell.replace(/\r$/, ""));
      cell = "";
      if (one === "\n") rows.push([]);
    } else cell += one;
  }
  rows.at(-1)!.push(cell.replace(/\r$/, ""));
  return rows;
}
