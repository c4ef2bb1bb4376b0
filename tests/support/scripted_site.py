"""A site that signs people in, page by page, without a browser; it lists what was typed where."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import msgspec
from playwright.async_api import ElementHandle
from playwright.async_api import Error as PlaywrightError

from pagehand.browser import BrowserSession
from pagehand.browser_session import Action, Dialog
from pagehand.logins.sign_in_form import PageFacts, SignInForm

URL = "https://bank.example/sign-in"
_NO_ELEMENTS = dict.fromkeys(
    (
        "user",
        "password",
        "button",
        "banner_button",
        "form_opener",
        "remember_box",
        "agree_button",
        "decline_button",
        "send_code_button",
        "channel_select",
    )
)
_FACTS: dict[str, Any] = {
    "document": 0.0, "isReady": True, "complaints": [], "notices": [], "canSignOut": False, "refusals": [],
    "signedOut": [], "signsIn": False, "offersSignIn": False, "isSureCode": False, "links": [],
    "firstLine": "", "controls": 2, "question": "", "sentLink": False, "heading": "Bank", "hasCaptcha": False,
}  # fmt: skip


class ScriptedElement:
    """A field or a button, as far as a sign-in touches it."""

    def __init__(self, site: "ScriptedSite", name: str) -> None:
        self._site = site
        self.name = name

    async def fill(self, text: str, **_: float) -> None:
        self._site.values[self.name] = text
        if text:
            self._site.typed.append((self._site.url, self.name, text))

    async def click(self, **_: float) -> None:
        await self.press("Click")

    async def press(self, key: str, **_: float) -> None:
        del key
        self._site.pressed.append(self.name)
        self._site.go_on()

    async def evaluate(self, script: str, argument: object = None) -> object:
        if argument is not None:
            self._site.chosen.append(str(argument))
        elif "click()" in script:
            self._site.pressed.append(self.name)
        return self._site.values.get(self.name, "") if script == "element => element.value" else True


class ScriptedSite:
    """Shows one page after the other: the next one comes when something is sent or opened."""

    def __init__(self) -> None:
        self.pages: list[SignInForm | Exception] = []
        self.typed: list[tuple[str, str, str]] = []
        self.pressed: list[str] = []
        self.masked: list[str] = []
        self.chosen: list[str] = []
        self.opened: list[str] = []
        self.dialogs: list[str] = []
        self.values: dict[str, str] = {}
        self.text = ""
        self.url = URL
        self.on_read: Callable[[], None] = lambda: None
        self._at = 0
        self._listeners: dict[str, Any] = {}
        # `pop` takes the listener for its default value
        context = SimpleNamespace(on=self._listeners.__setitem__, remove_listener=self._listeners.pop)
        self.page: Any = SimpleNamespace(url=URL, context=context)

    @property
    def session(self) -> BrowserSession:
        return cast("BrowserSession", self)

    def show(self, *asks: str, url: str = URL, parts: tuple[str, ...] = (), **facts: Any) -> SignInForm:
        """Add a page that has these fields, and a button where there are any."""
        names = [*asks, *parts, *(["button"] if asks else [])]
        elements: dict[str, Any] = {**_NO_ELEMENTS, **{name: ScriptedElement(self, name) for name in names}}
        code = [elements.pop("code")] if "code" in asks else []
        facts = {**_FACTS, "document": float(len(self.pages)), **facts}
        frame: Any = SimpleNamespace(url=url, parent_frame=None)
        form = SignInForm(
            frame=frame,
            code=code,
            **elements,
            **msgspec.structs.asdict(msgspec.convert(facts, PageFacts)),
        )
        self.pages.append(form)
        return form

    def go_on(self) -> None:
        self._at = min(self._at + 1, len(self.pages) - 1)

    async def read_form(self, page: object) -> SignInForm | None:
        """Stands in for the reader of real pages."""
        del page
        self.on_read()
        now = self.pages[self._at]
        if isinstance(now, Exception):
            raise now
        self.url = now.frame.url
        return now

    async def page_text(self, script: str) -> str:
        """Stands in for a script that reads all of the page's text."""
        del script
        return self.text

    def answer(self, url: str, status: int) -> None:
        """A page was answered with this status."""
        frame = SimpleNamespace(parent_frame=None)
        request = SimpleNamespace(is_navigation_request=lambda: True)
        self._listeners["response"](SimpleNamespace(url=url, status=status, frame=frame, request=request))

    @asynccontextmanager
    async def acting(self) -> AsyncGenerator[Action]:
        action = Action()
        yield action
        if self.dialogs:
            action.dialogs.append(Dialog("alert", self.dialogs.pop(0), "accepted"))

    async def hold_secret(self, field: ElementHandle, text: str) -> None:
        assert text
        self.masked.append(cast("ScriptedElement", field).name)

    async def leave_scripted_pages(self, is_own_url: Callable[[str], bool]) -> None:
        assert is_own_url(URL)

    async def clear(self) -> None:
        """The session's own `secrets.clear`."""
        self.masked = []

    @property
    def secrets(self) -> "ScriptedSite":
        return self

    async def goto(self, url: str, **_: object) -> int:
        self.opened.append(url)
        self.go_on()
        return 200


def closed() -> PlaywrightError:
    """What Playwright raises when the page is gone."""
    return PlaywrightError("Target page, context or browser has been closed")
