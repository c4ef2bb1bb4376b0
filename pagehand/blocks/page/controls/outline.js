// @ts-check
// The page's HTML cut down to what a reader needs to say where things stand: structure, names, a little text.
(dom, root) => {
  const KEPT = ['id', 'class', 'name', 'role', 'type', 'href', 'itemprop', 'aria-label', 'datetime', 'title', 'alt', 'for'];
  const DROPPED = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'LINK', 'META', 'SVG', 'IFRAME', 'HEAD']);
  const MOST_ALIKE = 4, LONGEST_TEXT = 80, LONGEST_VALUE = 60;
  const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  const kind = (e) => `${e.tagName}.${e.className}`;
  const attributes = (e) => [...e.attributes]
    .filter((a) => KEPT.includes(a.name) || a.name.startsWith('data-test'))
    .filter((a) => a.value && a.value.length < 200)
    .map((a) => ` ${a.name}="${escaped(a.value.slice(0, LONGEST_VALUE)).replace(/"/g, '&quot;')}"`).join('');
  const draw = (e, depth) => {
    const tag = e.tagName.toLowerCase(), lines = [], pad = ' '.repeat(depth);
    let alike = 0, last = '', skipped = 0;
    for (const node of dom.flatChildNodes(e)) {
      if (node.nodeType === 3) {
        const text = dom.collapseSpaces(node.data);
        if (text) lines.push(pad + ' ' + escaped(text.slice(0, LONGEST_TEXT)) + (text.length > LONGEST_TEXT ? '…' : ''));
      } else if (node.nodeType === 1 && !DROPPED.has(node.tagName.toUpperCase()) && dom.isVisible(node)) {
        alike = kind(node) === last ? alike + 1 : 1;
        last = kind(node);
        if (alike > MOST_ALIKE) { skipped += 1; continue; }
        lines.push(draw(node, depth + 1));
      }
    }
    if (skipped) lines.push(`${pad} <!-- ${skipped} more like these -->`);
    const inside = lines.join('\n');
    if (lines.length === 1 && !inside.trim().startsWith('<')) return `${pad}<${tag}${attributes(e)}>${inside.trim()}</${tag}>`;
    return inside ? `${pad}<${tag}${attributes(e)}>\n${inside}\n${pad}</${tag}>` : `${pad}<${tag}${attributes(e)}>`;
  };
  return draw(root ?? document.body, 0);
}
