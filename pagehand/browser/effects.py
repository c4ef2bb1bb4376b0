"""What a page sends that may change something outside: what a press promises, and what was seen to leave."""

from typing import Any, Final
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, ElementHandle, Page, Request
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.browser.dialogs import Report
from pagehand.workflow.effect_words import promises_effect

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_SHOWN_LENGTH: Final = 200
_NAME_LENGTH: Final = 80
# what identity providers have the browser carry from site to site: a sign-in, not an effect
_SIGN_IN_FIELDS: Final = ("SAMLResponse=", "SAMLRequest=", "id_token=", "wresult=")
_NEVER_SENT: Final = (
    "ERR_CONNECTION_REFUSED",
    "ERR_NAME_NOT_RESOLVED",
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_INTERNET_DISCONNECTED",
    "ERR_PROXY_CONNECTION_FAILED",
    "ERR_TUNNEL_CONNECTION_FAILED",
)
# The control that a press reaches, what people call it, and whether it sends a form by POST. A link with an
# address of its own leads on; other things within such a form may send it by script.
_CONTROL: Final = """([el, byEnter]) => {
  if (!el) return null;
  const outer = byEnter ? el : el.closest('button,a,input,select,label,summary,[role],[onclick]') ?? el;
  let control = outer.matches('label') ? outer.control ?? outer : outer;
  const form = control.form ?? control.closest('form');
  const sends = (one) => ['submit', 'image'].includes(one.type) && !one.disabled;
  const isField = control.matches('input,select,textarea') && !sends(control) && control.type !== 'button';
  if (byEnter && form && isField)
    control = [...form.elements, ...form.querySelectorAll('input[type=image]')].find(sends) ?? control;
  const root = control.getRootNode();
  const labelled = (control.getAttribute('aria-labelledby') ?? '').split(/\\s+/).filter(Boolean)
    .map((id) => root.getElementById?.(id)?.innerText ?? '').join(' ');
  const isButton = control.matches('input') && ['submit', 'button', 'reset'].includes(control.type);
  const name = [control.getAttribute('aria-label'), labelled, control.innerText,
    isButton && (control.value || 'Submit'), control.labels?.[0]?.innerText, control.getAttribute('alt'),
    control.querySelector('img[alt]')?.alt, control.title, control.getAttribute('name'), control.id]
    .find((one) => typeof one === 'string' && one.trim()) ?? '';
  const method = control.getAttribute('formmethod') ?? form?.getAttribute('method') ?? '';
  const leadsOn = control.matches('a[href]') && !/^\\s*(javascript:|#)/i.test(control.getAttribute('href'));
  const isPressed = byEnter || !(isField || leadsOn);
  const isSwitch = ['checkbox', 'radio'].includes(control.type);
  const passwords = form ? [...form.querySelectorAll('input[type=password]')] : [];
  const isNew = passwords.some((one) => one.autocomplete === 'new-password');
  const posts = !!form && isPressed && /^post$/i.test(method.trim());
  return {name: name.trim().replace(/\\s+/g, ' '), posts,
    signsIn: passwords.length === 1 && !isNew, acts: isPressed || isSwitch || leadsOn};
}"""
_AT_POINT: Final = f"([x, y]) => ({_CONTROL})([document.elementFromPoint(x, y), false])"


class SentRequests:
    """Listens to a context's requests and reports those that count as effects."""

    def __init__(self, context: BrowserContext, report: Report) -> None:
        """Starts listening; `report` gets `effect.seen`, and `effect.unsent` for one that never left."""
        self._report = report
        self._control = ""
        """The control that was pressed last, if its name promises an effect."""
        self._is_signing_in = False
        self._seen: dict[Request, str] = {}
        self._count = 0
        context.on("request", self._began)
        context.on("requestfailed", self._failed)
        context.on("requestfinished", self._finished)

    async def before_press(self, element: Element | ElementHandle, *, by_enter: bool) -> str | None:
        """What pressing it may set off, in words; None when it promises nothing."""
        try:
            if isinstance(element, ElementHandle):
                return self._note(
                    await element.evaluate(f"(el, given) => ({_CONTROL})([el, given])", by_enter)
                )
            return self._note(
                await element.evaluate_all(f"([el], given) => ({_CONTROL})([el, given])", by_enter)
            )
        except PlaywrightError:
            return self._note(None)  # it went away: the press itself will wait for it and say so

    def forget_press(self) -> None:
        """What is sent from now on was not set off by a control."""
        self._note(None)

    async def before_press_at(self, page: Page, x: float, y: float) -> str | None:
        """The same for a point of the window."""
        try:
            return self._note(await page.evaluate(_AT_POINT, [x, y]))
        except PlaywrightError:
            return self._note(None)

    def _note(self, control: dict[str, Any] | None) -> str | None:
        """Remember what the requests to come are set off by."""
        self._control, self._is_signing_in = "", bool(control and control["signsIn"])
        if control is None or self._is_signing_in or not control["acts"]:
            return None
        name = str(control["name"])[:_NAME_LENGTH]
        if promises_effect(name):
            self._control = name
        if not self._control and not control["posts"]:
            return None
        return f"pressing `{name}`" if name else "sending a form"

    def _began(self, request: Request) -> None:
        if request.method in _READING or request.redirected_from is not None or not self._counts(request):
            return
        self._count += 1
        self._seen[request] = str(self._count)
        by = f" by `{self._control}`" if self._control else ""
        shown = f"`{request.method} {request.url.partition('?')[0][:_SHOWN_LENGTH]}`{by}"
        self._report("effect.seen", shown, {"request": self._seen[request]})

    def _counts(self, request: Request) -> bool:
        if request.is_navigation_request():
            return not self._is_signing_in and not _carries_sign_in(request)
        return bool(self._control) and _is_own_site(request)

    def _failed(self, request: Request) -> None:
        number = self._seen.pop(request, None)
        reason = request.failure or ""
        if number is not None and any(sign in reason for sign in _NEVER_SENT):
            self._report("effect.unsent", f"It never left: `{reason}`", {"request": number})

    def _finished(self, request: Request) -> None:
        self._seen.pop(request, None)


def _carries_sign_in(request: Request) -> bool:
    body = request.post_data_buffer or b""
    return any(sign.encode() in body for sign in _SIGN_IN_FIELDS)


def _is_own_site(request: Request) -> bool:
    """True for the page's own host, one above or below it, or a neighbour under the same domain."""
    try:
        page = urlsplit(request.frame.page.url).hostname or ""
    except PlaywrightError:
        return True  # a service worker's, or a tab that has closed: nobody can say, so it counts
    asked = urlsplit(request.url).hostname or ""
    return asked == page or _domain(asked) == _domain(page)


def _domain(host: str) -> str:
    """The part of a host name that one owner has, as far as it can be told without a list of suffixes."""
    labels = host.split(".")
    if labels[-1].isdigit() or ":" in host:
        return host
    is_short_suffix = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3  # noqa: PLR2004 - co.uk, com.au
    return ".".join(labels[-3:] if is_short_suffix else labels[-2:])
