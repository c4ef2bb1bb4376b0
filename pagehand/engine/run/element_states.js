// @ts-check
// Which states that conditions speak of the elements are in.
(dom, elements) => elements.map(e => ({
  visible: dom.isDrawn(e),
  enabled: dom.isEnabled(e),
  checked: 'checked' in e ? e.checked : e.getAttribute('aria-checked') === 'true',
  // a field shows its value, and its innerText is empty: a condition on that would never hold
  text: dom.collapseSpaces(e.matches('input, textarea') ? dom.valueOf(e) : dom.renderedText(e)),
  value: 'value' in e ? String(dom.valueOf(e)) : (e.innerText ?? e.textContent ?? '').trim(),
}))
