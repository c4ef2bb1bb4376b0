// @ts-check
// Tables, with cells that span columns or rows repeated, and grids drawn with other elements.
const spread = (rows, cellsOf) => {
  const waiting = [];
  return rows.map((row) => {
    const line = [];
    const take = () => { while (waiting[line.length]?.left > 0) { const one = waiting[line.length]; one.left--; line.push({...one.cell, repeated: true, above: true}) } };
    for (const el of cellsOf(row)) {
      take();
      const across = Math.min(Number(el.colSpan ?? el.getAttribute('aria-colspan')) || 1, 100), down = (el.rowSpan || 1) - 1;
      const isHead = el.tagName === 'TH' || /^(columnheader|rowheader)$/.test(el.getAttribute('role') ?? '');
      for (let step = 0; step < across; step++) {
        const cell = {el, isHead, repeated: step > 0, wide: across > 1};
        waiting[line.length] = {cell, left: down};
        line.push(cell);
      }
    }
    take();
    return line;
  });
};
const headText = (el) => (collapseSpaces(el.getAttribute('abbr')) || textOf(el) || named(el) || collapseSpaces(el.title)).replace(/[▲▼△▽↑↓⇅⇵]/g, '').trim();
const most = (numbers) => numbers.reduce((a, b) => Math.max(a, b), 0);
// names that the markup gives to all cells of a column, where nothing visible names it
const columnNames = (lines, width) => {
  const looked = lines.slice(0, 50);
  return Array.from({length: width}, (_, at) => {
    const counts = new Map();
    for (const line of looked) {
      for (const name of new Set(line[at] ? markupNames(line[at].el) : [])) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count >= looked.length * 0.9).map(([name]) => name);
  });
};
const isAllBold = (line) => line.filter((one) => textOf(one.el)).length > 1 && line.every((one) => !textOf(one.el) || within(one.el, '*').some(isBold));
const isShortText = (line) => line.every((one) => textOf(one.el).length <= 40 && !one.el.querySelector(FIELDS));
// how many rows of names in bold are below the titles of a table that marks none, where no row below is all bold but a last one with sums
const countBoldHeads = (lines, oneCell) => {
  const start = lines.findIndex((line) => !oneCell(line));
  const next = lines.findIndex((line, at) => at >= start && !(isAllBold(line) && isShortText(line)));
  const isHead = start >= 0 && next > start && next - start <= 3 && !lines.slice(next, Math.max(next + 1, Math.min(next + 20, lines.length - 1))).some((line) => isAllBold(line) && !oneCell(line));
  return isHead ? next : 0;
};
// whether labels and values take turns in each row: labels look alike and otherwise than values, or values are fields
const takesTurns = (all) => {
  const lines = all.slice(all.findIndex((line) => line.some((one) => !one.repeated && one.el !== line[line.length - 1].el)));
  const width = lines[0]?.length ?? 0;
  if (width < 4 || width % 2 || lines.length > 50 || lines.some((line) => line.length !== width)) return false;
  const [labels, values] = [0, 1].map((odd) => lines.flatMap((line) => line.filter((one, at) => at % 2 === odd && (!one.repeated || odd))).map((one) => one.el));
  const look = (el) => { const style = getComputedStyle(el.childElementCount === 1 && !ownText(el) ? el.firstElementChild : el); return [style.backgroundColor, style.color, style.fontWeight].join(' ') };
  const isLabel = (el) => textOf(el).length <= 40 && !/\d/.test(textOf(el)) && !within(el, FIELDS).some(isField);
  if (!labels.every(isLabel)) return false;
  return values.every((el) => within(el, FIELDS).some(isField)) || (new Set(labels.map(look)).size === 1 && !values.some((el) => look(el) === look(labels[0])));
};
const recordTables = [];
const tableOf = (table, rows, cellsOf, isTop, isFoot) => {
  const lines = spread(rows, cellsOf);
  const allHead = (line) => line.length > 0 && line.every((one) => one.isHead);
  // a title, or below the first line of a record the remark on it
  const oneCell = (line) => { const own = line.filter((one) => !one.above); return own.length > 1 && own.every((one) => one.el === own[0].el) };
  // a head across the whole table below the names of the columns is the title of the rows that follow
  const isTitle = (line, at) => oneCell(line) && lines.slice(0, at).some((above) => allHead(above) && !oneCell(above));
  const first = rows.findIndex((row, at) => !isTop(row) && (!allHead(lines[at]) || isTitle(lines[at], at)));
  const marked = first < 0 ? lines.length : first;
  const bold = marked ? 0 : countBoldHeads(lines, oneCell);
  const top = lines.slice(0, marked || bold).filter((line) => !oneCell(line));
  const title = lines.length > 2 && oneCell(lines[0]) ? textOf(lines[0][0].el) : '';
  const width = most(lines.map((line) => line.length));
  const header = top.length === 0 ? null : Array.from({length: width}, (_, at) =>
    [...new Set(top.map((line) => line[at] && headText(line[at].el)))].filter(Boolean).join(' '));
  const body = [], shownLines = [];
  lines.forEach((line, at) => {
    if (at < (marked || bold) || !seen.has(rows[at])) return;
    shownLines.push(line);
    /** @type {any} */
    const row = {cells: line.map((one) => ({...cellOf(one.el), ...linesIn(one.el)}))};
    // only what is so: a long table would else say many thousand times what is not
    if (line.some((one) => one.repeated)) row.spannedCells = line.map((one) => one.repeated);
    if (line.some((one) => one.isHead)) row.headerCells = line.map((one) => one.isHead);
    if (oneCell(line)) row.isTitle = true;
    if (line.some((one) => one.wide)) row.hasWideCell = true;
    if (isFoot(rows[at])) row.isFooter = true;
    body.push(row);
  });
  if (header && body.length > 1) recordTables.push(table);
  const caption = collapseSpaces(table.caption?.innerText) || named(table) || title || headingAbove(table);
  return {caption, header, alternates: !header && takesTurns(lines), hasBoldHeader: bold > 0, markupNames: columnNames(shownLines, width), rows: body, isNavigation: isNavigation(table)};
};
const isLayout = (table) => !!table.querySelector('table') && ![...table.rows].some((row) => [...row.cells].some((one) => one.tagName === 'TH'));
const tables = everything.filter((el) => el.tagName === 'TABLE' && !isLayout(el)).map((el) =>
  tableOf(el, [...el.rows], (row) => [...row.cells], (row) => row.parentElement.tagName === 'THEAD', (row) => row.parentElement.tagName === 'TFOOT'));
const ROLES = '[role=table], [role=grid], [role=treegrid]';
for (const grid of everything.filter((el) => el.tagName !== 'TABLE' && el.matches(ROLES))) {
  const rows = [...grid.querySelectorAll('[role=row]')];
  const cellsOf = (row) => [...row.querySelectorAll('[role=cell], [role=gridcell], [role=columnheader], [role=rowheader], td, th')];
  if (!grid.querySelector('table')) tables.push(tableOf(grid, rows, cellsOf, () => false, () => false));
}

// boxes side by side, row after row, below a row of names
const BOXES = new Set(['DIV', 'SECTION', 'LI', 'ARTICLE', 'SPAN', 'P']);
const HEADLIKE = /(^|[-_ ])(t?head(er|ing|s)?|hdr|top|titles?|labels|columns?)([-_ ]|$)/i;
const isSmall = (el) => textOf(el).length <= 300 && !el.querySelector('table, ul, ol, dl');
const widthOf = (el) => (BOXES.has(el.tagName) && visibleChildren(el).every(isSmall) ? visibleChildren(el).length : 0);
const looksHead = (row, others) => {
  const texts = visibleChildren(row).map(textOf);
  const names = texts.filter(Boolean);
  if (names.length < 2 || !names.every((text) => text.length <= 40 && !/\d/.test(text)) || new Set(names).size < names.length) return false;
  const extra = classes(row).filter((one) => !others.every((other) => classes(other).includes(one)));
  const bold = (one) => visibleChildren(one).every((cell) => !textOf(cell) || within(cell, '*').some(isBold));
  return HEADLIKE.test(extra.join(' ')) || row.tagName !== others[0].tagName || (bold(row) && !others.some(bold)) ||
    others.every((other) => /\d/.test(textOf(other)));
};
const headBefore = (parent, width) => {
  const before = parent.previousElementSibling;
  if (!before || !seen.has(before)) return null;
  const row = widthOf(before) === width ? before : visibleChildren(before).length === 1 ? visibleChildren(before)[0] : null;
  return row && widthOf(row) === width && HEADLIKE.test(classes(before).concat(classes(row)).join(' ')) ? row : null;
};
// boxes side by side, each with its texts below one another, are columns and no rows
const standsUpright = (rows) => {
  const [first, second] = rows.map((row) => row.getBoundingClientRect());
  const [top, below] = visibleChildren(rows[0]).map((one) => one.getBoundingClientRect());
  return !!second && second.top < first.bottom && second.left >= first.right && below.top >= top.bottom;
};
const gridRows = (parent) => {
  const rows = visibleChildren(parent);
  if (rows.length < 1 || rows.length > 5000) return null;
  const width = widthOf(rows[rows.length - 1]);
  if (width < 2 || !rows.every((row) => widthOf(row) === width) || standsUpright(rows)) return null;
  const head = headBefore(parent, width);
  if (head) return [head, ...rows];
  return rows.length > 1 && rows.slice(1).every((row) => row.tagName === rows[1].tagName) && looksHead(rows[0], rows.slice(1)) ? rows : null;
};
for (const parent of everything) {
  if (parent.closest(`table, ${ROLES}, dl, select, button`) || parent.childElementCount < 1) continue;
  const rows = gridRows(parent);
  if (rows) tables.push(tableOf(parent, rows, visibleChildren, (row) => row === rows[0], () => false));
}
// cells without rows, put in columns by the style sheet
for (const parent of everything) {
  const cells = visibleChildren(parent);
  if (cells.length < 6 || cells.length > 20000 || parent.closest(`table, dl, ${ROLES}`) || !cells.every(isText)) continue;
  const style = getComputedStyle(parent);
  const width = style.display.endsWith('grid') ? style.gridTemplateColumns.split(' ').length : 0;
  if (width < 3 || cells.length % width) continue;
  const starts = new Map(Array.from({length: cells.length / width}, (_, at) => [cells[at * width], at * width]));
  const cellsOf = (first) => cells.slice(starts.get(first), starts.get(first) + width);
  tables.push(tableOf(parent, [...starts.keys()], cellsOf, () => false, () => false));
}
