// @ts-check
// Reads the calendar that belongs to `el`: which month it shows, where a day is, what leads elsewhere.
// Behaviour first: a calendar is whatever shows the days 1 to 28 together. Dates come from what the days
// carry (ISO dates, labels, data-year with data-month), else from the month and year written above them.
(dom, el) => {
  const words = dom.collapseSpaces;
  const visible = e => dom.isDrawn(e) && dom.isOpaque(e);
  const two = n => String(n).padStart(2, '0');
  const inside = (e, top) => { const up = []; for (; e && e !== top; e = e.parentElement) up.push(e); return up };

  const monthNames = (() => {
    const found = new Map();
    for (const language of ['en', document.documentElement.lang, el.closest('[lang]')?.lang]) {
      for (const style of ['long', 'short']) for (let month = 0; month < 12; month++) {
        for (const more of [{}, {day: 'numeric'}]) try {
          const parts = new Intl.DateTimeFormat(language || 'en', /** @type {any} */ ({month: style, ...more}))
            .formatToParts(new Date(2024, month, 1));
          const name = parts.find(p => p.type === 'month').value.toLowerCase().replace('.', '');
          if (!/\d/.test(name)) found.set(name, month + 1);
        } catch { /* a lang attribute that names no language */ }
      }
    }
    return [...found].sort((a, b) => b[0].length - a[0].length);
  })();
  const monthIn = text => {
    const lowered = ` ${text.toLowerCase()} `;
    const hit = monthNames.find(([name]) => new RegExp(`(?<!\\p{L})${name}(?!\\p{L})`, 'u').test(lowered));
    return hit?.[1] ?? null;
  };
  const yearIn = text => Number(/(?<!\d)(?:1[89]|20|21)\d\d(?!\d)/.exec(text)?.[0]) || null;

  const isOff = (e, top) => inside(e, top).some(n => n.disabled || n.getAttribute('aria-disabled') === 'true'
    || /(^|[-_ ])(disabled|unselectable|unavailable)($|[-_ ])/i.test(n.getAttribute('class') ?? ''));
  const isOn = (e, top) => inside(e, top).some(n =>
    ['aria-selected', 'aria-pressed', 'aria-checked'].some(a => n.getAttribute(a) === 'true')
    || /(^|[-_ ])(selected|active|chosen)($|[-_ ])/i.test(n.getAttribute('class') ?? ''));

  const dayLeaves = () => {
    const roots = new Set([document, el.getRootNode()]), leaves = [];
    for (const root of roots) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let node; (node = /** @type {any} */ (walker.nextNode()));) {
        const text = node.data.trim(), parent = node.parentElement;
        if (!/^\d{1,2}$/.test(text) || text < 1 || text > 31 || !parent) continue;
        if (!parent.closest('select, script, style') && visible(parent)) leaves.push(parent);
      }
    }
    return leaves;
  };

  const dateOf = (leaf, grid) => {
    const day = Number(leaf.textContent);
    for (const node of inside(leaf, grid)) {
      const {year, month} = node.dataset;  // libraries that carry both count months from 0, as JavaScript does
      if (/^\d{4}$/.test(year) && /^\d{1,2}$/.test(month)) return `${year}-${two(Number(month) + 1)}-${two(day)}`;
      for (const {name, value} of node.attributes) {
        if (['class', 'style', 'id'].includes(name)) continue;
        const iso = /(\d{4})-(\d{2})-(\d{2})/.exec(value);
        if (iso && Number(iso[3]) === day) return iso[0];
        if (!['aria-label', 'title'].includes(name)) continue;
        const spelled = [yearIn(value), monthIn(value)];
        if (spelled[0] && spelled[1] && new RegExp(`(?<!\\d)0?${day}(?!\\d)`).test(value))
          return `${spelled[0]}-${two(spelled[1])}-${two(day)}`;
      }
    }
    return null;
  };

  const frameOf = grid => {  // the grid with its heading and arrows
    let box = grid;
    for (let up = 0; up < 6 && box.parentElement && box !== el; up++) {
      if (yearIn(headingOf(box, grid)) && monthOf(box, grid) && partsOf(box, grid).length) return box;
      const next = box.parentElement;
      if (next === document.body || (next !== el && next.contains(el))) break;
      box = next;
    }
    return box;
  };
  const headingOf = (box, grid) => {
    const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), out = [];
    for (let node; (node = /** @type {any} */ (walker.nextNode()));) {
      const parent = node.parentElement;
      if (parent.closest('select, option') || /^\d{1,2}$/.test(node.data.trim()) && grid.contains(node)) continue;
      if (visible(parent)) out.push(node.data);
    }
    for (const e of box.querySelectorAll('select')) if (visible(e)) out.push(e.selectedOptions[0]?.text ?? '');
    for (const e of box.querySelectorAll('input')) if (visible(e)) out.push(e.value);
    return words(out.join(' '));
  };
  const monthOf = (box, grid) => {
    const heading = headingOf(box, grid);
    const number = /(?<!\d)(\d{1,2})\s*[./-]\s*\d{4}|\d{4}\s*[年./-]\s*(\d{1,2})/.exec(heading);
    return monthIn(heading) ?? (number ? Number(number[1] ?? number[2]) : null);
  };
  const partsOf = (box, grid) => [...box.querySelectorAll(
    'button, a, [role=button], [data-action], [class*=prev i], [class*=next i], select')]
    .filter(e => visible(e) && !(grid.contains(e) && /^\d{1,2}$/.test(words(e.textContent))));

  const grids = () => {
    const leaves = dayLeaves(), counts = new Map(), found = new Map();
    for (const leaf of leaves) for (const e of inside(leaf, null).slice(0, 9)) counts.set(e, (counts.get(e) ?? 0) + 1);
    for (const leaf of leaves) {
      const grid = inside(leaf, null).find(e => counts.get(e) >= 28);
      if (grid) found.set(grid, [...(found.get(grid) ?? []), leaf]);
    }
    return [...found].filter(([, days]) => new Set(days.map(d => Number(d.textContent))).size >= 28)
      .map(([grid, days]) => ({grid, days}));
  };
  const distance = e => {
    const a = e.getBoundingClientRect(), b = el.getBoundingClientRect();
    return Math.hypot(Math.max(0, a.left - b.right, b.left - a.right), Math.max(0, a.top - b.bottom, b.top - a.bottom));
  };

  // the days of the grid's own month, each with its date
  const dated = ({grid, days}) => {
    const dates = days.map(day => dateOf(day, grid));
    if (dates.filter(Boolean).length >= 28) {
      const tally = {};
      for (const date of dates) if (date) tally[date.slice(0, 7)] = (tally[date.slice(0, 7)] ?? 0) + 1;
      const month = Object.keys(tally).sort((a, b) => tally[b] - tally[a])[0];
      return {month, cells: days.map((cell, i) => ({cell, date: dates[i]})).filter(c => c.date?.startsWith(month))};
    }
    const box = frameOf(grid), year = yearIn(headingOf(box, grid)), number = monthOf(box, grid);
    if (!year || !number) return {month: null, cells: []};
    const month = `${year}-${two(number)}`;
    const from = days.findIndex(d => Number(d.textContent) === 1);
    const end = days.findIndex((d, i) => i > from && Number(d.textContent) === 1);
    const own = days.slice(from, end < 0 ? undefined : end);
    return {month, cells: own.map(cell => ({cell, date: `${month}-${two(Number(cell.textContent))}`}))};
  };

  const NEXT = /next|forward|nächst|weiter|suivant|siguiente|prossim|volgend|下|次|翌/i, FORWARD = /[›»→>❯]|right/i;
  const PREVIOUS = /prev|back|vorig|zurück|précédent|anterior|precedent|vorige|上|前/i, BACKWARD = /[‹«←<❮]|left/i;
  const A_YEAR = /year|super|double|»|«|jahr|année|año/i;
  const arrows = (box, grid) => {
    const labelOf = e => words([e.getAttribute('aria-label'), e.title, e.dataset.action, e.dataset.handler,
      e.getAttribute('class'), e.innerText].join(' '));
    const parts = partsOf(box, grid).filter(e => !e.matches('select') && !isOff(e, box));
    const pick = (way, other, sign, year) => {
      const fits = parts.filter(e => A_YEAR.test(labelOf(e)) === year);
      return fits.find(e => way.test(labelOf(e)) && !other.test(labelOf(e)))
        ?? fits.find(e => sign.test(labelOf(e)) && !way.test(labelOf(e)) && !other.test(labelOf(e))) ?? null;
    };
    return {next: pick(NEXT, PREVIOUS, FORWARD, false), previous: pick(PREVIOUS, NEXT, BACKWARD, false),
      nextYear: pick(NEXT, PREVIOUS, FORWARD, true), previousYear: pick(PREVIOUS, NEXT, BACKWARD, true)};
  };
  const choosers = (box, wanted) => {
    const selects = [...box.querySelectorAll('select')].filter(visible);
    const month = selects.find(s => [...s.options].every(o => monthIn(o.text) || /^\d{1,2}$/.test(words(o.text)))
      && s.options.length <= 12) ?? null;
    const isYear = t => /^(1[89]|20|21)\d\d$/.test(words(t));
    const year = selects.find(s => [...s.options].every(o => isYear(o.text)))
      ?? [...box.querySelectorAll('input')].find(i => visible(i) && isYear(i.value) && i !== el) ?? null;
    const place = (control, fits) => control?.options ? [...control.options].findIndex(fits) : -1;
    const nearest = control => {  // lists of years often show only some around the present one
      const years = [...(control?.options ?? [])].map(o => Math.abs(Number(o.text) - Number(wanted.slice(0, 4))));
      return years.indexOf(Math.min(...years));
    };
    return {monthSelect: month, yearField: year, yearPlace: nearest(year), yearText: year?.value ?? '',
      yearIndex: year?.selectedIndex ?? -1, monthPlace: place(month, o => !o.disabled
        && (monthIn(o.text) ?? Number(words(o.text))) === Number(wanted.slice(5, 7)))};
  };

  // the calendar of `el`: in it, named by it, or else the nearest; two months side by side are read as one
  const calendarOf = wanted => {
    const all = grids();
    const named = (el.getAttribute('aria-controls') || el.getAttribute('aria-owns') || '').split(' ')
      .map(id => id && document.getElementById(id)).filter(Boolean);
    const own = all.filter(({grid}) => el.contains(grid) || named.some(n => n.contains(grid)));
    const near = own.length ? own : all.filter(({grid}) => distance(grid) < 400)
      .sort((a, b) => distance(a.grid) - distance(b.grid));
    const shown = near.slice(0, 2).map(one => ({...one, ...dated(one)})).filter(one => one.month);
    if (!shown.length) return null;
    const first = shown.find(one => wanted.startsWith(one.month)) ?? shown[0];
    const {grid, month, cells} = first, box = frameOf(grid);
    let popup = box;
    while (popup !== el && popup.parentElement && popup.parentElement !== document.body
      && !popup.parentElement.contains(el)) popup = popup.parentElement;
    const cell = cells.find(c => c.date === wanted)?.cell ?? null;
    const part = name => [...popup.querySelectorAll(
      `input[class*=${name} i], input[aria-label*=${name} i], select[class*=${name} i]`)].find(visible) ?? null;
    return {month, cell, off: cell ? isOff(cell, grid) : false, on: cell ? isOn(cell, grid) : false,
      ...arrows(box, grid), ...choosers(box, wanted), hour: part('hour'),
      minute: part('minute'), half: [...popup.querySelectorAll('[class*=am-pm i]')].find(visible) ?? null,
      confirm: [...popup.querySelectorAll('button, [role=button]')].find(b => visible(b)
        && /^(ok|apply|done|set|confirm|select)$/i.test(words(b.innerText)) && !b.disabled) ?? null};
  };
  // what opens the calendar where the field itself does not
  const opener = () => {
    for (const area of [el.parentElement, el.parentElement?.parentElement]) {
      const hit = [...(area?.querySelectorAll('button, [role=button], img, [class*=trigger i], [class*=icon i]') ?? [])]
        .find(e => e !== el && visible(e) && (area === el.parentElement
          || /calendar|date|pick/i.test([e.ariaLabel, e.title, e.className, e.innerText].join(' '))));
      if (hit) return hit;
    }
    return null;
  };
  // elements do not leave the page: that there is one has to do
  const look = wanted => {
    const plain = value => value instanceof Element ? true : value;
    const found = Object.entries(calendarOf(wanted) ?? {}).map(([name, value]) => [name, plain(value)]);
    return found.length ? Object.fromEntries(found) : null;
  };
  const part = (name, wanted) => name === 'opener' ? opener() : calendarOf(wanted)?.[name] ?? null;
  return {look, part};
}
