// @ts-check
// What an agent's rules need to know of the element that a step acts on.
/** @param {any} element */
element => {
  const form = element.form;
  const submit = form && [...form.elements].find(one => one.type === 'submit' || one.type === 'image');
  const says = one => one ? [one.innerText, one.value, one.ariaLabel, one.title, one.alt, one.id, one.name,
    one.className].filter(text => typeof text === 'string') : [];
  return {
    tag: element.tagName.toLowerCase(), type: (element.type || '').toLowerCase(),
    role: element.getAttribute('role') || '', origin: location.origin,
    isSecret: element.type === 'password' || element.hasAttribute('data-pagehand-masked'),
    says: says(element.closest('button,a,[role=button],label,summary') || element), submit: says(submit),
  };
}
