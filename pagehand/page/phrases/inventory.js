// @ts-check
// All elements that a phrase can refer to (controls, headings, pictures, rows) with their names and surroundings.
(dom, most) => {
  const {allElements, collapseSpaces, flatContains, flatParentOf, isDrawn, isIconFont, isVisible, memoize, referencedElements} = dom;
  const FIELDS = 'input:not([type=hidden i]):not([type=submit i]):not([type=button i]):not([type=reset i])' +
    ':not([type=image i]),textarea,select,[contenteditable]:not([contenteditable=false i]),' +
    ['textbox', 'searchbox', 'combobox', 'listbox', 'spinbutton', 'slider', 'checkbox', 'radio', 'switch']
      .map((role) => `[role=${role}]`).join(',');
  const CONTROLS = `${FIELDS},a[href],button,input,summary,option,[onclick],[tabindex]:not([tabindex="-1"]),` +
    ['button', 'link', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']
      .map((role) => `[role=${role}]`).join(',');
  const CELLS = 'td,th,[role=cell],[role=gridcell],[role=rowheader]';
  const OTHERS = `h1,h2,h3,h4,h5,h6,[role=heading],img,[role=img],tr,[role=row],iframe,${CELLS}`;
  // roles that people name; they say `row`, but not `list item` or `paragraph`
  const NAMED_ROLES = new Set(['link', 'button', 'combobox', 'listbox', 'textbox', 'img', 'option', 'row', 'heading']);
  const ROLES_OF_TAGS = {SUMMARY: 'button', IFRAME: 'frame'};
  const LANDMARKS = {navigation: 'navigation', banner: 'header', main: 'main', contentinfo: 'footer', complementary: 'sidebar',
    dialog: 'dialog', alertdialog: 'dialog', search: 'search', form: 'form', table: 'table', grid: 'table',
    toolbar: 'toolbar', menu: 'menu', menubar: 'menu', tablist: 'tabs', list: 'list'};
  const TAG_LANDMARKS = {FORM: 'form', TABLE: 'table', UL: 'list', OL: 'list'};
  const CUT = 500;
  const NAME_CUT = 200;

  const textOf = dom.textReader({maxLength: CUT});
  // what distinguishes a box from others: all visible texts in it except those of its buttons
  const distinctiveTexts = memoize((box) => dom.textPieces(box, {maxPieces: 80, exclude: 'button,[role=button],input'}));
  // a script makes it a link; without a sign of that it only marks a place
  const actsAsLink = (el) => !el.hasAttribute('name') && textOf(el) !== '' && (el.hasAttribute('onclick') || getComputedStyle(el).cursor === 'pointer' ||
    !!el.closest('nav,[role=navigation],[role=menu]') || /(^|[-_\s])(btn|button|link|item|nav|menu|tab)([-_\s]|$)/i.test(el.className));
  const isClickable = (el) => isVisible(el) && !el.closest('label') && dom.looksClickable(el);
  // a cell of data; one that can be pressed, as in a calendar, is a control
  const isCell = (el) => el.matches(CELLS) && !el.matches(CONTROLS) && !isClickable(el);
  const roleOf = (el) => {
    const given = dom.explicitRole(el);
    if (given || el.tagName === 'INPUT') return given || dom.implicitRole(el);
    if (el.tagName === 'A' && !el.hasAttribute('href')) return actsAsLink(el) ? 'link' : '';
    if (isCell(el)) return 'cell';
    const implied = dom.implicitRole(el);
    return ROLES_OF_TAGS[el.tagName] || (NAMED_ROLES.has(implied) ? implied : '');
  };
  const isField = (el) => el.matches(FIELDS);

  // the words beside an unlabelled field: in the cell or part before it, or alone with it in a box
  const beside = (el) => {
    const cell = el.closest('td,th');
    if (cell && collapseSpaces(textOf(cell)) === '') {
      const before = cell.previousElementSibling;
      if (before && !before.querySelector(FIELDS) && textOf(before)) return textOf(before);
    }
    for (let level = el, steps = 0; level && steps < 4; steps++, level = flatParentOf(level)) {
      if (level.matches('form,fieldset,body,tr,main,section')) return '';
      for (let node = level.previousSibling; node; node = node.previousSibling) {
        if (node.nodeType === 3 && collapseSpaces(node.data)) return collapseSpaces(node.data);
        if (node.nodeType !== 1) continue;
        if (node.matches(`${CONTROLS},h1,h2,h3,h4,legend`) || node.querySelector(CONTROLS)) return '';
        if (textOf(node)) return textOf(node);
      }
      const after = level.nextElementSibling;
      if (steps === 0 && ['checkbox', 'radio'].includes(el.type || roleOf(el)) && !after?.querySelector(CONTROLS)) {
        for (let node = level.nextSibling; node; node = node.nextSibling) {
          const beside = node.nodeType === 3 ? collapseSpaces(node.data) : node.nodeType === 1 && !node.matches(CONTROLS) ? textOf(node) : '';
          if (beside) return beside;
        }
      }
      const parent = flatParentOf(level);
      if (!parent || parent.querySelectorAll(FIELDS).length > 1) return '';
    }
    return '';
  };
  const namesOf = (el, role) => {
    const names = [];
    if (isCell(el)) return columnOf(el) ? [['column', columnOf(el)]] : [];
    const add = (source, text) => {
      const folded = collapseSpaces(text).slice(0, NAME_CUT);
      if (folded && !names.some(([, known]) => known === folded)) names.push([source, folded]);
    };
    add('aria', referencedElements(el, 'aria-labelledby').map(textOf).join(' '));
    add('aria', el.getAttribute('aria-label'));
    for (const label of el.labels || []) add('label', textOf(label));
    const field = isField(el);
    if (el.tagName === 'INPUT' && role === 'button') add('text', el.value || (el.type === 'submit' ? 'Submit' : ''));
    if (!field || ['checkbox', 'radio', 'switch'].includes(role)) add('text', el.tagName === 'OPTION' ? el.text : textOf(el));
    add('alt', el.getAttribute('alt') || [...el.querySelectorAll('img[alt]')].map((image) => image.alt).join(' '));
    add('alt', el.querySelector('svg title')?.textContent);
    add('placeholder', el.getAttribute('placeholder') || el.getAttribute('aria-placeholder') || el.dataset?.placeholder);
    add('title', el.getAttribute('title'));
    if (field && !names.some(([source]) => source === 'aria' || source === 'label')) add('near', beside(el));
    if (field || names.length === 0) {
      add('attribute', (el.getAttribute('name') || '').replace(/([a-z])([A-Z])/g, '$1 $2'));
      add('attribute', el.id.replace(/([a-z])([A-Z])/g, '$1 $2'));
    }
    if (names.length === 0 && !field) {
      const marks = [...(el.getAttribute('class') || '').split(/\s+/),
        ...[...el.querySelectorAll('i[class],svg[class],span[class],use')].flatMap((one) =>
          (one.getAttribute('class') || one.getAttribute('href') || '').split(/[\s#]+/))];
      add('icon', marks.map((mark) => /(?:^|[-_])icon[-_]?([a-z]+)|^(?:fa|bi|mdi|glyphicon|ti|icon)-([a-z]+)/.exec(mark))
        .filter(Boolean).map((found) => found[1] || found[2]).join(' '));
      add('icon', [...el.querySelectorAll('i,span')].filter(isIconFont).map((one) => one.textContent.replace(/_/g, ' ')).join(' '));
    }
    const cell = el.closest(CELLS);
    if (cell && (cell === el || cell.querySelectorAll(CONTROLS).length === 1 || field)) add('column', columnOf(el));
    const type = el.tagName === 'INPUT' ? el.type : '';
    if (['password', 'email', 'search', 'tel', 'date', 'time', 'file', 'url', 'color', 'month', 'week'].includes(type)) add('type', type);
    if (role === 'searchbox') add('type', 'search');
    return names;
  };

  // the only heading of a title bar; buttons may be beside it only in a bar that is marked as one
  const titleOf = (el) => {
    const inner = el.matches('header,hgroup,div') ? el.querySelectorAll('h1,h2,h3,h4,h5,h6,[role=heading]') : [];
    if (inner.length !== 1 || !isVisible(inner[0]) || el.querySelector(FIELDS)) return null;
    const controls = [...el.querySelectorAll(CONTROLS)].filter((control) => !inner[0].contains(control));
    const isBar = el.matches('header,hgroup') || /(^|[-_\s])(head|header|heading|titlebar)([-_\s]|$)/i.test(el.className);
    if (controls.length && !isBar) return null;
    const controlsLength = controls.reduce((length, control) => length + textOf(control).length, 0);
    return textOf(el).length <= textOf(inner[0]).length + controlsLength + 40 ? inner[0] : null;
  };
  const levelOf = (el) => {
    if (/^H[1-6]$/.test(el.tagName)) return Number(el.tagName[1]);
    if (el.getAttribute('role') === 'heading') return Number(el.getAttribute('aria-level') || 2);
    if (el.matches('legend,caption,summary,dt')) return 7;
    const title = titleOf(el);
    if (title) return levelOf(title);
    if (el.querySelector(CONTROLS) || el.matches(`${CONTROLS},label,td,th`) || textOf(el).length > 60) return 0;
    const namedHeading = /(^|[-_\s])(title|heading|header|head|legend|caption)([-_\s]|$)/i.test(el.getAttribute('class') || '');
    if (namedHeading) return 7;
    const isBold = Number(getComputedStyle(el.matches('b,strong') || !el.firstElementChild ? el : el.firstElementChild).fontWeight) >= 600;
    return isBold && !el.previousSibling?.data?.trim() && getComputedStyle(el).display !== 'inline' ? 8 : 0;
  };
  const headings = new Map();
  // the headings among the siblings before, nearest first, each above those that came after it
  const headingsBefore = (level) => {
    if (!headings.has(level)) {
      const found = [];
      let lowest = 99;
      for (let other = level.previousElementSibling; other; other = other.previousElementSibling) {
        const depth = isVisible(other) ? levelOf(other) : 0;
        if (!depth || depth >= lowest) continue;
        lowest = depth;
        const text = textOf(titleOf(other) || other).slice(0, 120);
        // the first element of a box is its heading, whatever its level
        if (text) found.push({text, depth, heads: !other.previousElementSibling});
      }
      headings.set(level, found);
    }
    return headings.get(level);
  };
  const sections = new Map();
  // what an ancestor is called: legend, label, caption, the tab it belongs to
  const calledAs = (level) => {
    if (!sections.has(level)) {
      const names = [level.getAttribute('aria-label'), ...referencedElements(level, 'aria-labelledby').map(textOf)];
      if (level.matches('fieldset')) names.push(textOf(level.querySelector(':scope > legend') || document.createElement('i')));
      if (level.matches('table')) names.push(textOf(level.caption || document.createElement('i')));
      if (level.matches('details')) names.push(textOf(level.querySelector('summary') || document.createElement('i')));
      if (level.matches('form,section,article,dialog')) names.push((level.getAttribute('name') || '').replace(/[-_]/g, ' '));
      sections.set(level, names.map(collapseSpaces).filter(Boolean).map((text) => text.slice(0, 120)));
    }
    return sections.get(level);
  };
  const landmarkByClass = (el) => {
    const found = /(?:^|[-_\s])(modal|popup|dialog|sidebar|sidenav|toolbar)(?:[-_\s]|$)/i.exec(el.getAttribute('class') || '');
    return found ? {sidebar: 'sidebar', sidenav: 'sidebar', toolbar: 'toolbar'}[found[1].toLowerCase()] || 'dialog' : '';
  };
  const surroundings = (el) => {
    const names = [];
    const landmarks = [];
    // a section ends where the next of its level begins: only what is above the nearest heading still applies
    let lowest = 99;
    for (let level = el; level && level !== document.body; level = flatParentOf(level)) {
      if (level !== el) names.push(...calledAs(level));
      const landmark = LANDMARKS[dom.landmarkOf(level)] || (level.hasAttribute('role') ? '' : TAG_LANDMARKS[level.tagName]) || landmarkByClass(level);
      if (landmark && level !== el) landmarks.push(landmark);
      for (const {text, depth, heads} of headingsBefore(level)) {
        if (depth < lowest || (heads && depth > lowest)) names.push(text);
        lowest = Math.min(lowest, depth);
      }
    }
    return {sections: [...new Set(names)].slice(0, 12), landmarks: [...new Set(landmarks)]};
  };

  const ROWS = 'tr,[role=row],li,[role=listitem],article,[role=article],dl > div';
  const cellsOf = (row) => [...row.children].filter((one) => one.matches(`${CELLS},[role=columnheader]`));
  const isBold = (el) => Number(getComputedStyle(el.firstElementChild && !el.firstChild.data?.trim() ? el.firstElementChild : el).fontWeight) >= 600;
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
  const startOf = (el) => `${el.firstElementChild?.localName}.${el.firstElementChild?.classList[0] || ''}`;
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
      if (level !== el && peersOf(level).length && level.querySelector(CONTROLS) && peersOf(level).every((one) => one.querySelector(CONTROLS))) return level;
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
  const isUnique = (el) => el.getRootNode() === document && document.querySelectorAll(`#${CSS.escape(el.id)}`).length === 1;
  const pathOf = (el) => dom.cssPath(el, isUnique);

  const all = [];
  const words = [];
  const offer = (el) => {
    if (el.ownerSVGElement || dom.NON_TEXT_TAGS.has(el.tagName) && !el.matches('textarea,iframe')) return;
    if (el.matches(CONTROLS) || el.matches(OTHERS)) {
      all.push(el);
      if (el.matches(CELLS) && words.length < 800 && textOf(el) && !el.querySelector('*') && isDrawn(el)) words.push(el);
    } else {
      if (isClickable(el) || (el.tagName === 'A' && isVisible(el) && actsAsLink(el))) all.push(el);
      else if (words.length < 800 && [...el.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && isDrawn(el)) words.push(el);
    }
  };
  for (const el of allElements(document)) {
    if (all.length >= most) break;
    offer(el);
  }

  const isUsable = (el) => {
    if (el.tagName === 'OPTION') return isVisible(el.closest('select') || el) && (el.closest('select')?.size > 1 || el.closest('select')?.multiple);
    if (isDrawn(el)) return true;
    return ['checkbox', 'radio', 'file'].includes(el.type) && [...(el.labels || [])].some(isDrawn);
  };
  /** @type {any[]} */
  let found = all.filter(isUsable).map((el) => {
    const role = roleOf(el);
    return {el, role, names: namesOf(el, role), isField: isField(el), isControl: el.matches(CONTROLS) || !el.matches(OTHERS) || (el.matches(CELLS) && !isCell(el))};
  }).filter((one) => one.role !== 'cell' || one.isControl || one.names.length);
  // wrappers that only repeat the control inside or around them are that control
  const same = (one, other) => one.names[0]?.[1] === other.names[0]?.[1];
  const byElement = new Map(found.map((one) => [one.el, one]));
  const doubles = new Set();
  for (const one of found) {
    if (!one.isControl) continue;
    for (let level = flatParentOf(one.el); level; level = flatParentOf(level)) {
      const outer = byElement.get(level);
      if (!outer?.isControl || !(same(one, outer) || one.names.length === 0)) continue;
      if (one.role || (outer.role === '' && one.isField)) { if (!outer.isField) doubles.add(outer); } else doubles.add(one);
    }
  }
  found = found.filter((one) => !doubles.has(one));

  // the largest box around each that holds none of its namesakes: a row, a card, a question with its answers
  const groups = new Map();
  for (const one of found) {
    const key = `${one.role} ${one.names[0]?.[1] || ''}`;
    groups.set(key, [...(groups.get(key) || []), one]);
  }
  const boxes = new Set();
  for (const group of groups.values()) {
    if (group.length < 2 || group.length > 300) continue;
    const counts = new Map();
    for (const one of group) for (let level = one.el; level; level = flatParentOf(level)) counts.set(level, (counts.get(level) || 0) + 1);
    for (const one of group) {
      let box = one.el;
      while (flatParentOf(box) && counts.get(flatParentOf(box)) === 1) box = flatParentOf(box);
      if (box !== one.el) { one.box = box; if (one.isControl) boxes.add(box); }
    }
  }
  // a box with several headings or rows is not a card
  const isOneThing = (box) => box.querySelectorAll('h1,h2,h3,h4,h5,h6,[role=heading]').length < 2 &&
    box.querySelectorAll(ROWS).length < 2 && !box.closest('thead');
  // an element with a unique name gets the box of its neighbours
  for (const one of found) {
    for (let level = flatParentOf(one.el); !one.box && level; level = flatParentOf(level)) if (boxes.has(level)) one.box = level;
    one.nearbyTexts = one.box && isOneThing(one.box) ? distinctiveTexts(one.box).filter((text) => text.length <= 60) : [];
  }
  const rect = (el) => {
    const target = isDrawn(el) ? el : [...(el.labels || [])].find(isDrawn) || el;
    const box = target.getBoundingClientRect();
    return [box.left + scrollX, box.top + scrollY, box.right + scrollX, box.bottom + scrollY].map(Math.round);
  };
  const isEnabled = (el) => dom.isEnabled(el) && !el.closest('[inert]');
  return {
    elements: found.map((one) => one.el),
    report: {
      url: location.href,
      title: document.title,
      candidates: found.map((one, index) => {
        const row = rowOf(one.el);
        let rowLevel = 0;
        for (let level = one.el; row && level && level !== row.node; level = flatParentOf(level)) rowLevel++;
        return {index, role: one.role, tag: one.el.localName, type: one.el.getAttribute('type') || '', names: one.names,
          ...surroundings(one.el), row: row?.id ?? null, rowLevel, column: columnOf(one.el), nearbyTexts: one.nearbyTexts,
          box: rect(one.el), isEnabled: isEnabled(one.el), isField: one.isField, isControl: one.isControl,
          hasMenu: one.el.hasAttribute('aria-haspopup'), isToggle: one.el.hasAttribute('aria-pressed'),
          looksLikeButton: /(^|[-_\s])(btn|button)([-_\s]|$)/i.test(one.el.getAttribute('class') || ''), path: pathOf(one.el)};
      }),
      rows: [...rowIds.values()].map(({node, ...row}) => ({...row,
        ancestors: [...rowIds.values()].filter((other) => other.node !== node && flatContains(other.node, node)).map((other) => other.id)})),
      texts: words.map((el) => ({text: textOf(el).slice(0, 120), box: rect(el)})).filter((one) => one.text),
    },
  };
}
