"""The browser as blocks see it: the current tab, and ways to find and act."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from playwright.async_api import ElementHandle, Page
from playwright.async_api import Locator as Element

from pagehand.page.phrases import Snapshot, TargetKind
from pagehand.records import FileInfo
from pagehand.workflow.locator import Locator

Purpose = Literal["act", "see", "touch"]
"""What an element is wanted for: act = visible and enabled; see = visible; touch = attached is enough."""


@dataclass(slots=True, frozen=True)
class Found:
    """One element that was looked for and found."""

    element: Element
    """Playwright's handle on exactly this element; it waits, scrolls and checks before acting."""
    matches: int
    """How many elements the locator matched."""
    how: str
    """How it was found, for the events, such as `exact`, `substring` or `key`."""


@dataclass(slots=True, frozen=True)
class Dialog:
    """A dialog the page opened and how it was answered."""

    type: str
    """alert, confirm, prompt or beforeunload."""
    message: str
    answer: str
    """Accepted or dismissed."""


@dataclass(slots=True)
class Action:
    """What happened while a block acted on the page, oldest first."""

    dialogs: list[Dialog] = field(default_factory=list[Dialog])
    opened: list[Page] = field(default_factory=list[Page])


@dataclass(slots=True, frozen=True)
class HeldBack:
    """Why a form was not sent: the field, if it is one, and the browser's own words."""

    field: str
    words: str


class Press(Protocol):
    """One press of a control."""

    @property
    def sets_off(self) -> str | None:
        """What it may bring about outside, in words; None when it promises nothing."""
        ...

    async def held_back(self) -> HeldBack | None:
        """Afterwards: why the form that was to be sent was not."""
        ...


Starter = Callable[[], Awaitable[None]]
"""Sets a download going."""


class PageSession(Protocol):
    """The execution's browser as blocks see it: the current tab and ways to find and act."""

    @property
    def page(self) -> Page:
        """The current tab."""
        ...

    @property
    def tabs(self) -> Sequence[Page]:
        """All open tabs, oldest first."""
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

    async def new_tab(self) -> Page:
        """Open a blank tab and make it current."""
        ...

    async def switch_to(self, tab: Page) -> None:
        """Make a tab the current one."""
        ...

    async def close_tabs(self, which: Literal["current", "others", "last"]) -> int:
        """Close tabs; how many. The current one's opener becomes current."""
        ...

    async def find(
        self, locator: Locator, purpose: Purpose, *, kind: TargetKind = "anything", timeout_seconds: float
    ) -> Found:
        """Wait for the element that fits the purpose; `NotPresent` with a diagnosis when the time is over.

        `kind` is what words in the locator may mean; `NotClear` when they could mean several.
        """
        ...

    async def find_by_key(self, key: str, purpose: Purpose, *, timeout_seconds: float) -> Found:
        """The form field meant by `key`: its label, aria-label, placeholder, name or id."""
        ...

    async def find_by_words(
        self, phrase: str, purpose: Purpose, *, kind: TargetKind = "control", timeout_seconds: float
    ) -> Found:
        """The one element that the words mean; `NotPresent` or `NotClear` when they do not lead to one."""
        ...

    async def locate_by_words(
        self, phrase: str, *, kind: TargetKind = "control", timeout_seconds: float
    ) -> Locator:
        """A locator that finds the element the words mean, and no other."""
        ...

    async def word_snapshot(self) -> Snapshot:
        """The page as `pagehand.page.phrases` sees it, to resolve phrases against later."""
        ...

    async def find_all(
        self, locator: Locator, *, within: Element | None = None, one: bool = False
    ) -> list[Element]:
        """All that match right now, in the first frame that has any; empty when nothing does. Never waits.

        With `one`, words that could mean several elements are refused (`NotClear`).
        """
        ...

    def answering(self, dialog: Mapping[str, Any] | None) -> AbstractContextManager[None]:
        """Answer dialogs that open within as `dialog` says."""
        ...

    def demand_answers(self, because: Exception | None = None) -> None:
        """Fail if the page asked something that nobody had said how to answer; `because` is what followed."""
        ...

    def forget_questions(self) -> None:
        """What the page asked so far does not matter: whoever acted has judged by other means."""
        ...

    def acting(self, dialog: Mapping[str, Any] | None = None) -> AbstractAsyncContextManager[Action]:
        """Record dialogs and new tabs while a block acts; waits for a navigation that the act began.

        `dialog` (`{"action": "accept"|"dismiss", "text": …, "messageContains": …}`) decides how dialogs are
        answered meanwhile.
        On leaving, a tab the act opened becomes the current one.
        """
        ...

    async def before_press(self, element: Element | ElementHandle, *, by_enter: bool = False) -> Press:
        """Look at a control that is about to be pressed, or in which Enter is about to be."""
        ...

    async def before_press_at(self, x: float, y: float) -> Press:
        """The same for a point of the window."""
        ...

    def guard(self, what: str = "") -> AbstractAsyncContextManager[None]:
        """Around Playwright's own calls: its errors become ours; `what` names the step."""
        ...

    async def download(self, start: Starter, *, timeout_seconds: float, file_name: str | None) -> FileInfo:
        """Run `start` and keep the file whose download it begins."""
        ...

    async def fetch_file(self, url: str, *, timeout_seconds: float, file_name: str | None) -> FileInfo:
        """Download `url` with the browser's cookies and keep it."""
        ...

    async def pdf(self, *, format: str, landscape: bool, print_background: bool, scale: float) -> bytes:  # noqa: A002 - Playwright's own word
        """The current tab printed as a PDF, on paper of that format (`A4`, `Letter` …)."""
        ...

    async def wait_until_quiet(self, still_seconds: float, *, timeout_seconds: float) -> bool:
        """Until the page asks for nothing and has not changed for a while; False when it does not rest."""
        ...

    async def run_in_page(self, function: str, argument: Any, *, timeout_seconds: float) -> Any:
        """Call a JavaScript function in the current page's top frame and await what it returns."""
        ...

    async def run_blank(self, function: str, arguments: Sequence[Any], *, timeout_seconds: float) -> Any:
        """Call a JavaScript function in a blank page that has no network."""
        ...

    async def describe(self) -> str:
        """The current tab in words, each thing with a reference (`[ref=e12]`); no secrets."""
        ...

    async def by_reference(self, reference: str) -> tuple[Found, Locator]:
        """The element the latest description calls so, and a lasting locator; `NotPresent` when gone."""
        ...

    async def screenshot(self) -> bytes | None:
        """A JPEG of what the current tab shows, secret fields masked; None when it cannot be pictured."""
        ...

    def limit_to(self, domains: Sequence[str] | None) -> None:
        """Hold all traffic of the browser to these domains (and what is below them); None lets go."""
        ...

    async def mask(self, element: Element | ElementHandle) -> None:
        """Hide what stands in this field in every picture from now on."""
        ...
