// @ts-check
// What stands in for a control that cannot be seen.
(dom, el, [next, before, containers]) => {
  const drawn = e => !!e && dom.isDrawn(e, 2);
  const hidden = e => !drawn(e) || ((e.ariaHidden === 'true' || e.hidden) && e.tabIndex < 0);
  const widget = '[role=combobox], [role=listbox], [role=button], [aria-haspopup], [tabindex], input, button';
  if (!el.matches('select, input') || !hidden(el)) return '';
  const around = el.closest(containers), levels = [];
  for (let up = el; around && up !== around; up = up.parentElement) levels.push('..');
  if (around) return levels.join('/');
  const replaces = e => drawn(e) && !e.matches('label') && (e.matches(widget) || !!e.querySelector(widget));
  if (replaces(el.nextElementSibling)) return next;
  if (replaces(el.previousElementSibling)) return before;
  for (let up = el.parentElement, way = '..'; up && way.length < 9; up = up.parentElement, way += '/..') {
    if (up.matches('form, body, label, fieldset') || up.querySelectorAll('select').length > 1) break;
    if (drawn(up) && [...up.querySelectorAll(widget)].some(e => e !== el && drawn(e))) return way;
  }
  return null }
