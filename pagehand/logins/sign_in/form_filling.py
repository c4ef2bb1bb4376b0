"""Fills in a sign-in form and submits it, without a secret in any error."""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, Self

from playwright.async_api import BrowserContext, ElementHandle, Request, Response
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed, BrowserLost
from pagehand.javascript import load_script
from pagehand.logins.sign_in_form import SignInForm
from pagehand.page.dom import is_page_lost, on_dom_core

_FIELD_MS: Final = 10_000
_PRESS_MS: Final = 5_000
_COVERED: Final = on_dom_core(load_script(__file__, "covered"))
_CHOOSE: Final = load_script(__file__, "choose_option")
_RELEVANT_TYPES: Final = frozenset({"document", "xhr", "fetch"})
"""Resource types that can carry the answer to a sign-in."""
_SERVER_ERROR: Final = 500
_LONG_POLL_SECONDS: Final = 5.0
"""A request that takes longer is a connection that the page keeps open, such as a long poll."""


async def type_text(field: ElementHandle, text: str, name: str) -> None:
    """Put `text` into a field; key by key where the field does not take it at once."""
    try:
        await field.fill(text, timeout=_FIELD_MS)
        # masks and scripts of a field may drop a text that is set at once
        if not await _holds(field, text):
            await field.fill("", timeout=_FIELD_MS)
            await field.type(text)
    except PlaywrightError as error:
        # Playwright's message repeats what was typed: neither it nor its traceback may be passed on
        if is_page_lost(error):
            raise BrowserLost("The browser or its page died while signing in.") from None
        raise BlockFailed(f"The {name} field cannot be filled in.") from None


async def type_code(fields: Sequence[ElementHandle], code: str) -> None:
    """Put a code into its field, or one character into each of several."""
    if len(fields) == 1:
        await type_text(fields[0], code, "code")
        return
    for field, character in zip(fields, code, strict=False):
        await type_text(field, character, "code")


@contextmanager
def _pressing() -> Generator[None]:
    """Within, what has disappeared by the time that its press is confirmed was pressed."""
    try:
        yield
    except PlaywrightTimeout:
        raise
    except PlaywrightError as error:
        if is_page_lost(error) or "not attached" not in error.message:
            raise


async def press(button: ElementHandle, timeout_ms: float) -> None:
    """Click a button; one that the page removes meanwhile was clicked."""
    with _pressing():
        await button.click(timeout=timeout_ms)


async def choose(chooser: ElementHandle, words: str) -> None:
    """Choose the only entry that matches `words`, or the only entry there is; else leave the list alone."""
    try:
        await chooser.evaluate(_CHOOSE, words)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise


async def tick(box: ElementHandle) -> None:
    """Tick a box, by its label where the box itself is hidden; a box that cannot be ticked is left alone."""
    try:
        await box.evaluate("box => { if (!box.checked) (box.labels?.[0] ?? box).click(); }")
    except PlaywrightError as error:
        if is_page_lost(error):
            raise


async def submit(session: BrowserSession, form: SignInForm) -> str:
    """Press the form's button, or Enter where it has none; the text of a dialog that opened."""
    async with session.acting() as action:
        if form.banner_button and form.button and await _is_covered(form.button):
            await press(form.banner_button, _PRESS_MS)
        await _press_button(form)
    return " ".join(dialog.message for dialog in action.dialogs)


async def _press_button(form: SignInForm) -> None:
    field = (form.code or [form.password or form.user])[-1]
    if field is None or not await _is_there(field):
        return  # the form was submitted by its last character
    if form.button is not None:
        try:
            await press(form.button, _PRESS_MS)
        except PlaywrightTimeout:
            # disabled or covered: Enter often does what the button would
            await _press_enter(field)
    else:
        await _press_enter(field)


async def _press_enter(field: ElementHandle) -> None:
    with _pressing():
        await field.press("Enter", timeout=_PRESS_MS)


async def _is_there(element: ElementHandle) -> bool:
    return await _ask(element, "element => element.isConnected", otherwise=False)


async def _holds(field: ElementHandle, text: str) -> bool:
    """Whether the field has the text; a form that submitted itself is gone, and had it."""
    value = await _ask(field, "element => element.value", otherwise=text)
    return value == text


async def _is_covered(button: ElementHandle) -> bool:
    return await _ask(button, _COVERED, otherwise=False)


async def _ask(element: ElementHandle, question: str, *, otherwise: Any) -> Any:
    """What the page says of an element; `otherwise` when its document is gone."""
    try:
        return await element.evaluate(question)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return otherwise


class RequestTracker:
    """A context manager that listens to a browser context."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._pending: dict[Request, float] = {}
        self.server_error = ""
        """The page whose server failed, and its status; empty when none did."""
        self.status = 200
        """The HTTP status of the current page."""

    @property
    def is_busy(self) -> bool:
        """Whether a relevant request has no response yet."""
        oldest = time.monotonic() - _LONG_POLL_SECONDS
        return any(began > oldest for began in self._pending.values())

    def __enter__(self) -> Self:
        self._context.on("request", self._began)
        self._context.on("requestfinished", self._ended)
        self._context.on("requestfailed", self._ended)
        self._context.on("response", self._answered)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._context.remove_listener("request", self._began)
        self._context.remove_listener("requestfinished", self._ended)
        self._context.remove_listener("requestfailed", self._ended)
        self._context.remove_listener("response", self._answered)

    def _began(self, request: Request) -> None:
        if request.resource_type in _RELEVANT_TYPES:
            self._pending[request] = time.monotonic()

    def _ended(self, request: Request) -> None:
        self._pending.pop(request, None)

    def _answered(self, response: Response) -> None:
        is_page = response.request.is_navigation_request() and response.frame.parent_frame is None
        if is_page:
            self.status = response.status
        if is_page and response.status >= _SERVER_ERROR:
            self.server_error = f"`{response.url}` answered with status {response.status}"
