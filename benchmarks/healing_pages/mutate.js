// What happens to pages between two visits. `random` is seeded, so a trial can be repeated.
const seeded = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

const FIXED = ['TR', 'TD', 'TH', 'TBODY', 'THEAD', 'OPTION', 'STYLE', 'SLOT'];
const SPOKEN = ['aria-label', 'value', 'title', 'placeholder', 'alt'];
const ANEW = ['Compare', 'Leave feedback', 'Shortcuts', 'Roadmap', 'Invite a friend', 'Statistics', 'Bulletin', 'Webinars'];
const REWORDED = [
  [/\blog in\b|\blogin\b/i, 'Sign in'], [/\blog (out|off)\b|\bend session\b/i, 'Sign out'], [/\bsearch\b/i, 'Find'],
  [/\bshow\b|\bdisplay\b/i, 'View'], [/\bdetails\b/i, 'Information'], [/\bcontact us\b/i, 'Contact'], [/\bhelp\b/i, 'Support'],
  [/\badd\b/i, 'Create'], [/\bedit\b|\bchange\b/i, 'Modify'], [/\bsettings\b/i, 'Preferences'], [/\bnext\b/i, 'Continue'],
  [/\bback\b|\bprevious\b/i, 'Go back'], [/\be-?mail( address)?\b/i, 'Email'], [/\bphone( number)?\b/i, 'Telephone'],
  [/\bmy\b/i, 'Your'], [/\bcart\b|\bbasket\b/i, 'Shopping bag'], [/\bprivacy( notice)?\b/i, 'Privacy policy'],
  [/\bsave\b/i, 'Save changes'], [/\bfirst name\b|\bvorname\b/i, 'Given name'], [/\blast name\b|\bnachname\b/i, 'Family name'],
];

const mutations = (target, random, words) => {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const walk = (root) => [...root.children].flatMap((one) => [one, ...(one.shadowRoot ? walk(one.shadowRoot) : []), ...walk(one)]);
  const all = () => walk(document.body);
  const made = () => pick(['box', 'wrap', 'item', 'inner', 'panel', 'holder', 'unit', 'cell']) + '-' +
    pick(['a', 'xl', 'alt', 'main', 'next', 'top']);
  const textsIn = (elements) => elements.filter((one) => !['STYLE', 'SCRIPT'].includes(one.tagName))
    .flatMap((one) => [...one.childNodes]).filter((node) => node.nodeType === 3 && node.data.trim());
  const textNodes = () => textsIn([document.body, ...all()]);
  const within = (element) => [element, ...walk(element)];
  const inTarget = (node) => target.contains(node) ||
    within(target).some((one) => one.tagName === 'SLOT' && one.assignedNodes().includes(node));
  // a row: the nearest ancestor that has brothers of its kind with the same shape
  const row = () => {
    for (let level = target; level && level !== document.body; level = level.parentElement) {
      const alike = [...(level.parentElement?.children || [])].filter((one) => one.tagName === level.tagName &&
        one.children.length === level.children.length && one.className === level.className);
      // lines of a form are not rows of a list: each has a field of its own
      const isLine = level.querySelector('input[id],select[id],textarea[id]');
      if (alike.length >= 3 && level.children.length >= 2 && !isLine) return level;
    }
    return null;
  };
  const section = () => {
    let level = target;
    while (level.parentElement && level.parentElement !== document.body && level.parentElement.querySelectorAll('a,button,input,select').length < 8) level = level.parentElement;
    return level === target || !level.parentElement || ['TR', 'TD', 'TBODY'].includes(level.tagName) ? null : level;
  };
  const changeWord = (text) => {
    const parts = text.split(' ');
    parts[Math.floor(random() * parts.length)] = pick(['all', 'your', 'now', 'new', 'more', 'here']);
    return parts.join(' ');
  };
  const reword = (text) => {
    const [found, fresh] = REWORDED.find(([known]) => known.test(text)) || [];
    if (found) return text.replace(found, fresh);
    const parts = text.split(' ');
    return parts.length > 2 ? parts.slice(0, -1).join(' ') : `${text} ${pick(['online', 'here', '›'])}`;
  };
  const isTyped = (name, element) => name === 'value' && !['submit', 'button', 'reset'].includes(element.type);
  const say = (change) => {
    const own = textNodes().filter(inTarget)[0];
    if (own) own.data = change(own.data.trim());
    for (const name of SPOKEN) {
      if (target.hasAttribute(name) && !isTyped(name, target)) target.setAttribute(name, change(target.getAttribute(name)));
    }
    const label = target.labels?.[0];
    const named = label && textsIn(within(label)).filter((node) => !inTarget(node))[0];
    if (named) named.data = change(named.data.trim());
  };
  const replaceBy = (tag, role) => {
    const fresh = document.createElement(tag);
    for (const {name, value} of [...target.attributes]) if (!['href', 'type', 'role', 'value'].includes(name)) fresh.setAttribute(name, value);
    if (role) fresh.setAttribute('role', role);
    if (target.tagName === 'INPUT') fresh.textContent = target.value;
    fresh.append(...target.childNodes);
    target.replaceWith(fresh);
    target = fresh;
    return fresh;
  };
  // the same kind of thing with nothing of the target's own: other words, other address, other marks
  const another = (whole, word) => {
    const fresh = whole.cloneNode(true);
    for (const one of within(fresh)) {
      for (const {name, value} of [...one.attributes]) {
        if (SPOKEN.includes(name) && value && !isTyped(name, one)) one.setAttribute(name, word);
        else if (name === 'href' || name === 'src') one.setAttribute(name, `/${word.toLowerCase().replaceAll(' ', '-')}`);
        else if (name === 'name' || name.startsWith('data-')) one.setAttribute(name, word.toLowerCase().split(' ')[0]);
        else if (['id', 'for', 'value', 'aria-labelledby', 'autocomplete'].includes(name)) one.removeAttribute(name);
      }
    }
    textsIn(within(fresh)).forEach((node, at) => { node.data = at ? '' : word; });
    return fresh;
  };
  // what all rows say (Edit, Reply) stays; what makes a row this row goes
  const makeOther = (changed, rows) => {
    const known = rows.map((one) => ({held: within(one), said: textsIn(within(one)).map((node) => node.data)}));
    const isCommon = (says) => known.filter(says).length >= rows.length / 2;
    let at = 0;
    for (const one of changed) {
      for (const node of textsIn(within(one))) {
        const text = node.data.trim();
        if (!isCommon(({said}) => said.some((its) => its.includes(text)))) node.data = words[at++ % words.length];
      }
      for (const element of within(one)) {
        for (const {name, value} of [...element.attributes]) {
          if (!value || ['class', 'style', 'type', 'role', 'slot'].includes(name)) continue;
          if (isCommon(({held}) => held.some((its) => its.getAttribute(name) === value))) continue;
          const fresh = words[at % words.length];
          element.setAttribute(name, name === 'href' ? value.replace(/[^/=#?&]+$/, fresh.split(' ')[1]) : fresh);
        }
      }
    }
  };
  // what is repeated in a menu or a bar: the element, or the box that holds nothing else
  const unit = () => {
    const box = target.parentElement;
    return box && box.children.length === 1 && (box.parentElement?.children.length || 0) > 1 && !FIXED.includes(box.tagName) ? box : target;
  };
  const does = {
    nothing: () => {},
    'ids renamed': () => {
      for (const one of all()) {
        if (!one.id) continue;
        const fresh = `${made()}-${Math.floor(random() * 1e4)}`;
        for (const name of ['for', 'aria-labelledby']) {
          one.getRootNode().querySelectorAll(`[${name}="${CSS.escape(one.id)}"]`).forEach((held) => held.setAttribute(name, fresh));
        }
        one.id = fresh;
      }
    },
    'classes renamed': () => {
      const fresh = new Map();
      for (const one of all()) {
        if (!one.getAttribute('class')) continue;
        one.setAttribute('class', one.getAttribute('class').split(/\s+/).map((name) => {
          if (!fresh.has(name)) fresh.set(name, made());
          return fresh.get(name);
        }).join(' '));
      }
    },
    'wrappers added': () => {
      for (const one of [target, ...all().filter(() => random() < 0.1)]) {
        if (!one.isConnected || FIXED.includes(one.tagName)) continue;
        const wrap = document.createElement('div');
        wrap.className = made();
        if (one.slot) wrap.slot = one.slot;
        one.removeAttribute('slot');
        one.replaceWith(wrap);
        wrap.append(one);
      }
    },
    'siblings inserted': () => {
      for (const near of [target, target.parentElement, ...all().filter(() => random() < 0.05)]) {
        if (!near?.parentElement || FIXED.includes(near.tagName)) continue;
        const fresh = document.createElement(pick(['a', 'button', 'span']));
        fresh.textContent = pick(['Beta', 'What is new', 'Info', 'Preview', 'Tips']);
        if (fresh.tagName === 'A') fresh.href = `/${pick(['beta', 'news', 'tips', 'info'])}`;
        near.before(fresh);
      }
    },
    'own text edited': () => say((text) => (text.includes(' ') ? changeWord(text) : `${text} ${pick(['now', 'it', 'all'])}`)),
    'own text reworded': () => say(reword),
    'own text replaced': () => say(() => pick(['Proceed', 'Go there', 'Have a look', 'Do it', 'Onwards'])),
    'rows shifted': () => {
      const own = row();
      if (!own) return false;
      const rows = [...own.parentElement.children];
      const fresh = own.cloneNode(true);
      makeOther([fresh], rows);
      rows[0].before(fresh);
      rows.at(-1).after(own);
      return true;
    },
    'rows sorted anew': () => {
      const own = row();
      if (!own) return false;
      const list = own.parentElement;
      list.append(...[...list.children].map((one) => [random(), one]).sort((a, b) => a[0] - b[0]).map(([, one]) => one));
      return true;
    },
    'attributes dropped': () => {
      for (const one of [target, ...all()]) {
        for (const {name} of [...one.attributes]) {
          const goes = name.startsWith('data-') || name === 'name' || name === 'autocomplete' || name === 'title';
          if (goes && (one === target || random() < 0.5)) one.removeAttribute(name);
        }
      }
    },
    'addresses moved': () => {
      for (const one of all()) {
        const address = one.getAttribute('href') || '';
        if (address.startsWith('/')) one.setAttribute('href', `/v2${address}`);
      }
    },
    'surroundings edited': () => {
      for (const node of textNodes()) if (!inTarget(node) && random() < 0.3) node.data = changeWord(node.data.trim());
    },
    'tag swapped': () => (['A', 'BUTTON'].includes(target.tagName) ? does.swap() : false),
    swap: () => {
      const fresh = replaceBy('div', target.getAttribute('role') || (target.tagName === 'A' ? 'link' : 'button'));
      fresh.tabIndex = 0;
      return fresh;
    },
    'button made a link, or the reverse': () => {
      const isButton = target.tagName === 'INPUT' && ['submit', 'button', 'reset'].includes(target.type);
      if (target.tagName === 'BUTTON') {
        const fresh = replaceBy('a', target.getAttribute('role') || 'button');
        fresh.href = '#';
        return fresh;
      }
      return isButton || target.tagName === 'A' || target.matches('div[role=button]') ? replaceBy('button') : false;
    },
    'label moved': () => {
      const label = target.labels?.[0];
      const text = label && textsIn(within(label)).filter((node) => !inTarget(node)).map((node) => node.data.trim()).join(' ');
      if (label && text) {
        if (label.contains(target)) label.replaceWith(target);
        else label.remove();
        if (random() < 0.5 && target.matches('input:not([type=radio]):not([type=checkbox]),textarea')) target.placeholder = text;
        else target.setAttribute('aria-label', text);
        return true;
      }
      const name = SPOKEN.find((one) => target.getAttribute(one) && !isTyped(one, target));
      if (target.matches('input:not([type=submit]):not([type=button]):not([type=reset]):not([type=image]),select,textarea')) {
        if (!name) return false;
        const fresh = document.createElement('label');
        fresh.textContent = target.getAttribute(name);
        target.removeAttribute(name);
        target.replaceWith(fresh);
        fresh.append(target);
        return true;
      }
      const own = textsIn(within(target));
      if (name && name !== 'value') {
        // an icon gets words
        own.forEach((node) => node.remove());
        target.append(target.getAttribute(name));
        target.removeAttribute(name);
        return true;
      }
      if (!own.length || own.length > 2) return false;
      // words become an icon
      target.setAttribute('aria-label', own.map((node) => node.data.trim()).join(' '));
      own.forEach((node) => { node.data = '●'; });
      return true;
    },
    'section moved': () => {
      const own = section();
      if (!own) return false;
      document.body.append(own);
      return true;
    },
    'menu grew': () => {
      const own = unit();
      if (!own.parentNode || FIXED.includes(own.tagName)) return false;
      const at = Math.floor(random() * ANEW.length);
      const fresh = [0, 1, 2].map((step) => another(own, ANEW[(at + step) % ANEW.length]));
      own.before(fresh[0]);
      own.after(fresh[1], fresh[2]);
      return true;
    },
    'twin added': () => {
      const menu = document.createElement('div');
      menu.className = 'drawer';
      const twin = target.cloneNode(true);
      twin.removeAttribute('id');
      menu.append(twin);
      document.body.prepend(menu);
    },
    'removed': () => { target.remove(); },
    'removed with its row': () => {
      const own = row();
      if (!own) return false;
      own.remove();
      return true;
    },
    'removed with its section': () => {
      const own = section();
      if (!own) return false;
      own.remove();
      return true;
    },
    'replaced by another': () => {
      const own = unit();
      // what a slot shows belongs to somebody else, and would stay
      if (!own.parentNode || FIXED.includes(own.tagName) || own.querySelector('slot')) return false;
      const label = target.labels?.[0];
      const word = pick(ANEW);
      if (label && !label.contains(target)) label.textContent = word;
      own.replaceWith(another(own, word));
      return true;
    },
    'other rows now': () => {
      const own = row();
      if (!own) return false;
      const rows = [...own.parentElement.children];
      makeOther(rows, rows.map((one) => one.cloneNode(true)));
      return true;
    },
  };
  const redesign = () => {
    for (const name of ['ids renamed', 'classes renamed', 'wrappers added', 'siblings inserted', 'attributes dropped', 'surroundings edited']) does[name]();
  };
  // what a site does to itself in some years: a redesign, other addresses, tags and labels, a menu that has
  // grown, a section that has moved, now and then other words
  const rebuild = () => {
    for (const name of ['own text reworded', 'label moved', 'button made a link, or the reverse', 'menu grew', 'section moved', 'rows shifted']) {
      if (random() < 0.4) does[name]();
    }
    if (random() < 0.6) does['addresses moved']();
    redesign();
    return target;
  };
  does['redesigned'] = redesign;
  does['redesigned, text edited'] = () => { redesign(); does['own text edited'](); };
  does['rebuilt over years'] = rebuild;
  does['rebuilt over years, otherwise'] = rebuild;
  does['removed, redesigned'] = () => { redesign(); target.remove(); };
  does['removed, rebuilt over years'] = () => { rebuild().remove(); };
  does['replaced, redesigned'] = () => { const came = does['replaced by another'](); redesign(); return came; };
  return does;
};
