// @ts-check
// What Python calls: the fingerprint of an element, whether another is the same one, and a ranking of all candidates.
const isRelated = (one, other) => one.contains(other) || other.contains(one);

const placeOf = () => ({page: location.pathname, frame: window === window.top ? '' : window.name || location.pathname});

const fingerprint = (element, {weights, most}) => {
  const wanted = describe(element);
  const others = candidates(wanted).filter((one) => one !== element && !isRelated(one, element)).map(describe)
    .filter((one) => prepare(one).kind === prepare(wanted).kind);
  const rarity = countWords([wanted, ...others]);
  const scored = others.map((one) => [weigh(compare(wanted, one, rarity), weights), one]);
  scored.sort((left, right) => Number(right[0]) - Number(left[0]));
  const namesakes = others.filter((one) => sameName(one, wanted)).length;
  return {...wanted, ...placeOf(), format: 1, namesakes, candidates: others.length + 1, rivals: scored.slice(0, most).map(([, one]) => one)};
};

// how an element compares with a fingerprint
const check = (element, {wanted, weights}) => {
  const now = describe(element);
  const all = [wanted, now, ...(wanted.rivals || [])];
  const seen = compare(wanted, now, countWords(all));
  return {seen, score: weigh(seen, weights), name: now.name, kind: prepare(now).kind, was: prepare(wanted).kind};
};

// a press on a box around a control, or on one that only looks as if it could be pressed, may do nothing at all
const answersPress = (element, now) => KINDS[now.role] === 'press' ||
  (element.matches('[onclick],summary') && !element.querySelector(CONTROLS));

const rank = ({wanted, weights, shown}) => {
  const bonus = placeOf().frame === wanted.frame ? weights.frame : 0;
  const kind = prepare(wanted).kind;
  const found = candidates(wanted).map((element) => /** @type {any} */ ({element, now: describe(element)}))
    .filter(({element, now}) => prepare(now).kind === kind && (KINDS[wanted.role] !== 'press' || answersPress(element, now)));
  const rarity = countWords([wanted, ...wanted.rivals, ...found.map(({now}) => now)]);
  for (const one of found) one.seen = compare(wanted, one.now, rarity);
  const alone = aloneByName(wanted, found, rarity);
  const onlyThere = aloneByAddress(wanted, found);
  for (const one of found) {
    one.seen.nameAlone = one === alone ? one.seen.name * trustInName(one) : 0;
    one.seen.addressAlone = yes(one === onlyThere);
    one.score = weigh(one.seen, weights) + bonus;
  }
  found.sort((left, right) => right.score - left.score);
  const best = found.slice(0, shown);
  const rivalOf = (now) => Math.max(...wanted.rivals.map((rival) => weigh(compare(rival, now, rarity), weights) + bonus));
  return {
    elements: best.map(({element}) => element),
    report: {
      count: found.length,
      itself: weigh(compare(wanted, wanted, rarity), weights) + weights.frame,
      // one inside or around the first means the same thing and is not a competitor
      scores: found.filter(({element}, at) => at === 0 || !isRelated(element, found[0].element))
        .map(({score}) => score),
      best: best.map(({element, now, seen, score}, at) => ({
        score, seen, tag: now.tag, role: now.role, name: now.name, label: now.label, address: now.address,
        isRelated: at > 0 && isRelated(element, found[0].element),
        rival: at === 0 && wanted.rivals.length ? rivalOf(now) : null,
      })),
    },
  };
};

const isFirmName = (text) => text && idWords(text).length > 0 && !/\p{N}{2,}|^:|^\d/u.test(text) &&
  text.split(/[^\p{L}\p{N}]+/u).every((part) => !part || !isGenerated(part));

const positionOf = (element) => dom.cssPath(element, (level) => level !== element && isFirmName(level.id));

// locators for the element, the most stable first
const locatorsOf = (element) => {
  const now = describe(element);
  const quoted = (value) => `"${CSS.escape(value)}"`;
  const found = [];
  const spoken = now.name && now.name.length <= 80;
  if (now.role && spoken && now.role !== 'file') found.push({role: now.role, text: now.name});
  if (now.label) found.push({label: now.label});
  if (now.placeholder) found.push({placeholder: now.placeholder});
  if (element.getAttribute('alt')) found.push({altText: collapseSpaces(element.getAttribute('alt'))});
  if (element.title) found.push({title: collapseSpaces(element.title)});
  for (const name of ['data-testid', 'data-test', 'data-test-id', 'data-cy', 'data-qa', 'name', 'data-action', 'href']) {
    const value = element.getAttribute(name);
    if (value) found.push({css: `${now.tag}[${name}=${quoted(value)}]`});
  }
  if (isFirmName(element.id)) found.push({css: `#${CSS.escape(element.id)}`});
  const firm = now.classes.filter(isFirmName);
  if (firm.length) found.push({css: now.tag + firm.map((name) => `.${CSS.escape(name)}`).join('')});
  if (spoken && !now.role) found.push({css: now.tag, text: now.name});
  found.push({css: positionOf(element)});
  return found;
};

// what a person means who points there: the control around the point, the field of a label, or the element itself
const pointed = ({x, y}) => {
  const element = dom.elementAt(x, y, {through: true});
  for (let level = element; level && level !== document.body; level = parentOf(level)) {
    if (level instanceof HTMLLabelElement && level.control) return level.control;
    if (level.matches(CONTROLS)) return level;
  }
  return element;
};

const pointedFacts = (element) => {
  const {tag, role, name} = describe(element);
  return {tag, role, name, locators: locatorsOf(element)};
};
