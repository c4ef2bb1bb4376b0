// @ts-check
// Pairs: a label and its value.
const LABELLIKE = /(^|[-_ ])(label|key|term|caption|dt|heading|field-?name|attribute-?name)([-_ ]|$)/i;
const VALUELIKE = /(^|[-_ ])(value|data|dd|content|field-?value)([-_ ]|$)/i;
const isLabelLike = (el) => LABELLIKE.test(classes(el).join(' ')) || /^(STRONG|B|LABEL|SMALL|H[2-6])$/.test(el.tagName);
const isValueLike = (el) => VALUELIKE.test(classes(el).join(' '));
const pairs = [];
const addPair = (el, label, cells) => {
  const name = collapseSpaces(label).replace(/\s*:$/, '');
  const values = cells.filter((one) => one.text || one.links || one.images);
  if (!name || name.length > 60 || !/\p{L}|#/u.test(name)) return;
  register(pairsUnder, el, pairs.length);
  pairs.push({label: name, group: headingAbove(el), cells: values});
};

const fromDefinitions = (list) => {
  let terms = [], values = [];
  const flush = () => { for (const term of terms) addPair(term, textOf(term), values.map(cellOf)); terms = []; values = [] };
  for (const el of within(list, 'dt, dd').filter((one) => one.closest('dl') === list && seen.has(one))) {
    if (el.tagName === 'DT' && values.length) flush();
    (el.tagName === 'DT' ? terms : values).push(el);
  }
  flush();
};

// "Label: value" line by line; a line that is only a label names the one line below it
const fromLines = (el) => {
  if (!textOf(el).includes(':')) return;
  const whole = cellOf(el);
  const lines = (el.innerText ?? '').split('\n').map(collapseSpaces).filter(Boolean);
  const isLabel = (line) => /^[^:]{1,60}:$/.test(line);
  // "Clerk: Ada | Log off": a link or button at the end is no part of the value
  const actions = [...el.querySelectorAll('a, button')].map(textOf).filter(Boolean);
  const withoutAction = (text) => {
    const rests = actions.filter((one) => text.endsWith(one)).map((one) => text.slice(0, -one.length).trimEnd());
    return rests.find((rest) => /\s[|·•/–—-]$/.test(rest))?.slice(0, -1).trimEnd() || text;
  };
  lines.forEach((line, at) => {
    const found = /^([^:]{1,60}?)\s*:\s+(\S.*)$/.exec(line) ?? /^([^:\d]{1,40}):(\S.*)$/.exec(line);
    const alone = lines.length === 1;
    if (found && !/^\/\//.test(found[2])) {
      addPair(el, found[1], [{...(alone ? whole : {}), text: withoutAction(found[2])}]);
    } else if (isLabel(line) && at + 1 < lines.length && !lines[at + 1].includes(':')) {
      const isOnlyOne = at + 2 === lines.length || lines[at + 2].includes(':');
      if (isOnlyOne) addPair(el, line, [{text: lines[at + 1]}]);
    }
  });
};

// the two texts of a box that are its label and its value: not what is done to them, nor a small remark after them
const coupled = memoize((el) => {
  const kids = visibleChildren(el).filter((one) => !isAction(one));
  const isRemark = (one) => one.tagName === 'SMALL' || parseFloat(getComputedStyle(one).fontSize) < parseFloat(getComputedStyle(kids[0]).fontSize);
  return kids.length === 3 && kids.every(isText) && isRemark(kids[2]) ? kids.slice(0, 2) : kids;
});
// two texts in one box: a label and its value, if something says which is which
const isCouple = memoize((el) => {
  if (el.childElementCount < 2) return false;
  const kids = coupled(el);
  return kids.length === 2 && !ownText(el) && kids.every(isText) && !el.closest('tr, dl, a') && !el.matches('ul, ol, [role=list]');
});
const lookOf = (el) => [el, ...coupled(el)].map(signature).join(' ');
const couples = new Map();
for (const el of everything) {
  if (!isCouple(el)) continue;
  if (!couples.has(lookOf(el))) couples.set(lookOf(el), []);
  couples.get(lookOf(el)).push(el);
}
// which of the two is the label is the same in all couples that look the same; labels differ from each other
const labelPlaces = new Map();
for (const [look, similar] of couples) {
  const texts = [0, 1].map((at) => similar.map((el) => textOf(coupled(el)[at])));
  const isPlain = (some) => some.every((text) => text && text.length <= 60 && !/\d/.test(text)) && new Set(some).size === some.length;
  const hasNumbers = (some) => some.every((text) => /\d/.test(text));
  if (similar.length < 2 || similar.length > 200) continue;
  if (isPlain(texts[1]) && hasNumbers(texts[0])) labelPlaces.set(look, 1);
  else if (new Set(texts[0]).size === texts[0].length) labelPlaces.set(look, 0);
}
const isFigure = (text) => /\d/.test(text) && text.length <= 20 && !/\p{L}{4}/u.test(text);
const fromCouple = (el) => {
  const [first, second] = coupled(el);
  // a number above what it counts
  if (isFigure(textOf(first)) && /\p{L}{2}/u.test(textOf(second)) && !/\d/.test(textOf(second))) return addPair(el, textOf(second), [cellOf(first)]);
  // a name before a figure in bold
  if (isFigure(textOf(second)) && !isLabelLike(first) && /\p{L}{2}/u.test(textOf(first)) && !/\d/.test(textOf(first))) return addPair(el, textOf(first), [cellOf(second)]);
  if (textOf(first).endsWith(':') || isLabelLike(first) || isValueLike(second)) {
    if (!isLabelLike(second) || isLabelLike(first)) return addPair(el, textOf(first), [cellOf(second)]);
  }
  if (isLabelLike(second) || isValueLike(first)) return addPair(el, textOf(second), [cellOf(first)]);
  const place = labelPlaces.get(lookOf(el));
  if (place !== undefined) addPair(el, textOf(place ? second : first), [cellOf(place ? first : second)]);
};

// a label in the same box as the only field of that box, though the markup does not tie them together
const labelBeside = (el) => {
  for (let box = el.parentElement, up = 0; box && up < 3 && box !== root; box = box.parentElement, up++) {
    const others = [...box.querySelectorAll(FIELDS)].filter((one) => one !== el && isField(one) && !(el.name && one.name === el.name));
    if (others.length) return '';
    const labels = [...box.querySelectorAll('label, legend, th, dt')].filter((one) => !one.control && seen.has(one) && textOf(one));
    if (labels.length) return labels.length === 1 ? textOf(labels[0]) : '';
    const before = box.firstElementChild;
    if (up > 1 || !before || before === el || before.contains(el) || isField(before)) continue;
    // what stands below the label, in an element of its own, is a hint
    const label = ownText(before) || (isText(before) ? textOf(before) : '');
    if (label) return label;
  }
  return '';
};
const fromField = (el) => {
  if (el.type === 'radio') {
    const legend = el.closest('fieldset')?.querySelector('legend');
    if (el.checked) addPair(el, legend ? textOf(legend) : labelBeside(el), [{text: fieldText(el)}]);
    return;
  }
  const label = el.labels?.[0];
  const inner = label && [...label.children].filter((one) => !one.contains(el)).map(textOf).join(' ');
  const text = !label ? named(el) || labelBeside(el) : label.contains(el) ? ownText(label) || collapseSpaces(inner) : textOf(label);
  if (text) addPair(el, text, [{text: fieldText(el)}]);
};

const isBlock = (el) => !/^(inline|none|contents)/.test(getComputedStyle(el).display);
const isBold = dom.isBold;
// "Client <b>Acme</b>" in two lines: the text is the label, the only element in it the value
const fromTextAndElement = (el) => {
  const [only] = visibleChildren(el);
  const label = ownText(el);
  if (!label || label.length > 40 || /[.!?]$/.test(label) || !isText(only) || !isBlock(only)) return false;
  // the label of a field, with a hint below it
  const next = el.nextElementSibling;
  if (next && (next.matches(FIELDS) || next.querySelector(FIELDS))) return false;
  addPair(el, label, [cellOf(only)]);
  return true;
};
// "<b>Client</b> Acme": a label that looks otherwise than the text after it
const fromElementAndText = (el) => {
  const [only] = visibleChildren(el), value = ownText(el);
  const opening = [...el.childNodes].find((one) => (one.nodeType === 3 ? one.data.trim() : one.nodeType === 1 && seen.has(one)));
  const label = only ? textOf(only) : '';
  if (opening !== only || !isText(only) || isField(only) || only.matches('a, button, time, img') || !value || value.length > 80 || /[.!?]$/.test(value)) return false;
  if (!label || label.length > 40 || /\d/.test(label)) return false;
  const [mine, around] = [getComputedStyle(only), getComputedStyle(el)];
  if (!isBlock(only) && mine.color === around.color && mine.fontSize === around.fontSize && mine.fontWeight === around.fontWeight) return false;
  addPair(el, label, [{text: value}]);
  return true;
};
// a bold label, and the paragraph that follows it
const fromBoldAndNext = (el) => {
  const next = el.nextElementSibling;
  if (!/^(STRONG|B|LABEL)$/.test(el.tagName) && !isLabelLike(el)) return;
  if (el.tagName === 'LABEL' && el.control) return;
  if (!isText(next) || isField(next) || isLabelLike(next) || !isBlock(next) || collapseSpaces(el.nextSibling?.data) || textOf(el).length > 40) return;
  addPair(el, textOf(el), [cellOf(next)]);
};
// a heading, and below it nothing but one short text, perhaps with buttons
const fromHeading = (el) => {
  const box = el.nextElementSibling;
  if (!box || !seen.has(box) || (box.nextElementSibling && !box.nextElementSibling.matches(HEADINGS)) || textOf(el).length > 40 || box.matches('ul, ol, table, dl')) return;
  const leaves = [box, ...box.querySelectorAll('*')].filter((one) => seen.has(one) && hasOtherText(one) && ownText(one) && !one.closest('button, [role=button]') && !isAction(one));
  if (leaves.length === 1 && !leaves[0].matches('option') && textOf(leaves[0]).length <= 60 && !/[.!?]$/.test(textOf(leaves[0])) && !box.querySelector(FIELDS)) addPair(el, textOf(el), [cellOf(leaves[0])]);
};
for (const el of everything) {
  if (inLongTable(el)) continue;
  if (el.tagName === 'DL') fromDefinitions(el);
  else if (isField(el)) fromField(el);
  else if (isCouple(el)) fromCouple(el);
  else if (el.matches('h2, h3, h4, h5, h6')) fromHeading(el);
  else if (el.closest('dl') || el.matches(HEADINGS)) continue;
  else if (!phraseOnly(el) && visibleChildren(el).length === 1) fromElementAndText(el) || fromTextAndElement(el);
  else if (phraseOnly(el) && !(el.parentElement && el !== root && phraseOnly(el.parentElement) && seen.has(el.parentElement))) {
    const next = el.nextElementSibling;
    if (textOf(el).endsWith(':') && isText(next) && !isCouple(el.parentElement ?? el)) addPair(el, textOf(el), [cellOf(next)]);
    else if (!(visibleChildren(el).length === 1 && (fromElementAndText(el) || fromTextAndElement(el)))) fromLines(el);
    if (!textOf(el).includes(':') && !isCouple(el.parentElement ?? el)) fromBoldAndNext(el);
  }
}
