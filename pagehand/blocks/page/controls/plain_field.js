// @ts-check
// What a field is that has no list of its own; null for others.
el => { const field = el.control ?? el;
  const lists = '[role=combobox], [role=listbox], [aria-haspopup], [aria-autocomplete], [list]';
  if (field.matches(lists)) return null;
  if (field.matches('textarea')) return 'text area';
  if (field.matches('[type=checkbox]')) return 'checkbox';
  if (field.matches('[type=radio]')) return 'radio button';
  return field.matches('input:not([type=button], [type=submit])') ? 'text field' : null }
