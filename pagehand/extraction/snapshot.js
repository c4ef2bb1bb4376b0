// What a page (or one element of it) shows, as plain data: tables, look-alike siblings, lists, label and value
// pairs, labelled parts, and the data that sites embed for search engines. Hidden things are left out. The answer
// is JSON text, because Playwright takes four times as long over a large object.
(scope) => {
  const root = scope ?? document.body ?? document.documentElement;
  const CLOSED = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'SVG', 'svg', 'IFRAME', 'VIDEO', 'AUDIO', 'CANVAS']);
  const PHRASING = new Set(('A ABBR B BDI BDO BR CITE CODE DATA DEL DFN EM FONT I IMG INS KBD LABEL MARK PICTURE Q S SAMP ' +
    'SLOT SMALL SOURCE SPAN STRIKE STRONG SUB SUP SVG svg TIME U VAR WBR').split(' '));
  const FIELDS = 'input, select, textarea';
  const HEADINGS = 'h1, h2, h3, h4, h5, h6, [role=heading], legend';
  const AROUND = 'nav, [role=navigation], [class*=breadcrumb i], [class*=pagination i], body > header, body > footer';
  const LABELLIKE = /(^|[-_ ])(label|key|term|caption|dt|heading|field-?name|attribute-?name)([-_ ]|$)/i;
  const VALUELIKE = /(^|[-_ ])(value|data|dd|content|field-?value)([-_ ]|$)/i;

  const tidy = (text) => (text ?? '').replace(/\s+/g, ' ').trim();
  const absolute = (address) => { try { return new URL(address, document.baseURI).href } catch { return address } };
  const classes = (el) => tidy(el.getAttribute('class')).split(' ').filter(Boolean);
  const shown = (el) => el.checkVisibility({visibilityProperty: true}) || getComputedStyle(el).display === 'contents';
  const once = (read) => {
    const known = new Map();
    return (el) => { if (!known.has(el)) known.set(el, read(el)); return known.get(el) };
  };
  const textOf = once((el) => tidy(el instanceof HTMLElement ? el.innerText : el.textContent));

  const everything = [];
  const walk = (node) => {
    for (const el of node.children) {
      if (CLOSED.has(el.tagName) || !shown(el)) continue;
      everything.push(el);
      if (el.shadowRoot) walk(el.shadowRoot);
      if (!el.matches('select, textarea, button')) walk(el);
    }
  };
  if (scope) everything.push(scope);
  walk(root);
  const seen = new Set(everything);

  const isField = (el) => el.matches(FIELDS) && !el.matches('[type=password], [type=hidden], [type=submit], [type=button], [type=reset], [type=image], [type=file]');
  const fieldText = (el) => {
    if (el.type === 'checkbox') return String(el.checked);
    if (el.type === 'radio') return el.checked ? textOf(el.labels?.[0] ?? el) || el.value : '';
    return tidy(el.tagName === 'SELECT' ? [...el.selectedOptions].map((one) => one.text).join(', ') : el.value);
  };
  const within = (el, selector) => [...(el.matches(selector) ? [el] : []), ...el.querySelectorAll(selector)];
  const insteadOfText = (el) => {
    const field = within(el, FIELDS).find(isField);
    if (field) return fieldText(field);
    const picture = within(el, 'img[alt], [aria-label], [title]')[0];
    return tidy(picture && (picture.getAttribute('alt') || picture.getAttribute('aria-label') || picture.title));
  };
  const machineValue = (el) => {
    const stamps = within(el, 'time[datetime], data[value], meter[value], progress[value]');
    return stamps.length === 1 ? stamps[0].getAttribute('datetime') ?? stamps[0].getAttribute('value') : null;
  };
  const cellOf = once((el) => {
    const around = el.closest('a[href]');
    const links = [...(around && around !== el && root.contains(around) ? [around] : []), ...within(el, 'a[href]')];
    const images = within(el, 'img').map((one) => one.currentSrc || one.src).filter(Boolean);
    return {
      text: textOf(el) || insteadOfText(el),
      links: [...new Set(links.map((one) => absolute(one.getAttribute('href'))))],
      images: [...new Set(images)],
      value: machineValue(el),
    };
  });

  const headingIn = (el) => {
    if (el.matches(HEADINGS)) return textOf(el);
    const inner = el.querySelector(HEADINGS);
    return inner && textOf(el).length <= textOf(inner).length * 2 + 40 && !el.querySelector('table, ul, ol, dl') ? textOf(inner) : '';
  };
  const named = (el) => {
    const ids = tidy(el.getAttribute('aria-labelledby')).split(' ').filter(Boolean);
    const text = ids.map((id) => textOf(document.getElementById(id) ?? el.ownerDocument.createElement('i'))).join(' ');
    return tidy(text) || tidy(el.getAttribute('aria-label'));
  };
  const headings = new Map();
  const headingAbove = (el) => {
    const path = [];
    let answer = '';
    for (let node = el; node && node !== document.body && !answer; node = node.parentElement) {
      if (headings.has(node)) { answer = headings.get(node); break }
      path.push(node);
      if (node !== el && node.matches('section, article, fieldset, form, [role=region], [role=group]')) answer = named(node);
      let before = node === root ? null : node.previousElementSibling;
      for (let steps = 0; before && !answer && steps < 60; steps++, before = before.previousElementSibling) {
        if (seen.has(before)) answer = headingIn(before);
      }
      if (node === root) break;
    }
    for (const node of path) headings.set(node, answer);
    return answer;
  };

  const phraseOnly = once((el) => [...el.children].every((one) => PHRASING.has(one.tagName) && !one.shadowRoot && phraseOnly(one)));

  // parts: pieces of text, pictures and fields with the names that the markup gives them
  const marks = (el) => {
    const own = ['itemprop', 'property', 'data-label', 'data-title', 'data-field', 'data-column', 'data-name', 'data-testid', 'data-test']
      .map((name) => el.getAttribute(name)).filter(Boolean);
    return [...own, ...classes(el).map((one) => one.replace(/^.*__/, '').replace(/--.*$/, '')), el.id].filter(Boolean);
  };
  const tagMarks = (el) => {
    const href = el.getAttribute('href') ?? '';
    if (/^H[1-6]$/.test(el.tagName)) return ['title'];
    if (el.tagName === 'IMG') return ['image'];
    if (el.tagName === 'TIME') return ['date'];
    if (el.tagName === 'ADDRESS') return ['address'];
    if (el.tagName !== 'A') return [];
    return [/^mailto:/i.test(href) ? 'email' : /^tel:/i.test(href) ? 'phone' : 'link'];
  };
  const parts = [];
  const partsUnder = new Map();
  const pairsUnder = new Map();
  const register = (map, el, index) => {
    for (let node = el; node && node !== root.parentElement; node = node.parentElement ?? node.getRootNode().host) {
      if (!map.has(node)) map.set(node, []);
      map.get(node).push(index);
    }
  };
  for (const el of everything) {
    if (el.closest('option, button') || el.matches('br, wbr, source, label')) continue;
    if (!(el.tagName === 'IMG' || isField(el) || phraseOnly(el))) continue;
    const cell = cellOf(el);
    if (!cell.text && !cell.images.length && !cell.links.length) continue;
    const isOld = !!el.closest('del, s, strike');
    register(partsUnder, el, parts.length);
    parts.push({marks: isOld ? ['struck'] : marks(el), tags: isOld ? [] : tagMarks(el), cell, heading: /^H1$/.test(el.tagName)});
  }

  // pairs: a label and what it names
  const pairs = [];
  const addPair = (el, label, cells) => {
    const name = tidy(label).replace(/\s*:$/, '');
    const values = cells.filter((one) => one.text || one.links.length || one.images.length);
    if (!name || name.length > 60 || !/\p{L}|#/u.test(name)) return;
    register(pairsUnder, el, pairs.length);
    pairs.push({label: name, group: headingAbove(el), cells: values});
  };
  const fromDefinitions = (list) => {
    let terms = [], values = [];
    const flush = () => { for (const term of terms) addPair(term, textOf(term), values.map(cellOf)); terms = []; values = [] };
    for (const el of within(list, 'dt, dd').filter((one) => one.closest('dl') === list && seen.has(one))) {
      if (el.tagName === 'DT' && values.length) flush();
      (el.tagName === 'DT' ? terms : values).push(el);
    }
    flush();
  };
  const fromLines = (el) => {
    if (!textOf(el).includes(':')) return;
    const whole = cellOf(el);
    const lines = (el.innerText ?? '').split('\n').map(tidy).filter(Boolean);
    for (const line of lines) {
      const found = /^([^:]{1,60}?)\s*:\s+(\S.*)$/.exec(line) ?? /^([^:\d]{1,40}):(\S.*)$/.exec(line);
      if (!found || /^\/\//.test(found[2])) continue;
      const alone = lines.length === 1;
      addPair(el, found[1], [{text: found[2], links: alone ? whole.links : [], images: [], value: alone ? whole.value : null}]);
    }
  };
  const isText = (el) => el && seen.has(el) && (phraseOnly(el) || isField(el));
  const signature = (el) => `${el.tagName}.${(classes(el)[0] ?? '').replace(/\d+/g, '')}`;
  const visibleChildren = (el) => [...el.children].filter((one) => seen.has(one));
  const ownText = (el) => tidy([...el.childNodes].filter((one) => one.nodeType === 3).map((one) => one.data).join(' '));
  const isCouple = once((el) => {
    if (el.childElementCount < 2) return false;
    const kids = visibleChildren(el);
    return kids.length === 2 && !ownText(el) && kids.every(isText) && !el.closest('tr, dl, a');
  });
  const couplesIn = once((parent) => visibleChildren(parent).filter(isCouple));
  const fromCouple = (el) => {
    const [first, second] = visibleChildren(el);
    const isLabel = (one) => LABELLIKE.test(classes(one).join(' ')) || /^(STRONG|B|LABEL|SMALL|H[2-6])$/.test(one.tagName);
    if (textOf(first).endsWith(':') || isLabel(first) || VALUELIKE.test(classes(second).join(' '))) {
      if (!isLabel(second) || isLabel(first)) return addPair(el, textOf(first), [cellOf(second)]);
    }
    if (isLabel(second) || VALUELIKE.test(classes(first).join(' '))) return addPair(el, textOf(second), [cellOf(first)]);
    const alike = el.parentElement ? couplesIn(el.parentElement).filter((one) => signature(one) === signature(el)) : [];
    const label = textOf(first);
    const isOnly = alike.filter((one) => textOf(visibleChildren(one)[0]) === label).length === 1;
    if (alike.length > 1 && alike.length <= 200 && isOnly) addPair(el, textOf(first), [cellOf(second)]);
  };
  const fromField = (el) => {
    const label = el.labels?.[0];
    const text = el.type === 'radio' ? textOf(el.closest('fieldset')?.querySelector('legend') ?? el) : label && !label.contains(el)
      ? textOf(label) : label ? ownText(label) || tidy([...label.children].filter((one) => !one.contains(el)).map(textOf).join(' ')) : named(el);
    if (el.type === 'radio' && !el.checked) return;
    if (text) addPair(el, text, [{text: fieldText(el), links: [], images: [], value: null}]);
  };
  for (const el of everything) {
    if (el.tagName === 'DL') fromDefinitions(el);
    else if (isField(el)) fromField(el);
    else if (isCouple(el)) fromCouple(el);
    else if (el.closest('dl') || el.matches(HEADINGS)) continue;
    else if (phraseOnly(el) && !(el.parentElement && el !== root && phraseOnly(el.parentElement) && seen.has(el.parentElement))) {
      const next = el.nextElementSibling;
      if (textOf(el).endsWith(':') && isText(next) && !isCouple(el.parentElement ?? el)) addPair(el, textOf(el), [cellOf(next)]);
      else fromLines(el);
    }
  }

  // tables, with cells that span columns or rows repeated
  const spread = (rows, cellsOf) => {
    const waiting = [];
    return rows.map((row) => {
      const line = [];
      const take = () => { while (waiting[line.length]?.left > 0) { const one = waiting[line.length]; one.left--; line.push({...one.cell, repeated: true}) } };
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
  const headText = (el) => (tidy(el.getAttribute('abbr')) || textOf(el) || named(el) || tidy(el.title)).replace(/[▲▼△▽↑↓⇅⇵]/g, '').trim();
  const tableOf = (table, rows, cellsOf, isTop, isFoot) => {
    const lines = spread(rows, cellsOf);
    const allHead = (line) => line.length > 0 && line.every((one) => one.isHead);
    const oneCell = (line) => line.length > 1 && line.every((one) => one.el === line[0].el);
    // a head across the whole table below the names of the columns is the title of the rows that follow
    const isTitle = (line, at) => oneCell(line) && lines.slice(0, at).some((above) => allHead(above) && !oneCell(above));
    const first = rows.findIndex((row, at) => !isTop(row) && (!allHead(lines[at]) || isTitle(lines[at], at)));
    const top = lines.slice(0, first < 0 ? lines.length : first);
    const width = Math.max(0, ...lines.map((line) => line.length));
    const header = top.length === 0 ? null : Array.from({length: width}, (_, at) =>
      [...new Set(top.map((line) => line[at] && headText(line[at].el)))].filter(Boolean).join(' '));
    const body = [];
    lines.forEach((line, at) => {
      if (at < top.length || !seen.has(rows[at])) return;
      body.push({
        cells: line.map((one) => cellOf(one.el)),
        repeated: line.map((one) => one.repeated),
        heads: line.map((one) => one.isHead),
        whole: oneCell(line),
        wide: line.some((one) => one.wide),
        foot: isFoot(rows[at]),
      });
    });
    const caption = tidy(table.caption?.innerText) || named(table) || headingAbove(table);
    return {caption, header, rows: body, around: !scope && !!table.closest(AROUND)};
  };
  const isLayout = (table) => !!table.querySelector('table') && ![...table.rows].some((row) => [...row.cells].some((one) => one.tagName === 'TH'));
  const tables = everything.filter((el) => el.tagName === 'TABLE' && !isLayout(el)).map((el) =>
    tableOf(el, [...el.rows], (row) => [...row.cells], (row) => row.parentElement.tagName === 'THEAD', (row) => row.parentElement.tagName === 'TFOOT'));
  for (const grid of everything.filter((el) => el.tagName !== 'TABLE' && el.matches('[role=table], [role=grid], [role=treegrid]'))) {
    const rows = [...grid.querySelectorAll('[role=row]')];
    const cellsOf = (row) => [...row.querySelectorAll('[role=cell], [role=gridcell], [role=columnheader], [role=rowheader], td, th')];
    if (!grid.querySelector('table')) tables.push(tableOf(grid, rows, cellsOf, () => false, () => false));
  }

  // groups: siblings that look alike
  const alikeIn = (parent) => {
    const kids = visibleChildren(parent).filter((one) => !PHRASING.has(one.tagName) || one.tagName === 'A' || one.tagName === 'SPAN');
    if (parent.matches('ul, ol, [role=list]')) return kids.filter((one) => one.matches('li, [role=listitem]'));
    const buckets = new Map();
    for (const kid of kids) {
      if (!kid.matches('p, h1, h2, h3, h4, h5, h6')) buckets.set(signature(kid), [...(buckets.get(signature(kid)) ?? []), kid]);
    }
    return [...buckets.values()].filter((one) => one.length > 1).sort((a, b) => b.length - a.length)[0] ?? [];
  };
  const groups = [];
  const grouped = new Set();
  for (const parent of new Set([root, ...everything])) {
    if (parent.matches('table, thead, tbody, tfoot, tr, dl, select, svg, button') || parent.closest('button')) continue;
    const items = alikeIn(parent);
    const largest = Math.max(0, ...items.map((one) => (partsUnder.get(one) ?? []).length));
    if (!items.length || largest === 0 || largest > 200) continue;
    for (const item of items) (partsUnder.get(item) ?? []).forEach((index) => items.length > 1 && grouped.add(index));
    groups.push({
      caption: named(parent) || headingAbove(parent),
      mark: [...classes(parent), parent.id].join(' ').trim(),
      isList: items.every(phraseOnly),
      around: !scope && !!parent.closest(AROUND),
      items: items.map((item) => ({
        cell: cellOf(item), parts: partsUnder.get(item) ?? [], pairs: pairsUnder.get(item) ?? [],
      })),
    });
  }
  parts.forEach((part, index) => { part.grouped = grouped.has(index) });

  // what sites say about themselves to search engines
  const itemOf = (el) => {
    const item = {'@type': tidy(el.getAttribute('itemtype') ?? el.getAttribute('typeof')).split(/[/#\s]/).pop()};
    for (const prop of el.querySelectorAll('[itemprop], [property]')) {
      if (prop.parentElement.closest('[itemscope], [typeof]') !== el) continue;
      const name = (prop.getAttribute('itemprop') ?? prop.getAttribute('property')).split(/[:\s]/).pop();
      const plain = prop.getAttribute('content') ?? prop.getAttribute('datetime') ??
        (prop.matches('a[href], link[href]') ? absolute(prop.getAttribute('href')) : prop.matches('img[src]') ? prop.src : textOf(prop));
      const value = prop.matches('[itemscope], [typeof]') ? itemOf(prop) : plain;
      item[name] = name in item ? [item[name], value].flat() : value;
    }
    return item;
  };
  const linked = [];
  for (const script of scope ? [] : document.querySelectorAll('script[type="application/ld+json"]')) {
    try { linked.push(JSON.parse(script.textContent)) } catch { /* a broken block says nothing */ }
  }
  const items = within(root, '[itemscope], [typeof]').filter((el) => !el.matches('[itemprop], [property]')).map(itemOf);
  const metas = (scope ? [] : [...document.querySelectorAll('meta[content]')])
    .map((el) => [el.getAttribute('property') ?? el.getAttribute('name') ?? '', el.content]).filter(([name, text]) => name && text);

  return JSON.stringify({
    url: document.URL, title: tidy(document.title), language: document.documentElement.lang,
    headings: everything.filter((el) => el.matches('h1')).map(textOf).filter(Boolean),
    tables, groups, pairs, parts, linked, items, metas,
  });
}
