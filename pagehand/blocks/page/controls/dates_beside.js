// @ts-check
// What the fields beside a control say that only opens the calendar.
el => { const texts = 'input:not([type=hidden], [type=checkbox], [type=radio])';
  if (el.matches('input, textarea')) return [];
  for (let up = el.parentElement, level = 0; up && level < 3; up = up.parentElement, level++) {
    const fields = [...up.querySelectorAll(texts)].filter(f => !f.closest('table'));
    if (fields.length) return fields.map(f => f.value) }
  return [] }
