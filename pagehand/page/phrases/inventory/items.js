// @ts-check
// Items: the repeated boxes of a page, such as cards, columns and list entries. What is in one is not in the next.
const ITEM_TAGS = 'li,[role=listitem],article,[role=article],tr,[role=row],details,dl > div';
const ITEM_CLASS = /(^|[-_])(card|tile|item|panel|column|col|lane|entry|box|widget|cell|pane)s?([-_]|$)/i;
const itemClassOf = memoize((el) => [...el.classList].find((name) => ITEM_CLASS.test(name)) || '');
const startOf = (el) => `${el.firstElementChild?.localName}.${el.firstElementChild?.classList[0] || ''}`;
// what siblings must have in common to be items of one kind: the tag, and the class that says so, all classes, or how they begin
const kindOfItem = memoize((el) => {
  if (el.matches(ITEM_TAGS)) return el.localName;
  if (!el.childElementCount || !el.matches('div,section,a,figure,fieldset,td,form')) return '';
  return `${el.localName} ${itemClassOf(el) || [...el.classList].sort().join(' ') || startOf(el)}`;
});
const itemKinds = memoize((parent) => Map.groupBy([...parent.children].filter((one) => kindOfItem(one) && isVisible(one) && hasText(one)), kindOfItem));
const alikeOf = (el) => (el.parentElement && itemKinds(el.parentElement).get(kindOfItem(el))) || [];
// a label or a field alone is no item
const hasParts = memoize((el) => distinctiveTexts(el).length + controlsIn(el) > 1);
const anyHasParts = memoize((alike) => alike.some(hasParts));
const isItem = memoize((el) => {
  if (el.matches('details,article,[role=article]')) return true;
  const alike = alikeOf(el);
  if (alike.length < 2) return false;
  if (el.matches('tr,[role=row]')) return !isHeadRow(el) && hasParts(el);
  return el.matches(ITEM_TAGS) || anyHasParts(alike);
});
const itemIds = new Map();
const itemsOf = memoize((el) => {
  const around = flatParentOf(el) ? itemsOf(flatParentOf(el)) : [];
  if (!isItem(el)) return around;
  if (!itemIds.has(el)) itemIds.set(el, itemIds.size);
  return [...around, itemIds.get(el)];
});
// what is known of many siblings is asked once of each of them, and not again for every pair
const isAlwaysNeighbour = memoize((el) => el.matches(ITEM_TAGS) || itemClassOf(el) !== '' || hasOwnTitle(el));
const isBeside = (one, other) => {
  const [left, right] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
  return left.right <= right.left + 1 || right.right <= left.left + 1;
};
const hasOwnTitle = memoize((el) => [...el.querySelectorAll('h1,h2,h3,h4,h5,h6,[role=heading],legend')].some(isVisible));
// of two boxes alike the one before is a neighbour and no title, unless it is a line above one without a title of its own
const isAlike = (one, other) => kindOfItem(one) !== '' && kindOfItem(one) === kindOfItem(other) && hasText(one) && hasText(other);
const isNeighbour = (before, el) => isAlike(before, el) && !/^H[1-6]$/.test(before.tagName) &&
  (el.matches('tr,[role=row]') ? cellsOf(before).length === cellsOf(el).length
    : isAlwaysNeighbour(el) || isBeside(before, el));
