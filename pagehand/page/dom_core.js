// @ts-check
// The part of `dom.js` that most steps need: which elements are visible, and how the tree continues through shadow
// roots. It is sent with every script that uses it, so it is kept small.
() => {
  // what a field holds; of one that is masked, stars: an author could find out a secret letter by letter
  const valueOf = (el) => (el.hasAttribute('data-pagehand-masked') && el.value ? '***' : el.value);
  const collapseSpaces = (text) => (text || '').replace(/\s+/g, ' ').trim();
  // half a surrogate pair, which a page may hold, is no text that can be read outside
  const json = (value) => {
    const text = JSON.stringify(value);
    // looking at every part takes longer than all else: only where such a half, or text that looks like one, is written
    return /\\ud[89a-f]/.test(text) ? JSON.stringify(value, (_, part) => (typeof part === 'string' ? part.toWellFormed() : part)) : text;
  };
  // scripts ask the same of the same elements many times
  const memoize = (read) => {
    const known = new Map();
    return (el) => {
      let answer = known.get(el);
      if (answer === undefined && !known.has(el)) known.set(el, answer = read(el));
      return answer;
    };
  };

  // The parent in the markup, which is what selectors follow; a shadow root's is its host.
  const parentOf = (el) => el.parentElement || (el.getRootNode().host ?? null);
  // The parent in the flat tree, as the page is drawn: what is put into a slot has the slot as its parent.
  const flatParentOf = (el) => el.assignedSlot || parentOf(el);
  const flatContains = (outer, inner) => {
    for (let level = inner; level; level = flatParentOf(level)) if (level === outer) return true;
    return false;
  };
  const slotContent = (node) => {
    const assigned = node.localName === 'slot' ? node.assignedNodes() : [];
    return assigned.length ? assigned : node.childNodes;
  };
  const flatChildNodes = (node) => node.shadowRoot?.childNodes ?? slotContent(node);
  const flatChildren = (el) => [...flatChildNodes(el)].filter((node) => node.nodeType === 1);
  // all elements inside, as the page is drawn
  const flatElements = function* (el) {
    for (const child of flatChildren(el)) {
      yield child;
      yield* flatElements(child);
    }
  };
  // all elements below in the markup, a host before what is in its shadow root
  const allElements = function* (root) {
    for (const el of root.querySelectorAll('*')) {
      yield el;
      if (el.shadowRoot) yield* allElements(el.shadowRoot);
    }
  };
  let roots = null;
  // all that a selector matches, shadow roots included; much faster than testing every element against it
  const selectAll = (css) => {
    roots ??= [document, ...[...allElements(document)].map((el) => el.shadowRoot).filter(Boolean)];
    return roots.flatMap((root) => [...root.querySelectorAll(css)]);
  };

  const hasNoBox = (el) => getComputedStyle(el).display === 'contents';
  // CSS does not hide it; what has no box itself (a slot) shows its content
  const isVisible = memoize((el) => el.checkVisibility({visibilityProperty: true}) || hasNoBox(el));
  // visible, and more than `least` pixels wide and high
  const isDrawn = (el, least = 0) => {
    if (!isVisible(el)) return false;
    const box = el.getBoundingClientRect();
    if (box.width > least && box.height > least) return true;
    return hasNoBox(el) && (flatChildren(el).some((child) => isDrawn(child, least)) || !!el.textContent.trim());
  };
  const isOpaque = (el) => el.checkVisibility({opacityProperty: true});
  const isEnabled = (el) => !el.matches(':disabled') && !el.closest('[aria-disabled="true" i]');
  // Stricter than drawn: fields that are transparent, one pixel large or beside the page are traps for programs.
  const isReachable = (el) => {
    const box = el.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && box.right > 0 && box.bottom + scrollY > 0 &&
      el.checkVisibility({opacityProperty: true, visibilityProperty: true}) && !el.closest('[aria-hidden=true],[inert]');
  };

  // the element that a click at a point of the window reaches; `through` leads on into shadow roots
  const elementAt = (x, y, {root = document, through = false} = {}) => {
    let element = root.elementFromPoint(x, y);
    for (let inner; through && (inner = element?.shadowRoot?.elementFromPoint(x, y)) && inner !== element;) element = inner;
    return element;
  };
  // what a click on the middle of an element reaches: it, or what lies over it
  const elementOver = (el, root = el.getRootNode()) => {
    const box = el.getBoundingClientRect();
    return elementAt(box.x + box.width / 2, box.y + box.height / 2, {root});
  };

  return {allElements, collapseSpaces, elementAt, elementOver, flatChildNodes, flatChildren, flatContains, flatElements, flatParentOf, isDrawn,
    isEnabled, isOpaque, isReachable, isVisible, json, memoize, parentOf, selectAll, slotContent, valueOf};
}
