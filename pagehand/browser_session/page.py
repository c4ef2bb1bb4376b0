"""The browser as blocks see it: the current tab, and ways to find and act."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, Protocol

from playwright.async_api import ElementHandle, Page
from playwright.async_api import Locator as Element

from pagehand.browser_session.actions import Action, DialogRule, Dialogs, Press
from pagehand.browser_session.elements import ElementHealing, FoundElement, Purpose
from pagehand.page.phrases import Snapshot, TargetKind
from pagehand.records import FileInfo
from pagehand.workflow.locator import Locator

WhichTabs = Literal["current", "others", "last"]
"""Tabs to close: the current one, all others, or the newest."""

ScriptedWithin = Callable[[Callable[[str], bool]], Sequence[str]]
"""The addresses, among those that a function accepts, on which JavaScript of the workflow has run."""

StartDownload = Callable[[], Awaitable[None]]
"""Does what makes the page begin a download, such as a click."""


class Tabs(Protocol):
    """The tabs of the browser."""

    @property
    def current(self) -> Page:
        """The tab blocks act on."""
        ...

    @property
    def all(self) -> Sequence[Page]:
        """All open tabs, oldest first."""
        ...

    async def open(self) -> Page:
        """Open a blank tab and make it current."""
        ...

    async def switch_to(self, page: Page) -> None:
        """Make a tab the current one."""
        ...

    async def close(self, which: WhichTabs) -> int:
        """Close tabs and count them; a current tab's opener becomes current."""
        ...

    async def raise_if_blank(self) -> None:
        """Fail when nothing was ever opened in the current tab."""
        ...


class TypedSecrets(Protocol):
    """Keeps JavaScript of a workflow and the secrets of logins apart."""

    @property
    def may_be_held(self) -> bool:
        """False when no field can hold a secret."""
        ...

    def scripted_within(self, is_own_url: Callable[[str], bool]) -> Sequence[str]:
        """The addresses among these on which JavaScript of the workflow has run."""
        ...

    async def clear(self) -> None:
        """Empty the fields that hold secrets."""
        ...


class Scripts(Protocol):
    """JavaScript of a workflow."""

    async def run_in_page(self, function: str, argument: Any, *, timeout_seconds: float) -> Any:
        """Call a JavaScript function of one argument in the current page's top frame; its result, as JSON."""
        ...

    async def run_in_blank_page(
        self, function: str, arguments: Sequence[Any], *, timeout_seconds: float
    ) -> Any:
        """Call a JavaScript function in a blank page without a network; its result, as JSON."""
        ...


class PageSession(Protocol):
    """The execution's browser as blocks see it: the current tab and ways to find and act."""

    @property
    def page(self) -> Page:
        """The current tab."""
        ...

    @property
    def tabs(self) -> Tabs:
        """All tabs."""
        ...

    @property
    def dialogs(self) -> Dialogs:
        """How the page's dialogs are answered."""
        ...

    @property
    def scripts(self) -> Scripts:
        """JavaScript of the workflow."""
        ...

    @property
    def healing(self) -> ElementHealing:
        """Finding elements by their fingerprints."""
        ...

    def guard(self, what: str = "") -> AbstractAsyncContextManager[None]:
        """Around Playwright's own calls: its errors become ours; `what` names the use, such as "click"."""
        ...

    async def goto(
        self,
        url: str,
        *,
        wait_until: Literal["load", "domcontentloaded", "networkidle"],
        referer: str | None,
        allow_error_status: bool,
        timeout_seconds: float,
    ) -> int | None:
        """Open `url`, relative to the page if need be; the status. 4xx: BlockFailed, 5xx: SiteDown."""
        ...

    async def wait_until_quiet(self, still_seconds: float, *, timeout_seconds: float) -> bool:
        """Until no request is open and the page has not changed for a while; False when the time is over."""
        ...

    async def find(
        self, locator: Locator, purpose: Purpose, *, kind: TargetKind = "anything", timeout_seconds: float
    ) -> FoundElement:
        """Wait for the element that fits the purpose; `NotPresent` with a diagnosis when the time is over.

        `kind` is what words in the locator may mean; `NotClear` when they could mean several.
        """
        ...

    async def find_by_key(self, key: str, purpose: Purpose, *, timeout_seconds: float) -> FoundElement:
        """The form field meant by `key`: its label, aria-label, placeholder, name or id."""
        ...

    async def find_all(
        self, locator: Locator, *, within: Element | None = None, one: bool = False
    ) -> list[Element]:
        """All that match right now, in the first frame that has any; empty when nothing does. Never waits.

        With `one`, words that could mean several elements are refused (`NotClear`).
        """
        ...

    async def take_snapshot(self) -> Snapshot:
        """The page as `pagehand.page.phrases` sees it, to resolve phrases against later."""
        ...

    async def describe(self) -> str:
        """The current tab in words, each thing with a reference (`[ref=e12]`); no secrets."""
        ...

    async def find_by_reference(self, reference: str) -> tuple[FoundElement, Locator]:
        """The element with a reference of the latest description, and a locator that leads to it alone.

        `NotPresent` when it is gone.
        """
        ...

    def acting(self, dialog_rule: DialogRule | None = None) -> AbstractAsyncContextManager[Action]:
        """Record dialogs and new tabs while a block acts; on leaving, wait for a navigation that it began.

        A tab that the act opened becomes the current one.
        """
        ...

    @property
    def holds_requests(self) -> bool:
        """True when nothing that may be an effect leaves the browser before it is recorded."""
        ...

    def begin_press(self, press: Press | None) -> None:
        """What is sent from now on was caused by this press, or by other input without it."""
        ...

    async def before_press(self, element: Element | ElementHandle, *, by_enter: bool = False) -> Press:
        """Look at a control that is about to be pressed, or in which Enter is about to be pressed."""
        ...

    async def before_press_at(self, x: float, y: float) -> Press:
        """The same for a point of the window."""
        ...

    async def download(
        self, start: StartDownload, *, timeout_seconds: float, file_name: str | None
    ) -> FileInfo:
        """Run `start` and keep the file whose download it begins."""
        ...

    async def fetch_file(self, url: str, *, timeout_seconds: float, file_name: str | None) -> FileInfo:
        """Download `url` with the browser's cookies and keep it."""
        ...

    async def screenshot(self) -> bytes | None:
        """A JPEG of what the current tab shows, secret fields masked; None when the browser gives none."""
        ...

    async def mask(self, element: Element | ElementHandle) -> None:
        """Hide the text of this field in every picture from now on."""
        ...

    @property
    def secrets(self) -> TypedSecrets:
        """Which fields hold secrets, and where JavaScript of the workflow has run."""
        ...

    async def hold_secret(self, field: ElementHandle, text: str) -> None:
        """Before `text`, a secret, is typed: mask the field, keep the workflow's JavaScript away."""
        ...

    async def leave_scripted_pages(self, is_own_url: Callable[[str], bool]) -> None:
        """Before a sign-in: close all pages if the workflow's JavaScript has run on such an address."""
        ...

    async def pdf(self, *, format: str, landscape: bool, print_background: bool, scale: float) -> bytes:  # noqa: A002 - Playwright's own word
        """The current tab printed as a PDF, on paper of that format (`A4`, `Letter` …)."""
        ...

    def limit_domains(self, domains: Sequence[str] | None) -> None:
        """Allow the browser only these domains and those below them; None allows all again."""
        ...
