// @ts-check
// The row and the column of an element.
const ROWS = 'tr,[role=row],li,[role=listitem],article,[role=article],dl > div';
const TABLE_ROWS = 'tr,[role=row]';
const TABLES = 'table,[role=table],[role=grid],[role=treegrid]';
const HEADLIKE = /(^|[-_])(t?head(er|ing|s)?|hdr|h|titles?|labels|columns?)([-_]|$)/i;
const SUM = /^(sub-?\s?total|grand total|total|sum|balance|summe|gesamt)\b/i;
const cellsOf = memoize((row) => [...row.children].filter((one) => (row.matches(TABLE_ROWS) ? one.matches(`${CELLS},[role=columnheader]`) : isVisible(one))));
const isBold = (el) => dom.isBold(el.firstElementChild && !el.firstChild.data?.trim() ? el.firstElementChild : el);
const tableOf = (row) => row.closest(TABLES);
const isPlain = (cell) => textOf(cell).length <= 40 && !/\d/.test(textOf(cell)) && !cell.querySelector(`${FIELDS},button`);
// names of columns: short, without numbers and each its own
const isPlainRow = memoize((row) => {
  const texts = cellsOf(row).map(textOf).filter(Boolean);
  return texts.length > 1 && new Set(texts).size === texts.length && cellsOf(row).every(isPlain);
});
const isMarkedHead = (row) => {
  if (row.closest('thead') || row.querySelector(':scope > th[scope=col],:scope > [role=columnheader]')) return true;
  return cellsOf(row).length > 0 && cellsOf(row).every((one) => one.matches('th'));
};
const isBoldRow = memoize((row) => cellsOf(row).every((one) => !textOf(one) || isBold(one)));
// whether a row without a mark names the columns of the one below it
const looksLikeHead = (row, below, hasMore) => {
  if (!isPlainRow(row)) return false;
  if (isBoldRow(row) && !isBoldRow(below)) return true;
  const [cells, under] = [cellsOf(row), cellsOf(below)];
  if (under.length !== cells.length) return false;
  const differs = (name) => getComputedStyle(row)[name] !== getComputedStyle(below)[name] || getComputedStyle(cells[0])[name] !== getComputedStyle(under[0])[name];
  if (hasMore && differs('backgroundColor') && !/stripe/i.test(tableOf(row)?.className || '')) return true;
  return cells.some((one, at) => textOf(one) && (/\d/.test(textOf(under[at])) || under[at].querySelector(`${FIELDS},button`)));
};
// every row with the cell of each column: one that spans several columns or rows is in each of them
const linesOf = memoize((table) => {
  const rows = [...table.querySelectorAll(table.matches('table') ? 'tr' : '[role=row]')].filter((one) => tableOf(one) === table && isVisible(one));
  const waiting = [];
  return rows.map((row) => {
    const cells = [];
    const take = () => { for (let one; (one = waiting[cells.length])?.left > 0;) { one.left--; cells.push(one.cell); } };
    for (const cell of cellsOf(row)) {
      take();
      for (let across = Math.min(cell.colSpan || 1, 100); across; across--) { waiting[cells.length] = {cell, left: (cell.rowSpan || 1) - 1}; cells.push(cell); }
    }
    take();
    return {row, cells};
  });
});
const isSum = (row, usual) => SUM.test(textOf(cellsOf(row)[0] || row)) && cellsOf(row).filter((one) => textOf(one)).length < usual;
// the rows of data, each with the rows of names above it; titles, sums and rows of names are none
const tableRows = memoize((table) => {
  const lines = linesOf(table);
  const isMarked = lines.some(({row}) => isMarkedHead(row));
  const usual = lines.reduce((most, {row}) => Math.max(most, cellsOf(row).length), 0);
  const heads = new Set();
  const found = new Map();
  let [names, isOpen] = [[], false];
  lines.forEach((line, at) => {
    const {row, cells} = line;
    const isWide = cells.length > 1 && cells.every((one) => one === cells[0]);
    // a title; with something to press or to fill in it is the second line of a record
    if (isWide && !row.querySelector(CONTROLS) || row.closest('tfoot')) { isOpen = false; return; }
    // names may take two rows, one of them in cells that span both
    const height = cellsOf(row).reduce((most, one) => Math.max(most, one.rowSpan || 1), 1);
    const [above, below, first] = [lines[at - 1], lines[at + Math.min(height, 4)], names[0]];
    const continues = isOpen && above.cells.some((one, column) => one === cells[column] || above.cells[column + 1] === one) && isPlainRow(row) && isBoldRow(row);
    const isNamed = isMarked ? isMarkedHead(row) : continues || (below && usual > 1 && found.size === 0
      ? looksLikeHead(row, below.row, lines.length > at + 2) : isPlainRow(row) && !!first && (isBoldRow(row) && isBoldRow(first.row) && !(below && isBoldRow(below.row))));
    if (isNamed) { names = isOpen ? [...names, line] : [line]; heads.add(row); } else found.set(row, {cells, names: isWide ? [] : names, isWide});
    isOpen = isNamed;
  });
  for (const [row] of [...found].reverse()) if (isSum(row, usual)) found.get(row).isSum = true; else break;
  return {heads, rows: found};
});
const isHeadRow = memoize((row) => row.matches(TABLE_ROWS) && !!tableOf(row) && (!!row.closest('tfoot') || tableRows(tableOf(row)).heads.has(row)));
// rows of boxes below a row of names: in the same box, or in the box before
const isLaidOut = (row) => row.childElementCount > 1 && isBeside(row.children[0], row.children[1]);
const isMarkedBox = (...boxes) => boxes.some((one) => [...one.classList].some((name) => HEADLIKE.test(name)));
const namesBoxes = (row, below) => {
  if (!row || row.childElementCount !== below.childElementCount || !isPlainRow(row) || !isLaidOut(row)) return false;
  if (Math.abs(row.children[0].getBoundingClientRect().left - below.children[0].getBoundingClientRect().left) > 24) return false;
  const isMarked = isMarkedBox(row) && !isMarkedBox(below);
  // buttons in a row sort only where it is marked; else it is a bar of buttons
  if (!isMarked && [row, ...row.querySelectorAll('*')].some((one) => one.matches(CONTROLS) || isClickable(one))) return false;
  return isMarked || (isBoldRow(row) && !isBoldRow(below)) || (row.childElementCount > 2 && looksLikeHead(row, below, false));
};
const boxRows = memoize((parent) => {
  if (!parent.matches('div,section,ul,ol,main,article,form,fieldset') || parent.closest(TABLES)) return null;
  const kids = [...parent.children].filter((one) => one.matches('div,li,section,article,a,form') && isVisible(one));
  if (!kids[0] || !isLaidOut(kids[kids.length - 1])) return null;
  const before = parent.previousElementSibling;
  const outside = before?.childElementCount === 1 ? before.firstElementChild : before;
  const at = kids.findIndex((one, place) => kids[place + 1] && one.childElementCount === kids[place + 1].childElementCount);
  const head = at >= 0 && namesBoxes(kids[at], kids[at + 1]) ? kids[at] : outside && isMarkedBox(before, outside) && namesBoxes(outside, kids[0]) ? outside : null;
  const rows = head ? kids.slice(kids.indexOf(head) + 1).filter((one) => one.childElementCount === head.childElementCount && isLaidOut(one)) : [];
  if (!rows.length) return null;
  const usual = rows.reduce((most, row) => Math.max(most, cellsOf(row).filter((one) => textOf(one)).length), 0);
  return {head, rows: new Set(rows), data: rows.filter((row) => !isSum(row, usual))};
});
const boxRowOf = (el) => (el.parentElement && boxRows(el.parentElement)?.rows.has(el) ? el : null);
const isBoxCell = (el) => !!el.parentElement && !!boxRowOf(el.parentElement);
// rows made of other elements: siblings with the same structure
const shapeOf = (el) => [...el.children].map((one) => `${one.localName}.${one.classList[0] || ''}:${one.childElementCount > 0}`).join();
// a column of a layout holds several things, a row is one
const isOne = (el) => isVisible(el) && el.querySelectorAll('h1,h2,h3,h4,h5,h6,[role=heading]').length < 2 && hasText(el);
const similarChildren = memoize((parent) => {
  const keyOf = (one) => `${one.localName}.${[...one.classList].join('.')} ${one.classList.length ? startOf(one) : shapeOf(one)}`;
  const groups = [...Map.groupBy([...parent.children].filter(isOne), keyOf).values()].filter((group) => group.length > 1);
  return new Map(groups.flatMap((group) => group.map((one) => [one, group])));
});
const peersOf = (el) => {
  if (!el.parentElement || !el.matches('div,section,a,figure') || el.childElementCount === 0) return [];
  return similarChildren(el.parentElement).get(el) || [];
};
const allHaveControls = memoize((peers) => peers.every(hasControl));
const isRowBox = memoize((el) => peersOf(el).length > 0 && hasControl(el) && (isItem(el) || allHaveControls(peersOf(el))));
const rowElement = (el) => {
  const row = el.closest(ROWS);
  for (let level = el; level && level !== row && level !== document.body; level = level.parentElement) {
    if (level !== el && (boxRowOf(level) || isRowBox(level))) return level;
  }
  return row === el ? null : row;
};
// records of two rows each, as one with a line of remarks below it, are told by their shapes
const pairOf = memoize((table) => {
  const rows = [...tableRows(table).rows].filter(([, one]) => !one.isSum).map(([row]) => row);
  const isPair = (at) => cellsOf(rows[at]).length !== cellsOf(rows[at + 1] || rows[at]).length && [0, 1].every((step) => cellsOf(rows[at + step]).length === cellsOf(rows[step]).length);
  const isAll = rows.length > 3 && rows.length % 2 === 0 && rows.every((_, at) => at % 2 === 1 || isPair(at));
  return new Map(isAll ? rows.map((row, at) => [row, [rows[at - (at % 2)], rows[at - (at % 2) + 1]]]) : []);
});
const listPeers = memoize((parent) => Map.groupBy([...parent.children].filter((one) => one.matches(ROWS) && isVisible(one)), (one) => one.tagName));
const dataRows = memoize((table) => [...tableRows(table).rows].filter(([row, one]) => !one.isSum && (pairOf(table).get(row)?.[0] ?? (one.isWide ? null : row)) === row).map(([row]) => row));
const rowPeers = (row) => {
  if (boxRowOf(row)) return boxRows(row.parentElement).data;
  if (!row.matches(ROWS)) return peersOf(row);
  if (row.matches(TABLE_ROWS) && tableOf(row)) return dataRows(tableOf(row));
  return (row.parentElement && listPeers(row.parentElement).get(row.tagName)) || [];
};
const placesOf = memoize((peers) => new Map(peers.map((one, at) => [one, at])));
const PARTS = 'td,th,[role=cell],[role=gridcell],[role=rowheader],span,b,strong,em,small,font,a,div,p,h1,h2,h3,h4,h5,h6,label,time,code';
// what fields hold names their row as well as its texts do; a password does not
const fieldValues = (row) => [...row.querySelectorAll('input,select,textarea')].slice(0, 10).filter((one) => isVisible(one) && !one.matches('[type=password],[type=hidden],[type=checkbox],[type=radio],[type=file]'))
  .map((one) => (one.tagName === 'SELECT' ? dom.selectedText(one) : one.matches('[type=submit],[type=button],[type=reset],[type=image]') ? '' : dom.valueOf(one)));
const short = (texts) => [...new Set(texts.map((text) => collapseSpaces(text).slice(0, 120)))].filter(Boolean);
const partsOf = (row) => {
  const leaves = [...row.querySelectorAll(PARTS)].filter((one) => one.children.length === 0 && !one.matches('button')).slice(0, 30);
  // lines of one cell, as a name above an address
  const lines = [row, ...row.querySelectorAll(`${CELLS},p,div`)].slice(0, 30).flatMap((one) => [...one.childNodes].filter((node) => node.nodeType === 3 && one.childElementCount).map((node) => node.data));
  return short([...cellsOf(row).filter((one) => one.matches(CELLS)).slice(0, 30).map(textOf), ...leaves.map(textOf), ...lines]);
};
const rowIds = new Map();
const rowOf = (el) => {
  const row = rowElement(el);
  if (!row || isHeadRow(row)) return null;
  if (!rowIds.has(row)) {
    const table = row.matches(TABLE_ROWS) ? tableOf(row) : null;
    const pair = (table && pairOf(table).get(row)) || [row];
    const peers = rowPeers(row);
    const parts = partsOf(row);
    // what is known of it but is not in it: a cell that spans several rows, the other row of the record
    const spanned = ((table && tableRows(table).rows.get(row)?.cells) || []).filter((one) => one.parentElement !== row).map(textOf);
    const others = short([...spanned, ...pair.filter((one) => one !== row).flatMap(partsOf), ...pair.flatMap(fieldValues)]).filter((text) => !parts.includes(text));
    rowIds.set(row, {id: rowIds.size, text: distinctiveTexts(row).join(' ').slice(0, CUT), parts, others,
      index: placesOf(peers).get(pair[0]) ?? -1, count: peers.length, node: row});
  }
  return rowIds.get(row);
};
const cellAround = memoize((el) => {
  if (!el || el === document.body) return null;
  return el.matches(CELLS) || isBoxCell(el) ? el : cellAround(el.parentElement);
});
const withoutUnit = (name) => name.replace(/\s?(?:\([^()]*\)|\/\s?\p{L}{1,12}|\bper \p{L}{1,12}|\bin \p{Lu}{3}|[%€£$])$/u, '');
// what heads the column of an element: the name right above, and with the names above that one
const columnNames = memoize((cell) => {
  const row = cell.parentElement;
  if (boxRowOf(row)) {
    const name = textOf(boxRows(row.parentElement).head.children[[...row.children].indexOf(cell)]);
    return short([name, withoutUnit(name)]);
  }
  const found = row?.matches(TABLE_ROWS) && tableOf(row) ? tableRows(tableOf(row)).rows.get(row) : null;
  if (!found) return [];
  const at = found.cells.indexOf(cell);
  const names = [...new Set(found.names.map((line) => line.cells[at]))].map((one) => (one ? textOf(one) : '')).filter(Boolean);
  const last = names[names.length - 1] || '';
  return short([last, names.join(' '), withoutUnit(last)]);
});
// names on the left and figures on the right, in a table that is nothing else
const isPairTable = memoize((table) => {
  const rows = linesOf(table).map(({row}) => cellsOf(row).map(textOf));
  return rows.length > 1 && rows.every((texts) => texts.length === 2 && /^\p{L}[^\d]{1,38}$/u.test(texts[0])) && new Set(rows.map(([key]) => key)).size === rows.length && rows.some(([, value]) => /\d/.test(value));
});
// what a cell is called by the one before it, in a table of names and values
const keyOf = (cell) => {
  const [row, before] = [cell.parentElement, cell.previousElementSibling];
  if (!before || !row.matches(TABLE_ROWS) || hasControl(cell)) return [];
  const cells = cellsOf(row);
  const isKey = (one) => /^\p{L}[^\d]{1,38}$/u.test(textOf(one)) && (one.matches('th,[role=rowheader]') || textOf(one).endsWith(':') || isBold(one));
  const isPairs = cells.length % 2 === 0 && (cells.every((one, at) => at % 2 === 1 || isKey(one)) || isPairTable(tableOf(row)));
  return isPairs && cells.indexOf(cell) % 2 === 1 ? [textOf(before).replace(/\s?:$/, '')] : [];
};
// the only figure of a row of sums is called as the row is: `Total` below a list of payments
const sumKey = (cell) => {
  const row = cell.parentElement;
  if (!row.matches(TABLE_ROWS) || !tableOf(row)) return '';
  const filled = cellsOf(row).filter((one) => textOf(one));
  const isTotal = filled.length === 2 && filled[1] === cell && !hasControl(cell) && /^\p{L}[^\d:]{1,38}:?$/u.test(textOf(filled[0])) && /\d/.test(textOf(cell));
  return isTotal && (row.closest('tfoot') || tableRows(tableOf(row)).rows.get(row)?.isSum) ? textOf(filled[0]).replace(/\s?:$/, '') : '';
};
const columnOf = (el) => { const cell = cellAround(el); return (cell && columnNames(cell)) || []; };
