// @ts-check
// The values of the secret fields of a frame.
(dom) => {
  const secrets = dom.selectAll('[data-pagehand-masked],input[type=password],[autocomplete*=one-time-code]');
  return secrets.map((el) => el.value || el.textContent).filter(Boolean);
}
