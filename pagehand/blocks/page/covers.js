// @ts-check
// Whether one thing lies over most of what the window shows, with other content of the page behind it.
(dom) => {
  const steps = [0.1, 0.3, 0.5, 0.7, 0.9];
  const layers = new Map();
  for (const x of steps)
    for (const y of steps) {
      let element = dom.elementAt(x * innerWidth, y * innerHeight);
      while (element && !['fixed', 'absolute'].includes(getComputedStyle(element).position))
        element = element.parentElement;
      if (element && element !== document.body) layers.set(element, (layers.get(element) ?? 0) + 1);
    }
  const most = steps.length ** 2 * 0.6;
  // what an application draws in one layer is the page itself: nothing else is there to be covered
  const covered = layer => (document.body.innerText.trim().length - (layer.innerText ?? '').trim().length) > 0;
  return [...layers].some(([layer, count]) => count >= most && covered(layer));
}
