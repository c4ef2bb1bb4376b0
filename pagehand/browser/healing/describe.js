// @ts-check
// What an element is like: its own words and attributes and what stands around it. Values typed by people are never read.
const CUT = 300;
const NAME_CUT = 160;
const MOST_ELEMENTS = 4000;
const SILENT = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA', 'HEAD']);
const CONTROLS = 'a[href],button,input:not([type=hidden i]),select,textarea,summary,option,label[for],' +
  '[onclick],[tabindex]:not([tabindex="-1"]),[contenteditable]:not([contenteditable=false i]),' +
  ['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option',
    'combobox', 'textbox', 'searchbox', 'spinbutton', 'slider', 'listbox', 'treeitem', 'gridcell']
    .map((role) => `[role=${role}]`).join(',');
const ROLES = {A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', IMG: 'img', OPTION: 'option',
  LI: 'listitem', TD: 'cell', TH: 'columnheader', TR: 'row', TABLE: 'table', NAV: 'navigation', MAIN: 'main',
  FORM: 'form', DIALOG: 'dialog', P: 'paragraph', UL: 'list', OL: 'list'};
const INPUT_ROLES = {submit: 'button', button: 'button', reset: 'button', image: 'button', checkbox: 'checkbox',
  radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file'};
const LANDMARKS = {NAV: 'nav', HEADER: 'header', MAIN: 'main', FOOTER: 'footer', ASIDE: 'aside', DIALOG: 'dialog'};
const LANDMARK_ROLES = {navigation: 'nav', banner: 'header', main: 'main', contentinfo: 'footer',
  complementary: 'aside', dialog: 'dialog', alertdialog: 'dialog', search: 'search'};
const OWN_FIELDS = new Set(['id', 'class', 'style', 'href', 'src', 'value', 'checked', 'selected', 'srcset', 'd',
  'action', 'onclick', 'width', 'height', 'role', 'placeholder', 'name', 'alt', 'title', 'aria-label', 'tabindex',
  'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns', 'aria-expanded', 'aria-selected',
  'aria-checked', 'aria-pressed', 'aria-current', 'aria-activedescendant', 'for']);

const fold = (text) => (text || '').replace(/\s+/g, ' ').trim();
const above = (element) => element.parentElement || (element.getRootNode().host ?? null);
const texts = new Map();

// the words inside, cut early: parents may hold whole pages
const textOf = (element) => {
  if (texts.has(element)) return texts.get(element);
  const pieces = [];
  let length = 0;
  const hear = (piece) => {
    if (piece) { pieces.push(piece); length += piece.length + 1; }
  };
  // whoever comes in through a host has heard what its slots show; whoever begins inside has not
  const walk = (nodes, followsSlots) => {
    for (const child of nodes) {
      if (length >= CUT) return;
      if (child.nodeType === 3) hear(fold(child.data));
      else if (child.nodeType === 1 && !SILENT.has(child.tagName) && !child.isContentEditable) {
        hear(wordsInPlace(child));
        const shown = followsSlots && child.tagName === 'SLOT' ? child.assignedNodes() : [];
        walk(shown.length ? shown : child.childNodes, followsSlots);
        if (child.shadowRoot) walk(child.shadowRoot.childNodes, false);
      }
    }
  };
  walk(element.childNodes, true);
  if (element.shadowRoot) walk(element.shadowRoot.childNodes, false);
  const text = pieces.join(' ').slice(0, CUT);
  texts.set(element, text);
  return text;
};

// what an element says without having text: a picture, a button drawn by the browser
const wordsInPlace = (element) => {
  if (element.tagName === 'IMG') return fold(element.alt);
  if (element.tagName !== 'INPUT') return '';
  return ['submit', 'button', 'reset'].includes(element.type) ? fold(element.value) : '';
};

const labelOf = (element) => {
  if (element.labels?.length) return fold([...element.labels].map(textOf).join(' ')).slice(0, NAME_CUT);
  return '';
};

const nameOf = (element, label) => {
  const ids = (element.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean);
  const root = element.getRootNode();
  const labelled = ids.map((id) => root.getElementById?.(id)).filter(Boolean).map(textOf).join(' ');
  const isField = ['INPUT', 'TEXTAREA', 'SELECT'].includes(element.tagName);
  const inside = isField || element.isContentEditable ? wordsInPlace(element) : textOf(element) || wordsInPlace(element);
  const name = labelled || element.getAttribute('aria-label') || label || inside || element.getAttribute('title') ||
    (isField ? element.getAttribute('placeholder') : '') ||
    element.querySelector?.('svg title')?.textContent;
  return fold(name).slice(0, NAME_CUT);
};

const roleOf = (element) => {
  const given = (element.getAttribute('role') || '').trim().split(/\s+/)[0].toLowerCase();
  if (given) return given;
  if (element.tagName === 'INPUT') return INPUT_ROLES[element.type] || (element.list ? 'combobox' : 'textbox');
  if (element.tagName === 'A' && !element.hasAttribute('href')) return '';
  if (/^H[1-6]$/.test(element.tagName)) return 'heading';
  if (element.isContentEditable && !element.parentElement?.isContentEditable) return 'textbox';
  return ROLES[element.tagName] || '';
};

const isShown = (element) => {
  if (!element.checkVisibility({visibilityProperty: true})) return false;
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.height > 0;
};

const isControl = (element) => {
  if (element.matches(CONTROLS)) return true;
  const view = element.ownerDocument.defaultView;
  if (view.getComputedStyle(element).cursor !== 'pointer') return false;
  const parent = above(element);
  return !parent || view.getComputedStyle(parent).cursor !== 'pointer';
};

// the three nearest circles of words around it, wrappers that add nothing left out
const surroundings = (element) => {
  const circles = [];
  let known = textOf(element).length;
  let level = above(element);
  for (let steps = 0; level && steps < 10 && circles.length < 3; steps++, level = above(level)) {
    const text = textOf(level);
    if (text.length > known + 1 || (text.length >= CUT && known >= CUT && circles.length === 0)) {
      circles.push(text);
      known = text.length;
    }
  }
  return circles;
};

const beside = (element, step) => {
  let level = element;
  for (let steps = 0; level && steps < 4; steps++, level = above(level)) {
    for (let other = level[step]; other; other = other[step]) {
      const text = SILENT.has(other.tagName) ? '' : textOf(other) || wordsInPlace(other);
      if (text) return text.slice(0, NAME_CUT);
    }
  }
  return '';
};

// how many controls stand inside, those in its own shadow root too
const controls = new Map();
const controlsIn = (element) => {
  if (!controls.has(element)) {
    const own = element.matches(CONTROLS) ? 1 : 0;
    const inside = element.shadowRoot ? element.shadowRoot.querySelectorAll(CONTROLS).length : 0;
    controls.set(element, own + inside + element.querySelectorAll(CONTROLS).length);
  }
  return controls.get(element);
};

// the tag of a box, wrappers that hold nothing else left out
const shapeOf = (element) => {
  let level = element;
  while (level.childElementCount === 1 && textOf(level.firstElementChild) === textOf(level)) level = level.firstElementChild;
  return level.tagName;
};

// what makes its row this row: the words of the nearest of several like boxes that most of the others lack
const MOST_ROWS = 40;
const rows = new Map();
const rowOf = (element) => {
  const own = textOf(element).length;
  for (let level = element, steps = 0; level?.parentElement && steps < 8; level = above(level), steps++) {
    if (textOf(level).length <= own + 1) continue;
    if (!rows.has(level)) rows.set(level, rowAt(level));
    if (rows.get(level) !== null) return rows.get(level);
  }
  return '';
};

// null for a box that is no row
const rowAt = (level) => {
  const count = controlsIn(level);
  const shape = shapeOf(level);
  const others = [...level.parentElement.children].slice(0, MOST_ROWS).filter((one) => one !== level &&
    controlsIn(one) >= count / 2 && controlsIn(one) <= count * 2 && textOf(one) && shapeOf(one) === shape);
  return count && others.length >= 2 ? besidesCommon(textOf(level), others.map(textOf)) : null;
};

const besidesCommon = (text, others) => {
  const heard = others.map((other) => new Set(other.toLowerCase().split(' ')));
  return text.split(' ').filter((word) => heard.filter((one) => one.has(word.toLowerCase())).length < heard.length / 2)
    .join(' ').slice(0, NAME_CUT);
};

const headings = new Map();
const headingOf = (element) => {
  for (let level = element, steps = 0; level && steps < 12; level = above(level), steps++) {
    if (!headings.has(level)) {
      let found = null;
      for (let other = level.previousElementSibling; other && !found; other = other.previousElementSibling) {
        found = other.matches('h1,h2,h3,h4,h5,h6,legend,caption,[role=heading]')
          ? other : other.matches('header,hgroup') ? other.querySelector('h1,h2,h3,h4,h5,h6') : null;
      }
      headings.set(level, found ? textOf(found).slice(0, NAME_CUT) : '');
    }
    if (headings.get(level)) return headings.get(level);
  }
  return '';
};

const landmarkOf = (element) => {
  for (let level = element; level; level = above(level)) {
    const role = level.getAttribute('role');
    const landmark = LANDMARK_ROLES[role] || (role ? '' : LANDMARKS[level.tagName]);
    if (landmark) return landmark;
  }
  return '';
};

const addressOf = (element) => {
  const given = element.getAttribute('href') ?? element.getAttribute('action') ?? element.getAttribute('formaction');
  if (given === null || /^\s*(javascript:\W*(void\W*0?\W*)?$|#\s*$)/i.test(given)) return null;
  // a call says where to as well as a path does
  if (/^\s*javascript:/i.test(given)) return {path: fold(given).slice(0, NAME_CUT), query: '', fragment: ''};
  try {
    const url = new URL(given, element.baseURI);
    const tracking = /^(utm_|fbclid|gclid|ref$|ref_|_ga|mc_|sid$|session|token|csrf|nonce)/i;
    const query = [...url.searchParams].filter(([name]) => !tracking.test(name)).map(([n, v]) => `${n}=${v}`);
    // every link within a page has that page's path in common
    const path = /^\s*[#?]/.test(given) ? '' : url.pathname.slice(0, NAME_CUT);
    return {path: (url.protocol === 'mailto:' || url.protocol === 'tel:' ? url.protocol : '') + path, query: query.join('&').slice(0, NAME_CUT), fragment: url.hash.slice(1, 80)};
  } catch {
    return null;
  }
};

const attributesOf = (element) => {
  const kept = {};
  for (const {name, value} of element.attributes) {
    const wanted = name === 'type' || name === 'autocomplete' || name.startsWith('aria-') || name.startsWith('data-');
    if (wanted && !OWN_FIELDS.has(name) && Object.keys(kept).length < 12) kept[name] = value.slice(0, 80);
  }
  return kept;
};

const imageOf = (element) => {
  const image = element.tagName === 'IMG' ? element : element.querySelector('img,use');
  const source = image?.getAttribute('src') || image?.getAttribute('href') || '';
  return source.startsWith('data:') ? '' : source.split(/[?]/)[0].split('/').pop().slice(0, 80);
};

const describe = (element) => {
  const label = labelOf(element);
  const [near = '', far = '', wide = ''] = surroundings(element);
  const path = [];
  const ancestors = [];
  const hosts = [];
  for (let level = above(element), inner = element; level && path.length < 30; inner = level, level = above(level)) {
    path.push(level.tagName.toLowerCase());
    if (ancestors.length < 6) ancestors.push(fold(`${level.id} ${level.getAttribute('class') || ''}`).slice(0, 80));
    if (inner.parentElement !== level) hosts.push(level.tagName.toLowerCase());
  }
  const siblings = [...(element.parentElement?.children || [])].filter((one) => one.tagName === element.tagName);
  return {
    tag: element.tagName.toLowerCase(), role: roleOf(element), name: nameOf(element, label), label,
    id: element.id.slice(0, 80), classes: (element.getAttribute('class') || '').split(/\s+/).filter(Boolean).slice(0, 12),
    attributes: attributesOf(element), field: (element.getAttribute('name') || '').slice(0, 80),
    placeholder: fold(element.getAttribute('placeholder')).slice(0, 80),
    hint: fold(`${element.getAttribute('title') || ''} ${element.getAttribute('alt') || ''}`).slice(0, 80),
    address: addressOf(element), image: imageOf(element), near, far, wide,
    row: rowOf(element),
    before: beside(element, 'previousElementSibling'), after: beside(element, 'nextElementSibling'),
    heading: headingOf(element), landmark: landmarkOf(element), ancestors, path, hosts,
    index: siblings.indexOf(element), isControl: isControl(element), isShown: isShown(element),
  };
};

const everyElement = () => {
  const all = [];
  const walk = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (all.length >= MOST_ELEMENTS) return;
      all.push(element);
      if (element.shadowRoot) walk(element.shadowRoot);
    }
  };
  walk(document.body || document);
  return all;
};

// those that could be the one: controls among controls; hidden ones only where the one was hidden too
const candidates = (wanted) => everyElement().filter((element) => {
  if (SILENT.has(element.tagName) && element.tagName !== 'TEXTAREA') return false;
  if (element.ownerSVGElement) return false;
  if (wanted.isControl && !isControl(element)) return false;
  return isShown(element) || (!wanted.isShown && element.tagName.toLowerCase() === wanted.tag);
});
