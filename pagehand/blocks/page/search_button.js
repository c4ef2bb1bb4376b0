// @ts-check
// The button that sends a search field off.
(dom, el) => { const form = el.form ?? el.closest('form, [role=search]') ?? el.parentElement;
  const all = [...form.querySelectorAll('button, input[type=submit], input[type=image], [role=button]')]
    .filter(b => dom.isVisible(b) && !b.disabled);
  const named = all.find(b => /search|find|go\b/i.test(dom.allNames(b).join(' ')));
  return named ?? all.find(b => b.type === 'submit') ?? all[0] ?? null }
