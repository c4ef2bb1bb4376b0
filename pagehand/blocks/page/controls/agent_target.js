// @ts-check
// What an agent's rules need to know of the element that a step acts on.
/** @param {any} dom @param {any} element */
(dom, element) => {
  const form = element.form;
  const submit = form && [...form.elements].find(one => one.type === 'submit' || one.type === 'image');
  const says = one => one ? dom.allNames(one) : [];
  return {
    tag: element.tagName.toLowerCase(), type: (element.type || '').toLowerCase(),
    role: element.getAttribute('role') || '', origin: location.origin,
    isSecret: element.type === 'password' || element.hasAttribute('data-pagehand-masked'),
    says: says(element.closest('button,a,[role=button],label,summary') || element), submit: says(submit),
  };
}
