// @ts-check
// Parts: texts, pictures and fields with the names that the markup gives them.
const NAMING = ['itemprop', 'property', 'data-label', 'data-title', 'data-field', 'data-column', 'data-name', 'data-testid', 'data-test'];
const markupNames = (el) => {
  const own = NAMING.map((name) => el.getAttribute(name)).filter(Boolean);
  return [...own, ...classes(el).map((one) => one.replace(/^.*__/, '').replace(/--.*$/, '')), el.id].filter(Boolean);
};
const tagNames = (el) => {
  const href = el.getAttribute('href') ?? '';
  if (/^H[1-6]$/.test(el.tagName)) return ['title', 'name'];
  if (el.tagName === 'IMG') return ['image'];
  if (el.tagName === 'TIME') return ['date'];
  if (el.tagName === 'ADDRESS') return ['address'];
  if (/^(STRONG|B)$/.test(el.tagName)) return ['bold'];
  if (el.tagName !== 'A') return [];
  return [/^mailto:/i.test(href) ? 'email' : /^tel:/i.test(href) ? 'phone' : 'link'];
};
const parts = [];
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
for (const el of everything) {
  if (el.closest('option, button') || el.matches('br, wbr, source, label') || inLongTable(el)) continue;
  if (!(el.tagName === 'IMG' || isField(el) || phraseOnly(el))) continue;
  const cell = cellOf(el);
  if (!cell.text && !cell.images && !cell.links) continue;
  const isOld = !!el.closest('del, s, strike') || (cell.text.length < 40 && /\d/.test(cell.text) && getComputedStyle(el).textDecorationLine.includes('line-through'));
  register(partsUnder, el, parts.length);
  parts.push({
    markupNames: isOld ? ['struck'] : markupNames(el), tagNames: isOld ? [] : tagNames(el), cell,
    isAction: !!el.closest('a[href]:not([href^="mailto:"]):not([href^="tel:"]), [role=button]') || el.tagName === 'IMG',
    isNavigation: isNavigation(el),
  });
}
