// @ts-check
// Parts: texts, pictures and fields with the names that the markup gives them.
const NAMING = ['itemprop', 'property', 'data-label', 'data-title', 'data-field', 'data-column', 'data-name', 'data-testid', 'data-test'];
const markupNames = (el) => {
  const own = NAMING.map((name) => el.getAttribute(name)).filter(Boolean);
  return [...own, ...classes(el).map((one) => one.replace(/^.*__/, '').replace(/--[^]*$/, '')), el.id].filter(Boolean);
};
// what a picture before a number says that it counts
const COUNTERS = {comments: '💬🗨🗪', likes: '👍❤♥♡', views: '👁', attachments: '📎', participants: '👥👤'};
const counted = (el) => {
  const text = /^\P{L}{1,4}?\d[\d.,]*[kKM]?$/u.test(textOf(el)) ? textOf(el) : '';
  return text ? Object.keys(COUNTERS).filter((name) => COUNTERS[name].includes(String.fromCodePoint(text.codePointAt(0)))) : [];
};
const tagNames = (el) => {
  const href = el.getAttribute('href') ?? '';
  if (/^H[1-6]$/.test(el.tagName)) return ['title', 'name'];
  if (el.tagName === 'IMG') return ['image'];
  if (el.tagName === 'TIME') return ['date'];
  if (el.tagName === 'ADDRESS') return ['address'];
  if (el.tagName !== 'A') return dom.isBold(el) && !(el.parentElement && dom.isBold(el.parentElement)) ? ['bold'] : [];
  return [/^mailto:/i.test(href) ? 'email' : /^tel:/i.test(href) ? 'phone' : 'link'];
};
const parts = [];
const leafParts = new Set();
const isInitials = (el, text) => /^\p{Lu}{1,3}$/u.test(text) && !!el.nextElementSibling && areInitialsOf(text, textOf(el.nextElementSibling));
const partsUnder = new Map();
const pairsUnder = new Map();
const register = (map, el, index) => {
  for (let node = el; node && node !== root.parentElement; node = parentOf(node)) {
    if (!map.has(node)) map.set(node, []);
    map.get(node).push(index);
  }
};
// the cells of a long table are read as a table and are not facts about the page
const isLong = memoize((table) => table.rows.length > 200);
const inLongTable = (el) => { const table = el.closest('table'); return !!table && isLong(table) };
// the texts of a box that no element of its own holds: a line of them alone, or the stars after a name
const registerLines = (el) => {
  if (!el.childElementCount || el.matches('select, textarea, tr') || isField(el)) return;
  const isBroken = [...el.children].some((one) => one.tagName === 'BR');
  const lines = [[]];
  for (const node of el.childNodes) {
    if (node.nodeType === 1 && (node.tagName === 'BR' || !PHRASING.has(node.tagName))) lines.push([]);
    else if (node.nodeType === 3 ? node.data.trim() : node.nodeType === 1 && seen.has(node) && textOf(node) && !isStruck(node)) lines[lines.length - 1].push(node);
  }
  for (const line of lines) {
    const texts = line.filter((node) => node.nodeType === 3).map((node) => withoutIcons(collapseSpaces(node.data)));
    if (texts.length !== 1 || texts[0].length > 300 || ((line.length > 1 || !isBroken) && !/^[★☆⭐✩✭ ]+$/u.test(texts[0]))) continue;
    register(partsUnder, el, parts.length);
    parts.push({markupNames: [], tagNames: [], cell: {text: texts[0]}, isAction: !!el.closest('a[href], [role=button]'), isNavigation: isNavigation(el)});
  }
};
const isStruck = (el) => !!el.closest('del, s, strike') || (textOf(el).length < 40 && /\d/.test(textOf(el)) && getComputedStyle(el).textDecorationLine.includes('line-through'));
for (const el of everything) {
  if (el.closest('option') || inPlainButton(el) || el.matches('br, wbr, source, label, button') || inLongTable(el)) continue;
  if (!(el.tagName === 'IMG' || isField(el) || phraseOnly(el))) { registerLines(el); continue }
  const cell = cellOf(el);
  if (!cell.text && !cell.images && !cell.links) continue;
  const isOld = isStruck(el);
  if (!el.childElementCount && cell.text && !decorated.has(el) && !isInitials(el, cell.text)) leafParts.add(parts.length);
  register(partsUnder, el, parts.length);
  parts.push({
    markupNames: isOld ? ['struck'] : isMark(el) ? ['badge'] : [...markupNames(el), ...counted(el)], tagNames: isOld ? [] : tagNames(el), cell,
    isAction: !!el.closest('a[href]:not([href^="mailto:"]):not([href^="tel:"]), [role=button]') || el.tagName === 'IMG',
    isNavigation: isNavigation(el),
  });
  registerLines(el);
}
