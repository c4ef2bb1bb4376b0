// @ts-check
// Which of the listed elements are inside the scope, also across shadow roots.
(dom, scope, listed) => {
  const isInside = (el) => el !== scope && dom.flatContains(scope, el);
  return listed.elements.flatMap((el, at) => isInside(el) ? [at] : []) }
