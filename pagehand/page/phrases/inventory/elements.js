// @ts-check
// What phrases can refer to, and the role of each element.
const {allElements, collapseSpaces, flatParentOf, isDrawn, isIconFont, isVisible, memoize, referencedElements} = dom;
const FIELDS = 'input:not([type=hidden i]):not([type=submit i]):not([type=button i]):not([type=reset i])' +
  ':not([type=image i]),textarea,select,[contenteditable]:not([contenteditable=false i]),' +
  ['textbox', 'searchbox', 'combobox', 'listbox', 'spinbutton', 'slider', 'checkbox', 'radio', 'switch']
    .map((role) => `[role=${role}]`).join(',');
const CONTROLS = `${FIELDS},a[href],button,input,summary,option,[onclick],[tabindex]:not([tabindex="-1"]),` +
  ['button', 'link', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']
    .map((role) => `[role=${role}]`).join(',');
const CELLS = 'td,th,[role=cell],[role=gridcell],[role=rowheader]';
const OTHERS = `h1,h2,h3,h4,h5,h6,[role=heading],img,[role=img],tr,[role=row],iframe,${CELLS}`;
// roles that people name; they say `row`, but not `list item` or `paragraph`
const NAMED_ROLES = new Set(['link', 'button', 'combobox', 'listbox', 'textbox', 'img', 'option', 'row', 'heading']);
const ROLES_OF_TAGS = {SUMMARY: 'button', IFRAME: 'frame'};
const BLOCKS = 'div,p,ul,ol,dl,table,form,section,h1,h2,h3,h4,h5,h6';
const LANDMARKS = {navigation: 'navigation', banner: 'header', main: 'main', contentinfo: 'footer', complementary: 'sidebar',
  dialog: 'dialog', alertdialog: 'dialog', search: 'search', form: 'form', table: 'table', grid: 'table',
  toolbar: 'toolbar', alert: 'notification', status: 'notification', menu: 'menu', menubar: 'menu', tablist: 'tabs', list: 'list', tree: 'tree'};
const TAG_LANDMARKS = {FORM: 'form', TABLE: 'table', UL: 'list', OL: 'list'};
const CUT = 500;
const NAME_CUT = 200;

const textOf = dom.textReader({maxLength: CUT});
const hasText = memoize((el) => dom.textPieces(el, {maxPieces: 0}).length > 0);
const isControl = memoize((el) => el.matches(CONTROLS));
const controlsIn = memoize((el) => el.querySelectorAll(CONTROLS).length);
const hasControl = memoize((el) => el.querySelector(CONTROLS) !== null);
// what distinguishes a box from others: all visible texts in it except those of its buttons
const distinctiveTexts = memoize((box) => dom.textPieces(box, {maxPieces: 80, exclude: 'button,[role=button],input'}));
// a script makes it a link; without a sign of that it only marks a place
const actsAsLink = (el) => !el.hasAttribute('name') && hasText(el) && (el.hasAttribute('onclick') || getComputedStyle(el).cursor === 'pointer' ||
  !!el.closest('nav,[role=navigation],[role=menu]') || /(^|[-_\s])(btn|button|link|item|nav|menu|tab)([-_\s]|$)/i.test(el.className));
const isClickable = memoize((el) => isVisible(el) && dom.looksClickable(el) && !el.closest('label'));
// the label of a value: of `Allergies` and `Penicillin` in a list of terms, in a box of two, or taking turns
const isLabel = memoize((el) => !el.firstElementChild && !isControl(el) && !el.matches(OTHERS) && /^\p{L}[^\d.]{1,38}$/u.test(textOf(el)));
// the values among the children of a box in which labels and values take turns
const valuesAmong = memoize((parent) => {
  const parts = [...parent.children];
  const takesTurns = parts.length > 3 && parts.length % 2 === 0 &&
    parts.every((part, at) => at % 2 === 1 || (part.tagName === parts[0].tagName && isLabel(part)));
  return new Set(takesTurns ? parts.filter((_, at) => at % 2 === 1) : []);
});
// a text right before its value: `Due <span>12 March</span>`, `Fee: <b>none</b>`
const textBefore = (el) => {
  const [before, after] = [el.previousSibling, el.nextSibling];
  const text = before?.nodeType === 3 ? collapseSpaces(before.data) : '';
  if (!el.parentElement || !/^\p{L}[^\d.:]{1,38}:?$/u.test(text) || !hasText(el) || isControl(el) || hasControl(el) || el.matches(BLOCKS)) return '';
  const isAlone = el.parentElement.childElementCount === 1 && !(after?.nodeType === 3 && after.data.trim()) && /\d/.test(textOf(el));
  return text.endsWith(':') || isAlone ? text.replace(/\s?:$/, '') : '';
};
// boxes of a label and its value, one after the other
const isPairAmong = memoize((parent) => parent.firstElementChild.className !== '' && alikeOf(parent).filter((one) => one.childElementCount === 2 && isLabel(one.firstElementChild) &&
  one.firstElementChild.className === parent.firstElementChild.className).length > 1);
// the label below a figure: `128` above `Open orders`
const labelAfter = (el) => {
  const [after, parent] = [el.nextElementSibling, el.parentElement];
  const isFigure = after && parent && !el.previousElementSibling && parent.childElementCount === 2 && /^[^\p{L}]*\d[^\p{L}]*\p{L}{0,4}[^\p{L}\d]*$/u.test(textOf(el));
  return isFigure && !el.matches(OTHERS) && isLabel(after) && !hasControl(el) && ![...parent.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) ? textOf(after) : '';
};
// a label and its value in one text: `Open: € 142.50`
const labelInside = (el) => {
  const isPlainText = !el.firstElementChild && el.parentElement && !el.matches(`${OTHERS},label,option,legend,caption,button,a,dt,dd`) && !isControl(el) && !el.closest('label,button,a');
  const found = isPlainText && textOf(el).length <= 80 ? /^(\p{L}[^\d.:,;!?]{1,38}):\s\S/u.exec(textOf(el)) : null;
  return found ? found[1] : '';
};
const labelBefore = memoize((el) => labelElementBefore(el) || textBefore(el) || labelAfter(el) || labelInside(el));
const labelElementBefore = (el) => {
  const [before, parent] = [el.previousElementSibling, el.parentElement];
  if (!before || !parent || el.matches('dt,li,label') || !isLabel(before) || !hasText(el) || hasControl(el)) return '';
  if (el.tagName === 'DD') return before.tagName === 'DT' ? textOf(before) : '';
  const isPair = parent.childElementCount === 2 && (/\d/.test(textOf(el)) || textOf(before).endsWith(':') || isPairAmong(parent)) && ![...parent.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return isPair || valuesAmong(parent).has(el) ? textOf(before).replace(/:$/, '') : '';
};
// an amount of money alone in its element, where nothing says what it is; one that is struck out does not count
const PRICE = /^(from )?([$€£¥₹]|(USD|EUR|GBP|CHF)\b)\s?\d[\d.,' ]*( ?(\/|per) ?[a-z]+)?$|^(from )?\d[\d.,' ]*\s?([$€£¥₹]|(USD|EUR|GBP|CHF)\b)( ?(\/|per) ?[a-z]+)?$/i;
const SIZE = /^\(?\d[\d.,]* ?([kKMG]i?B|bytes|Ko|Mo)\)?$/;
const kindOf = memoize((el) => !el.firstElementChild && !el.matches(`${CELLS},option`) && !el.closest('del,s,strike') && !columnOf(el).length &&
  !/line-through/.test(getComputedStyle(el).textDecorationLine) && (PRICE.test(textOf(el)) ? 'price' : SIZE.test(textOf(el)) ? 'size' : '') || '');
const isValue = memoize((el) => labelBefore(el) !== '' || kindOf(el) !== '');
// a cell of data; one that can be pressed, as in a calendar, is a control
const isCell = memoize((el) => (el.matches(CELLS) || isBoxCell(el) || isValue(el)) && !isControl(el) && !isClickable(el));
const isOther = memoize((el) => el.matches(OTHERS) || isBoxCell(el) || isValue(el));
const roleOf = memoize((el) => {
  const given = dom.explicitRole(el);
  if (isCell(el)) return 'cell';
  if (given || el.tagName === 'INPUT') return given || dom.implicitRole(el);
  if (el.tagName === 'A' && !el.hasAttribute('href')) return actsAsLink(el) ? 'link' : '';
  const implied = dom.implicitRole(el);
  return ROLES_OF_TAGS[el.tagName] || (NAMED_ROLES.has(implied) ? implied : '');
});
const isField = (el) => el.matches(FIELDS);
const fieldsIn = memoize((el) => el.querySelectorAll(FIELDS).length);
