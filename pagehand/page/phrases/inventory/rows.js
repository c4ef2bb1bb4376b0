// @ts-check
// The row and the column of an element.
const ROWS = 'tr,[role=row],li,[role=listitem],article,[role=article],dl > div';
const cellsOf = (row) => [...row.children].filter((one) => one.matches(`${CELLS},[role=columnheader]`));
const isBold = (el) => dom.isBold(el.firstElementChild && !el.firstChild.data?.trim() ? el.firstElementChild : el);
const headRows = new Map();
// a row that only names its columns: by its tags, or the first of a table without such by what it looks like
const isHeadRow = (row) => {
  if (!headRows.has(row)) headRows.set(row, namesColumns(row));
  return headRows.get(row);
};
const namesColumns = (row) => {
  if (!row.matches('tr,[role=row]')) return false;
  if (row.closest('thead,tfoot') || row.querySelector(':scope > th[scope=col],:scope > [role=columnheader]')) return true;
  const cells = cellsOf(row);
  if (cells.length && cells.every((one) => one.matches('th'))) return true;
  const table = row.closest('table');
  if (!table || table.rows[0] !== row || table.rows.length < 2 || table.querySelector('th') || cells.length < 2) return false;
  const isPlain = (one) => textOf(one).length <= 40 && !/\d/.test(textOf(one)) && !one.querySelector(`${FIELDS},button`);
  if (!cells.every(isPlain) || cells.filter((one) => textOf(one)).length < 2) return false;
  const below = cellsOf(table.rows[1]);
  if (below.length !== cells.length) return false;
  const differs = (name) => getComputedStyle(row)[name] !== getComputedStyle(table.rows[1])[name] ||
    getComputedStyle(cells[0])[name] !== getComputedStyle(below[0])[name];
  if (cells.every((one) => !textOf(one) || isBold(one)) && !below.every((one) => isBold(one))) return true;
  if (differs('backgroundColor') && table.rows.length > 2 && !/stripe/i.test(table.className)) return true;
  return cells.some((one, at) => textOf(one) && (/\d/.test(textOf(below[at])) || below[at].querySelector(`${FIELDS},button`)));
};
// rows made of other elements: siblings with the same structure
const shapeOf = (el) => [...el.children].map((one) => `${one.localName}.${one.classList[0] || ''}:${one.childElementCount > 0}`).join();
const similar = new Map();
const peersOf = (el) => {
  const parent = el.parentElement;
  if (!parent || !el.matches('div,section,a,figure') || el.childElementCount === 0) return [];
  if (!similar.has(parent)) {
    const groups = new Map();
    for (const one of parent.children) {
      const key = `${one.localName}.${[...one.classList].join('.')} ${one.classList.length ? startOf(one) : shapeOf(one)}`;
      // a column of a layout holds several things, a row is one
      const isOne = one.querySelectorAll('h1,h2,h3,h4,h5,h6,[role=heading]').length < 2;
      if (isOne && isVisible(one) && textOf(one)) groups.set(key, [...(groups.get(key) || []), one]);
    }
    similar.set(parent, [...groups.values()]);
  }
  return similar.get(parent).find((group) => group.length > 1 && group.includes(el)) || [];
};
const rowElement = (el) => {
  const row = el.closest(ROWS);
  for (let level = el; level && level !== row && level !== document.body; level = level.parentElement) {
    if (level === el || !peersOf(level).length || !level.querySelector(CONTROLS)) continue;
    if (isItem(level) || peersOf(level).every((one) => one.querySelector(CONTROLS))) return level;
  }
  return row === el ? null : row;
};
const rowPeers = (row) => {
  if (!row.matches(ROWS)) return peersOf(row);
  const table = row.matches('tr,[role=row]') ? row.closest('table,[role=table],[role=grid],[role=treegrid]') : null;
  const all = table ? [...table.querySelectorAll(row.tagName === 'TR' ? 'tr' : '[role=row]')]
    .filter((one) => one.closest('table,[role=table],[role=grid],[role=treegrid]') === table) : [...(row.parentElement?.children || [])];
  return all.filter((one) => one.tagName === row.tagName && isVisible(one) && !isHeadRow(one));
};
const rowIds = new Map();
const rowOf = (el) => {
  const row = rowElement(el);
  if (!row || isHeadRow(row)) return null;
  if (!rowIds.has(row)) {
    const peers = rowPeers(row);
    const parts = [...row.querySelectorAll('td,th,[role=cell],[role=gridcell],[role=rowheader],span,b,strong,em,a,div,p,h1,h2,h3,h4,h5,h6,label')]
      .filter((one) => one.children.length === 0 && !one.matches('button')).slice(0, 30).map((one) => textOf(one).slice(0, 120));
    const cells = [...row.querySelectorAll(CELLS)].slice(0, 30).map((one) => textOf(one).slice(0, 120));
    rowIds.set(row, {id: rowIds.size, text: distinctiveTexts(row).join(' ').slice(0, CUT), parts: [...new Set([...cells, ...parts])].filter(Boolean),
      index: peers.indexOf(row), count: peers.length, node: row});
  }
  return rowIds.get(row);
};
const grids = new Map();
// what heads each column of a table, cells that span several counted as such
const columnsOf = (table) => {
  if (!grids.has(table)) {
    const heads = [...table.querySelectorAll('tr,[role=row]')].filter((one) => isHeadRow(one) && !one.closest('tfoot') &&
      one.closest('table,[role=table],[role=grid],[role=treegrid]') === table);
    const columns = [];
    for (const head of heads) {
      let at = 0;
      for (const cell of cellsOf(head)) {
        for (let span = 0; span < (cell.colSpan || 1); span++) columns[at + span] = textOf(cell).slice(0, 120) || columns[at + span] || '';
        at += cell.colSpan || 1;
      }
    }
    grids.set(table, columns);
  }
  return grids.get(table);
};
const columnOf = (el) => {
  const cell = el.closest(CELLS);
  const row = cell?.closest('tr,[role=row]');
  const table = row?.closest('table,[role=table],[role=grid],[role=treegrid]');
  if (!cell || !table || isHeadRow(row) || cell.parentElement !== row) return '';
  let at = 0;
  for (const one of cellsOf(row)) { if (one === cell) break; at += one.colSpan || 1; }
  return columnsOf(table)[at] || '';
};
