// @ts-check
// Which states that conditions speak of the elements are in.
elements => elements.map(e => ({
  visible: e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length > 0,
  enabled: !e.matches(':disabled') && !e.closest('[aria-disabled="true"]'),
  checked: 'checked' in e ? e.checked : e.getAttribute('aria-checked') === 'true',
  // a field shows its value, and its innerText is empty: a condition on that would never hold
  text: (e.matches('input, textarea') ? e.value : e.innerText ?? e.textContent ?? '').replace(/\s+/g, ' ').trim(),
  value: 'value' in e ? String(e.value) : (e.innerText ?? e.textContent ?? '').trim(),
}))
