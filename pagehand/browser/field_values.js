// @ts-check
// What the fields of a frame hold; secrets are left out.
() => {
  const found = [];
  const look = (root) => root.querySelectorAll('*').forEach((e) => {
    if (e.shadowRoot) look(e.shadowRoot);
    const hidden = e.hasAttribute('data-pagehand-masked') || e.type === 'password'
      || (e.getAttribute('autocomplete') || '').includes('one-time-code');
    if (hidden) found.push(e.value || e.textContent || '');
  });
  look(document);
  return found.filter(Boolean);
}
