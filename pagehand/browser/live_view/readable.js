// @ts-check
// What reading at an element gives: the table around it with its columns, or its own text.
(dom, element) => {
  const TABLE = 'table, [role=table], [role=grid]';
  const HEAD = 'th, [role=columnheader]';
  const textOf = (el) => dom.collapseSpaces(dom.renderedText(el)).slice(0, 80);
  const table = element.closest(TABLE);
  if (!table) return {target: element, name: textOf(element), columns: []};
  const own = (part) => [...table.querySelectorAll(part)].filter((el) => el.closest(TABLE) === table);
  const cellsOf = (row) => [...row.querySelectorAll(`${HEAD}, td, [role=cell], [role=gridcell], [role=rowheader]`)];
  const isHead = (cell) => cell.matches(HEAD) && cell.scope !== 'row';
  // a `th` among data is its row's name, and a heading over several columns names none of them
  const isHeadRow = (row) => cellsOf(row).some(isHead) && cellsOf(row).every((cell) => isHead(cell) || !textOf(cell));
  const rows = own('tr, [role=row]');
  const start = rows.findIndex(isHeadRow);
  const end = rows.findIndex((row, at) => at > start && !isHeadRow(row));
  const heads = start < 0 ? own(HEAD) : rows.slice(start, end < 0 ? undefined : end).flatMap(cellsOf);
  const named = heads.filter((cell) => !(cell.colSpan > 1));
  const name = (table.caption && textOf(table.caption)) || dom.ariaName(table, textOf).slice(0, 80);
  return {target: table, name: name || 'the table', columns: [...new Set(named.map(textOf).filter(Boolean))]};
}
