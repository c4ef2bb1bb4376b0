// @ts-check
// A selector of the frame by its place in the document.
frame => {
  const path = [];
  for (let at = frame; at?.parentElement; at = at.parentElement)
    path.unshift(`${at.localName}:nth-child(${[...at.parentElement.children].indexOf(at) + 1})`);
  return path.join(' > ');
}
