// @ts-check
// The rules all page scripts share: which elements are visible, their names, their text, and how the tree continues
// through shadow roots. Nothing in the page is changed. A script runs in one frame; Python calls it frame by frame.
// Results are cached until the script ends. `core` is the object of `dom_core.js`.
(core) => {
  const {collapseSpaces, flatParentOf, isVisible, memoize, parentOf, slotContent} = core;
  const isBold = (el) => Number(getComputedStyle(el).fontWeight) >= 600;
  const hasPointerCursor = memoize((el) => getComputedStyle(el).cursor === 'pointer');
  // a script makes it a control: the pointer says so, and says it of nothing around it
  const looksClickable = (el) => hasPointerCursor(el) && flatParentOf(el) !== null && !hasPointerCursor(flatParentOf(el));

  const NON_TEXT_TAGS = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA', 'HEAD', 'IFRAME']);
  // fonts that draw a picture for a word: nobody reads `picture_as_pdf`
  const isIconFont = (el) => el.matches('i,span') && /(^|\s)material-(icons|symbols)/.test(el.getAttribute('class') || '');
  const isReadable = memoize((el) => !['SELECT', 'OPTION'].includes(el.tagName) && !isIconFont(el) && isVisible(el));
  const isPlain = memoize((el) => !NON_TEXT_TAGS.has(el.tagName) && !el.isContentEditable);
  // what an element says without having text: a picture, a button drawn by the browser
  const nativeText = (el) => {
    if (el.tagName === 'IMG') return collapseSpaces(el.alt);
    if (el.tagName !== 'INPUT') return '';
    if (el.type === 'image') return collapseSpaces(el.alt || el.value);
    return ['submit', 'button', 'reset'].includes(el.type) ? collapseSpaces(el.value) : '';
  };
  // The texts inside, in reading order, and never what people typed. `includeHidden` adds what no reader sees: hidden
  // elements, icon fonts, the options of lists. `exclude` is a selector of what to leave out: by default what is drawn
  // but not meant to be read aloud. Parents may hold whole pages, so reading ends after `maxLength` characters or
  // `maxPieces` texts.
  const textPieces = (el, {maxLength = Infinity, maxPieces = Infinity, includeHidden = false, exclude = '[aria-hidden=true]'}) => {
    const pieces = [];
    let length = 0;
    const add = (piece) => { if (piece) { pieces.push(piece); length += piece.length + 1; } };
    const isRead = (child) => isPlain(child) && (includeHidden || isReadable(child) && !child.matches(exclude));
    const inside = (node, inHost) => {
      const shadow = node.shadowRoot?.childNodes;
      if (!shadow || includeHidden) walk(inHost ? node.childNodes : slotContent(node), inHost);
      // hidden words of a host may be in no slot: they were read just now, and its slots are not followed again
      if (shadow) walk(shadow, includeHidden);
    };
    const walk = (nodes, inHost) => {
      for (const child of nodes) {
        if (length >= maxLength || pieces.length > maxPieces) return;
        if (child.nodeType === 3) add(collapseSpaces(child.data));
        else if (child.nodeType === 1 && isRead(child)) {
          add(nativeText(child));
          inside(child, inHost);
        }
      }
    };
    inside(el, false);
    return pieces;
  };
  // a function that reads the text of an element and caches it
  const textReader = (options) => memoize((el) => textPieces(el, options).join(' ').slice(0, options.maxLength));
  const selectedText = (list) => [...list.selectedOptions].map((option) => collapseSpaces(option.label)).join(', ');
  // The text as it is laid out, line by line; of a list only what is selected. Slower than a text reader, but exact:
  // values are copied from it, and sentences are looked for in it.
  const renderedText = (el) => {
    if (!(el instanceof HTMLElement)) return el.textContent;
    if (el.tagName === 'SELECT') return selectedText(el);
    let text = el.innerText;
    if (!el.firstElementChild) return text;
    for (const list of el.querySelectorAll('select')) text = text.replace(list.innerText, () => selectedText(list));
    return text;
  };

  const referencedElements = (el, attribute) => (el.getAttribute(attribute) || '').split(/\s+/).filter(Boolean)
    .map((id) => el.getRootNode().getElementById?.(id)).filter(Boolean);
  const ariaName = (el, read) => collapseSpaces(referencedElements(el, 'aria-labelledby').map(read).join(' ')) || collapseSpaces(el.getAttribute('aria-label'));
  // A browser walks through the whole document for the labels of one field; for many fields they are all looked up at once.
  let labelled = null;
  let asked = 0;
  const labelsOf = (el) => {
    if (!('labels' in el)) return [];
    if (++asked <= 10) return [...(el.labels || [])];
    labelled ??= Map.groupBy(core.selectAll('label'), (label) => label.control);
    return labelled.get(el) || [];
  };
  const labelText = (el, read) => collapseSpaces(labelsOf(el).map(read).join(' '));
  // what an element is called, the strongest source first; `read` gives the text of an element
  const nameOf = (el, read) => {
    const isField = ['INPUT', 'TEXTAREA', 'SELECT'].includes(el.tagName);
    return ariaName(el, read) || labelText(el, read) || collapseSpaces(isField || el.isContentEditable ? '' : read(el)) || nativeText(el) ||
      collapseSpaces(el.getAttribute('title')) || collapseSpaces(isField ? el.getAttribute('placeholder') : '') ||
      collapseSpaces(el.querySelector('svg title')?.textContent);
  };
  // everything that may say what a control is for, names that nobody sees included
  const allNames = (el) => [labelText(el, renderedText), ariaName(el, renderedText), el.ariaLabel, renderedText(el), core.valueOf(el),
    el.title, el.alt, el.name, el.id, el.getAttribute('class')].filter((text) => typeof text === 'string' && text);

  const INPUT_ROLES = {submit: 'button', button: 'button', reset: 'button', image: 'button', checkbox: 'checkbox',
    radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file'};
  const TAG_ROLES = {A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', IMG: 'img', OPTION: 'option',
    LI: 'listitem', TD: 'cell', TH: 'columnheader', TR: 'row', TABLE: 'table', NAV: 'navigation', MAIN: 'main',
    FORM: 'form', DIALOG: 'dialog', P: 'paragraph', UL: 'list', OL: 'list'};
  const LANDMARKS = {NAV: 'navigation', HEADER: 'banner', MAIN: 'main', FOOTER: 'contentinfo', ASIDE: 'complementary',
    DIALOG: 'dialog'};
  const explicitRole = (el) => {
    const given = (el.getAttribute('role') || '').trim().split(/\s+/)[0].toLowerCase();
    return ['presentation', 'none', 'generic'].includes(given) ? '' : given;
  };
  const implicitRole = (el) => {
    if (el.tagName === 'INPUT') return INPUT_ROLES[el.type] || (el.list ? 'combobox' : 'textbox');
    if (el.tagName === 'SELECT' && (el.multiple || el.size > 1)) return 'listbox';
    if (el.tagName === 'A' && !el.hasAttribute('href')) return '';
    if (/^H[1-6]$/.test(el.tagName)) return 'heading';
    if (el.isContentEditable && !flatParentOf(el)?.isContentEditable) return 'textbox';
    return TAG_ROLES[el.tagName] || '';
  };
  const roleOf = (el) => explicitRole(el) || implicitRole(el);
  // the part of the page that an element is, by its role or its tag
  const landmarkOf = (el) => el.getAttribute('role') || LANDMARKS[el.tagName] || '';

  // of each child, how many siblings of its tag come up to it and are there in all; long lists are asked about once per item
  const childPlaces = memoize((parent) => {
    const counts = new Map();
    const places = new Map();
    for (const child of parent.children) {
      counts.set(child.localName, (counts.get(child.localName) || 0) + 1);
      places.set(child, counts.get(child.localName));
    }
    return {counts, places};
  });
  const placeAmongSiblings = (el) => {
    if (!el.parentNode) return {place: 1, count: 1};
    const {counts, places} = childPlaces(el.parentNode);
    return {place: places.get(el), count: counts.get(el.localName)};
  };
  // A selector by position, from the nearest ancestor that `isAnchor` accepts for its id.
  const cssPath = (el, isAnchor) => {
    let path = '';
    let joint = '';
    for (let level = el; level; level = parentOf(level)) {
      if (level.id && isAnchor(level)) return `#${CSS.escape(level.id)}${joint}${path}`;
      const tag = CSS.escape(level.localName);
      const {place, count} = placeAmongSiblings(level);
      const step = count > 1 ? `${tag}:nth-of-type(${place})` : tag;
      path = step + joint + path;
      // a shadow root ends a chain of children: only "somewhere inside" leads into it
      joint = level.parentElement ? ' > ' : ' ';
    }
    return path;
  };

  return {...core, allNames, ariaName, cssPath, explicitRole, implicitRole, isBold, isIconFont, labelsOf, labelText, landmarkOf, looksClickable,
    nameOf, nativeText, NON_TEXT_TAGS, referencedElements, renderedText, roleOf, selectedText, textPieces, textReader};
}
