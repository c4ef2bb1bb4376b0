// What happens to pages between two visits. `random` is seeded, so a trial can be repeated.
const seeded = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

const mutations = (target, random, words) => {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const all = () => [...document.body.querySelectorAll('*')];
  const made = () => pick(['box', 'wrap', 'item', 'inner', 'panel', 'holder', 'unit', 'cell']) + '-' +
    pick(['a', 'xl', 'alt', 'main', 'next', 'top']);
  const textNodes = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (walker.currentNode.data.trim()) found.push(walker.currentNode);
    return found;
  };
  const inTarget = (node) => target.contains(node);
  // a row: the nearest ancestor that has brothers of its kind with the same shape
  const row = () => {
    for (let level = target; level && level !== document.body; level = level.parentElement) {
      const alike = [...(level.parentElement?.children || [])].filter((one) => one.tagName === level.tagName &&
        one.children.length === level.children.length && one.className === level.className);
      // lines of a form are no rows of a list: each has a field of its own
      const isLine = level.querySelector('input[id],select[id],textarea[id]');
      if (alike.length >= 3 && level.children.length >= 2 && !isLine) return level;
    }
    return null;
  };
  const changeWord = (text) => {
    const parts = text.split(' ');
    parts[Math.floor(random() * parts.length)] = pick(['all', 'your', 'now', 'new', 'more', 'here']);
    return parts.join(' ');
  };
  const say = (change) => {
    const own = textNodes().filter(inTarget)[0];
    if (own) own.data = change(own.data.trim());
    for (const name of ['aria-label', 'value', 'title', 'placeholder', 'alt']) {
      if (target.hasAttribute(name) && !(name === 'value' && !['submit', 'button', 'reset'].includes(target.type))) {
        target.setAttribute(name, change(target.getAttribute(name)));
      }
    }
    const label = target.labels?.[0];
    const named = label && textNodes().filter((node) => label.contains(node))[0];
    if (named) named.data = change(named.data.trim());
  };
  const does = {
    nothing: () => {},
    'ids renamed': () => {
      for (const one of all()) {
        if (!one.id) continue;
        const fresh = `${made()}-${Math.floor(random() * 1e4)}`;
        document.querySelectorAll(`label[for="${CSS.escape(one.id)}"]`).forEach((label) => label.setAttribute('for', fresh));
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
        if (!one.isConnected || ['TR', 'TD', 'TH', 'TBODY', 'THEAD', 'OPTION'].includes(one.tagName)) continue;
        const wrap = document.createElement('div');
        wrap.className = made();
        one.replaceWith(wrap);
        wrap.append(one);
      }
    },
    'siblings inserted': () => {
      for (const near of [target, target.parentElement, ...all().filter(() => random() < 0.05)]) {
        if (!near?.parentElement || ['TR', 'TD', 'TH', 'TBODY', 'OPTION'].includes(near.tagName)) continue;
        const fresh = document.createElement(pick(['a', 'button', 'span']));
        fresh.textContent = pick(['Beta', 'What is new', 'Info', 'Preview', 'Tips']);
        if (fresh.tagName === 'A') fresh.href = `/${pick(['beta', 'news', 'tips', 'info'])}`;
        near.before(fresh);
      }
    },
    'own text edited': () => say((text) => (text.includes(' ') ? changeWord(text) : `${text} ${pick(['now', 'it', 'all'])}`)),
    'own text replaced': () => say(() => pick(['Proceed', 'Go there', 'Have a look', 'Do it', 'Onwards'])),
    'rows shifted': () => {
      const own = row();
      if (!own) return false;
      const fresh = own.cloneNode(true);
      const walker = document.createTreeWalker(fresh, NodeFilter.SHOW_TEXT);
      let at = 0;
      while (walker.nextNode()) {
        if (walker.currentNode.data.trim().length > 8) walker.currentNode.data = words[(at++ + 3) % words.length];
      }
      fresh.querySelectorAll('[href]').forEach((one) => one.setAttribute('href', `${one.getAttribute('href')}99`));
      own.parentElement.prepend(fresh);
      own.parentElement.append(own);
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
      for (const one of document.querySelectorAll('[href^="/"]')) one.setAttribute('href', `/v2${one.getAttribute('href')}`);
    },
    'surroundings edited': () => {
      for (const node of textNodes()) if (!inTarget(node) && random() < 0.3) node.data = changeWord(node.data.trim());
    },
    'tag swapped': () => {
      if (!['A', 'BUTTON'].includes(target.tagName)) return false;
      const fresh = document.createElement('div');
      for (const {name, value} of [...target.attributes]) if (name !== 'href' && name !== 'type') fresh.setAttribute(name, value);
      fresh.setAttribute('role', target.tagName === 'A' ? 'link' : 'button');
      fresh.tabIndex = 0;
      fresh.append(...target.childNodes);
      target.replaceWith(fresh);
      return fresh;
    },
    'section moved': () => {
      let section = target;
      while (section.parentElement !== document.body && section.parentElement.querySelectorAll('a,button,input,select').length < 8) section = section.parentElement;
      if (section === target || ['TR', 'TD', 'TBODY'].includes(section.tagName)) return false;
      document.body.append(section);
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
    'other rows now': () => {
      const own = row();
      if (!own) return false;
      let at = 0;
      for (const one of own.parentElement.children) {
        const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
        const heard = textNodes().filter((node) => own.contains(node)).map((node) => node.data.trim());
        // what all rows say (Edit, Reply) stays; what makes a row this row goes
        while (walker.nextNode()) {
          const text = walker.currentNode.data.trim();
          const common = [...own.parentElement.children].filter((other) => other.textContent.includes(text)).length;
          if (text && common < own.parentElement.children.length / 2 && heard.length) walker.currentNode.data = words[at++ % words.length];
        }
        for (const held of one.querySelectorAll('*')) {
          for (const {name, value} of [...held.attributes]) {
            if (!value || ['class', 'style', 'type', 'role'].includes(name)) continue;
            const common = own.parentElement.querySelectorAll(`[${name}="${CSS.escape(value)}"]`).length;
            const fresh = words[at % words.length];
            if (common < own.parentElement.children.length / 2) {
              held.setAttribute(name, name === 'href' ? value.replace(/[^/=#?&]+$/, fresh.split(' ')[1]) : fresh);
            }
          }
        }
      }
      return true;
    },
  };
  const redesign = () => {
    for (const name of ['ids renamed', 'classes renamed', 'wrappers added', 'siblings inserted', 'attributes dropped', 'surroundings edited']) does[name]();
  };
  does['redesigned'] = redesign;
  does['redesigned, text edited'] = () => { redesign(); does['own text edited'](); };
  does['removed, redesigned'] = () => { redesign(); target.remove(); };
  return does;
};

const trial = ({body, at, name, seed, words, given}) => {
  document.body.innerHTML = body;
  texts.clear();
  headings.clear();
  let target = everyElement().filter((element) => isControl(element) && isShown(element))[at];
  const outcome = mutations(target, seeded(seed), words)[name]();
  if (outcome === false) return null;
  if (outcome instanceof Element) target = outcome;
  const isGone = name.startsWith('removed') || name === 'other rows now';
  const began = performance.now();
  const ranking = rank(given);
  return {report: ranking.report, isGone, isShown: isGone || isShown(target), isRight: ranking.elements[0] === target, ms: performance.now() - began};
};

const pristine = ({body, at, weights, most}) => {
  document.body.innerHTML = body;
  texts.clear();
  headings.clear();
  const targets = everyElement().filter((element) => isControl(element) && isShown(element));
  const began = performance.now();
  return {count: targets.length, wanted: targets[at] ? remember(targets[at], {weights, most}) : null, ms: performance.now() - began};
};
