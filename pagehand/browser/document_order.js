// @ts-check
// The positions of the elements in the order of the document.
elements => elements.map((_, i) => i).sort((a, b) =>
  elements[a].compareDocumentPosition(elements[b]) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1)
