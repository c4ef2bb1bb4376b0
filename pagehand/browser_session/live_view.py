"""What a person sees of a running browser, and what they may do with it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from msgspec import Struct

from pagehand.workflow.locator import Locator
from pagehand.workflow.recorded import RecordedAct

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


@dataclass(slots=True, frozen=True)
class Tab:
    """A tab as the live view lists it: never its address, which may hold a secret."""

    id: int
    title: str
    site: str
    """The host it is from."""
    is_current: bool


@dataclass(slots=True, frozen=True)
class Question:
    """A dialog that waits for a person's answer."""

    id: int
    type: str
    """alert, confirm, prompt or beforeunload."""
    message: str
    suggestion: str
    """The default text of a prompt."""


@dataclass(slots=True, frozen=True)
class OpenFileChooser:
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


class MouseInput(Struct, frozen=True, kw_only=True):
    """The mouse at a point of the page, in the page's own pixels."""

    kind: Literal["move", "down", "up", "wheel"]
    x: float
    y: float
    button: MouseButton = "none"
    """The button that went down or up."""
    buttons: int = 0
    """All buttons that are down, as the bits of the DOM's `MouseEvent.buttons`."""
    clicks: int = 0
    modifiers: int = 0
    """Alt 1, Ctrl 2, Meta 4, Shift 8, added up."""
    delta_x: float = 0
    delta_y: float = 0


class KeyInput(Struct, frozen=True, kw_only=True):
    """A key, in the words of the DOM's `KeyboardEvent`."""

    kind: Literal["down", "up"]
    key: str
    code: str
    key_code: int = 0
    text: str = ""
    """What it types; empty for keys such as Shift."""
    modifiers: int = 0
    location: int = 0
    is_repeat: bool = False


class TextInput(Struct, frozen=True):
    """Text inserted at once: pasted, dictated, or composed with an input method."""

    text: str


InputEvent = MouseInput | KeyInput | TextInput


class UserInput(Protocol):
    """A person's mouse and keyboard on the current tab."""

    def send(self, event: InputEvent) -> None:
        """Pass on an input after those before it."""
        ...

    async def idle(self) -> None:
        """Return when all input has reached the page, or the page does not take it."""
        ...


class FileChoosers(Protocol):
    """The file choosers that pages open while a person drives."""

    @property
    def current(self) -> OpenFileChooser | None:
        """The one that is open."""
        ...

    def begin_file(self, name: str) -> None:
        """A file of that name follows; `InvalidRequest` when no chooser is open."""
        ...

    def add_bytes(self, chunk: bytes) -> None:
        """The next chunk of it; `InvalidRequest` when the files become too large."""
        ...

    def set_files(self) -> None:
        """Give all files to the page."""
        ...

    def cancel(self) -> None:
        """Close the chooser without a file."""
        ...


class LiveView(Protocol):
    """One browser, watched and driven by people."""

    @property
    def frame(self) -> ScreencastFrame | None:
        """The newest picture; None before the first."""
        ...

    @property
    def tabs(self) -> Sequence[Tab]:
        """Open tabs, oldest first."""
        ...

    @property
    def question(self) -> Question | None:
        """The dialog that waits for an answer."""
        ...

    @property
    def input(self) -> UserInput:
        """Mouse and keyboard."""
        ...

    @property
    def choosers(self) -> FileChoosers:
        """File choosers."""
        ...

    def watching(self, wake: Callable[[], None]) -> AbstractAsyncContextManager[None]:
        """Within, `wake` is called whenever there is something new to see."""
        ...

    def drive(self) -> None:
        """A person drives: they answer dialogs and file choosers."""
        ...

    def stop_driving(self) -> None:
        """The run drives again."""
        ...

    async def record(self, on_act: Callable[[RecordedAct], None], *, with_address: bool) -> None:
        """Report what the person does from now on, as acts that blocks can repeat."""
        ...

    async def stop_recording(self) -> None:
        """Report no more acts."""
        ...

    async def pick(self, x: float, y: float, *, with_locators: bool) -> PickedElement | None:
        """The element at a point of the window, and the locators that lead to it where they are wanted."""
        ...

    async def record_read_at(self, x: float, y: float) -> RecordedAct | None:
        """The act of reading the table or the text at a point of the window."""
        ...

    def answer(self, question: int, *, accept: bool, text: str | None) -> None:
        """Answer a dialog; one that is gone is ignored."""
        ...

    def switch_to(self, tab: int) -> None:
        """Make a tab the current one."""
        ...

    def go_back(self) -> None:
        """Go to the previous page."""
        ...

    def reload(self) -> None:
        """Load the page again."""
        ...
