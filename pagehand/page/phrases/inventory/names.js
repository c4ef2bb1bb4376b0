// @ts-check
// The names of an element, each with where it comes from.
// the words beside an unlabelled field: in the cell or part before it, or alone with it in a box
const beside = (el) => {
  const cell = el.closest('td,th');
  // below the name of its column it is called by that, and the cell before holds something else
  if (columnOf(el).length) return '';
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
// what people call a picture, by the name its makers gave it
const PICTURES = {trash: 'delete bin', bin: 'delete trash', delete: 'trash bin', pencil: 'edit', pen: 'edit', edit: 'pencil', bell: 'notifications', notifications: 'bell',
  gear: 'settings', gears: 'settings', cog: 'settings', cogs: 'settings', settings: 'gear', house: 'home', search: 'magnifier', magnify: 'search', heart: 'favorite',
  plus: 'add', minus: 'remove', times: 'close', x: 'close', xmark: 'close', user: 'account profile', person: 'account profile', cart: 'basket', bars: 'menu',
  hamburger: 'menu', envelope: 'mail', eye: 'view show', download: '', print: '', printer: 'print', copy: 'duplicate', filter: '', funnel: 'filter', star: 'favorite'};
const ICON_MARK = /(?:^|[-_])icon[-_]?([a-z]+)|^(?:fa|fas|far|bi|mdi|glyphicon|ti|lucide|feather|ph|ri|la|icon)-([a-z]+)/;
const iconNames = (el) => {
  const marks = [el, ...el.querySelectorAll('i[class],svg[class],span[class],use,svg[data-icon]')].flatMap((one) =>
    [...(one.getAttribute('class') || one.getAttribute('href') || '').split(/[\s#]+/), one.dataset?.icon ? `icon-${one.dataset.icon}` : '']);
  const drawn = marks.map((mark) => ICON_MARK.exec(mark)).filter(Boolean).map((found) => found[1] || found[2]);
  const plain = [...el.querySelectorAll('i[class],svg[class]')].flatMap((one) => (one.getAttribute('class') || '').split(/\s+/)).filter((mark) => mark in PICTURES);
  const symbol = {'+': 'plus', '＋': 'plus', '−': 'minus', '–': 'minus', '-': 'minus', '×': 'times', '✕': 'times'}[textOf(el).trim()];
  const written = [...el.querySelectorAll('i,span')].filter(isIconFont).flatMap((one) => one.textContent.trim().split('_'));
  const pictured = el.querySelector('[class*=avatar i],img[src*=avatar i]') ? ['avatar', 'user'] : [];
  return [...new Set([...drawn, ...plain, ...written, ...pictured, ...(symbol ? [symbol] : [])])];
};
const namesOf = (el, role) => {
  const names = [];
  if (labelBefore(el) && isCell(el)) return [['label', labelBefore(el)]];
  if (isCell(el)) return columnOf(el).map((text) => ['column', text]);
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
  // beside words a picture only adorns; a number beside it counts
  if (!field && el.matches(CONTROLS)) {
    const isPicture = !names.some(([source, text]) => source !== 'attribute' && /\p{L}{2}/u.test(text) && !el.querySelector('[class*=avatar i]'));
    const drawn = iconNames(el);
    if (drawn.length) add(isPicture ? 'icon' : 'drawn', drawn.join(' '));
    for (const one of drawn) for (const meaning of (PICTURES[one] || '').split(' ')) add(isPicture ? 'icon' : 'drawn', meaning);
  }
  const cell = cellAround(el);
  if (cell && (cell === el || cell.querySelectorAll(CONTROLS).length === 1 || field)) for (const text of columnOf(el)) add('column', text);
  const type = el.tagName === 'INPUT' ? el.type : '';
  if (['password', 'email', 'search', 'tel', 'date', 'time', 'file', 'url', 'color', 'month', 'week'].includes(type)) add('type', type);
  if (role === 'searchbox' || (field && ['q', 'query', 's', 'search'].includes(el.name)) || (role === 'textbox' && el.closest('[role=search],search')?.querySelectorAll(FIELDS).length === 1)) add('type', 'search');
  return names;
};
