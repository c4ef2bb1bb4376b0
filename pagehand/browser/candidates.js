// @ts-check
// What a page offers that an element could have been, for an error message.
(dom) => {
  const MOST = 400;
  const WANTED = 'a,button,input,select,textarea,label,summary,[role],[aria-label],[title],img[alt],'
    + '[contenteditable],h1,h2,h3,h4,td,th,li,p,span';
  const textOf = dom.textReader({maxLength: 120});
  const found = [];
  for (const el of dom.allElements(document)) {
    if (found.length >= MOST) break;
    if (!el.matches(WANTED) || !dom.isVisible(el)) continue;
    // a box is not called by all that is in it
    const read = (one) => (one === el && el.childElementCount > 2 ? '' : textOf(one));
    const name = dom.nameOf(el, read) || dom.collapseSpaces(el.getAttribute('name'));
    if (name) found.push({role: dom.roleOf(el) || el.localName, name: name.slice(0, 120)});
  }
  return found;
}
