// @ts-check
// What the fields of a document hold: first the one into which a secret was typed, then all others. `clear` empties the
// first and those that hold the same. No secret is passed in: a script of the page could see it.
(field, clear) => {
  const FIELDS = 'input, textarea, [contenteditable]';
  const roots = [field.ownerDocument];
  for (const root of roots) for (const el of root.querySelectorAll('*')) if (el.shadowRoot) roots.push(el.shadowRoot);
  const textOf = (el) => String('value' in el ? el.value : el.textContent);
  const typed = textOf(field);
  const others = roots.flatMap((root) => [...root.querySelectorAll(FIELDS)]).filter((el) => el !== field);
  const empty = (el) => {
    if ('value' in el) el.value = ''; else el.textContent = '';
    for (const type of ['input', 'change']) el.dispatchEvent(new Event(type, {bubbles: true}));
  };
  if (clear || !field.isConnected)
    for (const el of [field, ...others]) if (typed && textOf(el) === typed) empty(el);
  return [field, ...others].map(textOf);
}
