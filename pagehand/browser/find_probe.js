// @ts-check
// Of all elements that a locator matches: which serve the purpose, and why others do not; and where the first is.
(dom, matched, [purpose, isStrict]) => {
  // the page goes on between matching and this: what it removed would shift the place of the others
  const found = matched.filter((element) => element.isConnected);
  const judge = (element) => {
    if (!dom.isDrawn(element)) return 'hidden';
    return dom.isEnabled(element) ? 'ready' : 'disabled';
  };
  const good = {act: ['ready'], see: ['ready', 'disabled'], touch: ['ready', 'disabled', 'hidden']}[purpose];
  const states = [];
  const fits = [];
  let i = 0;
  for (; i < found.length && (isStrict || !fits.length); i++) {
    const state = judge(found[i]);
    if (good.includes(state)) fits.push(i);
    else if (states.length < 50) states.push(state);
  }
  // of two links to one place, one element inside the other, or the buttons of a group, any will do
  const isSame = (one, other) =>
    one.contains(other) || other.contains(one) || (Boolean(one.href) && one.href === other.href) ||
    (one.type === 'radio' && one.name === other.name && one.form === other.form);
  const rest = isStrict || !fits.length ? [] : found.slice(i, i + 20);
  const first = found[fits[0]];
  const isOneOfSeveral = rest.some((other) => !isSame(first, other) && good.slice(0, 2).includes(judge(other)));
  // as shares of the window; a frame does not know where it is in the page
  const placeOf = (element) => {
    const box = element.getBoundingClientRect();
    const isInside = element.getClientRects().length && box.right > 0 && box.x < innerWidth && box.bottom > 0 && box.y < innerHeight;
    return isInside ? [box.x / innerWidth, box.y / innerHeight, box.width / innerWidth, box.height / innerHeight] : [];
  };
  const place = first && window === window.top ? placeOf(first) : null;
  return {count: found.length, index: fits[0] ?? -1, fits: fits.length, states, isOneOfSeveral, place};
}
