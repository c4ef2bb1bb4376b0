// @ts-check
// Of all elements that a locator matches: which serve the purpose, and why others do not.
(dom, found, purpose) => {
  const judge = (element) => {
    if (!dom.isDrawn(element)) return 'hidden';
    return dom.isEnabled(element) ? 'ready' : 'disabled';
  };
  const good = {act: ['ready'], see: ['ready', 'disabled'], touch: ['ready', 'disabled', 'hidden']}[purpose];
  const states = [];
  for (let i = 0; i < found.length; i++) {
    const state = judge(found[i]);
    if (good.includes(state)) return {count: found.length, index: i, states: []};
    if (i < 50) states.push(state);
  }
  return {count: found.length, index: -1, states};
}
