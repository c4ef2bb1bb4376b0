"""What a person beside a running browser sees and does, as the engine and the API know it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol


class Frame(Protocol):
    """A picture of the current tab."""

    @property
    def number(self) -> int:
        """Grows with every picture."""
        ...

    @property
    def jpeg(self) -> bytes:
        """The picture; secret fields are masked in it as in every other."""
        ...

    @property
    def width(self) -> int:
        """Of the page, in its own pixels."""
        ...

    @property
    def height(self) -> int:
        """Of the page, in its own pixels."""
        ...


class Tab(Protocol):
    """An open tab."""

    @property
    def id(self) -> int:
        """To switch to it by."""
        ...

    @property
    def title(self) -> str:
        """The page's title."""
        ...

    @property
    def site(self) -> str:
        """The host it is from, without the rest of its address."""
        ...

    @property
    def is_current(self) -> bool:
        """Whether this is the one that is shown."""
        ...


class Question(Protocol):
    """A dialog that waits for an answer."""

    @property
    def id(self) -> int:
        """To answer it by."""
        ...

    @property
    def type(self) -> str:
        """alert, confirm, prompt or beforeunload."""
        ...

    @property
    def message(self) -> str:
        """What it says."""
        ...

    @property
    def suggestion(self) -> str:
        """What a prompt begins with."""
        ...


class Chooser(Protocol):
    """A page that waits for files."""

    @property
    def id(self) -> int:
        """Tells it from the one before."""
        ...

    @property
    def is_multiple(self) -> bool:
        """Whether it takes several."""
        ...


class Hands(Protocol):
    """Mouse and keyboard."""

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
    """File choosers of the page."""

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
    def hands(self) -> Hands:
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
        """A person has the wheel: dialogs and file choosers are theirs."""
        ...

    def stop_driving(self) -> None:
        """The run has it again."""
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
