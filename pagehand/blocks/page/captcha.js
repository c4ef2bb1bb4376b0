// @ts-check
// The captcha that waits for an answer: {kind, siteKey}, or null. Given [kind, token], the answer is put in first.
// Invisible ones (a badge, no box) ask nothing of a person until they open a challenge.
(dom, answer) => {
  const widgets = [
    ['reCAPTCHA', '.g-recaptcha:not([data-size=invisible]), ' +
      'iframe[src*="/recaptcha/"][src*="/anchor"]:not([src*="size=invisible"])', '[name=g-recaptcha-response]'],
    ['hCaptcha', '.h-captcha:not([data-size=invisible]), iframe[src*="hcaptcha.com"][src*="frame=checkbox"]',
      '[name=h-captcha-response]'],
    ['Turnstile', '.cf-turnstile, iframe[src*="challenges.cloudflare.com"]', '[name=cf-turnstile-response]'],
  ];
  const boxOf = (widget) => [...document.querySelectorAll(widget)].find(dom.isVisible);
  const keyOf = (box) => {
    if (box.dataset.sitekey) return box.dataset.sitekey;
    const address = box.src ? new URL(box.src, document.baseURI) : null;
    const inside = new URLSearchParams(address?.hash.slice(1) ?? '');
    return address?.searchParams.get('k') ?? address?.searchParams.get('sitekey') ?? inside.get('sitekey') ?? '';
  };
  for (const [kind, widget, token] of widgets) {
    const box = boxOf(widget);
    if (!box) continue;
    if (answer?.[0] === kind) {
      document.querySelectorAll(token).forEach((/** @type {any} */ field) => { field.value = answer[1]; });
      // pages may wait for the widget's own call instead of reading the field
      const called = box.dataset.callback?.split('.').reduce((at, part) => at?.[part], window);
      if (typeof called === 'function') called(answer[1]);
      answer = null;
    }
    const fields = [...document.querySelectorAll(token)];
    if (!fields.length || fields.some((/** @type {any} */ field) => !field.value)) return {kind, siteKey: keyOf(box)};
  }
  return null;
}
