// @ts-check
// Whether a dragged element has come to lie over its target.
(dragged, target) => {
  const box = target.getBoundingClientRect();
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return !!top && dragged.contains(top);
}
