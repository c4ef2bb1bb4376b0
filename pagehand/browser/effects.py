"""Requests of a page that may change something outside: a form by POST, or what a control promises."""

from typing import Final
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Request
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.dialogs import Report
from pagehand.workflow.effect_words import promises_effect

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_SENT: Final = frozenset({"document", "fetch", "xhr", "ping"})
_SHOWN_LENGTH: Final = 200
# fields of forms that pass a sign-in from an identity provider to a site: not an effect
_SIGN_IN_FIELDS: Final = ("SAMLResponse=", "SAMLRequest=", "id_token=", "wresult=")
_NEVER_SENT: Final = (
    "ERR_CONNECTION_REFUSED",
    "ERR_NAME_NOT_RESOLVED",
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_INTERNET_DISCONNECTED",
    "ERR_PROXY_CONNECTION_FAILED",
    "ERR_TUNNEL_CONNECTION_FAILED",
)


class SentRequests:
    """Listens to a context's requests and reports those that count as effects."""

    def __init__(self, context: BrowserContext, report: Report) -> None:
        """Starts listening; `report` gets `effect.seen`, and `effect.unsent` for one that never left."""
        self._report = report
        self._control = ""
        """The name of the control that was pressed last, if it promises an effect."""
        self._is_signing_in = False
        self._seen: dict[Request, str] = {}
        self._count = 0
        self.sent = 0
        """How many documents and scripted requests the tabs have asked for so far."""
        context.on("request", self._began)
        context.on("requestfailed", self._failed)
        context.on("requestfinished", self._finished)

    def pressed(self, name: str, *, is_sign_in: bool) -> None:
        """Requests from now on were caused by the control of this name."""
        self._control = name if promises_effect(name) and not is_sign_in else ""
        self._is_signing_in = is_sign_in

    def navigated(self) -> None:
        """Requests from now on were not caused by a control."""
        self._control, self._is_signing_in = "", False

    def _began(self, request: Request) -> None:
        self.sent += request.resource_type in _SENT
        # a redirect repeats the request that was counted, it does not add one
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
        # only where it was certainly not sent: a reset connection may have delivered it
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
        return True  # of a service worker, or of a tab that has closed: unknown, so it counts
    asked = urlsplit(request.url).hostname or ""
    return asked == page or _domain(asked) == _domain(page)


def _domain(host: str) -> str:
    """The part of a host name that one owner has, as far as it can be known without a list of suffixes."""
    labels = host.split(".")
    if labels[-1].isdigit() or ":" in host:
        return host
    # wrong guesses count a neighbour's request as an effect, which only keeps a run from being repeated
    is_short_suffix = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3  # noqa: PLR2004 - co.uk, com.au
    return ".".join(labels[-3:] if is_short_suffix else labels[-2:])
