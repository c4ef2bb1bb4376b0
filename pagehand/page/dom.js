// @ts-check
// What all readers of pages stand on: which elements are shown, what they are called, what text is in them, and how
// the tree goes on through shadow roots. It changes nothing in the page. A program runs in one frame; Python asks
// frame by frame. What was worked out is remembered until the program ends or calls `forget`.
() => {
  const fold = (text) => (text || '').replace(/\s+/g, ' ').trim();
  const memories = [];
  // readers ask the same of the same elements many times
  const once = (read) => {
    const known = new Map();
    memories.push(known);
    return (el) => { if (!known.has(el)) known.set(el, read(el)); return known.get(el); };
  };
  let shadows = null;
  const forget = () => {
    memories.forEach((known) => known.clear());
    shadows = null;
  };

  // The element around as the markup has it, which is what selectors follow.
  const parentOf = (el) => el.parentElement || (el.getRootNode().host ?? null);
  // The element around as it is drawn: what is put into a slot stands where the slot is.
  const above = (el) => el.assignedSlot || parentOf(el);
  const holds = (outer, inner) => {
    for (let level = inner; level; level = above(level)) if (level === outer) return true;
    return false;
  };
  const slotted = (node) => {
    const assigned = node.localName === 'slot' ? node.assignedNodes() : [];
    return assigned.length ? assigned : node.childNodes;
  };
  // all elements below, a host before what is in its shadow root
  const everyElement = function* (root) {
    for (const el of root.querySelectorAll('*')) {
      yield el;
      if (el.shadowRoot) yield* everyElement(el.shadowRoot);
    }
  };
  // all that a selector matches, shadow roots included; much faster than testing every element against it
  const select = (css) => {
    shadows ??= [document, ...[...everyElement(document)].map((el) => el.shadowRoot).filter(Boolean)];
    return shadows.flatMap((root) => [...root.querySelectorAll(css)]);
  };

  // what has no box of its own (a slot) shows what is in it
  const shows = once((el) => el.checkVisibility({visibilityProperty: true}) || getComputedStyle(el).display === 'contents');
  const isDrawn = (el) => {
    if (!shows(el)) return false;
    const box = el.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };
  // Stricter than drawn: fields that are transparent, one pixel large or beside the page are traps for programs.
  const isReachable = (el) => {
    const box = el.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && box.right > 0 && box.bottom + scrollY > 0 &&
      el.checkVisibility({opacityProperty: true, visibilityProperty: true}) && !el.closest('[aria-hidden=true],[inert]');
  };
  const isPointedAt = (el) => getComputedStyle(el).cursor === 'pointer';
  // a script makes it a control: the pointer says so, and says it of nothing around it
  const looksPressable = (el) => isPointedAt(el) && above(el) !== null && !isPointedAt(above(el));

  const SILENT = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA', 'HEAD', 'IFRAME']);
  // fonts that draw a picture for a word: nobody reads `picture_as_pdf`
  const isIcon = (el) => el.matches('i,span') && /(^|\s)material-(icons|symbols)/.test(el.getAttribute('class') || '');
  const isSeen = (el) => !['SELECT', 'OPTION'].includes(el.tagName) && !isIcon(el) && shows(el);
  // what an element says without having text: a picture, a button drawn by the browser
  const wordsInPlace = (el) => {
    if (el.tagName === 'IMG') return fold(el.alt);
    if (el.tagName !== 'INPUT') return '';
    if (el.type === 'image') return fold(el.alt || el.value);
    return ['submit', 'button', 'reset'].includes(el.type) ? fold(el.value) : '';
  };
  // The texts inside, in the order they are read, and never what people typed. `unseen` adds what no reader sees:
  // hidden things, icon fonts, the options of lists. `without` is a selector of what is passed over: by default what
  // is drawn but not meant to be read out. Parents may hold whole pages, so reading ends after `most` characters or
  // `mostPieces` texts.
  const piecesIn = (el, {most = Infinity, mostPieces = Infinity, unseen = false, without = '[aria-hidden=true]'}) => {
    const pieces = [];
    let length = 0;
    const add = (piece) => { if (piece) { pieces.push(piece); length += piece.length + 1; } };
    const isRead = (child) => !SILENT.has(child.tagName) && !child.isContentEditable &&
      (unseen || isSeen(child) && !child.matches(without));
    const inside = (node, inHost) => {
      const shadow = node.shadowRoot?.childNodes;
      if (!shadow || unseen) walk(inHost ? node.childNodes : slotted(node), inHost);
      // unseen words of a host may stand in no slot: they were read just now, and its slots are not followed again
      if (shadow) walk(shadow, unseen);
    };
    const walk = (nodes, inHost) => {
      for (const child of nodes) {
        if (length >= most || pieces.length > mostPieces) return;
        if (child.nodeType === 3) add(fold(child.data));
        else if (child.nodeType === 1 && isRead(child)) {
          add(wordsInPlace(child));
          inside(child, inHost);
        }
      }
    };
    inside(el, false);
    return pieces;
  };
  // a reader of texts that remembers them
  const textReader = (options) => once((el) => piecesIn(el, options).join(' ').slice(0, options.most));
  const chosen = (list) => [...list.selectedOptions].map((one) => fold(one.text)).join(', ');
  // The text as it is laid out, line by line; of a list only what is chosen. Slower than a text reader, but exact:
  // values are copied from it, and sentences are looked for in it.
  const shownText = (el) => {
    if (!(el instanceof HTMLElement)) return el.textContent;
    if (el.tagName === 'SELECT') return chosen(el);
    let text = el.innerText;
    for (const list of el.querySelectorAll('select')) text = text.replace(list.innerText, () => chosen(list));
    return text;
  };

  const byIds = (el, attribute) => (el.getAttribute(attribute) || '').split(/\s+/).filter(Boolean)
    .map((id) => el.getRootNode().getElementById?.(id)).filter(Boolean);
  const ariaName = (el, read) => fold(byIds(el, 'aria-labelledby').map(read).join(' ')) || fold(el.getAttribute('aria-label'));
  const labelOf = (el, read) => fold([...(el.labels || [])].map(read).join(' '));
  // what an element is called, the strongest source first; `read` gives the text of an element
  const nameOf = (el, read) => {
    const isField = ['INPUT', 'TEXTAREA', 'SELECT'].includes(el.tagName);
    return ariaName(el, read) || labelOf(el, read) || fold(isField || el.isContentEditable ? '' : read(el)) || wordsInPlace(el) ||
      fold(el.getAttribute('title')) || fold(isField ? el.getAttribute('placeholder') : '') ||
      fold(el.querySelector('svg title')?.textContent);
  };

  const INPUT_ROLES = {submit: 'button', button: 'button', reset: 'button', image: 'button', checkbox: 'checkbox',
    radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file'};
  const TAG_ROLES = {A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', IMG: 'img', OPTION: 'option',
    LI: 'listitem', TD: 'cell', TH: 'columnheader', TR: 'row', TABLE: 'table', NAV: 'navigation', MAIN: 'main',
    FORM: 'form', DIALOG: 'dialog', P: 'paragraph', UL: 'list', OL: 'list'};
  const LANDMARKS = {NAV: 'navigation', HEADER: 'banner', MAIN: 'main', FOOTER: 'contentinfo', ASIDE: 'complementary',
    DIALOG: 'dialog'};
  const givenRole = (el) => {
    const given = (el.getAttribute('role') || '').trim().split(/\s+/)[0].toLowerCase();
    return ['presentation', 'none', 'generic'].includes(given) ? '' : given;
  };
  const impliedRole = (el) => {
    if (el.tagName === 'INPUT') return INPUT_ROLES[el.type] || (el.list ? 'combobox' : 'textbox');
    if (el.tagName === 'SELECT' && (el.multiple || el.size > 1)) return 'listbox';
    if (el.tagName === 'A' && !el.hasAttribute('href')) return '';
    if (/^H[1-6]$/.test(el.tagName)) return 'heading';
    if (el.isContentEditable && !above(el)?.isContentEditable) return 'textbox';
    return TAG_ROLES[el.tagName] || '';
  };
  const roleOf = (el) => givenRole(el) || impliedRole(el);
  // the part of the page that an element is, by its role or its tag
  const landmarkOf = (el) => el.getAttribute('role') || LANDMARKS[el.tagName] || '';

  // A selector by position, from the nearest ancestor that `isAnchor` accepts for its id.
  const pathOf = (el, isAnchor) => {
    let path = '';
    let joint = '';
    for (let level = el; level; level = parentOf(level)) {
      if (level.id && isAnchor(level)) return `#${CSS.escape(level.id)}${joint}${path}`;
      const tag = CSS.escape(level.localName);
      const siblings = [...(level.parentNode?.children || [])].filter((one) => one.localName === level.localName);
      const step = siblings.length > 1 ? `${tag}:nth-of-type(${siblings.indexOf(level) + 1})` : tag;
      path = step + joint + path;
      // a shadow root ends a chain of children: only "somewhere inside" leads into it
      joint = level.parentElement ? ' > ' : ' ';
    }
    return path;
  };

  return {above, ariaName, byIds, chosen, everyElement, fold, forget, givenRole, holds, impliedRole, isDrawn, isIcon, isReachable,
    labelOf, landmarkOf, looksPressable, nameOf, once, parentOf, pathOf, piecesIn, roleOf, select, shownText, shows,
    SILENT, textReader, wordsInPlace};
}
