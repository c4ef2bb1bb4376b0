// @ts-check
// Reads the list of options that belongs to `el`: a trigger, a combobox input, or the widget around them.
// ARIA first (aria-controls, aria-owns, role=option), then what lists without roles have in common.
(dom, el) => {
  const words = dom.collapseSpaces;
  const shown = e => dom.isDrawn(e)
    && !e.closest('[role=listbox]:is([style*="height: 0"], [style*="height:0"])');
  const OPTION = '[role=option], [role=treeitem], [role=menuitemradio], [role=menuitemcheckbox]';
  // option elements of widgets that give them no role
  const BARE = '[class$="-item-option"], [class*="-item-option "], .ui-menu-item, .chosen-results > li, '
    + '.nice-select .option, .dropdown-item, .autocomplete-suggestion, .tt-suggestion';
  const FIELDS = 'input:not([type=hidden]), textarea, select, [contenteditable=true]';

  // the widget that el is part of: outwards as long as no other field and no label comes in
  const widgetOf = e => {
    let box = e;
    for (let up = 0; up < 4; up++) {
      const next = box.parentElement;
      if (!next || next.matches('form, body, fieldset, main, section, td, label') || next.querySelector('label')) break;
      if ([...next.querySelectorAll(FIELDS)].some(f => !box.contains(f) && shown(f))) break;
      if (next.getBoundingClientRect().height > Math.max(120, 3 * box.getBoundingClientRect().height)) break;
      box = next;
    }
    return box;
  };
  const writable = e => e?.matches('input:not([readonly]):not([disabled]), textarea:not([readonly])')
    && !['checkbox', 'radio', 'button', 'submit', 'file', 'hidden'].includes(e.type);
  const inside = (list, what) => [...list.querySelectorAll(what)].filter(shown)
    .filter((o, _, all) => !all.some(other => other !== o && other.contains(o)));
  const optionsIn = list => {
    for (let box = list, up = 0; box && box !== document.body && up < 4; box = box.parentElement, up++) {
      if (up && box.contains(el)) break;
      const found = inside(box, `${OPTION}, ${BARE}`);
      if (found.length) return found;
    }
    return [];
  };
  const lists = () => {
    const widget = widgetOf(el), focused = document.activeElement;
    const speakers = [el, ...widget.querySelectorAll('[aria-controls], [aria-owns]'), widget];
    if (widget.contains(focused)) speakers.push(focused);
    const named = speakers.flatMap(e => [e.getAttribute('aria-owns'), e.getAttribute('aria-controls')])
      .flatMap(ids => (ids ?? '').split(' ')).map(id => id && (el.getRootNode().getElementById?.(id)
        ?? document.getElementById(id))).filter(Boolean);
    const open = [...document.querySelectorAll('[role=listbox], [role=menu], [role=tree], .ui-autocomplete, '
      + '.dropdown-menu, .chosen-results')].filter(e => shown(e) && !e.contains(el)).reverse();
    return {named, own: [el, widget], open};
  };
  const options = () => {
    const {named, own, open} = lists();
    for (const list of named) { const found = optionsIn(list); if (found.length) return found }
    for (const list of own) {  // widgets may show what is chosen as a list, too: the last one is to choose from
      const found = inside(list, `${OPTION}, ${BARE}`), last = found.at(-1)?.closest('[role=listbox]');
      if (found.length) return found.filter(o => o.closest('[role=listbox]') === last);
    }
    for (const list of open) { const found = optionsIn(list); if (found.length) return found }
    return [];
  };
  const describe = o => { const look = o.getAttribute('class') ?? '';
    return {text: words(o.getAttribute('aria-label') || o.innerText),
      value: o.getAttribute('data-value') ?? o.getAttribute('value') ?? '',
      off: o.ariaDisabled === 'true' || /(^|[-_ ])disabled($|[-_ ])/.test(look),
      // some mark the option under the pointer as selected, too
      on: (o.ariaSelected === 'true' || o.ariaChecked === 'true')
        && (!/(^|[-_ ])(highlight|active|focus)/.test(look) || /selected/.test(look))};
  };
  // scrolls the list by a page, or to its top, and lets it draw; false when it was there already
  const drawnAgain = () => new Promise(done => { requestAnimationFrame(() => requestAnimationFrame(done)); setTimeout(done, 100) });
  const scroll = async toTop => {
    let box = options()[0]?.parentElement;
    while (box && box.scrollHeight <= box.clientHeight + 1) box = box.parentElement;
    if (!box || [document.documentElement, document.body].includes(box) || box.contains(el)) return false;
    const before = box.scrollTop;
    box.scrollTop = toTop ? 0 : before + Math.max(box.clientHeight - 10, 20);
    await drawnAgain();
    return box.scrollTop !== before;
  };
  // where typing filters the list: the field itself, the one in the widget, or one that got the focus on opening
  const searchField = () => {
    const widget = widgetOf(el), focused = document.activeElement;
    if (writable(el)) return el;
    const inner = [...widget.querySelectorAll('input, textarea')].find(e => writable(e) && dom.isVisible(e));
    if (writable(focused) && (widget.contains(focused) || focused.matches('[role=searchbox], [aria-controls], [type=search]')))
      return focused;
    return inner ?? null;
  };
  // what to click to open: el, or the part of its widget that covers it
  const trigger = () => {
    // the middle of a widget may be the cross that takes a choice back; its field is safe to click
    const field = [...widgetOf(el).querySelectorAll('input, textarea')].find(e => writable(e) && shown(e));
    const target = el.control ?? field ?? el;
    target.scrollIntoViewIfNeeded();
    const hit = dom.elementOver(target);
    if (!hit || target.contains(hit) || !widgetOf(target).contains(hit)) return target;
    let common = hit;
    while (!common.contains(target)) common = common.parentElement;
    return common;
  };
  const expanded = () => {
    const states = [el, ...widgetOf(el).querySelectorAll('[aria-expanded]')].map(e => e.ariaExpanded);
    return states.includes('true') ? 'open' : states.includes('false') ? 'closed' : '';
  };
  const text = () => {
    const widget = widgetOf(el);
    const fields = [el, ...widget.querySelectorAll('input:not([type=hidden])')].map(e => e.value ?? '');
    return words([widget.innerText, ...fields].join(' '));
  };
  const described = () => dom.json(options().map(describe));
  // the list may have been drawn anew since it was read: another option may be at this place now
  const optionNow = ({at, text, value}) => {
    const all = options();
    const isMeant = o => { const now = describe(o); return now.text === text && now.value === value };
    return all[at] && isMeant(all[at]) ? all[at] : all.find(isMeant) ?? null;
  };
  return {described, optionNow, scroll, searchField, trigger, expanded, text};
}
