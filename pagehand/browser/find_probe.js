// @ts-check
// Of all elements that a locator matches: which serve the purpose, and why others do not.
(dom, found, [purpose, isStrict]) => {
  const judge = (element) => {
    if (!dom.isDrawn(element)) return 'hidden';
    return dom.isEnabled(element) ? 'ready' : 'disabled';
  };
  const good = {act: ['ready'], see: ['ready', 'disabled'], touch: ['ready', 'disabled', 'hidden']}[purpose];
  const states = [];
  const fits = [];
  for (let i = 0; i < found.length && (isStrict || !fits.length); i++) {
    const state = judge(found[i]);
    if (good.includes(state)) fits.push(i);
    else if (states.length < 50) states.push(state);
  }
  return {count: found.length, index: fits[0] ?? -1, fits: fits.length, states};
}
