"""The records of a running browser: what an execution asks for, dialogs, found elements, the live view.

`pagehand.browser` makes and takes them. They use Playwright's own types on purpose: blocks rely on their
waiting, scrolling and checking before an act. That is why they are kept apart from `pagehand.ports`, which
names no library.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, to_builtins
from playwright.async_api import Frame, Page
from playwright.async_api import Locator as Element

from pagehand.records import FileInfo, Json
from pagehand.workflow.locator import Locator

SaveFile = Callable[[bytes | Path, str, str], Awaitable[FileInfo]]
"""Keeps content under a name and MIME type."""

CheckRoom = Callable[[int], Awaitable[None]]
"""Fails when the organization has no room for so many bytes."""

ReportEvent = Callable[[str, str, Mapping[str, Any]], None]
"""Records an event: type, message, data."""


BeforeSend = Callable[[], Awaitable[None] | None]
"""Called before something leaves that an act may have caused; what it returns is awaited first."""


@dataclass(slots=True, kw_only=True)
class BrowserRequest:
    """What a browser session is wanted for."""

    execution_id: str
    organization_id: str
    browser_session_id: str
    use_proxy: bool
    save_file: SaveFile
    report: ReportEvent
    check_room: CheckRoom
    before_send: BeforeSend


WhichTabs = Literal["current", "others", "last"]
"""Tabs to close: the current one, all others, or the newest."""

ScriptedWithin = Callable[[Callable[[str], bool]], Sequence[str]]
"""The addresses, among those that a function accepts, on which JavaScript of the workflow has run."""

StartDownload = Callable[[], Awaitable[None]]
"""Does what makes the page begin a download, such as a click."""


@dataclass(slots=True, frozen=True)
class Dialog:
    """A dialog the page opened and how it was answered."""

    type: str
    """alert, confirm, prompt or beforeunload."""
    message: str
    answer: str
    """Accepted or dismissed."""


@dataclass(slots=True, frozen=True)
class DialogRule:
    """How a block wants the page's dialogs answered."""

    accept: bool
    """OK or Cancel; an alert gets OK in any case."""
    text: str | None = None
    """What to answer a prompt."""
    message_contains: str | None = None
    """Answer only dialogs whose message contains this, whatever its case and white space."""


@dataclass(slots=True)
class Action:
    """What happened while a block acted on the page, oldest first."""

    dialogs: list[Dialog] = field(default_factory=list[Dialog])
    opened: list[Page] = field(default_factory=list[Page])
    is_answered: bool = False
    """To be set when the page has answered something after the last input: it has handled that input."""


@dataclass(slots=True, frozen=True)
class FormRejection:
    """Why the browser did not submit a form."""

    field: str
    """The name of the invalid field; empty when no single field is the reason."""
    message: str
    """The browser's validation message."""


Purpose = Literal["act", "see", "touch"]
"""What an element is wanted for: act = visible and enabled; see = visible; touch = attached is enough."""


class CandidateScore(Struct, frozen=True):
    """How much a candidate is like the wanted element."""

    role: str
    name: str
    score: float


class HealingFacts(Struct, frozen=True, kw_only=True):
    """The numbers behind a healing, for its event; what is not known is left out there."""

    by: str | UnsetType = UNSET
    """`model` when a model pointed at the element."""
    p1: float | UnsetType = UNSET
    """The probability that the best candidate is the element."""
    p2: float | UnsetType = UNSET
    """The same for the second best."""
    gap: float | UnsetType | None = UNSET
    """How much more the best is like the element than like its nearest neighbour; None without one."""
    candidates: int | UnsetType = UNSET
    top: list[CandidateScore] | UnsetType = UNSET
    features: dict[str, float] | UnsetType = UNSET
    """The features that weighed most for the best candidate."""

    def as_json(self) -> Json:
        """As events show them."""
        return to_builtins(self)


@dataclass(slots=True, frozen=True)
class FoundElement:
    """One element that a locator, a key or words led to."""

    element: Element
    """Playwright's handle on exactly this element; it waits, scrolls and checks before acting."""
    matches: int
    """How many elements the locator matched."""
    how: str
    """How it was found, for the events, such as `exact`, `substring` or `key`."""
    is_one_of_several: bool = field(default=False, kw_only=True)
    """Others would have done too, and are not the same: the first was taken."""
    place: Sequence[float] | None = field(default=None, kw_only=True)
    """Left, top, width and height as shares of the window when it was found; empty outside of it.

    None where finding it did not tell.
    """


def addresses_of(frame: Frame | None) -> list[str]:
    """The addresses of a frame's document and of those around it; a frame without one has its parent's.

    Whoever is around a document can take the keys that are meant for it.
    """
    found: list[str] = []
    while frame is not None:
        if frame.parent_frame is None or not frame.url.startswith("about:"):
            found.append(frame.url)
        frame = frame.parent_frame
    return found


@dataclass(slots=True, frozen=True)
class HealingResult:
    """The element that was found by its fingerprint, or why none was."""

    found: FoundElement | None
    locator: Locator | None
    """Leads to the found element alone."""
    reason: str
    """Why no element was taken; empty when one was."""
    facts: HealingFacts


MouseButton = Literal["none", "left", "middle", "right"]


@dataclass(slots=True, frozen=True)
class ScreencastFrame:
    """A picture of the current tab; secret fields are masked in it as in every other."""

    number: int
    """Grows with every picture."""
    jpeg: bytes
    width: int
    """Of the page, in its own pixels."""
    height: int


class Tab(Struct, frozen=True, rename="camel"):
    """A tab as the live view lists it: never its address, which may hold a secret."""

    id: int
    title: str
    site: str
    """The host it is from."""
    is_current: bool


class Question(Struct, frozen=True, rename={"type": "kind"}):
    """A dialog that waits for a person's answer."""

    id: int
    type: str
    """alert, confirm, prompt or beforeunload."""
    message: str
    suggestion: str
    """The default text of a prompt."""


class OpenFileChooser(Struct, frozen=True, rename="camel"):
    """A page that waits for files."""

    id: int
    """Distinguishes it from the one before."""
    is_multiple: bool


@dataclass(slots=True, frozen=True)
class RankedLocator:
    """A locator that leads to an element, and how well."""

    locator: Locator
    matches: int
    """How many elements it leads to on the page as it is."""
    reason: str
    """Why it has its place in the ranking."""


@dataclass(slots=True, frozen=True)
class PickedElement:
    """An element somebody pointed at."""

    tag: str
    role: str
    """Its ARIA role; empty when it has none."""
    name: str
    box: tuple[float, float, float, float]
    """Left, top, width and height in the window."""
    locators: Sequence[RankedLocator]
    """The most stable first."""
    value: str | None = None
    """What the field holds: the text of a list's choice, `true` or `false` of a box; None of secrets."""


Coordinate = Annotated[float, Meta(ge=-100_000, le=100_000)]
Modifiers = Annotated[int, Meta(ge=0, le=15)]
"""Alt 1, Ctrl 2, Meta 4, Shift 8, added up."""
ShortText = Annotated[str, Meta(max_length=64)]


class _Input(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, tag_field="type"):
    """What a person does in the live view, as its page sends it."""


class MouseInput(_Input, frozen=True, kw_only=True, tag="mouse"):
    """The mouse at a point of the page, in the page's own pixels."""

    kind: Literal["move", "down", "up", "wheel"]
    x: Coordinate
    y: Coordinate
    button: MouseButton = "none"
    """The button that went down or up."""
    buttons: Annotated[int, Meta(ge=0, le=7)] = 0
    """All buttons that are down, as the bits of the DOM's `MouseEvent.buttons`."""
    clicks: Annotated[int, Meta(ge=0, le=3)] = 0
    modifiers: Modifiers = 0
    delta_x: Coordinate = 0
    delta_y: Coordinate = 0


class KeyInput(_Input, frozen=True, kw_only=True, tag="key"):
    """A key, in the words of the DOM's `KeyboardEvent`."""

    kind: Literal["down", "up"]
    key: ShortText
    code: ShortText
    key_code: Annotated[int, Meta(ge=0, le=255)] = 0
    text: Annotated[str, Meta(max_length=8)] = ""
    """What it types; empty for keys such as Shift."""
    modifiers: Modifiers = 0
    location: Annotated[int, Meta(ge=0, le=3)] = 0
    is_repeat: bool = False


class TextInput(_Input, frozen=True, tag="text"):
    """Text inserted at once: pasted, dictated, or composed with an input method."""

    text: Annotated[str, Meta(min_length=1, max_length=100_000)]


InputEvent = MouseInput | KeyInput | TextInput
