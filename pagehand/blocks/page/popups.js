// The topmost thing that lies over the page and the best control to close it: {kind, button, box}, or null.
(kinds) => {
  const reject = new RegExp(
    '\\b(reject|decline|deny|refuse|disagree|(only )?(necessary|essential|required)( only| cookies)?' +
      '|ablehnen|nur notwendige|refuser|rechazar|rifiuta|weigeren|recusar|odm[ií]tnout)\\b', 'i');
  const close = new RegExp(
    '^(close\\b.*|dismiss\\b.*|no,? thanks?|not now|maybe later|later|skip|cancel|ok(ay)?|got it|continue without.*' +
      '|schlie(ß|ss)en|fermer|cerrar|chiudi|sluiten|fechar|[x×✕✖✗⨯])$', 'i');
  const accept = new RegExp(
    '\\b(accept|agree|allow|got it|ok(ay)?|akzeptieren|zustimmen|accepter|aceptar|accetta|accepteren|aceitar)\\b', 'i');
  const cookies = /\b(cookies?|gdpr|consent|datenschutz)\b/i;
  const overlay = /modal|popup|pop-up|overlay|lightbox|newsletter/i;
  const dialogs = 'dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]';
  const clickable = 'button, a, input[type=button], input[type=submit], [role=button], [aria-label], [class*=close i]';

  const shown = (el) =>
    el.checkVisibility({visibilityProperty: true, opacityProperty: true}) && el.getBoundingClientRect().height > 1;
  const name = (el) =>
    (el.getAttribute('aria-label') || el.innerText || el.value || el.title || '').replace(/\s+/g, ' ').trim();
  const marks = (el) =>
    [el.id, el.getAttribute('class'), el.getAttribute('aria-label'), el.dataset?.dismiss].join(' ');
  const looksLikeClose = (el) => /(^|[-_ ])(close|dismiss)([-_ ]|$)|btn-?close/i.test(marks(el));
  const controls = (box) => [...box.querySelectorAll(clickable)].filter(shown);
  const closer = (box) => controls(box).find((el) => close.test(name(el))) ?? controls(box).find(looksLikeClose);
  const isOver = (el) => {
    const {position, zIndex} = getComputedStyle(el);
    return position === 'fixed' || position === 'sticky' || (position === 'absolute' && Number(zIndex) > 0);
  };
  const isLarge = (el) => {
    const {width, height} = el.getBoundingClientRect();
    return width * height > (innerWidth * innerHeight) / 4;
  };
  const isBanner = (el) =>
    (isOver(el) || el.matches(dialogs) || /cookie|consent|gdpr/i.test(marks(el))) &&
    el.innerText.length < 3000 &&
    cookies.test(`${marks(el).replace(/[-_]/g, ' ')} ${el.innerText}`) &&
    controls(el).length > 0;
  const isModal = (el) => isOver(el) && (overlay.test(marks(el)) || isLarge(el)) && closer(el);

  const visible = [...document.querySelectorAll('body *')].filter((el) => el instanceof HTMLElement && shown(el));
  if (kinds.includes('cookieBanner')) {
    const box = visible.find(isBanner);
    const buttons = box ? controls(box) : [];
    const button =
      buttons.find((el) => reject.test(name(el))) ?? (box && closer(box)) ?? buttons.find((el) => accept.test(name(el)));
    if (button) return {kind: 'cookieBanner', button, box};
  }
  if (kinds.includes('dialog')) {
    const box = visible.filter((el) => el.matches(dialogs)).at(-1);
    if (box) return {kind: 'dialog', button: closer(box) ?? null, box};
  }
  if (kinds.includes('modal')) {
    const box = visible.filter(isModal).at(-1);
    if (box) return {kind: 'modal', button: closer(box), box};
  }
  return null;
}
