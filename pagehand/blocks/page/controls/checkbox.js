// @ts-check
// Checkboxes and radio buttons, native or drawn: whether they are on, and what to click.
(dom) => {
  const box = el => el.matches('input, [aria-checked]') ? el
    : el.control ?? el.querySelector('input[type=checkbox], [role=checkbox], [role=switch]') ?? el;
  const on = b => 'checked' in b ? !!b.checked : b.getAttribute('aria-checked') === 'true';
  // the box where a click reaches it, its label where the box is hidden or drawn over by it
  const target = el => {
    const b = box(el), label = b.labels?.[0] ?? b.closest('label');
    if (!label) return b;
    b.scrollIntoViewIfNeeded();
    const {width, height} = b.getBoundingClientRect();
    const hit = width && height && dom.elementOver(b);
    const foreign = hit && !label.contains(hit) && !hit.contains(b);
    return hit === b || foreign ? b : label;
  };
  // the radio buttons of the group that an element is, or is in
  const same = el => {
    if (!el.matches('input[type=radio], [role=radio]')) {
      const inner = el.control ?? el; if (inner !== el) return same(inner);
      // also those in a slot: a web component's group holds its buttons there
      return [...dom.flatElements(el)].filter(one => one.matches('input[type=radio], [role=radio]'));
    }
    if (el.matches('[role=radio]:not(input)')) {
      const group = el.closest('[role=radiogroup]') ?? el.parentElement;
      return [...group.querySelectorAll('[role=radio]')];
    }
    const root = el.form ?? el.getRootNode();
    if (!el.name) return [el];
    const all = [...root.querySelectorAll('input[type=radio]')];
    return all.filter(r => r.name === el.name && r.form === el.form);
  };
  const label = r => dom.nameOf(r, dom.renderedText);
  const value = r => String(r.value ?? r.getAttribute('data-value') ?? '');
  const isOn = el => on(box(el));
  const state = el => ({on: isOn(el), direct: target(el) === el});
  const choices = el => same(el).map(r => ({label: label(r), value: value(r)}));
  const choiceAt = (el, at) => same(el)[at];
  return {isOn, state, target, choices, choiceAt};
}
