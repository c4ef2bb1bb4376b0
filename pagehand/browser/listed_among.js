// @ts-check
// Which of the listed elements are among those found.
(found, listed) => { const wanted = new Set(found);
  return listed.elements.flatMap((element, at) => wanted.has(element) ? [at] : []) }
