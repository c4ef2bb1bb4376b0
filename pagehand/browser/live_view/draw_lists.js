// @ts-check
// Makes the page draw its native lists, which no screencast shows.
() => {
  const key = Symbol.for('pagehand.lists');
  if (window[key]) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`select:not([multiple], [size]), select:not([multiple], [size])::picker(select) {
    appearance: base-select !important;
  }`);
  Object.defineProperty(window, key, {value: sheet, configurable: true});
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
