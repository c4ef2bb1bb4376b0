// @ts-check
// The button that submits the form of a field.
(dom, el) => { const form = el.matches('form') ? el : el.form ?? el.closest('form');
  const buttons = form ? [...form.elements, ...form.querySelectorAll('input[type=image]')] : [];
  const sends = b => ['submit', 'image'].includes(b.type) && !b.disabled && dom.isVisible(b);
  return buttons.find(sends) ?? null }
