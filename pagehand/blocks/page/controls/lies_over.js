// @ts-check
// Whether a dragged element has come to lie over its target.
(dom, dragged, target) => {
  const top = dom.elementOver(target, document);
  return !!top && dragged.contains(top);
}
