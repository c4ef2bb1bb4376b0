// @ts-check
// Stops a page that opens window after window.
(() => {
  let since = 0, count = 0;
  window.open = new Proxy(window.open, {apply(open, self, given) {
    if (Date.now() - since > 10000) { since = Date.now(); count = 0; }
    return ++count > 40 ? null : Reflect.apply(open, self, given);
  }});
})()
