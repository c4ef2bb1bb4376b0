// @ts-check
// What the recorder may know of an element. A secret's value is never read: neither sent nor compared.
(dom, element, key) => {
  const SECRET = /pass(word|wort|code|phrase)?|pwd|secret|\bpin\b|\botp\b|\bcv[vc]\b|one-time-code/i;
  const PRESSED_BY_SPACE = /^(button|checkbox|switch|radio|tab|option|treeitem|menuitem.*)$/;
  const describes = (field) => [field.name, field.id, field.autocomplete].join(' ');
  const known = (window[Symbol.for('pagehand.secrets')] ??= new WeakSet());
  // a field that shows its password for a moment is still one
  const isSecret = (field) => {
    // the mark of `mask_keeper.js`: it showed its password before the person came to it
    const wasPassword = field.type === 'password' || field.hasAttribute('data-pagehand-masked');
    if (wasPassword || SECRET.test(describes(field))) known.add(field);
    return known.has(field);
  };
  const {tagName: tag} = element;
  const isInput = tag === 'INPUT';
  const type = isInput ? element.type : '';
  if (isInput && type === 'file') return {kind: 'file'};
  if (isInput && (type === 'checkbox' || type === 'radio'))
    return {kind: type, value: String(element.checked), afterPress: String(type === 'radio' || !element.checked)};
  const select = element.closest?.('select');
  if (select) {
    const {options, selectedIndex: at, multiple} = select;
    // a letter goes to the next option that begins with it
    const isNext = ({label}) => key && label.trim().toLowerCase().startsWith(key.toLowerCase());
    const typed = () => [...options].slice(at + 1).concat(...options).find(isNext);
    const option = multiple ? null : (element.closest('option') ?? typed());
    return {kind: 'select', value: dom.selectedText(select), afterPress: option ? dom.collapseSpaces(option.label) : ''};
  }
  const isButton = ['submit', 'button', 'reset', 'image', 'color', 'range', 'hidden'].includes(type);
  const isText = (isInput && !isButton) || tag === 'TEXTAREA' || element.isContentEditable;
  if (!isText) {
    const takesSpace = isInput || ['BUTTON', 'SUMMARY'].includes(tag) || PRESSED_BY_SPACE.test(dom.roleOf(element));
    return {kind: ['HTML', 'BODY'].includes(tag) ? 'nothing' : 'other', takesSpace};
  }
  if (isSecret(element)) return {kind: 'secret'};
  const secret = [...(element.form?.elements ?? [])].find((one) => one.type === 'password');
  const isBefore = secret && element.compareDocumentPosition(secret) & Node.DOCUMENT_POSITION_FOLLOWING;
  const kind = isBefore && ['text', 'email', 'tel'].includes(type) ? 'username' : 'text';
  return {kind, value: element.isContentEditable ? element.innerText : element.value};
}
