// One element remembered on a fresh page, and looked for on the changed one.
const begin = (body) => {
  document.body.setHTMLUnsafe(body);
  forget();
  return everyElement().filter((element) => isControl(element) && isDrawn(element));
};

// how many elements there are to choose from
const countTargets = ({body}) => begin(body).length;

const trial = ({body, at, words}, given, {name, isGone, seed}) => {
  let target = begin(body)[at];
  const outcome = mutations(target, seeded(seed), words)[name]();
  if (outcome === false) return null;
  if (outcome instanceof Element) target = outcome;
  forget();
  if (!isGone && !isDrawn(target)) return null;
  const began = performance.now();
  const ranking = rank(given);
  return {report: ranking.report, isRight: !isGone && ranking.elements[0] === target, ms: performance.now() - began};
};

// every change to one element's page; null where a change does not apply
const trials = (asked) => {
  const wanted = fingerprint(begin(asked.body)[asked.at], asked);
  const given = {wanted, weights: asked.weights, shown: 3};
  return {wanted, answers: asked.changes.map((change) => trial(asked, given, change))};
};
