// @ts-check
// The names of an element, each with where it comes from.
// fields and texts among the children of a box, in their order
const partsOfLine = memoize((parent) => [...parent.childNodes].map((node) => {
  if (node.nodeType === 3) return collapseSpaces(node.data) && 'text';
  if (node.nodeType !== 1 || !isVisible(node)) return '';
  if (isField(node) || node.querySelector(FIELDS)) return 'field';
  return isControl(node) || hasControl(node) ? 'other' : textOf(node) && 'text';
}).filter(Boolean));
// whether the texts of a box stand after their fields; those of boxes to tick may have one more before all of them
const labelsFollow = (parent, isChoice) => {
  const parts = partsOfLine(parent);
  const fields = parts.filter((part) => part === 'field').length;
  const isFollowed = parts.every((part, at) => part !== 'field' || parts[at + 1] === 'text');
  return isFollowed && (isChoice || (fields > 1 && parts[0] === 'field' && !parts.includes('other')));
};
const textAfter = (level) => {
  for (let node = level.nextSibling; node; node = node.nextSibling) {
    const text = node.nodeType === 3 ? collapseSpaces(node.data) : node.nodeType === 1 && isVisible(node) ? textOf(node) : '';
    if (text) return node.nodeType === 1 && (isControl(node) || hasControl(node)) ? '' : text;
  }
  return '';
};
// the words beside an unlabelled field: in the cell or part before it, or alone with it in a box
const beside = (el) => {
  // below the name of its column it is called by that, and the cell before holds something else
  if (columnOf(el).length) return '';
  const isChoice = ['checkbox', 'radio'].includes(el.type || roleOf(el));
  if (el.parentElement && labelsFollow(el.parentElement, isChoice)) return textAfter(el);
  const before = besideBefore(el);
  if (before || isChoice || el.placeholder) return before;
  // alone in its box, and named below or right of it
  const after = el.parentElement && fieldsIn(el.parentElement) === 1 ? textAfter(el) : '';
  return /^\p{L}[^\d.:!?]{2,38}$/u.test(after) ? after : '';
};
const besideBefore = (el) => {
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
      if (isControl(node) || node.matches('h1,h2,h3,h4,legend') || hasControl(node)) return '';
      if (textOf(node)) return textOf(node);
    }
    const parent = flatParentOf(level);
    if (!parent || fieldsIn(parent) > 1) return '';
  }
  return '';
};
// what people call a picture, by the name its makers gave it
const PICTURES = {trash: 'delete bin', bin: 'delete trash', delete: 'trash bin', pencil: 'edit', pen: 'edit pencil', edit: 'pencil', bell: 'notifications', notifications: 'bell',
  gear: 'settings', gears: 'settings', cog: 'settings', cogs: 'settings', settings: 'gear', house: 'home', search: 'magnifier', magnify: 'search', heart: 'favorite',
  plus: 'add', minus: 'remove', times: 'close', x: 'close', xmark: 'close', user: 'account profile', person: 'account profile', cart: 'basket', bars: 'menu',
  hamburger: 'menu', three: 'more dots', dots: 'more', ellipsis: 'more dots', kebab: 'more dots', envelope: 'mail', eye: 'view show', download: '', print: 'printer', printer: 'print', copy: 'duplicate',
  filter: '', funnel: 'filter', star: 'favorite', save: 'disk', floppy: 'save disk', paperclip: 'attach', refresh: 'reload', sync: 'refresh', question: 'help', power: 'logout', off: 'power', globe: 'language'};
// what the icon of an act shows, where the button says the act and its picture has no name
const PICTURES_OF_ACTS = {print: 'printer', delete: 'trash bin', remove: 'trash bin', edit: 'pencil', settings: 'gear', notifications: 'bell', search: 'magnifier', save: 'disk floppy', view: 'eye', close: 'x', add: 'plus', attach: 'paperclip', home: 'house', call: 'phone'};
// what a list without a label asks for, by its entries
const ENTRIES = {role: /^(admin(istrator)?|member|owner|editor|viewer|user|guest|manager|reader|writer|contributor|moderator|staff)$/i,
  status: /^(open|closed|(in)?active|pending|(un)?paid|draft|done|in progress|to ?do|resolved|approved|rejected|cancel+ed|completed|shipped|on hold|overdue|published|archived|blocked)$/i,
  priority: /^(low(est)?|medium|normal|high(est)?|urgent|critical)$/i};
const entriesOf = memoize((el) => [...el.options].slice(0, 20).map((one) => collapseSpaces(one.label)).join('\n'));
const listsAlike = memoize((text) => [...document.querySelectorAll('select')].filter((one) => isVisible(one) && entriesOf(one).split('\n').sort().join() === text));
// only one of several alike, each in a row of its own: a single list is called by the words beside it
const kindOfList = (el) => {
  const entries = entriesOf(el).split('\n');
  const kind = entries.length > 1 && Object.keys(ENTRIES).find((name) => entries.every((text) => ENTRIES[name].test(text)));
  if (!kind || columnOf(el).length || dom.labelsOf(el).length) return '';
  const rows = listsAlike([...entries].sort().join()).map(rowElement);
  return rows.length > 1 && rows.every(Boolean) && new Set(rows).size === rows.length && new Set(rows.map((row) => row.parentElement)).size === 1 ? kind : '';
};
// a list drawn with boxes, below its label: `Priority` above `High ▾`
const isDrawnList = memoize((el) => isClickable(el) && !isControl(el) || el.matches('[onclick]:not(button,a,input,[role])') ? /[▾▼⌄˅🞃]\s*$/u.test(textOf(el)) && !hasControl(el) : false);
const drawnLabel = (el) => {
  const drawn = el.parentElement && isDrawnList(el) ? [...el.parentElement.children].filter(isDrawnList) : [];
  const isLabelled = drawn.length > 0 && drawn.every((one) => one.previousElementSibling && isLabel(one.previousElementSibling) && !isClickable(one.previousElementSibling));
  return isLabelled ? textOf(el.previousElementSibling).replace(/\s?:$/, '') : '';
};
const ICON_MARK = /(?:^|[-_])icon[-_]?([a-z]+)|^(?:fa|fas|far|bi|mdi|glyphicon|ti|lucide|feather|ph|ri|la|icon)-([a-z]+)/;
// a portrait, or initials in a circle
const hasAvatar = memoize((el) => {
  if (el.querySelector('[class*=avatar i],img[src*=avatar i]')) return true;
  if (!/^\p{Lu}{0,3}$/u.test(textOf(el).trim())) return false;
  return [el, ...el.querySelectorAll('span,div,b,img')].slice(0, 8).some((one) => (one.tagName === 'IMG' || textOf(one)) &&
    parseFloat(getComputedStyle(one).borderTopLeftRadius) >= (getComputedStyle(one).borderTopLeftRadius.endsWith('%') ? 40 : one.clientWidth * 0.4) && one.clientWidth >= 16);
});
const iconNames = (el) => {
  const marks = [el, ...el.querySelectorAll('i[class],svg[class],span[class],use,svg[data-icon]')].flatMap((one) =>
    [...(one.getAttribute('class') || one.getAttribute('href') || '').split(/[\s#]+/), one.dataset?.icon ? `icon-${one.dataset.icon}` : '']);
  const drawn = marks.map((mark) => ICON_MARK.exec(mark)).filter(Boolean).map((found) => found[1] || found[2]);
  const plain = [...el.querySelectorAll('i[class],svg[class]')].flatMap((one) => (one.getAttribute('class') || '').split(/\s+/)).filter((mark) => mark in PICTURES);
  const symbol = {'+': 'plus', '＋': 'plus', '−': 'minus', '–': 'minus', '-': 'minus', '×': 'times', '✕': 'times', '🔍': 'search', '🗑': 'trash', '✎': 'pencil', '✏': 'pencil', '🔔': 'bell',
    '⚙': 'gear', '♡': 'heart', '♥': 'heart', '☆': 'star', '★': 'star', '☰': 'bars', '🛒': 'cart', '✉': 'envelope', '🖨': 'print', '📎': 'paperclip', '💾': 'save', '👁': 'eye', '👤': 'user', '🏠': 'house', '📋': 'copy'}[textOf(el).trim()];
  const written = [...el.querySelectorAll('i,span')].filter(isIconFont).flatMap((one) => one.textContent.trim().split('_'));
  const pictured = hasAvatar(el) ? ['avatar', 'user'] : [];
  return [...new Set([...drawn, ...plain, ...written, ...pictured, ...(symbol ? [symbol] : [])])];
};
// whether the next control beside a field looks for what is typed into it
const startsSearch = (el) => {
  const next = el.nextElementSibling || (el.parentElement && fieldsIn(el.parentElement) === 1 && el.parentElement.nextElementSibling);
  if (!next || isField(next) && next.type !== 'image' || hasControl(next) && controlsIn(next) > 1) return false;
  const button = next.matches(CONTROLS) || !hasControl(next) ? next : next.querySelector(CONTROLS);
  const said = [textOf(button), button.value, button.title, button.getAttribute('aria-label')];
  return said.some((text) => /^(search|find|suchen?|rechercher?|chercher)$/i.test((text || '').trim())) || iconNames(button).some((name) => /^(search|magnif)/.test(name));
};
const namesOf = (el, role) => {
  const names = [];
  if (labelBefore(el) && isCell(el)) return [['label', labelBefore(el)]];
  if (isCell(el) && el.matches(CELLS) && sumKey(el)) return [['label', sumKey(el)]];
  if (isCell(el)) return kindOf(el) ? [['kind', kindOf(el)]] : (columnOf(el).length ? columnOf(el) : keyOf(el)).map((text) => ['column', text]);
  const add = (source, text) => {
    const folded = collapseSpaces(text).slice(0, NAME_CUT);
    if (folded && !names.some(([, known]) => known === folded)) names.push([source, folded]);
  };
  add('aria', referencedElements(el, 'aria-labelledby').map(textOf).join(' '));
  add('aria', el.getAttribute('aria-label'));
  for (const label of dom.labelsOf(el)) add('label', textOf(label));
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
  if (!field && isControl(el)) {
    const isPicture = !names.some(([source, text]) => source !== 'attribute' && /\p{L}{2}/u.test(text) && !hasAvatar(el));
    const drawn = iconNames(el);
    if (drawn.length) add(isPicture ? 'icon' : 'drawn', drawn.join(' '));
    const act = !drawn.length && !/\p{L}{2}/u.test(textOf(el)) && el.querySelector('svg,img') && /^\p{L}+/u.exec(names.find(([source]) => source !== 'attribute')?.[1] || '');
    for (const shown of act && Object.hasOwn(PICTURES_OF_ACTS, act[0].toLowerCase()) ? PICTURES_OF_ACTS[act[0].toLowerCase()].split(' ') : []) add('drawn', shown);
    for (const one of drawn) for (const meaning of (PICTURES[one] || '').split(' ')) add(isPicture ? 'icon' : 'drawn', meaning);
  }
  const cell = cellAround(el);
  if (cell && (cell === el || controlsIn(cell) === 1 || field)) for (const text of columnOf(el)) add('column', text);
  // a list says what it is for by its first entry: `All statuses`, `Choose a country`
  const [entry] = el.tagName === 'SELECT' && !names.some(([source]) => source !== 'attribute') ? el.options : [];
  if (entry) add('placeholder', entry.label);
  if (el.tagName === 'SELECT') add('kind', kindOfList(el));
  add('near', drawnLabel(el));
  const scheme = /^(mailto|tel):/.exec(el.getAttribute('href') || '')?.[1];
  if (scheme) add('type', scheme === 'tel' ? 'phone' : 'email');
  const type = el.tagName === 'INPUT' ? el.type : '';
  if (['password', 'email', 'search', 'tel', 'date', 'time', 'file', 'url', 'color', 'month', 'week'].includes(type)) add('type', type);
  if (role === 'searchbox' || (role === 'textbox' && startsSearch(el)) || (field && ['q', 'query', 's', 'search'].includes(el.name)) || (role === 'textbox' && el.closest('[role=search],search')?.querySelectorAll(FIELDS).length === 1)) add('type', 'search');
  return names;
};
