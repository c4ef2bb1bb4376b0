// @ts-check
// Groups: similar siblings, and lists with their labels.
const alikeIn = (parent) => {
  const kids = visibleChildren(parent).filter((one) => !PHRASING.has(one.tagName) || one.tagName === 'A' || one.tagName === 'SPAN');
  if (parent.matches('ul, ol, [role=list]')) return kids.filter((one) => one.matches('li, [role=listitem]'));
  const buckets = new Map();
  for (const kid of kids) {
    if (kid.matches('p, h1, h2, h3, h4, h5, h6, table')) continue;
    if (!buckets.has(signature(kid))) buckets.set(signature(kid), []);
    buckets.get(signature(kid)).push(kid);
  }
  return [...buckets.values()].filter((one) => one.length > 1).sort((a, b) => b.length - a.length)[0] ?? [];
};
// a short text right above a list, or the text of the item that the list is part of
const listLabel = (list) => {
  const holder = list.parentElement;
  if (holder?.tagName === 'LI' && seen.has(holder)) {
    const before = visibleChildren(holder)[0];
    return ownText(holder) || (before !== list && isText(before) ? textOf(before) : '');
  }
  const before = list.previousElementSibling;
  const isLabel = before && seen.has(before) && isText(before) && !isField(before) && textOf(before).length <= 60;
  return isLabel && !/[.!?]$/.test(textOf(before)) ? textOf(before).replace(/\s?:$/, '') : '';
};
const groups = [];
const grouped = new Set();
const groupOf = new Map();
const groupsAround = (el) => {
  const found = [];
  for (let node = el; node && node !== root; node = node.parentElement) found.push(...(groupOf.get(node) ?? []));
  return found;
};
// what similar siblings hold of the same kind, as the cards of all columns of a board
const alikeAcross = (items) => {
  const buckets = new Map();
  for (const item of items) {
    for (const kid of visibleChildren(item).flatMap((one) => (one.matches('ul, ol') ? visibleChildren(one) : [one]))) {
      if (kid.matches('p, h1, h2, h3, h4, h5, h6, table, ul, ol, dl, header, footer') || PHRASING.has(kid.tagName) || kid.matches(FIELDS)) continue;
      const key = signature(kid);
      if (!buckets.has(key)) buckets.set(key, new Map());
      buckets.get(key).set(item, [...(buckets.get(key).get(item) ?? []), kid]);
    }
  }
  // one in each of them is a part of it and no record
  const many = [...buckets.values()].filter((one) => one.size > 1 && [...one.values()].some((kids) => kids.length > 1));
  const found = many.length === 1 ? [...many[0].values()].flat() : [];
  // two lines of many are parts of a record as well
  const others = items.flatMap((item) => visibleChildren(item).filter((one) => textOf(one) && !found.some((kid) => one.contains(kid))));
  return others.length > found.length ? [] : found;
};
// of records below a heading in the same box, that heading, unless some of them are below another one
const headingOfItems = (parent, items) => {
  const inBox = visibleChildren(parent);
  const [first, last] = [inBox.indexOf(items[0]), inBox.lastIndexOf(items[items.length - 1])];
  return headingAbove(first < 0 || inBox.slice(first, last).some((one) => one.matches(HEADINGS)) ? parent : items[0]);
};
const addGroup = (parent, items, isContainer) => {
  const largest = most(items.map((one) => (partsUnder.get(one) ?? []).length));
  if (!items.length || largest === 0 || largest > 200) return;
  for (const item of items) (partsUnder.get(item) ?? []).forEach((index) => items.length > 1 && grouped.add(index));
  const isList = items.every(phraseOnly);
  const outerGroups = groupsAround(parent);
  if (items.length > 1) items.forEach((item) => groupOf.set(item, [...(groupOf.get(item) ?? []), groups.length]));
  groups.push({
    // the list in an entry of another list is about that entry
    caption: named(parent) || (parent.parentElement?.tagName === 'LI' && listLabel(parent)) || headingOfItems(parent, items),
    label: isList ? named(parent) || listLabel(parent) : '',
    markupName: [...classes(parent), parent.id].join(' ').trim(),
    isList,
    isListElement: parent.matches('ul, ol, [role=list]'),
    isContainer,
    outerGroups,
    isNavigation: isNavigation(parent),
    items: items.map((item) => ({
      cell: cellOf(item), parts: partsUnder.get(item) ?? [], pairs: pairsUnder.get(item) ?? [], near: nearUnder.get(item),
      first: (partsUnder.get(item) ?? []).find((index) => leafParts.has(index) && !/^#?\d{1,3}\.?$/.test(parts[index].cell.text)) ?? -1,
    })),
  });
};
for (const parent of new Set([root, ...everything])) {
  if (parent.matches('table, thead, tbody, tfoot, tr, dl, select, svg') || inPlainButton(parent) || inLongTable(parent)) continue;
  const items = alikeIn(parent);
  const across = items.length > 1 ? alikeAcross(items) : [];
  addGroup(parent, items, across.length > 0);
  // what a column alone holds is a part of what all of them hold
  if (across.length) items.forEach((item) => groupOf.set(item, [...(groupOf.get(item) ?? []), groups.length]));
  addGroup(parent, across, false);
}
const inTables = new Set([...recordTables].flatMap((table) => partsUnder.get(table) ?? []));
parts.forEach((/** @type {any} */ part, index) => { part.isGrouped = grouped.has(index); part.isInTable = inTables.has(index) });
