// @ts-check
// Whether something lies over an element.
element => {
  element.scrollIntoView({block: 'nearest'});
  const box = element.getBoundingClientRect();
  const top = element.getRootNode().elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return top !== null && top !== element && !element.contains(top) && !top.contains(element);
}
