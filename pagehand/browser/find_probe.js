// @ts-check
// Of all elements that a locator matches: which serve the purpose, and why others do not.
(found, purpose) => {
  const seen = (element) => {
    const style = element.ownerDocument.defaultView.getComputedStyle(element);
    if (style.display === 'contents') return [...element.children].some(seen) || !!element.textContent.trim();
    if (!element.checkVisibility() || style.visibility !== 'visible') return false;
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };
  const enabled = (element) => !element.matches(':disabled') && !element.closest('[aria-disabled="true" i]');
  const judge = (element) => {
    if (!seen(element)) return 'hidden';
    return enabled(element) ? 'ready' : 'disabled';
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
