// @ts-check
// Which of the listed elements stand inside the scope, also across shadow roots.
(scope, listed) => {
  const above = node => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const isInside = node => { for (let up = above(node); up; up = above(up)) if (up === scope) return true };
  return listed.elements.flatMap((element, at) => isInside(element) ? [at] : []) }
