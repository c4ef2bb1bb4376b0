// @ts-check
// What a page offers that an element could have been, for an error message.
() => {
  const wanted = 'a,button,input,select,textarea,label,summary,[role],[aria-label],[title],img[alt],'
    + '[contenteditable],h1,h2,h3,h4,td,th,li,p,span';
  const out = [];
  const walk = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (out.length >= 400) return;
      if (element.shadowRoot) walk(element.shadowRoot);
      if (!element.matches(wanted) || !element.checkVisibility()) continue;
      const labels = element.labels ? [...element.labels].map(label => label.textContent).join(' ') : '';
      const own = element.children.length < 3 ? element.textContent : '';
      const value = ['submit', 'button', 'reset'].includes(element.type) ? element.value : '';
      const name = element.getAttribute('aria-label') || labels || element.getAttribute('placeholder')
        || element.getAttribute('alt') || value || own || element.getAttribute('title') || element.name || '';
      if (!name.trim()) continue;
      const roles = {A: 'link', BUTTON: 'button', SELECT: 'combobox', TEXTAREA: 'textbox', IMG: 'img',
        LI: 'listitem', H1: 'heading', H2: 'heading', H3: 'heading', H4: 'heading', TD: 'cell',
        TH: 'columnheader'};
      const kinds = {submit: 'button', button: 'button', checkbox: 'checkbox', radio: 'radio'};
      const usual = element.tagName === 'INPUT' ? kinds[element.type] || 'textbox' : roles[element.tagName];
      const role = element.getAttribute('role') || usual || element.tagName.toLowerCase();
      out.push({role, name: name.trim().slice(0, 120)});
    }
  };
  walk(document);
  return out;
}
