// @ts-check
// What a date field says about the dates it takes.
(dom, el, hints) => { const f = el.control ?? el, field = f.matches('input, textarea');
  const language = f.closest('[lang]')?.lang ?? '';
  const texts = [...hints.map(name => f.getAttribute(name)), dom.labelText(f, dom.renderedText),
    ...dom.referencedElements(f, 'aria-describedby').map(dom.renderedText)];
  const names = {year: 'YYYY', month: 'MM', day: 'DD'};
  const styleOf = tag => new Intl.DateTimeFormat(tag, {year: 'numeric', month: '2-digit', day: '2-digit'})
    .formatToParts(new Date(2026, 0, 31)).map(p => names[p.type] ?? p.value).join('').trim();
  let localeStyle;
  try { localeStyle = styleOf(language || 'en-US') } catch { localeStyle = styleOf('en-US') }
  return {type: field ? f.type : '', typeable: field && !f.readOnly, value: field ? f.value : f.innerText,
    hints: texts.filter(Boolean), pattern: f.getAttribute('pattern') ?? '', localeStyle,
    hasRegion: !!language && language.toLowerCase() !== 'en',
    inner: field ? 0 : f.querySelectorAll('input:not([type=hidden])').length} }
