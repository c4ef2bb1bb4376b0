// @ts-check
// Where an element is: headings and labels above it, and landmarks around it.
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
  if (el.matches('legend,caption,summary,dt,button[aria-expanded],[role=button][aria-expanded]')) return 7;
  const title = titleOf(el);
  if (title) return levelOf(title);
  if (el.querySelector(CONTROLS) || el.matches(`${CONTROLS},label,td,th`) || textOf(el).length > 60) return 0;
  const namedHeading = /(^|[-_\s])(title|heading|header|head|legend|caption)([-_\s]|$)/i.test(el.getAttribute('class') || '');
  if (namedHeading) return 7;
  const isBold = dom.isBold(el.matches('b,strong') || !el.firstElementChild ? el : el.firstElementChild);
  return isBold && !el.previousSibling?.data?.trim() && getComputedStyle(el).display !== 'inline' ? 8 : 0;
};
const headings = new Map();
// the headings among the siblings before, nearest first, each above those that came after it
const headingsBefore = (level) => {
  if (!headings.has(level)) {
    const before = level.previousElementSibling;
    // rows of one kind have the same headings: looking past a thousand rows for each of them takes seconds
    if (before && headings.has(before) && level.matches(ITEM_TAGS) && isVisible(before) && isNeighbour(before, level)) return headings.set(level, headings.get(before)).get(level);
    const found = [];
    let lowest = 99;
    for (let other = before; other; other = other.previousElementSibling) {
      const depth = isVisible(other) && !isNeighbour(other, level) ? levelOf(other) : 0;
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
  const found = /(?:^|[-_\s])(modal|popup|dialog|sidebar|sidenav|toolbar|toast|snackbar|notification|alert)(?:[-_\s]|$)/i.exec(el.getAttribute('class') || '');
  return found ? {sidebar: 'sidebar', sidenav: 'sidebar', toolbar: 'toolbar', toast: 'notification', snackbar: 'notification', notification: 'notification', alert: 'notification'}[found[1].toLowerCase()] || 'dialog' : '';
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
