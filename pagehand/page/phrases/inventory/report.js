// @ts-check
// All candidates of the frame, and the report about them.
const isUnique = memoize((el) => el.getRootNode() === document && document.querySelectorAll(`#${CSS.escape(el.id)}`).length === 1);
const pathOf = (el) => dom.cssPath(el, isUnique);

const all = [];
const words = [];
const offer = (el) => {
  if (el.ownerSVGElement || dom.NON_TEXT_TAGS.has(el.tagName) && !el.matches('textarea,iframe')) return;
  if (isControl(el) || isOther(el)) {
    all.push(el);
    if (words.length < 800 && isCell(el) && !el.firstElementChild && hasText(el) && isDrawn(el)) words.push(el);
  } else {
    if (isClickable(el) || (el.tagName === 'A' && isVisible(el) && actsAsLink(el))) all.push(el);
    else if (words.length < 800 && [...el.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && isDrawn(el)) words.push(el);
  }
};
let isCut = false;
for (const el of allElements(document)) {
  isCut = all.length >= most;
  if (isCut) break;
  offer(el);
}

const isUsable = (el) => {
  if (el.tagName === 'OPTION') return isVisible(el.closest('select') || el) && (el.closest('select')?.size > 1 || el.closest('select')?.multiple);
  if (isDrawn(el)) return true;
  return ['checkbox', 'radio', 'file'].includes(el.type) && dom.labelsOf(el).some(isDrawn);
};
/** @type {any[]} */
let found = all.filter(isUsable).map((el) => {
  const role = roleOf(el);
  return {el, role, names: namesOf(el, role), isField: isField(el), isControl: isControl(el) || !isOther(el) || (el.matches(CELLS) && !isCell(el))};
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
const groups = Map.groupBy(found, (one) => `${one.role} ${one.names[0]?.[1] || ''}`);
const boxes = new Set();
for (const group of groups.values()) {
  if (group.length < 2 || group.length > 300) continue;
  const counts = new Map();
  for (const one of group) for (let level = one.el; level; level = flatParentOf(level)) counts.set(level, (counts.get(level) || 0) + 1);
  for (const one of group) {
    let box = one.el;
    while (flatParentOf(box) && !isItem(box) && counts.get(flatParentOf(box)) === 1) box = flatParentOf(box);
    if (box !== one.el) { one.box = box; if (one.isControl) boxes.add(box); }
  }
}
// a box with several headings or rows is not a card
const isOneThing = (box) => box.querySelectorAll('h1,h2,h3,h4,h5,h6,[role=heading]').length < 2 &&
  box.querySelectorAll(ROWS).length < 2 && !box.closest('thead');
const textsIn = memoize((box) => (isOneThing(box) ? distinctiveTexts(box).filter((text) => text.length <= 60) : []));
// an element with a unique name gets the box of its neighbours
for (const one of found) {
  for (let level = flatParentOf(one.el); !one.box && level; level = flatParentOf(level)) if (boxes.has(level)) one.box = level;
  one.nearbyTexts = one.box ? textsIn(one.box) : [];
}
const boxOf = (el) => {
  const box = el.getBoundingClientRect();
  return [Math.round(box.left + scrollX), Math.round(box.top + scrollY), Math.round(box.right + scrollX), Math.round(box.bottom + scrollY)];
};
const rect = (el) => boxOf(isDrawn(el) ? el : dom.labelsOf(el).find(isDrawn) || el);
// texts that look alike have the same part in the page: a name above its card, a label above its field
const lookOf = (el) => {
  const style = getComputedStyle(el);
  return [el.localName, [...el.classList].sort().join('.'), style.fontSize, style.fontWeight].join(' ');
};
const rowsAround = (node) => {
  const found = [];
  for (let level = flatParentOf(node); level; level = flatParentOf(level)) if (rowIds.has(level)) found.push(rowIds.get(level).id);
  return found;
};
const isEnabled = (el) => dom.isEnabled(el) && !el.closest('[inert]');
// The list stays right while nothing changes that it was made of. Changes of the markup are observed; what the page can change
// without one is compared: boxes and visibility (style sheets, scrolling inside, pictures that come), shadow roots, what fields hold.
let isChanged = false;
const observer = new MutationObserver(() => { isChanged = true; observer.disconnect(); });
const everything = [...allElements(document)];
for (const root of [document, ...everything.map((el) => el.shadowRoot).filter(Boolean)]) observer.observe(root, {subtree: true, childList: true, attributes: true, characterData: true});
const holders = everything.filter((el) => el.matches('input,select,textarea'));
const heldBy = (el) => (el.tagName === 'SELECT' ? dom.selectedText(el) : `${el.checked} ${dom.valueOf(el)}`);
const readStates = () => [...holders.map(heldBy), ...everything.flatMap((el) => {
  const isShown = el.checkVisibility({visibilityProperty: true});
  return [isShown, el.shadowRoot !== null, ...(isShown ? boxOf(el) : [0, 0, 0, 0])];
})];
const states = readStates();
const isCurrent = () => {
  isChanged ||= observer.takeRecords().length > 0 || readStates().some((state, at) => state !== states[at]);
  return !isChanged;
};
return {
  isCurrent,
  elements: found.map((one) => one.el),
  report: dom.json({
    title: document.title,
    isCut,
    candidates: found.map((one, index) => {
      const row = rowOf(one.el);
      let rowLevel = 0;
      for (let level = one.el; row && level && level !== row.node; level = flatParentOf(level)) rowLevel++;
      return {index, role: one.role, tag: one.el.localName, names: one.names, shows: one.role === 'cell' ? textOf(one.el).slice(0, 80) : '',
        ...surroundings(one.el), row: row?.id ?? null, rowLevel, column: columnOf(one.el)[0] || '', items: itemsOf(one.el), look: lookOf(one.el), nearbyTexts: one.nearbyTexts,
        box: rect(one.el), isEnabled: isEnabled(one.el), isField: one.isField || drawnLabel(one.el) !== '', isControl: one.isControl,
        hasMenu: one.el.hasAttribute('aria-haspopup') || isDrawnList(one.el) || /^[⋮…⋯]$/.test(textOf(one.el)) || iconNames(one.el).some((name) => /^(three|dots|ellipsis|kebab|more)$/.test(name)), isToggle: one.el.hasAttribute('aria-pressed'),
        looksLikeButton: /(^|[-_\s])(btn|button)([-_\s]|$)/i.test(one.el.getAttribute('class') || ''), path: pathOf(one.el),
        isCard: one.isControl && !one.isField && one.el.clientHeight > 30 && dom.textPieces(one.el, {maxPieces: 3}).length > 1};
    }),
    rows: [...rowIds.values()].map(({node, ...row}) => ({...row,
      ancestors: rowsAround(node)})),
    texts: words.map((el) => ({text: textOf(el).slice(0, 120), box: rect(el), items: itemsOf(el), look: lookOf(el), isHeading: levelOf(el) > 0}))
      .filter((one) => one.text),
  }),
};
