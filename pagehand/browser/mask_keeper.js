// @ts-check
// Keeps fields masked in pictures, also when the page renders them again.
(signature, isSecret) => {
  const key = Symbol.for('pagehand.masks');
  const mark = 'data-pagehand-masked';
  const sign = (e) => JSON.stringify([e.tagName, e.id, e.getAttribute('name'), e.getAttribute('autocomplete'),
    e.getAttribute('placeholder'), e.getAttribute('aria-label')]);
  const always = (e) =>
    e.type === 'password' || (e.getAttribute('autocomplete') || '').includes('one-time-code');
  const FIELDS = 'input,textarea,[contenteditable]';
  if (!window[key]) {
    const known = new Set();
    const secrets = new Set();
    const textOf = (e) => e.value ?? e.textContent;
    const hide = (e) => {
      if (!e.hasAttribute(mark)) e.setAttribute(mark, '');
      if (e.style.getPropertyValue('-webkit-text-security') !== 'disc')
        e.style.setProperty('-webkit-text-security', 'disc', 'important');
    };
    const repeatsSecret = (e) => [...secrets].some((secret) => textOf(secret) && textOf(secret) === textOf(e));
    const check = (e) => {
      if (e.hasAttribute(mark) || always(e) || known.has(sign(e)) || repeatsSecret(e)) hide(e);
    };
    const scan = (root) => {
      if (root.nodeType === 1 && root.matches(FIELDS)) check(root);
      if (root.shadowRoot) watch(root.shadowRoot);
      if (root.querySelectorAll) root.querySelectorAll(FIELDS).forEach(check);
    };
    const observer = new MutationObserver((changes) => {
      for (const change of changes) {
        if (change.type === 'childList') change.addedNodes.forEach(scan);
        else if (change.oldValue === 'password' || /** @type {any} */ (change.target).hasAttribute(mark)) hide(change.target);
        else if (change.attributeName === mark && change.oldValue !== null) hide(change.target);
      }
      // after all that was added: a field that replaces another holds what that one held
      for (const secret of secrets) if (!secret.isConnected) secrets.delete(secret);
    });
    const look = {childList: true, subtree: true, attributes: true, attributeOldValue: true,
      attributeFilter: ['type', mark, 'style']};
    const roots = new Set();
    const watch = (root) => { roots.add(new WeakRef(root)); observer.observe(root, look); scan(root); };
    const keep = (e) => {
      secrets.add(e);
      if (secrets.size > 1) return;
      // some pages write what is typed into a second field, which they show instead; before it is drawn
      const soon = () => requestAnimationFrame(() => roots.forEach((root) => root.deref()?.querySelectorAll(FIELDS).forEach(check)));
      for (const type of ['click', 'input', 'change', 'keyup']) window.addEventListener(type, soon, true);
    };
    Object.defineProperty(window, key, {value: {known, hide, keep, scan, watch}});
    watch(document);
    // shadow roots that the page's text declares
    document.addEventListener('DOMContentLoaded', () => {
      for (const e of document.querySelectorAll('*')) if (e.shadowRoot) watch(e.shadowRoot);
    });
    // nothing else tells that an element gets one
    Element.prototype.attachShadow = new Proxy(Element.prototype.attachShadow, {apply: (attach, host, options) => {
      const root = Reflect.apply(attach, host, options);
      watch(root);
      return root;
    }});
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
      masks.keep(e);
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
