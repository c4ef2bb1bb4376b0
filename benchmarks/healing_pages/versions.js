// Finds the same elements in two versions of a page, by what their authors kept; the benchmark judges by it.
const basename = ({address}) => (address ? `${address.path.split('/').pop()}?${address.query}#${address.fragment}`.toLowerCase() : '');

const listControls = () => everyElement().filter((element) => isControl(element) && isDrawn(element) && element.tagName !== 'OPTION');

// what could identify each control: its name, where it leads, its id, its placeholder, its field
const signsOf = (element) => {
  const now = describe(element);
  const {kind} = prepare(now);
  const nameWords = words(now.name).join(' ');
  const isChoice = ['checkbox', 'radio'].includes(now.role);
  return {
    kind, name: nameWords && `${kind}|${nameWords}`, address: basename(now) === '?#' ? '' : basename(now),
    id: element.id && `${now.tag}|${element.id.toLowerCase()}`,
    placeholder: now.placeholder && `${now.tag}|${now.placeholder.toLowerCase()}`,
    field: now.field && !isChoice ? `${now.tag}|${now.field.toLowerCase()}` : '',
    // what may be left of it where all of these have changed
    parts: [now.name, now.label, now.placeholder, now.hint, now.id, now.field, now.image, basename(now).replace(/\.html?\b/, '')]
      .flatMap((text) => text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase().match(/\p{L}{3,}/gu) || []),
    detail: `${now.role || now.tag} "${now.name}" ${basename(now)}`,
  };
};

const inventory = () => listControls().map(signsOf);

const fingerprintAt = ({at, weights, most}) => fingerprint(listControls()[at], {weights, most});

const isSame = (one, other) => one === other || (isRelated(one, other) && textOf(one) === textOf(other));

// look for the remembered element, with the element present or removed
const lookFor = ({wanted, weights, truth, isGone}) => {
  const target = listControls()[truth];
  const mark = document.createComment('');
  if (isGone) target.replaceWith(mark);
  const ranking = rank({wanted, weights, shown: 3});
  const [first] = ranking.elements;
  if (isGone) mark.replaceWith(target);
  return {report: ranking.report, isRight: !isGone && Boolean(first) && isSame(first, target)};
};

const controlAt = (at) => listControls()[at];

// an id of its own, as people who write selectors take it
const ownId = (at) => {
  const {id} = listControls()[at];
  const css = id && `#${CSS.escape(id)}`;
  return css && document.querySelectorAll(css).length === 1 ? css : '';
};

// whether the mouse, at an element with this path, is on the control that is meant
const isOn = ({path, truth}) => {
  const [element, target] = [document.querySelector(path), listControls()[truth]];
  return Boolean(element) && (target.contains(element) || isSame(target, element));
};
