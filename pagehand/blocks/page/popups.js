// @ts-check
// The topmost thing that lies over the page and the best control to close it: {kind, button, box}, or null.
(dom, kinds) => {
  // whole words, also in alphabets that `\b` does not know
  const anyWord = (words) => new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu');
  const reject = anyWord(
    'reject|decline|deny|refuse|disagree|opt out|(only )?(strictly )?(necessary|essential|required)( only| cookies)?' +
      '|ablehnen|alle ablehnen|nur (notwendige|erforderliche|essenzielle)|notwendige|refuser|tout refuser|rechazar|solo necesarias' +
      '|rifiuta|rifiuto|solo necessari|weigeren|afwijzen|alleen noodzakelijke?|recusar|rejeitar|odm[ií]tnout|odrzu[cć]|tylko niezbędne' +
      '|avvisa|avvis|avslå|endast nödvändiga|kun nødvendige|afvis|hylkää|vain välttämättömät|elutasít(om|ás)?|отклонить|відхилити' +
      '|reddet|拒否|拒绝|거부');
  const close = new RegExp(
    '^(close\\b.*|dismiss\\b.*|no,? thanks?|not now|maybe later|later|skip|cancel|ok(ay)?|got it|continue without.*' +
      '|schlie(ß|ss)en|nein,? danke|später|abbrechen|fermer|non,? merci|plus tard|continuer sans.*|cerrar|no,? gracias|ahora no' +
      '|chiudi|no,? grazie|continua senza.*|sluiten|nee,? bedankt|fechar|não,? obrigado|zavřít|zamknij|stäng|luk|lukk|sulje|bezárás' +
      '|закрыть|закрити|kapat|閉じる|关闭|닫기|[x×✕✖✗⨯])$', 'iu');
  const accept = anyWord(
    'accept|agree|allow|got it|ok(ay)?|akzeptieren|zustimmen|einverstanden|accepter|j.accepte|aceptar|accetta|accetto|accepteren|akkoord' +
      '|aceitar|přijmout|souhlasím|akceptuj[eę]?|zaakceptuj|godkänn|acceptera|godta|accepter alle|hyväksy|elfogad(om)?|принять|прийняти' +
      '|kabul( et)?|同意|接受|동의');
  const cookies = anyWord('cookies?|gdpr|rgpd|dsgvo|consent|datenschutz|ciasteczk\\p{L}*|evästei\\p{L}*|informasjonskapsler|kakor|sütik?|куки|файл\\p{L}* cookie|クッキー|쿠키');
  const overlay = /modal|popup|pop-up|overlay|lightbox|newsletter/i;
  const dialogs = 'dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]';
  const clickable = 'button, a, input[type=button], input[type=submit], [role=button], [aria-label], [class*=close i]';

  const shown = (el) => dom.isDrawn(el, 1) && dom.isOpaque(el);
  const name = (el) => dom.nameOf(el, dom.renderedText);
  const marks = (el) =>
    [el.id, el.getAttribute('class'), el.getAttribute('aria-label'), el.dataset?.dismiss].join(' ');
  const looksLikeClose = (el) => /(^|[-_ ])(close|dismiss)([-_ ]|$)|btn-?close/i.test(marks(el));
  const controls = (box) => [...dom.flatElements(box)].filter((el) => el.matches(clickable) && shown(el));
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

  const visible = [...dom.allElements(document)].filter((el) => el instanceof HTMLElement && el !== document.body && shown(el));
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
