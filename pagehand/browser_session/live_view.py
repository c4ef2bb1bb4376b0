"""What a person who watches a running browser sees and may do."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from pagehand.workflow.recorded import RecordedAct


@dataclass(slots=True, frozen=True)
class Frame:
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
    """What a prompt begins with."""


@dataclass(slots=True, frozen=True)
class Chooser:
    """A page that waits for files."""

    id: int
    """Tells it from the one before."""
    is_multiple: bool


class UserInput(Protocol):
    """Mouse and keyboard, as a part of `Screen`: engine and API do not import the browser."""

    def mouse(
        self,
        kind: Literal["move", "down", "up", "wheel"],
        *,
        x: float,
        y: float,
        button: Literal["none", "left", "middle", "right"],
        buttons: int,
        clicks: int,
        modifiers: int,
        delta_x: float,
        delta_y: float,
    ) -> None:
        """Move, press, release or turn the wheel at a point of the page."""
        ...

    def key(
        self,
        kind: Literal["down", "up"],
        *,
        key: str,
        code: str,
        key_code: int,
        text: str,
        modifiers: int,
        location: int,
        is_repeat: bool,
    ) -> None:
        """Press or release a key."""
        ...

    def insert_text(self, text: str) -> None:
        """Text as a whole."""
        ...

    async def idle(self) -> None:
        """Return when all that was done has reached the page, or the page does not take it."""
        ...


class Choosers(Protocol):
    """File choosers of the page, as a part of `Screen`: engine and API do not import the browser."""

    @property
    def current(self) -> Chooser | None:
        """The one that is open."""
        ...

    def begin_file(self, name: str) -> None:
        """A file of that name follows; `InvalidRequest` when none is wanted."""
        ...

    def add_bytes(self, piece: bytes) -> None:
        """The next piece of it; `InvalidRequest` when it is too large."""
        ...

    def hand_over(self) -> None:
        """Give all files to the page."""
        ...

    def cancel(self) -> None:
        """Give none."""
        ...


class Screen(Protocol):
    """One browser, watched and driven by people."""

    @property
    def frame(self) -> Frame | None:
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
    def choosers(self) -> Choosers:
        """File choosers."""
        ...

    def watching(self, wake: Callable[[], None]) -> AbstractAsyncContextManager[None]:
        """Within, `wake` is called whenever there is something new to see."""
        ...

    def drive(self) -> None:
        """A person drives: dialogs and file choosers are theirs."""
        ...

    def stop_driving(self) -> None:
        """The run drives again."""
        ...

    async def record(self, on_act: Callable[[RecordedAct], None], *, with_address: bool) -> None:
        """Tell of what the person does from now on, as acts that blocks can do again."""
        ...

    async def stop_recording(self) -> None:
        """Tell of nothing more."""
        ...

    def answer(self, question: int, *, accept: bool, text: str | None) -> None:
        """Answer a dialog; one that is gone is ignored."""
        ...

    def switch_to(self, tab: int) -> None:
        """Make a tab the current one."""
        ...

    def go_back(self) -> None:
        """To the page before."""
        ...

    def reload(self) -> None:
        """Load the page anew."""
        ...
