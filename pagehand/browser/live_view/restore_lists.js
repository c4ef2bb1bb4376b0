// @ts-check
// Gives the page its native lists back.
() => {
  const key = Symbol.for('pagehand.lists');
  const sheet = window[key];
  if (!sheet) return;
  delete window[key];
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
}
