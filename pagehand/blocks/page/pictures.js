// @ts-check
// The pictures of an element, or of the whole page, in order: {address, width, height, name}.
(dom, scope) => {
  const root = scope ?? document.documentElement;
  const found = [];
  const add = (address, width, height, name) => {
    if (address && !/^(about|javascript):/.test(address)) {
      found.push({address, width: Math.round(width), height: Math.round(height), name: (name ?? '').trim()});
    }
  };
  const drawn = (svg) => {
    const copy = svg.cloneNode(true), box = svg.getBoundingClientRect();
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    if (!copy.getAttribute('width')) copy.setAttribute('width', Math.round(box.width));
    if (!copy.getAttribute('height')) copy.setAttribute('height', Math.round(box.height));
    return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  };
  const painted = (canvas) => { try { return canvas.toDataURL('image/png') } catch { return '' } };
  const label = (el) => dom.nameOf(el, () => '') || el.id;
  const look = (el) => {
    if (!dom.isVisible(el)) return;
    const box = el.getBoundingClientRect();
    if (el.tagName === 'IMG') {
      if (el.naturalWidth || !el.complete) add(el.currentSrc || el.src, el.naturalWidth || box.width, el.naturalHeight || box.height, el.alt);
    } else if (el.tagName === 'CANVAS') add(painted(el), el.width, el.height, label(el));
    else if (el instanceof SVGSVGElement) return add(drawn(el), box.width, box.height, label(el));
    else if (el.tagName === 'VIDEO' && el.poster) add(el.poster, box.width, box.height, label(el));
    for (const [, address] of getComputedStyle(el).backgroundImage.matchAll(/url\("((?:[^"\\]|\\.)*)"\)/g)) {
      add(address.replace(/\\(.)/g, '$1'), box.width, box.height, label(el));
    }
    dom.flatChildren(el).forEach(look);
  };
  look(root);
  return found;
}
