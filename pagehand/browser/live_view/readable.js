// @ts-check
// What reading at an element gives: the table around it with its columns, or its own text.
(dom, element) => {
  const textOf = (el) => dom.collapseSpaces(dom.renderedText(el)).slice(0, 80);
  const table = element.closest('table, [role=table], [role=grid]');
  if (!table) return {target: element, name: textOf(element), columns: []};
  const heads = [...table.querySelectorAll('th, [role=columnheader]')].map(textOf);
  const name = (table.caption && textOf(table.caption)) || dom.ariaName(table, textOf).slice(0, 80);
  return {target: table, name: name || 'the table', columns: [...new Set(heads.filter(Boolean))]};
}
