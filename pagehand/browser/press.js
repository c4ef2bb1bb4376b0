// @ts-check
// The control that a press reaches: its name and what it may send. Afterwards `formRejection` of the document's
// watch says why its form was not submitted.
(dom, [target, byEnter]) => {
  const element = Array.isArray(target) ? dom.elementAt(...target) : target;
  if (!element) return null;
  const outer = byEnter ? element : element.closest('button,a,input,select,label,summary,[role],[onclick]') ?? element;
  let control = outer.matches('label') ? outer.control ?? outer : outer;
  const form = control.form ?? control.closest('form');
  const sends = (one) => ['submit', 'image'].includes(one.type) && !one.disabled;
  const isField = control.matches('input,select,textarea') && !sends(control) && control.type !== 'button';
  if (byEnter && form && isField)
    control = [...form.elements, ...form.querySelectorAll('input[type=image]')].find(sends) ?? control;
  const root = control.getRootNode();

  const textOf = dom.textReader({maxLength: 200});
  const nameOf = (one) => dom.nameOf(one, textOf) || (one.type === 'submit' ? 'Submit' : '') || one.getAttribute('name') || one.id;

  const passwords = form ? [...form.querySelectorAll('input[type=password]')] : [];
  const isNew = passwords.some((one) => one.autocomplete === 'new-password');
  const takesText = (one) => one.matches('input') && !/^(hidden|checkbox|radio|button|reset|file|range|color|submit|image)$/.test(one.type);
  const texts = form ? [...form.elements].filter(takesText) : [];
  // A user name and a password, or the step of a sign-in that asks for the password alone. Elsewhere a password
  // confirms what a form does, such as a payment.
  const isPair = passwords.length === 1 && !isNew && texts.length <= 2 && !form.querySelector('textarea');
  const user = texts.find((one) => one.type !== 'password');
  const says = user
    ? [user.type, user.autocomplete, user.name, user.id, nameOf(user)]
    : [form?.action, form?.id, form?.className, location.pathname, document.title, nameOf(control)];
  const signs = user
    ? /user|mail|log.?[io]n|account|member|customer|phone|benutzer|kennung|konto|utilisateur|identifiant|usuario|cuenta/i
    : /log.?[io]n|sign.?[io]n|auth|sso|anmeld|connexion|iniciar/i;
  const facts = {name: nameOf(control), signsIn: isPair && says.some((text) => signs.test(String(text ?? '').slice(0, 200)))};

  const invalid = [], submits = [], keys = [];
  const listeners = {
    invalid: (event) => invalid.push(event.target),
    submit: (event) => submits.push(event),
    keydown: (event) => event.key === 'Enter' && keys.push(event),
  };
  for (const [type, listener] of Object.entries(listeners)) root.addEventListener(type, listener, true);

  const formRejection = () => {
    for (const [type, listener] of Object.entries(listeners)) root.removeEventListener(type, listener, true);
    const first = invalid.find((one) => one.isConnected && one.matches(':invalid'));
    if (first) {
      const isItsForm = (event) => [...event.target.elements].includes(first);
      const submit = submits.find(isItsForm);
      // a page that only checks its fields, and shows the user nothing, rejects nothing
      const isShown = sends(control) || byEnter || root.activeElement === first;
      if (!isShown || (submit && !submit.defaultPrevented)) return null;
      const isSure = !submit && (sends(control) || byEnter) && !form?.noValidate;
      return {field: nameOf(first), message: first.validationMessage ?? '', isSure};
    }
    const isIgnored = byEnter && isField && !sends(control) && texts.length > 1 && !submits.length;
    return isIgnored && !keys.some((event) => event.defaultPrevented)
      ? {field: '', message: 'Enter does not send a form that has several fields and no submit button.', isSure: false}
      : null;
  };
  // replaced by the next press
  Object.defineProperty(window, Symbol.for('pagehand.press'), {value: {formRejection}, configurable: true});
  return facts;
}
