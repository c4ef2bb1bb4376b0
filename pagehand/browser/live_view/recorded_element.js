// @ts-check
// What the recorder may know of an element. A secret's value is never read: neither sent nor compared.
(dom, element) => {
  const SECRET = /pass(word|wort|code|phrase)?|pwd|secret|\bpin\b|\botp\b|\bcv[vc]\b|one-time-code/i;
  const describes = (field) => [field.name, field.id, field.autocomplete].join(' ');
  const known = (window[Symbol.for('pagehand.secrets')] ??= new WeakSet());
  // a field that shows its password for a moment is still one
  const isSecret = (field) => {
    if (field.type === 'password' || SECRET.test(describes(field))) known.add(field);
    return known.has(field);
  };
  const {tagName: tag} = element;
  const isInput = tag === 'INPUT';
  const type = isInput ? element.type : '';
  if (isInput && type === 'file') return {kind: 'file'};
  if (isInput && (type === 'checkbox' || type === 'radio')) return {kind: type, value: String(element.checked)};
  const select = tag === 'SELECT' ? element : element.closest?.('select');
  if (select) return {kind: 'select', value: dom.selectedText(select)};
  const isButton = ['submit', 'button', 'reset', 'image', 'color', 'range', 'hidden'].includes(type);
  const isText = (isInput && !isButton) || tag === 'TEXTAREA' || element.isContentEditable;
  if (!isText) return {kind: ['HTML', 'BODY'].includes(tag) ? 'nothing' : 'other'};
  if (isSecret(element)) return {kind: 'secret'};
  const secret = [...(element.form?.elements ?? [])].find((one) => one.type === 'password');
  const isBefore = secret && element.compareDocumentPosition(secret) & Node.DOCUMENT_POSITION_FOLLOWING;
  const kind = isBefore && ['text', 'email', 'tel'].includes(type) ? 'username' : 'text';
  return {kind, value: element.isContentEditable ? element.innerText : element.value};
}
