// @ts-check
// What an element is like: its own words and attributes and what stands around it. Values typed by people are never read.
const CUT = 300;
const NAME_CUT = 160;
const MOST_ELEMENTS = 4000;
const CONTROLS = 'a[href],button,input:not([type=hidden i]),select,textarea,summary,option,label[for],' +
  '[onclick],[tabindex]:not([tabindex="-1"]),[contenteditable]:not([contenteditable=false i]),' +
  ['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option',
    'combobox', 'textbox', 'searchbox', 'spinbutton', 'slider', 'listbox', 'treeitem', 'gridcell']
    .map((role) => `[role=${role}]`).join(',');
// the words that fingerprints are stored with
const PLACES = {navigation: 'nav', banner: 'header', main: 'main', contentinfo: 'footer', complementary: 'aside',
  dialog: 'dialog', alertdialog: 'dialog', search: 'search'};
const OWN_FIELDS = new Set(['id', 'class', 'style', 'href', 'src', 'value', 'checked', 'selected', 'srcset', 'd',
  'action', 'onclick', 'width', 'height', 'role', 'placeholder', 'name', 'alt', 'title', 'aria-label', 'tabindex',
  'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns', 'aria-expanded', 'aria-selected',
  'aria-checked', 'aria-pressed', 'aria-current', 'aria-activedescendant', 'for']);

// `parentOf`, not the flat tree: fingerprints hold paths that selectors follow
const {collapseSpaces, isDrawn, looksClickable, memoize, nativeText, parentOf, roleOf} = dom;
// hidden words too: an element is remembered while its menu is open and looked for while it is closed
const textOf = dom.textReader({maxLength: CUT, includeHidden: true});
const labelOf = (element) => dom.labelText(element, textOf).slice(0, NAME_CUT);
const nameOf = (element) => dom.nameOf(element, textOf).slice(0, NAME_CUT);
const isControl = (element) => element.matches(CONTROLS) || looksClickable(element);

// the three nearest circles of words around it, wrappers that add nothing left out
const surroundings = (element) => {
  const circles = [];
  let known = textOf(element).length;
  let level = parentOf(element);
  for (let steps = 0; level && steps < 10 && circles.length < 3; steps++, level = parentOf(level)) {
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
  for (let steps = 0; level && steps < 4; steps++, level = parentOf(level)) {
    for (let other = level[step]; other; other = other[step]) {
      const text = dom.NON_TEXT_TAGS.has(other.tagName) ? '' : textOf(other) || nativeText(other);
      if (text) return text.slice(0, NAME_CUT);
    }
  }
  return '';
};

// how many controls are inside, those in its own shadow root too
const controlsIn = memoize((element) => {
  const own = element.matches(CONTROLS) ? 1 : 0;
  const inside = element.shadowRoot ? element.shadowRoot.querySelectorAll(CONTROLS).length : 0;
  return own + inside + element.querySelectorAll(CONTROLS).length;
});

// the tag of a box, wrappers that hold nothing else left out
const shapeOf = (element) => {
  let level = element;
  while (level.childElementCount === 1 && textOf(level.firstElementChild) === textOf(level)) level = level.firstElementChild;
  return level.tagName;
};

// what makes its row this row: the words of the nearest of several like boxes that most of the others lack
const MOST_ROWS = 40;
const rowOf = (element) => {
  const own = textOf(element).length;
  for (let level = element, steps = 0; level?.parentElement && steps < 8; level = parentOf(level), steps++) {
    if (textOf(level).length <= own + 1) continue;
    if (rowAt(level) !== null) return rowAt(level);
  }
  return '';
};

// null for a box that is not a row
const rowAt = memoize((level) => {
  const count = controlsIn(level);
  const shape = shapeOf(level);
  const others = [...level.parentElement.children].slice(0, MOST_ROWS).filter((one) => one !== level &&
    controlsIn(one) >= count / 2 && controlsIn(one) <= count * 2 && textOf(one) && shapeOf(one) === shape);
  return count && others.length >= 2 ? besidesCommon(textOf(level), others.map(textOf)) : null;
});

const besidesCommon = (text, others) => {
  const heard = others.map((other) => new Set(other.toLowerCase().split(' ')));
  return text.split(' ').filter((word) => heard.filter((one) => one.has(word.toLowerCase())).length < heard.length / 2)
    .join(' ').slice(0, NAME_CUT);
};

const headingOf = (element) => {
  for (let level = element, steps = 0; level && steps < 12; level = parentOf(level), steps++) {
    if (headingBefore(level)) return headingBefore(level);
  }
  return '';
};

const headingBefore = memoize((level) => {
  let found = null;
  for (let other = level.previousElementSibling; other && !found; other = other.previousElementSibling) {
    found = other.matches('h1,h2,h3,h4,h5,h6,legend,caption,[role=heading]')
      ? other : other.matches('header,hgroup') ? other.querySelector('h1,h2,h3,h4,h5,h6') : null;
  }
  return found ? textOf(found).slice(0, NAME_CUT) : '';
});

const landmarkOf = (element) => {
  for (let level = element; level; level = parentOf(level)) {
    const landmark = PLACES[dom.landmarkOf(level)];
    if (landmark) return landmark;
  }
  return '';
};

const addressOf = (element) => {
  const given = element.getAttribute('href') ?? element.getAttribute('action') ?? element.getAttribute('formaction');
  if (given === null || /^\s*(javascript:\W*(void\W*0?\W*)?$|#\s*$)/i.test(given)) return null;
  // a call says where to as well as a path does
  if (/^\s*javascript:/i.test(given)) return {path: collapseSpaces(given).slice(0, NAME_CUT), query: '', fragment: ''};
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
  const image = element.tagName === 'IMG' ? element : element.querySelector('img,use,i[class],svg[class]');
  // an icon without a file is known by its class
  const source = image?.getAttribute('src') || image?.getAttribute('href') || image?.getAttribute('class') || '';
  return source.startsWith('data:') ? '' : source.split(/[?]/)[0].split('/').pop().slice(0, 80);
};

const describe = (element) => {
  const label = labelOf(element);
  const [near = '', far = '', wide = ''] = surroundings(element);
  const path = [];
  const ancestors = [];
  const hosts = [];
  for (let level = parentOf(element), inner = element; level && path.length < 30; inner = level, level = parentOf(level)) {
    path.push(level.tagName.toLowerCase());
    if (ancestors.length < 6) ancestors.push(collapseSpaces(`${level.id} ${level.getAttribute('class') || ''}`).slice(0, 80));
    if (inner.parentElement !== level) hosts.push(level.tagName.toLowerCase());
  }
  const siblings = [...(element.parentElement?.children || [])].filter((one) => one.tagName === element.tagName);
  return {
    tag: element.tagName.toLowerCase(), role: roleOf(element), name: nameOf(element), label,
    id: element.id.slice(0, 80), classes: (element.getAttribute('class') || '').split(/\s+/).filter(Boolean).slice(0, 12),
    attributes: attributesOf(element), field: (element.getAttribute('name') || '').slice(0, 80),
    placeholder: collapseSpaces(element.getAttribute('placeholder')).slice(0, 80),
    hint: collapseSpaces(`${element.getAttribute('title') || ''} ${element.getAttribute('alt') || ''}`).slice(0, 80),
    address: addressOf(element), image: imageOf(element), near, far, wide,
    row: rowOf(element),
    before: beside(element, 'previousElementSibling'), after: beside(element, 'nextElementSibling'),
    heading: headingOf(element), landmark: landmarkOf(element), ancestors, path, hosts,
    index: siblings.indexOf(element), isControl: isControl(element), isShown: isDrawn(element),
  };
};

const everyElement = () => {
  const all = [];
  for (const element of dom.allElements(document.body || document)) if (all.push(element) >= MOST_ELEMENTS) break;
  return all;
};

// those that could be the one: controls among controls; hidden ones only where the one was hidden too
const candidates = (wanted) => everyElement().filter((element) => {
  if (dom.NON_TEXT_TAGS.has(element.tagName) && !element.matches('textarea,iframe')) return false;
  if (element.ownerSVGElement) return false;
  if (wanted.isControl && !isControl(element)) return false;
  return isDrawn(element) || (!wanted.isShown && element.tagName.toLowerCase() === wanted.tag);
});
