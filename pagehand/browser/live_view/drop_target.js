// What lies below a dragged element at a point; null where that is what holds it already, or only the page.
(dragged, {x, y}) => {
  const below = document.elementsFromPoint(x, y).find((one) => !dragged.contains(one));
  const isPage = !below || ['HTML', 'BODY'].includes(below.tagName);
  return isPage || below.contains(dragged) ? null : below;
}
