// @ts-check
// Names of the browser's own functions that the page has replaced, which our scripts use too.
() => {
  const source = Function.prototype.toString;
  const isReplaced = (one) => typeof one === 'function' && !source.call(one).includes('[native code]');
  const owners = {Object, Array, String, Number, Map, Set, RegExp, Promise, Node, Element, HTMLElement, Document, HTMLInputElement,
    HTMLOptionElement, HTMLSelectElement, NodeList, Event, Range, Function};
  const places = [['JSON', JSON], ['Object', Object], ['Array', Array], ['window', window],
    ...Object.entries(owners).map(([name, owner]) => [`${name}.prototype`, owner.prototype])];
  const names = [];
  for (const [place, owner] of places) {
    const isGlobal = owner === window;
    for (const [name, {value, get, set}] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      // a page's own global functions replace nothing
      if (isGlobal && !['getComputedStyle', 'requestAnimationFrame', 'setTimeout'].includes(name)) continue;
      if ([value, get, set].some(isReplaced)) names.push(`${place}.${name}`);
    }
  }
  return names.slice(0, 5);
}
