// @ts-check
// Keeps fields masked in pictures, also when the page renders them again.
(signature, isSecret) => {
  const key = Symbol.for('pagehand.masks');
  const mark = 'data-pagehand-masked';
  const sign = (e) => JSON.stringify([e.tagName, e.id, e.getAttribute('name'), e.getAttribute('autocomplete'),
    e.getAttribute('placeholder'), e.getAttribute('aria-label')]);
  const always = (e) =>
    e.type === 'password' || (e.getAttribute('autocomplete') || '').includes('one-time-code');
  if (!window[key]) {
    const known = new Set();
    const hide = (e) => {
      if (!e.hasAttribute(mark)) e.setAttribute(mark, '');
      if (e.style.getPropertyValue('-webkit-text-security') !== 'disc')
        e.style.setProperty('-webkit-text-security', 'disc', 'important');
    };
    const check = (e) => {
      if (e.hasAttribute(mark) || always(e) || known.has(sign(e))) hide(e);
    };
    const scan = (root) => {
      if (root.nodeType === 1 && root.matches('input,textarea,[contenteditable]')) check(root);
      if (root.querySelectorAll) root.querySelectorAll('input,textarea,[contenteditable]').forEach(check);
    };
    const watch = new MutationObserver((changes) => {
      for (const change of changes) {
        if (change.type === 'childList') change.addedNodes.forEach(scan);
        else if (change.oldValue === 'password' || /** @type {any} */ (change.target).hasAttribute(mark)) hide(change.target);
        else if (change.attributeName === mark && change.oldValue !== null) hide(change.target);
      }
    });
    const look = {childList: true, subtree: true, attributes: true, attributeOldValue: true,
      attributeFilter: ['type', mark, 'style']};
    watch.observe(document, look);
    const value = {known, hide, scan, watch: (root) => watch.observe(root, look)};
    Object.defineProperty(window, key, {value});
    scan(document);
  }
  const masks = window[key];
  if (signature && signature.nodeType === 1) {
    const e = signature;
    if (e.getRootNode() !== document) masks.watch(e.getRootNode());
    const own = sign(e);
    const isDistinct = JSON.parse(own).slice(1).some(Boolean);
    if (isDistinct) masks.known.add(own);
    masks.hide(e);
    if (isSecret && e.getAttribute(mark) !== 'secret') {
      e.setAttribute(mark, 'secret');
      const stop = (event) => { event.preventDefault(); event.stopImmediatePropagation(); };
      for (const type of ['copy', 'cut', 'dragstart']) e.addEventListener(type, stop, true);
      // some frameworks write what is typed into the attribute, where every selector can ask for it
      new MutationObserver(() => { if (e.hasAttribute('value')) e.removeAttribute('value'); })
        .observe(e, {attributeFilter: ['value']});
    }
    return isDistinct ? own : null;
  }
  if (signature) { masks.known.add(signature); masks.scan(document); }
  return null;
}
