// @ts-check
// What the fields of a frame hold; secrets are left out.
(dom) => {
  const secrets = dom.selectAll('[data-pagehand-masked],input[type=password],[autocomplete*=one-time-code]');
  return secrets.map((el) => el.value || el.textContent).filter(Boolean);
}
