// @ts-check
// What elements show: their text, links and pictures, and the headings above them.
// `scope` is the element to read, or null for the whole page. Hidden things are left out.
const root = scope ?? document.body ?? document.documentElement;
const CLOSED = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'SVG', 'svg', 'IFRAME', 'VIDEO', 'AUDIO', 'CANVAS']);
const PHRASING = new Set(('A ABBR B BDI BDO BR CITE CODE DATA DEL DFN EM FONT I IMG INS KBD LABEL MARK PICTURE Q S SAMP ' +
  'SLOT SMALL SOURCE SPAN STRIKE STRONG SUB SUP SVG svg TIME U VAR WBR').split(' '));
const FIELDS = 'input, select, textarea, [role=switch], [role=checkbox]';
const HEADINGS = 'h1, h2, h3, h4, h5, h6, [role=heading], legend';
const NAVIGATION = 'nav, [role=navigation], [role=menubar], [role=banner], [class*=breadcrumb i], [class*=pagination i], ' +
  '[class~=navbar i]:not(body), [class~=sidebar i]:not(body), body > header, body > footer';

const {collapseSpaces, isVisible, memoize, parentOf, selectedText} = dom;
const absolute = (address) => { try { return new URL(address, document.baseURI).href } catch { return address } };
const isNavigation = (el) => !scope && !!el.closest(NAVIGATION);
const classes = (el) => collapseSpaces(el.getAttribute('class')).split(' ').filter(Boolean);

// a button or link that says several things, or a number and what it counts, is a card to press
const isCard = memoize((el) => { const pieces = dom.textPieces(el, {maxPieces: 2}); return pieces.length > 2 || (pieces.length === 2 && /\d/.test(el.textContent)) });
const inPlainButton = (el) => { const button = el.closest('button'); return !!button && !isCard(button) };
const everything = [];
const walk = (node) => {
  for (const el of node.children) {
    if (CLOSED.has(el.tagName) || !isVisible(el)) continue;
    everything.push(el);
    if (el.shadowRoot) walk(el.shadowRoot);
    if (!el.matches('select, textarea') && (!el.matches('button') || isCard(el))) walk(el);
  }
};
if (scope) everything.push(scope);
walk(root);
const seen = new Set(everything);
const visibleChildren = memoize((el) => [...el.children].filter((one) => seen.has(one) && !/^W?BR$/.test(one.tagName)));
const within = (el, selector) => [...(el.matches(selector) ? [el] : []), ...(el.firstElementChild ? el.querySelectorAll(selector) : [])];
const ownText = (el) => collapseSpaces([...el.childNodes].filter((one) => one.nodeType === 3).map((one) => one.data).join(' '));
// what is done to a value, beside it: a button, or a link that says so
const ACTION = /^(edit|change|copy|view|show|hide|details?|remove|delete|update|manage|download|more|rotate|reveal|undo|add|select)\b.{0,20}$/i;
const isAction = (el) => (el.matches('button, [role=button]') && !isCard(el)) || (el.tagName === 'A' && ACTION.test(collapseSpaces(el.textContent)));
const hasOtherText = (el) => [...el.childNodes].some((one) => (one.nodeType === 3 ? one.data.trim() : one.nodeType === 1 && !isAction(one) && one.textContent.trim()));
const phraseOnly = memoize((el) => [...el.children].every((one) => (one.tagName === 'BUTTON' ? hasOtherText(el) && !isCard(one)
  : PHRASING.has(one.tagName) && !one.shadowRoot && phraseOnly(one))));

// fields show what was entered or selected; the text of a select would be all of its options
const isField = (el) => el.matches(FIELDS) && !el.matches('[type=password], [type=hidden], [type=submit], [type=button], [type=reset], [type=image], [type=file]');
const textOf = memoize((el) => collapseSpaces(el.tagName === 'TEXTAREA' ? dom.valueOf(el) : dom.renderedText(el)));
const fieldText = (el) => {
  if (el.type === 'checkbox' || el.hasAttribute('aria-checked')) return String(el.checked ?? el.getAttribute('aria-checked') === 'true');
  if (el.type === 'radio') return el.checked ? textOf(dom.labelsOf(el)[0] ?? el) || el.value : '';
  return collapseSpaces(el.tagName === 'SELECT' ? selectedText(el) : dom.valueOf(el));
};
// avatars, icons, badges, counters and texts for screen readers stand beside a value and are no part of it
const DECORATION = /(^|[-_])(avatar|initials|monogram|badge|counter|count|pill|icons?|symbols?|sr-only|visually-hidden|screen-reader-text)([-_](xs|sm|md|lg|xl|small|large|circle|text|outlined|rounded|sharp|\w?\d+))*$/i;
const decorations = new Map(), decorated = new Set();
for (const el of root.querySelectorAll('del, s, strike, [aria-hidden=true i], [class*=avatar i], [class*=initials i], [class*=monogram i], [class*=badge i], ' +
  '[class*=count i], [class*=pill i], [class*=icon i], [class*=symbol i], [class*=sr-only i], [class*=hidden i], [class*=screen-reader i]')) {
  const isDecoration = el.getAttribute('aria-hidden') === 'true' || classes(el).some((one) => DECORATION.test(one));
  const isStruck = el.matches('del, s, strike');
  // a currency sign belongs to its amount, whoever reads it out
  if (!(isDecoration || isStruck) || !seen.has(el) || el.querySelector(FIELDS) || !textOf(el) || (!isStruck && /\p{Sc}/u.test(textOf(el)))) continue;
  decorated.add(el);
  for (let level = el.parentElement; level && level !== root.parentElement && !level.matches('table, tbody, ul, ol'); level = level.parentElement) {
    decorations.set(level, [...(decorations.get(level) ?? []), el]);
  }
}
const actions = new Map();
for (const el of root.querySelectorAll('button, [role=button], a[href]')) {
  if (!seen.has(el) || !isAction(el) || !textOf(el)) continue;
  for (let level = el.parentElement, up = 0; level && level !== root.parentElement && up < 3; level = level.parentElement, up++) actions.set(level, [...(actions.get(level) ?? []), el]);
}
// the text without a part that begins or ends it or stands between others; all of it where nothing else is there
const dropPart = (text, part) => {
  const at = ` ${text} `.indexOf(` ${part} `);
  const start = at >= 0 ? at : text.startsWith(part) ? 0 : text.endsWith(part) ? text.length - part.length : -1;
  return start < 0 ? text : collapseSpaces(`${text.slice(0, start)} ${text.slice(start + part.length)}`) || text;
};
// whether letters are the initials of words, in order: titles such as `Dr` have none
const areInitialsOf = (letters, text) => {
  const first = text.split(/[\s-]+/).map((word) => (word[0] ?? '').toUpperCase());
  if (letters.length === 1) return first[0] === letters;
  return [...letters].reduce((from, letter) => (from < 0 ? from : first.indexOf(letter, from) + 1 || -1), 0) > 0;
};
// a picture of a person made of letters: `JD` before `John Doe`, in an element of its own
const dropInitials = (el, text) => {
  if (!el.childElementCount || !/^\p{Lu}{1,3}\s?\p{Lu}/u.test(text)) return text;
  const first = [...el.querySelectorAll('*')].find((one) => !one.childElementCount && seen.has(one) && textOf(one));
  const letters = first ? textOf(first) : '';
  const rest = text.startsWith(letters) ? text.slice(letters.length).trim() : '';
  return /^\p{Lu}{1,3}$/u.test(letters) && areInitialsOf(letters, rest) ? rest : text;
};
// what hangs on a value without belonging to it: a small picture before it, the arrow or cross of a control after it
const withoutIcons = (text) => {
  const rest = text.replace(/^(?:(?![©®™★☆⭐✩✭❌✗✘])\p{Extended_Pictographic}[\uFE0E\uFE0F]?\s?)+(?<=\s)/u, '').replace(/(?<=[\p{L}\d])\s[▾▼⌄˅×✕✖]$/u, '');
  return /[\p{L}\d]/u.test(rest) && !/[.!?…]$/.test(rest) ? rest : text;
};
// in a heading, a few smaller words on a ground of their own
const isMark = (el) => {
  const heading = el.closest('h1, h2, h3, h4, h5, h6');
  if (!heading || heading === el || el.childElementCount || el.tagName === 'MARK' || !/^\D{1,25}$/.test(textOf(el)) || textOf(heading).length === textOf(el).length) return false;
  const style = getComputedStyle(el);
  return parseFloat(style.fontSize) < parseFloat(getComputedStyle(heading).fontSize) && !/^(transparent|rgba\(0, 0, 0, 0\))$/.test(style.backgroundColor);
};
for (const el of root.querySelectorAll('h1 *, h2 *, h3 *, h4 *, h5 *, h6 *')) {
  if (decorated.has(el) || !seen.has(el) || !textOf(el) || !isMark(el)) continue;
  decorated.add(el);
  const heading = el.closest('h1, h2, h3, h4, h5, h6');
  decorations.set(heading, [...(decorations.get(heading) ?? []), el]);
}
const besideValue = (el) => [...(decorations.get(el) ?? []), ...(actions.get(el) ?? [])];
// buttons around a field, as of a counter, say nothing
const isFieldWithActions = (el) => actions.has(el) && !!el.querySelector(FIELDS) && !actions.get(el).reduce((text, one) => text.replace(textOf(one), ''), textOf(el)).trim();
const valueText = (el) => (isFieldWithActions(el) ? '' : dropInitials(el, besideValue(el).reduce((text, part) => dropPart(text, textOf(part)), textOf(el))));
// what a picture is and not what it says: `location icon`, `Phone`
const NAMES_ICON = /\b(icon|logo|avatar|marker|pin|thumbnail|glyph)\b|^(location|address|phone|e-?mail|calendar|date|user|profile|clock|map|link|arrow)$/i;
const insteadOfText = (el) => {
  const field = within(el, FIELDS).find(isField);
  if (field) return fieldText(field);
  const picture = within(el, 'img[alt], [aria-label], [title]')[0];
  const said = collapseSpaces(picture && (picture.getAttribute('alt') || picture.getAttribute('aria-label') || picture.title));
  return NAMES_ICON.test(said) ? '' : said;
};
const machineValue = (el) => {
  const stamps = within(el, 'time[datetime], data[value], meter[value], progress[value]');
  return stamps.length === 1 ? stamps[0].getAttribute('datetime') ?? stamps[0].getAttribute('value') : null;
};
// what an element consists of, if it holds nothing but several elements
const itemsOf = (el) => {
  if (el.childElementCount < 2 || el.childElementCount > 200 || /[^\s,;|•·/]/.test(ownText(el))) return undefined;
  const decorated = besideValue(el);
  const texts = visibleChildren(el).filter((one) => !decorated.includes(one)).map(textOf).filter(Boolean).map(withoutIcons);
  return texts.length > 1 ? texts : undefined;
};
const cellOf = memoize((el) => {
  const around = el.closest('a[href]');
  const links = [...(around && around !== el && root.contains(around) ? [around] : []), ...within(el, 'a[href]')];
  const images = within(el, 'img').map((one) => one.currentSrc || one.src).filter(Boolean);
  const shown = isField(el) ? fieldText(el) : withoutIcons(valueText(el));
  // stars are read out as the number that they draw
  const cell = {text: (/^[★☆⭐✩✭ ]+$/u.test(shown) && el.getAttribute('aria-label')) || shown || insteadOfText(el)};
  if (links.length) cell.links = [...new Set(links.map((one) => absolute(one.getAttribute('href'))))];
  if (images.length) cell.images = [...new Set(images)];
  const value = machineValue(el), items = itemsOf(el);
  if (value !== null) cell.value = value;
  if (items) cell.items = items;
  if (!isField(el) && el.querySelector('br') && cell.text.length <= 300) cell.lines = el.innerText.split('\n').map(collapseSpaces).filter(Boolean).map(withoutIcons);
  return cell;
});

const MAIL = /^[^\s@]+@[^\s@]+\.\w+$/;
// of a text node: how it is drawn, as far as a value and what is said of it are told apart
const drawnAs = (node) => { const box = node.parentElement; return {color: getComputedStyle(box).color, isBold: dom.isBold(box), isLink: !!box.closest('a')} };
// two lines that the markup breaks, perhaps among initials and badges: the second below the first where it looks otherwise, else next to it
const brokenLines = (el) => {
  const lines = el.innerText.split('\n').map(collapseSpaces).filter(Boolean), value = valueText(el);
  const at = lines.findIndex((line, index) => index + 1 < lines.length && `${line} ${lines[index + 1]}` === value);
  if (at < 0) return null;
  const [main, second] = [lines[at], lines[at + 1]];
  const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT), texts = [];
  while (walker.nextNode()) if (collapseSpaces(walker.currentNode.textContent)) texts.push(walker.currentNode);
  const first = texts.find((node) => main.startsWith(collapseSpaces(node.textContent)));
  const last = texts.reverse().find((node) => second.endsWith(collapseSpaces(node.textContent)));
  if (!first || !last) return null; // in the shadow tree of an element
  const [one, other] = [first, last].map(drawnAs);
  const isOther = one.color !== other.color || (one.isBold && !other.isBold) || (one.isLink && !other.isLink) || MAIL.test(second);
  return isOther ? {main, below: second} : {main, next: second};
};
// a name and what is said of it in a line below: smaller, an address, or drawn otherwise
const linesIn = (el) => {
  if (!el.childElementCount || textOf(el).length > 200 || el.querySelector(FIELDS)) return null;
  const leaves = [...el.querySelectorAll('*')].filter((one) => !one.childElementCount && seen.has(one) && textOf(one) && !besideValue(el).some((part) => part.contains(one)));
  const opening = [...el.childNodes].find((one) => (one.nodeType === 3 ? one.data.trim() : one.nodeType === 1 && seen.has(one) && textOf(one)));
  const first = opening?.nodeType === 3 ? el : leaves[0];
  const below = leaves[leaves.length - 1];
  if (!first || !below || first === below || leaves.length > (first === el ? 1 : 2) || !textOf(el).endsWith(textOf(below))) return brokenLines(el);
  const isSmaller = parseFloat(getComputedStyle(below).fontSize) < parseFloat(getComputedStyle(first).fontSize);
  const top = first === el ? el.getBoundingClientRect().top + 8 : first.getBoundingClientRect().bottom - 4;
  if (!(isSmaller || MAIL.test(textOf(below))) || below.getBoundingClientRect().top < top) return brokenLines(el);
  const main = collapseSpaces(valueText(el).slice(0, -textOf(below).length));
  return main ? {main, below: textOf(below)} : null;
};
const named = (el) => dom.ariaName(el, textOf);
// a bold line above a box is its title, as the header of a card
const isBoxTitle = (el) => isText(el) && !isField(el) && /^\p{Lu}[^:.!?\d]{1,59}$/u.test(textOf(el)) && dom.isBold(el) &&
  !!el.nextElementSibling && seen.has(el.nextElementSibling) && !phraseOnly(el.nextElementSibling) && !el.nextElementSibling.matches(HEADINGS);
const headingIn = memoize((el) => {
  if (el.matches(HEADINGS) || isBoxTitle(el)) return textOf(el);
  const inner = el.querySelector(HEADINGS);
  return inner && textOf(el).length <= textOf(inner).length * 2 + 40 && !el.querySelector('table, ul, ol, dl') ? textOf(inner) : '';
});
const headings = new Map();
const headingAbove = (el) => {
  const path = [];
  let answer = '';
  for (let node = el; node && node !== document.body && !answer; node = node.parentElement) {
    if (headings.has(node)) { answer = headings.get(node); break }
    path.push(node);
    if (node !== el && node.matches('section, article, fieldset, form, [role=region], [role=group]')) answer = named(node);
    let before = node.previousElementSibling;
    for (let steps = 0; before && !answer && steps < 60; steps++, before = before.previousElementSibling) {
      if (seen.has(before) || (scope && isVisible(before))) answer = headingIn(before);
    }
  }
  for (const node of path) headings.set(node, answer);
  return answer;
};
const signature = (el) => `${el.tagName}.${(classes(el)[0] ?? '').replace(/\d+/g, '')}`;
const isText = (el) => !!el && seen.has(el) && (phraseOnly(el) || isField(el));
