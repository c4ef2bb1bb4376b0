// @ts-check
// Reads texts and attributes: of one element, or of many places by a plan.
(dom) => {
  const read = (el, name) => {
    if (!name) return dom.renderedText(el).trim();
    if (name === 'html') return el.innerHTML;
    if (name === 'checked') return 'checked' in el ? el.checked : el.getAttribute('aria-checked') === 'true';
    if (name === 'value' && typeof el.value === 'string') return dom.valueOf(el);
    const raw = el.getAttribute(name);
    if (raw === null || (name !== 'href' && name !== 'src')) return raw;
    try { return new URL(raw, document.baseURI).href } catch { return raw }
  };
  const readAll = (scope, plan) => {
    const roots = scope ? [scope] : plan.each ? [...document.querySelectorAll(plan.each)] : [document];
    // selectors that reach into shadow roots are left to the finder, which knows how
    const shadows = root => !!root.shadowRoot || [...root.querySelectorAll('*')].some(el => el.shadowRoot);
    if (shadows(scope ?? document)) return 'null';
    const field = (root, f) => {
      const self = root === document ? document.documentElement : root;
      const found = f.css === null ? [self] : [...root.querySelectorAll(f.css)];
      const values = (f.many ? found : found.slice(0, 1)).map(el => read(el, f.attribute));
      return f.many ? values : values[0] ?? null;
    };
    const row = root => Object.fromEntries(plan.fields.map(f => [f.name, field(root, f)]));
    const lines = [];
    for (let at = 0; at < roots.length; at += 200) lines.push(dom.json(roots.slice(at, at + 200).map(row)));
    return lines.join('\n');
  };
  return {read, readAll};
}
