// @ts-check
// What sites say about themselves to search engines, and the answer: lines of JSON.
const itemOf = (el) => {
  const item = {'@type': collapseSpaces(el.getAttribute('itemtype') ?? el.getAttribute('typeof')).split(/[/#\s]/).pop()};
  for (const prop of el.querySelectorAll('[itemprop], [property]')) {
    if (prop.parentElement.closest('[itemscope], [typeof]') !== el) continue;
    const name = (prop.getAttribute('itemprop') ?? prop.getAttribute('property')).split(/[:\s]/).pop();
    const plain = prop.getAttribute('content') ?? prop.getAttribute('datetime') ??
      (prop.matches('a[href], link[href]') ? absolute(prop.getAttribute('href')) : prop.matches('img[src]') ? prop.src : textOf(prop));
    const value = prop.matches('[itemscope], [typeof]') ? itemOf(prop) : plain;
    item[name] = name in item ? [item[name], value].flat() : value;
  }
  return item;
};
const linked = [];
for (const script of scope ? [] : document.querySelectorAll('script[type="application/ld+json"]')) {
  try { linked.push(JSON.parse(script.textContent)) } catch { /* a broken block says nothing */ }
}
const items = within(root, '[itemscope], [typeof]').filter((el) => !el.matches('[itemprop], [property]')).map(itemOf);
const metas = (scope ? [] : [...document.querySelectorAll('meta[content]')])
  .map((el) => [el.getAttribute('property') ?? el.getAttribute('name') ?? '', el.getAttribute('content')]).filter(([name, text]) => name && text);

// a page without a main heading has one in its only heading of the next level
const [firstLevel, secondLevel] = ['h1', 'h2'].map((name) => everything.filter((el) => el.matches(name)));
// if it is a name, a sentence or the number of a record: "Recent activity" is neither
const isMainText = (text) => /^\p{Lu}\S*(\s\p{Lu}\S*)+$/u.test(text) || text.split(' ').length > 4 || (/^\p{Lu}.*\d{3}/u.test(text) && !/\b(19|20)\d\d\b/.test(text));
const mainHeadings = firstLevel.length || secondLevel.length > 1 || !secondLevel.map(valueText).every(isMainText) ? firstLevel : secondLevel;

// one line of JSON for what is short, then lines of a few hundred items each, so that no line is long to parse
const lines = [dom.json({
  url: document.URL, title: collapseSpaces(document.title), language: document.documentElement.lang,
  headings: mainHeadings.map(valueText).filter(Boolean),
  tables: tables.map((one) => ({...one, rows: []})), groups: groups.map((one) => ({...one, items: []})),
  pairs: [], near: [], parts: [], linked, items, metas,
})];
const spell = (path, all) => { for (let at = 0; at < all.length; at += 200) lines.push(dom.json([path, all.slice(at, at + 200)])) };
spell(['pairs'], pairs);
spell(['near'], near);
spell(['parts'], parts);
tables.forEach((one, at) => spell(['tables', at, 'rows'], one.rows));
groups.forEach((one, at) => spell(['groups', at, 'items'], one.items));
return lines.join('\n');
