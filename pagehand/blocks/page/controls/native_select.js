// @ts-check
// The options of a native select, as JSON; null for other controls.
(dom, el) => { const s = el.control ?? el;
  if (!(s instanceof HTMLSelectElement)) return null;
  const off = o => o.disabled || !!o.closest('optgroup')?.disabled;
  const option = o => ({text: dom.collapseSpaces(o.label), value: o.value, off: off(o), on: o.selected});
  return dom.json({multiple: s.multiple, options: [...s.options].map(option)}) }
