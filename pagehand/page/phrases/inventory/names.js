// @ts-check
// The names of an element, each with where it comes from.
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
