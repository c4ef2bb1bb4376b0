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
const LANDMARKS = {navigation: 'navigation', banner: 'header', main: 'main', contentinfo: 'footer', complementary: 'sidebar',
  dialog: 'dialog', alertdialog: 'dialog', search: 'search', form: 'form', table: 'table', grid: 'table',
  toolbar: 'toolbar', alert: 'notification', status: 'notification', menu: 'menu', menubar: 'menu', tablist: 'tabs', list: 'list'};
const TAG_LANDMARKS = {FORM: 'form', TABLE: 'table', UL: 'list', OL: 'list'};
const CUT = 500;
const NAME_CUT = 200;

const textOf = dom.textReader({maxLength: CUT});
// what distinguishes a box from others: all visible texts in it except those of its buttons
const distinctiveTexts = memoize((box) => dom.textPieces(box, {maxPieces: 80, exclude: 'button,[role=button],input'}));
// a script makes it a link; without a sign of that it only marks a place
const actsAsLink = (el) => !el.hasAttribute('name') && textOf(el) !== '' && (el.hasAttribute('onclick') || getComputedStyle(el).cursor === 'pointer' ||
  !!el.closest('nav,[role=navigation],[role=menu]') || /(^|[-_\s])(btn|button|link|item|nav|menu|tab)([-_\s]|$)/i.test(el.className));
const isClickable = (el) => isVisible(el) && !el.closest('label') && dom.looksClickable(el);
// the label of a value: of `Allergies` and `Penicillin` in a list of terms, in a box of two, or taking turns
const isLabel = (el) => !el.matches(`${CONTROLS},${OTHERS}`) && !el.querySelector('*') && /^\p{L}[^\d.]{1,38}$/u.test(textOf(el));
const labelBefore = memoize((el) => {
  const [before, parent] = [el.previousElementSibling, el.parentElement];
  if (!before || !parent || el.matches('dt,li,label') || !isLabel(before) || textOf(el) === '' || el.querySelector(CONTROLS)) return '';
  if (el.tagName === 'DD') return before.tagName === 'DT' ? textOf(before) : '';
  const parts = [...parent.children];
  const isPair = parts.length === 2 && /\d/.test(textOf(el)) && ![...parent.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const takesTurns = parts.length > 3 && parts.length % 2 === 0 && parts.indexOf(el) % 2 === 1 &&
    parts.every((part, at) => at % 2 === 1 || (part.tagName === before.tagName && isLabel(part)));
  return isPair || takesTurns ? textOf(before).replace(/:$/, '') : '';
});
// a cell of data; one that can be pressed, as in a calendar, is a control
const isCell = (el) => (el.matches(CELLS) || isBoxCell(el) || labelBefore(el) !== '') && !el.matches(CONTROLS) && !isClickable(el);
const isOther = (el) => el.matches(OTHERS) || isBoxCell(el) || labelBefore(el) !== '';
const roleOf = (el) => {
  const given = dom.explicitRole(el);
  if (isCell(el)) return 'cell';
  if (given || el.tagName === 'INPUT') return given || dom.implicitRole(el);
  if (el.tagName === 'A' && !el.hasAttribute('href')) return actsAsLink(el) ? 'link' : '';
  const implied = dom.implicitRole(el);
  return ROLES_OF_TAGS[el.tagName] || (NAMED_ROLES.has(implied) ? implied : '');
};
const isField = (el) => el.matches(FIELDS);
