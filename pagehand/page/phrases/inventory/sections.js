// @ts-check
// Where an element is: headings and labels above it, and landmarks around it.
// the only heading of a title bar; buttons may be beside it only in a bar that is marked as one
const titleOf = memoize((el) => {
  const inner = el.matches('header,hgroup,div') ? el.querySelectorAll('h1,h2,h3,h4,h5,h6,[role=heading]') : [];
  if (inner.length !== 1 || !isVisible(inner[0]) || el.querySelector(FIELDS)) return null;
  const controls = [...el.querySelectorAll(CONTROLS)].filter((control) => !inner[0].contains(control));
  const isBar = el.matches('header,hgroup') || /(^|[-_\s])(head|header|heading|titlebar)([-_\s]|$)/i.test(el.className);
  if (controls.length && !isBar) return null;
  const controlsLength = controls.reduce((length, control) => length + textOf(control).length, 0);
  return textOf(el).length <= textOf(inner[0]).length + controlsLength + 40 ? inner[0] : null;
});
// the words of a bar that has only controls beside them
const isBarTitle = (el) => el.matches('b,strong') && !el.previousElementSibling && !!el.nextElementSibling &&
  [...el.parentElement.childNodes].every((one) => one === el || (one.nodeType === 3 ? !one.data.trim() : isControl(one) || isClickable(one)));
const levelOf = memoize((el) => {
  if (/^H[1-6]$/.test(el.tagName)) return Number(el.tagName[1]);
  if (el.getAttribute('role') === 'heading') return Number(el.getAttribute('aria-level') || 2);
  if (el.matches('legend,caption,summary,dt,button[aria-expanded],[role=button][aria-expanded]')) return 7;
  const title = titleOf(el);
  if (title) return levelOf(title);
  // a title across the rows below it
  if (el.matches('tr') && el.childElementCount === 1 && el.firstElementChild.colSpan > 1 && hasText(el) && !hasControl(el) && textOf(el).length <= 60) return 7;
  if (hasControl(el) || isControl(el) || el.matches('label,td,th') || textOf(el).length > 60) return 0;
  const namedHeading = /(^|[-_\s])(title|heading|header|head|legend|caption)([-_\s]|$)/i.test(el.getAttribute('class') || '');
  if (namedHeading) return 7;
  const isBold = dom.isBold(el.matches('b,strong') || !el.firstElementChild ? el : el.firstElementChild);
  return isBold && !el.previousSibling?.data?.trim() && (getComputedStyle(el).display !== 'inline' || isBarTitle(el)) ? 8 : 0;
});
// the visible headings among the children of a parent, each with the lowest level up to it, and how many are before each child
const headingChildren = memoize((parent) => {
  const found = [];
  const before = new Map();
  let lowest = Infinity;
  for (const el of parent.children) {
    before.set(el, found.length);
    const depth = isVisible(el) ? levelOf(el) : 0;
    if (!depth) continue;
    lowest = Math.min(lowest, depth);
    found.push({el, depth, lowest});
  }
  return {found, before};
});
const searchHeadings = (level) => {
  const {found, before} = headingChildren(level.parentNode);
  const headings = [];
  let lowest = 99;
  for (let at = before.get(level) - 1; at >= 0 && found[at].lowest < lowest; at--) {
    const {el, depth} = found[at];
    if (depth >= lowest || isNeighbour(el, level)) continue;
    lowest = depth;
    const text = textOf(titleOf(el) || el).slice(0, 120);
    // the first element of a box is its heading, whatever its level
    if (text) headings.push({text, depth, heads: !el.previousElementSibling});
  }
  return headings;
};
const hasHeadingsOf = (before, level) => isAlwaysNeighbour(level) && isAlwaysNeighbour(before) && isVisible(before) && isNeighbour(before, level);
const headings = new Map();
// the headings among the siblings before, nearest first, each above those that came after it
const headingsBefore = (level) => {
  // rows of one kind have the same headings: looking past a thousand rows for each of them takes seconds
  const alike = [];
  let first = level;
  for (; !headings.has(first); first = first.previousElementSibling) {
    alike.push(first);
    if (!first.previousElementSibling || !hasHeadingsOf(first.previousElementSibling, first)) break;
  }
  const found = headings.get(first) ?? (first.previousElementSibling ? searchHeadings(first) : []);
  for (const one of alike) headings.set(one, found);
  return found;
};
// a text alone at the top of a card or a column is its title
const isLeadIn = (el) => !el.firstElementChild && !isControl(el) && !el.matches('label') && /\p{L}/u.test(textOf(el)) && textOf(el).length <= 60;
const sections = new Map();
// what an ancestor is called: legend, label, caption, the tab it belongs to
const calledAs = (level) => {
  if (!sections.has(level)) {
    const names = [level.getAttribute('aria-label'), ...referencedElements(level, 'aria-labelledby').map(textOf)];
    if (level.matches('fieldset')) names.push(textOf(level.querySelector(':scope > legend') || document.createElement('i')));
    if (level.matches('table')) names.push(textOf(level.caption || document.createElement('i')));
    if (level.matches('details')) names.push(textOf(level.querySelector('summary') || document.createElement('i')));
    if (level.matches('div,section') && level.childElementCount > 1 && isItem(level) && isLeadIn(level.firstElementChild)) names.push(textOf(level.firstElementChild));
    // an entry of a tree with entries of its own; words before what stands in the same line
    const [own, inner] = [level.firstChild, level.matches('li,[role=treeitem]') && level.querySelector(':scope > ul,:scope > ol,:scope > [role=group]')];
    if (inner && isVisible(inner)) names.push(short([...level.childNodes].slice(0, [...level.childNodes].indexOf(inner)).map((one) => (one.nodeType === 3 ? one.data : one.nodeType === 1 ? textOf(one) : ''))).join(' '));
    else if (own?.nodeType === 3 && /^\s*\p{L}[^:]{1,38}:\s*$/u.test(own.data)) names.push(own.data.replace(':', ''));
    if (level.matches('form,section,article,dialog')) names.push((level.getAttribute('name') || '').replace(/[-_]/g, ' '));
    sections.set(level, names.map(collapseSpaces).filter(Boolean).map((text) => text.slice(0, 120)));
  }
  return sections.get(level);
};
const landmarkByClass = (el) => {
  const found = /(?:^|[-_\s])(modal|popup|dialog|sidebar|sidenav|toolbar|toast|snackbar|notification|alert)(?:[-_\s]|$)/i.exec(el.getAttribute('class') || '');
  return found ? {sidebar: 'sidebar', sidenav: 'sidebar', toolbar: 'toolbar', toast: 'notification', snackbar: 'notification', notification: 'notification', alert: 'notification'}[found[1].toLowerCase()] || 'dialog' : '';
};
const landmarkOf = memoize((el) => LANDMARKS[dom.landmarkOf(el)] || (el.hasAttribute('role') ? '' : TAG_LANDMARKS[el.tagName]) || landmarkByClass(el));
const acrossOf = (box) => [box.right < innerWidth * 0.4 ? 'left' : box.left > innerWidth * 0.6 ? 'right' : ''];
// whether it stays where it is in the window, whatever is scrolled
const isFixed = memoize((el) => !!el && el !== document.body && (getComputedStyle(el).position === 'fixed' || isFixed(flatParentOf(el))));
// what people see at the top or the bottom of the page, on its left or its right
const height = document.documentElement.scrollHeight;
const cornersOf = (el) => {
  const box = el.getBoundingClientRect();
  if (isFixed(el)) return [box.top < 160 ? 'top' : box.bottom > innerHeight - 200 ? 'bottom' : '', ...acrossOf(box)].filter(Boolean);
  return [box.top + scrollY < 160 ? 'top' : box.bottom + scrollY > height - 200 ? 'bottom' : '', ...acrossOf(box)].filter(Boolean);
};
const surroundings = (el) => {
  const names = [];
  const landmarks = [];
  // a section ends where the next of its level begins: only what is above the nearest heading still applies
  let lowest = 99;
  for (let level = el; level && level !== document.body; level = flatParentOf(level)) {
    if (level !== el) names.push(...calledAs(level));
    const landmark = landmarkOf(level);
    if (landmark && level !== el) landmarks.push(landmark);
    for (const {text, depth, heads} of headingsBefore(level)) {
      if (depth < lowest || (heads && depth > lowest)) names.push(text);
      lowest = Math.min(lowest, depth);
    }
    // a heading within an entry of a list ends nothing outside of it
    if (level.matches('li,tr,[role=listitem],[role=row]')) lowest = 99;
  }
  return {sections: [...new Set(names)].slice(0, 12), landmarks: [...new Set([...landmarks, ...cornersOf(el)])]};
};
