// @ts-check
// Pairs: a label and its value.
const LABELLIKE = /(^|[-_ ])(label|lbl|key|k|term|caption|dt|heading|field-?name|attribute-?name)([-_ ]|$)/i;
const VALUELIKE = /(^|[-_ ])(value|val|v|data|dd|content|field-?value)([-_ ]|$)/i;
const isBlock = (el) => !/^(inline|none|contents)/.test(getComputedStyle(el).display);
const inPlainLink = (el) => { const link = el.closest('a'); return !!link && !isCard(link) };
const isLabelLike = (el) => LABELLIKE.test(classes(el).join(' ')) || /^(STRONG|B|LABEL|SMALL|H[2-6])$/.test(el.tagName);
const isValueLike = (el) => VALUELIKE.test(classes(el).join(' '));
const pairs = [];
const addPair = (el, label, cells) => {
  const name = withoutIcons(collapseSpaces(label)).replace(/\s?:$/, '');
  const values = cells.filter((one) => one.text || one.links || one.images).map((one) => ({...one, text: withoutIcons(one.text)}));
  if (!name || name.length > 60 || !/\p{L}|#/u.test(name)) return;
  register(pairsUnder, el, pairs.length);
  pairs.push({label: name, group: headingAbove(el), cells: values});
};

const fromDefinitions = (list) => {
  let terms = [], values = [];
  // a term that looks otherwise than the one after it is the title of them all
  const flush = () => {
    for (const term of terms) if (signature(term) === signature(terms[terms.length - 1])) addPair(term, textOf(term), values.filter((one) => values.length === 1 || ownText(one) || !visibleChildren(one).length || !visibleChildren(one).every(isAction)).map(cellOf));
    terms = []; values = [];
  };
  for (const el of within(list, 'dt, dd').filter((one) => one.closest('dl') === list && seen.has(one))) {
    if (el.tagName === 'DT' && values.length) flush();
    (el.tagName === 'DT' ? terms : values).push(el);
  }
  flush();
};

// the texts of a line in turn: null where a line, or what a mark or a box of its own separates, ends
// `ownOnly`: the texts of a box that other boxes stand in
const piecesOf = (el, ownOnly = false) => [...el.childNodes].flatMap((node) => {
  // a further label after a sentence begins another value
  const ends = node.nodeType === 3 && /^\s*[^:.,;]{1,60}:\s/.test(node.data) ? /(?:^|\s)[|·•](?:\s|$)|[.;,]\s+(?=\p{Lu}[\p{L} ]{0,30}:\s)/u : /(?:^|\s)[|·•](?:\s|$)/;
  if (node.nodeType === 3) return node.data.split(ends).map(collapseSpaces).flatMap((text, at) => [...(at ? [null] : []), ...(text ? [{text}] : [])]);
  if (node.nodeType !== 1 || node.tagName === 'BR') return [null];
  if (ownOnly && (isBlock(node) || !phraseOnly(node))) return [null];
  if (!seen.has(node) || isAction(node)) return [];
  const inner = node.childElementCount && !isField(node) && (ownText(node) || textOf(node).includes(':')) ? piecesOf(node) : /^[|·•]?$/.test(textOf(node)) ? [null] : [{text: textOf(node), el: node}];
  return isBlock(node) ? [null, ...inner, null] : inner;
});
const isShortName = (text) => text.length <= 30 && /^\p{Lu}/u.test(text) && !/[\d!?,;]|(?<!\b(no|nr|ref))\.$/iu.test(text);
// `Invoice no. 88120`
const NUMBERED = /^(\p{Lu}[\p{L} ]{0,30}(?:\b(?:no|nr|number|id)\b\.?|#)) ?#?([\p{L}\d/-]{0,20}\d[\p{L}\d/-]{0,20})$/iu;
// "Label: value", perhaps several in a line, or "Case No. <span>4711</span>"; a line that is only a label names the line below it
const fromLines = (el, ownOnly = false) => {
  const pieces = piecesOf(el, ownOnly);
  let label = '', values = [], starts = true, numbered = null;
  const flush = () => {
    // many words before a sentence are a part of it
    if (label && values.length && !(label.split(' ').length > 4 && /[.!?]$/.test(values[values.length - 1].text))) {
      const whole = !ownOnly && pieces.filter(Boolean).length <= values.length + 1 ? {...cellOf(el), items: undefined, lines: undefined} : {};
      addPair(el, label, [values.length === 1 && values[0].el ? cellOf(values[0].el) : {...whole, text: values.map((one) => one.text).join(' ')}]);
    }
    if (values.length) label = '';
    values = [];
  };
  pieces.forEach((piece, at) => {
    const found = piece ? /^([^:]{1,60}?)\s*:\s+(\S.*)$/.exec(piece.text) ?? /^([^:\d]{1,40}):(?!\/\/)(\S.*)$/.exec(piece.text) : null;
    const next = pieces[at + 1];
    if (!piece) flush();
    else if (found) { flush(); [, label] = found; values = [{text: found[2]}] }
    else if (ownOnly && !label && (numbered = NUMBERED.exec(piece.text))) addPair(el, numbered[1], [{text: numbered[2]}]);
    else if (/^[^:]{1,60}:$/.test(piece.text)) { flush(); label = piece.text; values = [] }
    else if (label) values.push(piece);
    else if (starts && !piece.el && next?.el && /\d/.test(next.text) && !(pieces[at + 2] && !pieces[at + 2].el) && isShortName(piece.text)) addPair(el, piece.text, [cellOf(next.el)]);
    starts = !piece || !!piece.el;
  });
  flush();
};

const isFigure = (text) => /\d/.test(text) && text.length <= 20 && !/\p{L}{4}/u.test(text);
// "640 €<small>Rent</small>": a figure, and below it in smaller letters what it is
const isFigureAndText = memoize((el) => {
  const [only, ...others] = el.childElementCount ? visibleChildren(el) : [], value = only && !others.length ? ownText(el) : '';
  const opening = value && [...el.childNodes].find((one) => (one.nodeType === 3 ? one.data.trim() : one.nodeType === 1 && seen.has(one)));
  return !!value && opening !== only && isText(only) && !isField(only) && !only.matches('a, button, time, img') && isFigure(value) &&
    /^\p{L}[^\d.!?]{1,39}$/u.test(textOf(only)) && parseFloat(getComputedStyle(only).fontSize) < parseFloat(getComputedStyle(el).fontSize);
});
// the two texts of a box that are its label and its value: not what is done to them, nor a small remark after them
const coupled = memoize((el) => {
  const kids = visibleChildren(el).filter((one) => !isAction(one) && !isInitials(one, textOf(one)));
  const isRemark = (one) => one.tagName === 'SMALL' || parseFloat(getComputedStyle(one).fontSize) < parseFloat(getComputedStyle(kids[0]).fontSize);
  return kids.length === 3 && kids.every(isText) && isRemark(kids[2]) ? kids.slice(0, 2) : kids;
});
// two texts in one box: a label and its value, if something says which is which
const isCouple = memoize((el) => {
  if (el.childElementCount < 2) return false;
  const kids = coupled(el);
  // two that each have a label of their own are two pairs
  return kids.length === 2 && !ownText(el) && !/^[^:]{1,60}:\s/.test(textOf(kids[0])) && kids.every((one) => isText(one) && !isCouple(one) && !isFigureAndText(one)) && !kids.every((one) => one.tagName === 'A') && !el.closest('tr, dl') && !inPlainLink(el) && !el.matches('ul, ol, [role=list]');
});
const lookOf = (el) => [el, ...coupled(el)].map(signature).join(' ');
const couples = new Map();
for (const el of everything) {
  if (!isCouple(el)) continue;
  if (!couples.has(lookOf(el))) couples.set(lookOf(el), []);
  couples.get(lookOf(el)).push(el);
}
// which of the two is the label is the same in all couples that look the same: the one without figures, or the one that
// comes again in every record; else the smaller one, else the first
const labelPlaces = new Map();
for (const [look, similar] of couples) {
  if (similar.length < 2 || similar.length > 500) continue;
  const texts = [0, 1].map((at) => similar.map((el) => textOf(coupled(el)[at])));
  const boxes = [...new Set(similar.map((el) => el.parentElement))].map((box) => visibleChildren(box).filter((el) => isCouple(el) && lookOf(el) === look));
  const records = [0, 1].map((at) => boxes.map((some) => some.map((el) => textOf(coupled(el)[at]))));
  const isPlain = texts.map((some) => some.every((text) => text && text.length <= 60 && !/\d/.test(text)));
  const hasFigures = texts.map((some) => some.filter((text) => /\d/.test(text)).length * 2 > some.length);
  const names = records.map((some) => new Set(some.reduce((most, one) => (one.length > most.length ? one : most))));
  const comesAgain = records.map((some, at) => some.length > 1 && some.every((one) => new Set(one).size === one.length && one.every((text) => names[at].has(text))));
  const areNames = [0, 1].map((at) => comesAgain[at] || new Set(texts[at]).size === similar.length);
  const sizes = coupled(similar[0]).map((one) => parseFloat(getComputedStyle(one).fontSize));
  const sure = [0, 1].find((at) => areNames[at] && ((isPlain[at] && hasFigures[1 - at]) || (comesAgain[at] && !comesAgain[1 - at])));
  const likely = [0, 1].find((at) => isPlain[at] && areNames[at] && sizes[at] < sizes[1 - at]);
  const place = sure ?? likely ?? (areNames[0] ? 0 : undefined);
  if (place !== undefined) labelPlaces.set(look, {place, isSure: sure !== undefined, isSmaller: sure === undefined && likely !== undefined});
}
const fromCouple = (el) => {
  const [first, second] = coupled(el);
  // a number above what it counts
  if (isFigure(textOf(first)) && /\p{L}{2}/u.test(textOf(second)) && !/\d/.test(textOf(second))) return addPair(el, textOf(second), [cellOf(first)]);
  // a name before a figure in bold
  if (isFigure(textOf(second)) && !isLabelLike(first) && /\p{L}{2}/u.test(textOf(first)) && !/\d/.test(textOf(first))) return addPair(el, textOf(first), [cellOf(second)]);
  const known = labelPlaces.get(lookOf(el));
  // in bold may be a label or a value: the smaller of the two is the label
  const isLabel = (one) => isLabelLike(one) && !(known?.isSmaller && /^(STRONG|B)$/.test(one.tagName));
  const says = [isLabel(first) || isValueLike(second), isLabel(second) || isValueLike(first)];
  const place = textOf(first).endsWith(':') ? 0 : known?.isSure || says[0] === says[1] ? known?.place ?? (says[0] ? 0 : undefined) : says[0] ? 0 : 1;
  if (place !== undefined) addPair(el, textOf(place ? second : first), [cellOf(place ? first : second)]);
};

// a label in the same box as the only field of that box, though the markup does not tie them together
const isName = (text) => !!text && text.length <= 40 && !/[.!?]$/.test(text);
const labelBeside = (el) => {
  for (let box = el.parentElement, up = 0; box && up < 3 && box !== root; box = box.parentElement, up++) {
    const others = [...box.querySelectorAll(FIELDS)].filter((one) => one !== el && isField(one) && !(el.name && one.name === el.name));
    if (others.length) return '';
    const labels = [...box.querySelectorAll('label, legend, th, dt')].filter((one) => !one.control && seen.has(one) && textOf(one));
    if (labels.length) return labels.length === 1 ? textOf(labels[0]) : '';
    if (up && isName(ownText(box))) return ownText(box);
    const before = box.firstElementChild === el ? box.lastElementChild : box.firstElementChild;
    if (up > 1 || !before || before === el || before.contains(el) || isField(before)) continue;
    // what stands below the label, in an element of its own, is a hint
    const label = ownText(before) || (isText(before) ? textOf(before) : '');
    if (label && (before === box.firstElementChild || isName(label))) return label;
  }
  return '';
};
const fromField = (el) => {
  if (el.type === 'radio') {
    const set = el.closest('fieldset'), legend = set?.querySelector('legend');
    const isOwn = legend && [...set.querySelectorAll(FIELDS)].every((one) => !isField(one) || one.name === el.name);
    if (el.checked) addPair(el, isOwn ? textOf(legend) : labelBeside(el), [{text: fieldText(el)}]);
    return;
  }
  const label = dom.labelsOf(el)[0];
  if (!label && turned.has(el)) return;
  const inner = label && [...label.children].filter((one) => !one.contains(el)).map(textOf).join(' ');
  const text = !label ? named(el) || labelBeside(el) : label.contains(el) ? ownText(label) || collapseSpaces(inner) : textOf(label);
  if (text) addPair(el, text, [{text: fieldText(el)}]);
};

const isBold = dom.isBold;
// labels that look alike and the one value below each of them, side by side in the same box
const turned = new Set();
const fromTurns = (el) => {
  const kids = visibleChildren(el).filter((one) => !isAction(one));
  if (kids.length < 4 || kids.length > 200 || el.matches('ul, ol, [role=list]')) return;
  for (const look of new Set(kids.map(signature))) {
    const labels = kids.filter((one) => signature(one) === look);
    const start = kids.indexOf(labels[0]), ends = kids.slice(start).findIndex((one) => one.matches(HEADINGS));
    const both = kids.slice(start, ends < 0 ? undefined : start + ends);
    if (labels.length < 2 || both.length !== labels.length * 2 || both.some((one, at) => (signature(one) === look) !== (at % 2 === 0))) continue;
    const texts = labels.map(textOf);
    if (!labels.every((one) => isText(one) && isName(textOf(one)) && !within(one, FIELDS).length) || new Set(texts).size < texts.length) continue;
    const style = getComputedStyle(labels[0]);
    const isOther = (one) => { const its = getComputedStyle(one); return its.fontSize !== style.fontSize || its.fontWeight !== style.fontWeight || its.color !== style.color };
    if (texts.some((text) => /\d/.test(text)) || !both.every((one, at) => at % 2 === 0 || isField(one) || isOther(one))) continue;
    both.forEach((one, at) => {
      if (at % 2 === 0 || textOf(one).length > 300) return;
      const [field] = within(one, FIELDS).filter(isField);
      if (field) turned.add(field);
      addPair(one, textOf(both[at - 1]), [field ? {text: fieldText(field)} : cellOf(one)]);
    });
  }
};
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
  // lines that have labels of their own are no value of it
  if (!label || label.length > 40 || /\d/.test(label) || /\p{L}:\s/u.test(value)) return false;
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
const isShortLines = (lines) => lines.length > 1 && lines.length <= 8 && lines.every((line) => line.length <= 60 && !/[!?:]|\.$/.test(line));
// a heading, and below it nothing but one short text, perhaps with buttons
const fromHeading = (el) => {
  const below = [];
  for (let next = el.nextElementSibling; next && !next.matches(HEADINGS); next = next.nextElementSibling) {
    if (seen.has(next) && !isAction(next) && !next.matches(FIELDS) && !next.querySelector(FIELDS)) below.push(next);
  }
  const [box] = below;
  if (below.length !== 1 || textOf(el).length > 40 || box.matches('ul, ol, table, dl')) return;
  const leaves = [box, ...box.querySelectorAll('*')].filter((one) => seen.has(one) && hasOtherText(one) && ownText(one) && !one.closest('button, [role=button]') && !isAction(one));
  // an invoice is to a person at an address
  if (phraseOnly(box) && box.querySelector('br') && isShortLines(cellOf(box).lines ?? [])) addPair(el, textOf(el), [cellOf(box)]);
  else if (leaves.length === 1 && textOf(leaves[0]).length <= 60 && !/\p{L}:\s/u.test(textOf(leaves[0])) && !/[.!?]$/.test(textOf(leaves[0]))) addPair(el, textOf(el), [cellOf(leaves[0])]);
};
for (const el of everything) if (!phraseOnly(el) && !inLongTable(el) && !el.closest('dl, table')) fromTurns(el);
for (const el of everything) {
  if (inLongTable(el)) continue;
  if (isFigureAndText(el)) addPair(el, textOf(visibleChildren(el)[0]), [{text: ownText(el)}]);
  else if (el.tagName === 'DL') fromDefinitions(el);
  else if (isField(el)) fromField(el);
  else if (isCouple(el)) fromCouple(el);
  else if (el.matches(HEADINGS)) {
    // a smaller line in it, such as its date
    visibleChildren(el).filter((one) => /^[^:]{1,40}:\s*\S/.test(textOf(one))).forEach((one) => fromLines(one));
    if (el.matches('h2, h3, h4, h5, h6')) fromHeading(el);
  }
  else if (el.closest('dl')) continue;
  else if (!phraseOnly(el)) {
    const isPair = visibleChildren(el).length === 1 && (fromElementAndText(el) || fromTextAndElement(el));
    if (!isPair && ownText(el)) fromLines(el, true);
  }
  else if (phraseOnly(el) && !(el.parentElement && el !== root && phraseOnly(el.parentElement) && seen.has(el.parentElement))) {
    const next = el.nextElementSibling;
    if (textOf(el).endsWith(':') && isText(next) && !isCouple(el.parentElement ?? el)) addPair(el, textOf(el), [cellOf(next)]);
    else if (!(visibleChildren(el).length === 1 && (fromElementAndText(el) || fromTextAndElement(el)))) fromLines(el);
    if (!textOf(el).includes(':') && !isCouple(el.parentElement ?? el)) fromBoldAndNext(el);
  }
}

// A short text above or before another one that looks otherwise: whether the first is a label is not sure, so it counts only
// where it is what is asked for, word by word, and nothing says more.
const near = [], nearUnder = new Map();
const textsOf = (el) => (el.childElementCount > 1 && !ownText(el) && !isField(el) && visibleChildren(el).every((one) => textOf(one)) ? visibleChildren(el).flatMap(textsOf) : [el]);
const styleOf = memoize((el) => {
  const inner = el.childElementCount === 1 && !ownText(el) ? el.firstElementChild : el, style = getComputedStyle(inner);
  return [style.fontSize, style.fontWeight, style.color, style.textTransform].join(' ');
});
const isNearLabel = (el) => /^\p{Lu}[^\d.!?,;@]{1,39}$/u.test(textOf(el)) && !el.closest('a, label, time') && !decorated.has(el);
const labelled = new Set(pairs.map((pair) => pair.label));
const shown = everything.filter((el) => phraseOnly(el) && !(el.parentElement && el !== root && seen.has(el.parentElement) && phraseOnly(el.parentElement)) && textOf(el)
  && !isNavigation(el) && !el.closest('table, dl, select, [role=table], [role=grid], [role=treegrid]')).flatMap(textsOf).filter((el) => !isAction(el));
const timesShown = new Map();
for (const el of shown) timesShown.set(textOf(el), (timesShown.get(textOf(el)) ?? 0) + 1);
shown.forEach((el, at) => {
  const value = shown[at + 1];
  if (!value || isField(el) || isField(value) || !isNearLabel(el) || styleOf(el) === styleOf(value) || textOf(value).length > 120) return;
  // what comes more often is a label of its own: a title above each "Seller"
  if (timesShown.get(textOf(value)) > timesShown.get(textOf(el))) return;
  // the value of a label is no label, and stands with it in a small box
  if (labelled.has(textOf(value)) || value.matches(`${HEADINGS}, label`)) return;
  const after = shown[at + 2];
  // one of several lines is not all that the label names
  if (after && after.parentElement === value.parentElement && styleOf(after) === styleOf(value)) return;
  let box = el.parentElement;
  for (let up = 0; up < 2 && box && !box.contains(value); up++) box = box.parentElement;
  if (!box || box === root || box.childElementCount > 12 || !box.contains(value) || (pairsUnder.get(box) ?? []).some((index) => pairs[index].label === textOf(el))) return;
  register(nearUnder, box, near.length);
  near.push({label: textOf(el).replace(/\s?:$/, ''), group: headingAbove(el), cells: [cellOf(value)]});
});
