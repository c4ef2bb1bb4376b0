// @ts-check
// The button that sends a search field off.
el => { const form = el.form ?? el.closest('form, [role=search]') ?? el.parentElement;
  const all = [...form.querySelectorAll('button, input[type=submit], input[type=image], [role=button]')]
    .filter(b => b.checkVisibility() && !b.disabled);
  const name = b => [b.innerText, b.value, b.ariaLabel, b.title, b.id, b.className].join(' ').toLowerCase();
  const named = all.find(b => /search|find|go\b/.test(name(b)));
  return named ?? all.find(b => b.type === 'submit') ?? all[0] ?? null }
