// @ts-check
// Whether something lies over an element.
(dom, element) => {
  element.scrollIntoView({block: 'nearest'});
  const top = dom.elementOver(element);
  return top !== null && top !== element && !element.contains(top) && !top.contains(element);
}
