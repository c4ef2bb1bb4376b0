// @ts-check
// How alike two descriptions are: shared words weighted by how rare they are on this page.
const KINDS = {
  button: 'press', link: 'press', menuitem: 'press', tab: 'press', option: 'press', treeitem: 'press',
  menuitemcheckbox: 'tick', menuitemradio: 'tick', checkbox: 'tick', radio: 'tick', switch: 'tick',
  textbox: 'type', searchbox: 'type', spinbutton: 'type', slider: 'slide', file: 'file',
};
// a combobox may be a select or a text field; its tag decides
const kindOf = (one) => {
  if (one.tag === 'label') return 'label';
  if (one.tag === 'select' || one.role === 'listbox') return 'choose';
  if (one.role === 'combobox') return ['input', 'textarea'].includes(one.tag) ? 'type' : 'choose';
  return KINDS[one.role] || (one.isControl ? 'press' : 'read');
};

const PIECES = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{N}+|[\p{L}\p{M}]+/gu;
const CASES = /(\p{Ll})(\p{Lu})/gu;
// "a", "to", "of": rare on some pages, and saying nothing on all
const SHORT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{1,2}$/u;
const words = (text) => (text ? text.toLowerCase().replace(/\be-mail/g, 'email').match(PIECES) || [] : []);
// what names are said with: `Enter your email address` is `Email`, `Show all` is `See all`
const SAID_WITH = new Set(['enter', 'type', 'your', 'please', 'the', 'my', 'here']);
const SAME_WORDS = {see: 'show', view: 'show', signin: 'login', logon: 'login', signup: 'register', remove: 'delete', create: 'new', find: 'search'};
const nameWords = (text) => {
  const all = words((text || '').replace(/\b(log|sign) (in|out|up)\b/gi, '$1$2').replace(/\b(e-?mail) address\b/gi, '$1'));
  const kept = all.filter((word) => !SAID_WITH.has(word));
  return (kept.length ? kept : all).map((word) => (Object.hasOwn(SAME_WORDS, word) ? SAME_WORDS[word] : word));
};

// generated names (css-1q2w3e, sc-bdVaJa, :r1:) say nothing tomorrow
const isGenerated = (part) => /\p{N}/u.test(part) || /[bcdfghjklmnpqrstvwxz]{5}/i.test(part) ||
  (/\p{Ll}\p{Lu}/u.test(part) && part.split(/(?=\p{Lu})/u).every((piece) => piece.length < 3));
const idWords = (text) => (text || '').split(/[^\p{L}\p{N}]+/u).filter((part) => part && !isGenerated(part))
  .flatMap((part) => words(part.replace(CASES, '$1 $2')));

const prepared = new WeakMap();
const prepare = (one) => {
  if (prepared.has(one)) return prepared.get(one);
  const own = new Set(nameWords(one.name));
  const said = new Set([...own, ...words(one.name)]);
  const others = (text) => new Set(words(text).filter((word) => !said.has(word)));
  const address = one.address;
  const tokens = {
    kind: kindOf(one), name: own, label: new Set(nameWords(one.label)), id: new Set(idWords(one.id)),
    classes: new Set(one.classes.flatMap(idWords)),
    attributes: new Set(Object.entries(one.attributes).flatMap(([name, value]) =>
      [`@${name}`, ...words(value).map((word) => `${name}=${word}`)])),
    marks: new Set(Object.entries(one.attributes).filter(([name]) => name !== 'type' && name !== 'autocomplete')
      .flatMap(([name, value]) => words(value).map((word) => `${name}=${word}`))),
    row: others(one.row), field: new Set(idWords(one.field)), placeholder: new Set(nameWords(one.placeholder)), hint: new Set(words(one.hint)),
    address: new Set(address ? [...words(address.path), ...words(address.query), ...words(address.fragment)] : []),
    image: new Set(idWords(one.image.replace(/\.\w+$/, ''))), near: others(one.near), far: others(one.far),
    wide: others(one.wide),
    before: new Set(words(one.before)), after: new Set(words(one.after)), heading: others(one.heading),
    ancestors: new Set(one.ancestors.flatMap(idWords)), path: new Set(one.path.map((tag, at) => `${tag}${at >> 2}`)),
  };
  prepared.set(one, tokens);
  return tokens;
};

// fields whose words are counted together
const GROUPS = {name: 'own', label: 'own', placeholder: 'own', hint: 'own', near: 'near', far: 'far', wide: 'wide',
  before: 'beside', after: 'beside', heading: 'heading', id: 'marks', classes: 'marks', field: 'marks',
  ancestors: 'marks', image: 'marks', attributes: 'attributes', row: 'row', address: 'address', path: 'path'};

// how rare each word is among the page's candidates
const countWords = (all) => {
  const names = [...new Set(Object.values(GROUPS))];
  const counts = Object.fromEntries(names.map((group) => [group, new Map()]));
  for (const one of all) {
    const seen = Object.fromEntries(names.map((group) => [group, new Set()]));
    const tokens = prepare(one);
    for (const [field, group] of Object.entries(GROUPS)) for (const word of tokens[field]) seen[group].add(word);
    for (const group of names) {
      for (const word of seen[group]) counts[group].set(word, (counts[group].get(word) || 0) + 1);
    }
  }
  const most = Math.log(all.length + 1);
  return (word, group) => {
    const rarity = Math.max(0.03, Math.log((all.length + 1) / (counts[group].get(word) || 1)) / most);
    if (/^\p{N}+$/u.test(word)) return rarity / 2;
    return SHORT.test(word) ? rarity / 3 : rarity;
  };
};

const overlap = (left, right, group, rarity) => {
  let shared = 0;
  let total = 0;
  let rarest = 0;
  for (const word of left) {
    const weight = rarity(word, group);
    total += weight;
    if (right.has(word)) { shared += weight; rarest = Math.max(rarest, weight); }
  }
  for (const word of right) if (!left.has(word)) total += rarity(word, group);
  return {alike: total ? shared / total : 0, rarest, isApart: left.size > 0 && right.size > 0 && rarest === 0};
};

const yes = (holds) => (holds ? 1 : 0);
const sameSet = (left, right) => left.size === right.size && [...left].every((item) => right.has(item));
const same = (left, right) => yes(left && left === right);

const APART = 0.15;
const wholeAddress = ({address}) => (address ? `${address.path}?${address.query}#${address.fragment}` : '');

// the same words, whatever is between them; signs only where there are no words
const sameName = (one, other) => {
  const name = [...prepare(one).name].join(' ');
  return name ? name === [...prepare(other).name].join(' ') : one.name === other.name;
};

const NUMBER = /^\p{N}+$/u;
const plainName = (one) => [...prepare(one).name].filter((word) => !NUMBER.test(word)).join(' ');
const numbersOf = (one) => [...prepare(one).name].filter((word) => NUMBER.test(word)).join(' ');

// "Inbox 3" is "Inbox 12" with other mail; "Page 2" beside "Page 1" and "Page 3" is another page
const sameButForNumbers = (one, other) => plainName(one) !== '' && plainName(one) === plainName(other);
const isSeries = (one) => (one.rivals || []).some((rival) => sameButForNumbers(one, rival) && numbersOf(rival));

// words that tell neighbours apart: `Last name` is never `First name`
const OPPOSITES = [['first', 'last', 'middle'], ['from', 'to'], ['start', 'end'], ['old', 'new', 'current'], ['min', 'max'], ['next', 'previous', 'prev', 'back'],
  ['up', 'down'], ['left', 'right'], ['yes', 'no'], ['on', 'off'], ['open', 'close'], ['login', 'register', 'logout', 'signout'], ['billing', 'shipping', 'delivery'], ['free', 'pro']];
const isOpposite = (one, other) => OPPOSITES.some((group) => {
  const [mine, theirs] = [one, other].map((names) => group.filter((word) => names.has(word)));
  return mine.length > 0 && theirs.length > 0 && !mine.some((word) => theirs.includes(word));
});

const compare = (wanted, other, rarity) => {
  const a = prepare(wanted);
  const b = prepare(other);
  const measure = (field) => overlap(a[field], b[field], GROUPS[field], rarity);
  const name = measure('name');
  const address = measure('address');
  const attributes = measure('attributes');
  const row = measure('row');
  const isCounter = sameButForNumbers(wanted, other) && !isSeries(wanted);
  const nameEqual = yes(wanted.name && (sameName(wanted, other) || isCounter));
  const isApart = a.name.size > 0 && b.name.size > 0 && name.alike < APART;
  const seen = {
    name: name.alike, nameEqual, nameRarity: isApart ? 0 : name.rarest, nameApart: yes(isApart),
    nameLost: yes(!a.name.size !== !b.name.size),
    numberApart: yes(sameButForNumbers(wanted, other) && numbersOf(wanted) && numbersOf(wanted) !== numbersOf(other) && isSeries(wanted)),
    opposite: yes(isOpposite(a.name, b.name)),
    addressLost: yes(a.address.size > 0 && !b.address.size && wanted.role === 'link' && other.role === 'link'),
    address: address.alike, addressEqual: same(wholeAddress(wanted), wholeAddress(other)),
    pathEqual: same(wanted.address?.path, other.address?.path), addressApart: yes(address.isApart),
    fragmentEqual: same(wanted.address?.fragment, other.address?.fragment),
    idEqual: same(wanted.id, other.id) * yes(a.id.size), attributes: attributes.alike,
    attributeRarity: overlap(a.marks, b.marks, 'attributes', rarity).rarest,
    row: row.alike, rowRarity: row.alike * row.rarest, rowApart: yes(row.isApart),
    classesEqual: same(wanted.classes.join(' '), other.classes.join(' ')) * yes(a.classes.size),
    // a button that only shows an icon has no other name
    iconEqual: yes(!wanted.name && !other.name && a.image.size && sameSet(a.image, b.image)),
    landmark: yes(wanted.landmark === other.landmark), tag: yes(wanted.tag === other.tag),
    role: yes(wanted.role === other.role), hosts: yes(wanted.hosts.join() === other.hosts.join()),
  };
  for (const field of ['label', 'id', 'classes', 'field', 'placeholder', 'hint', 'image', 'before', 'after', 'heading',
    'ancestors', 'path']) seen[field] = measure(field).alike;
  // something put in beside the element pushes every circle one further out
  const circle = (mine, theirs) => overlap(a[mine], b[theirs], GROUPS[mine], rarity);
  const best = (...pairs) => pairs.reduce((one, other) => (other.alike > one.alike ? other : one));
  const near = best(circle('near', 'near'), circle('near', 'far'), circle('far', 'near'));
  const far = best(circle('far', 'far'), circle('far', 'wide'), circle('wide', 'far'));
  seen.near = near.alike;
  seen.far = far.alike;
  seen.nearRarity = near.alike * near.rarest;
  seen.farRarity = far.alike * far.rarest;
  seen.beforeRarity = measure('before').alike * measure('before').rarest;
  seen.afterRarity = measure('after').alike * measure('after').rarest;
  return seen;
};

// how alike the names are, where no other candidate and no rival of old comes near to that
const ALONE = 0.6;
const aloneByName = (wanted, found, rarity) => {
  const [first, second] = [...found].sort((left, right) => right.seen.name - left.seen.name);
  if (wanted.namesakes !== 0 || !first || first.seen.name < 0.5) return null;
  const mine = prepare(wanted).name;
  const rivals = wanted.rivals.map((rival) => overlap(mine, prepare(rival).name, 'own', rarity).alike);
  const next = Math.max(0, second?.seen.name ?? 0, ...rivals);
  return next < first.seen.name * ALONE ? first : null;
};

// the only one that leads where the wanted one led, where no rival of old led there and nothing has its name
const aloneByAddress = (wanted, found) => {
  const where = wholeAddress(wanted);
  const isSomewhere = /[\p{L}\p{N}]{3}/u.test(where) && !wanted.rivals.some((rival) => wholeAddress(rival) === where);
  const there = isSomewhere ? found.filter(({now}) => wholeAddress(now) === where) : [];
  return there.length === 1 && !found.some(({seen}) => seen.nameEqual) ? there[0] : null;
};

// a name alone is believed less where all else speaks against it: another landmark, other surroundings, no address
const trustInName = ({seen}) => {
  const isSupported = seen.landmark || seen.address || seen.near > 0.15 || seen.far > 0.15 || seen.attributeRarity || seen.idEqual;
  return seen.addressLost && !isSupported ? 0.4 : 1;
};

const weigh = (seen, weights) => {
  let sum = 0;
  for (const feature of Object.keys(seen)) sum += seen[feature] * (weights[feature] || 0);
  return sum;
};
