"""A person's mouse and keyboard on the current tab, in the order they were used."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol

from msgspec.structs import replace
from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.provider import send
from pagehand.browser_session import InputEvent, KeyInput, MouseInput, TextInput
from pagehand.errors import BrowserLost
from pagehand.loop import spawn
from pagehand.records import Json

_ANSWER_SECONDS: Final = 0.25
"""A page answers at once, unless it is busy or shows a dialog: then the next input does not wait for it."""
_IDLE_SECONDS: Final = 3.0
"""A page that answers nothing for so long does not take the rest."""
_OBSERVED_SECONDS: Final = 30.0
"""The same two times while an observer looks: it has to see what an input did before the next one comes."""
_MAX_WAITING: Final = 500
_OBSERVED_FACTOR: Final = 10
"""So many times as many may wait for an observer: it is slower than the page on a busy machine."""
_MOUSE_TYPES: Final = {
    "move": "mouseMoved",
    "down": "mousePressed",
    "up": "mouseReleased",
    "wheel": "mouseWheel",
}


class InputObserver(Protocol):
    """Is called around each input but mouse moves; must not fail, and waits only for the page."""

    async def before(self, event: InputEvent, /) -> None:
        """The input is about to reach the page."""
        ...

    async def after(self, event: InputEvent, /) -> None:
        """The input has reached the page."""
        ...


class UserInput:
    """Passes on what the person does; of mouse moves that pile up only the newest."""

    def __init__(self, channel: Callable[[], Awaitable[CDPSession]]) -> None:
        """`channel` gives the current tab's protocol channel."""
        self._channel = channel
        self._waiting: deque[InputEvent] = deque()
        self._working: asyncio.Task[None] | None = None
        self._sending: set[asyncio.Task[None]] = set()
        self._answered = 0
        self._held: dict[str, MouseInput | KeyInput] = {}
        """Buttons and keys that are down, each with the input that releases it."""
        self.observer: InputObserver | None = None

    def send(self, event: InputEvent) -> bool:
        """Pass on an input after those before it; False when text or a press is dropped: too many wait."""
        if isinstance(event, TextInput):
            return self._enqueue(event)
        if event.kind == "down":
            is_taken = self._enqueue(event)
            if is_taken:
                self._held[_held_name(event)] = _release_of(event)
            return is_taken
        # a page that has seen something pressed has to see it released, however much waits
        is_held = event.kind == "up" and self._held.pop(_held_name(event), None) is not None
        self._enqueue(event, must_arrive=is_held)
        return True

    async def idle(self) -> None:
        """Return when all input has reached the page, or the page does not take it."""
        answered = -1
        while self._working is not None and not self._working.done() and self._answered != answered:
            answered = self._answered
            seconds = _IDLE_SECONDS if self.observer is None else _OBSERVED_SECONDS
            await asyncio.wait({self._working}, timeout=seconds)

    def release_all(self) -> None:
        """Release what is still held down; the run must not find the Shift key pressed."""
        # a release that waits belongs to a press that the page may have seen already
        releases = [event for event in self._waiting if _is(event, "up")]
        releases += self._held.values()
        self._waiting.clear()
        self._held.clear()
        for event in releases:
            self._enqueue(event, must_arrive=True)

    @property
    def _room(self) -> int:
        return _MAX_WAITING if self.observer is None else _OBSERVED_FACTOR * _MAX_WAITING

    def _enqueue(self, event: InputEvent, *, must_arrive: bool = False) -> bool:
        """Queue an input; False when too many wait already and it is dropped."""
        if self._waiting and _is(event, "move") and _is(self._waiting[-1], "move"):
            self._waiting[-1] = event
        elif must_arrive or len(self._waiting) < self._room:
            self._waiting.append(event)
        else:
            return False
        if self._working is None or self._working.done():
            self._working = asyncio.ensure_future(self._work())
        return True

    async def _work(self) -> None:
        while self._waiting:
            event = self._waiting.popleft()
            is_observed = not _is(event, "move")
            if self.observer is not None and is_observed:
                await self.observer.before(event)
            # in a task: a page that shows a dialog answers only once the dialog is closed
            sending = spawn(self._sending, self._dispatch(event))
            # a move during a drag may be answered only once the drag ends
            is_looked_at = self.observer is not None and is_observed
            seconds = _OBSERVED_SECONDS if is_looked_at else _ANSWER_SECONDS
            await asyncio.wait({sending}, timeout=seconds)
            if self.observer is not None and is_observed:
                await self.observer.after(event)

    async def _dispatch(self, event: InputEvent) -> None:
        method, parameters = _command_of(event)
        with suppress(PlaywrightError, BrowserLost):  # the tab it was meant for is gone
            await send(await self._channel(), method, **parameters)
            self._answered += 1


def _is(event: InputEvent, kind: str) -> bool:
    return not isinstance(event, TextInput) and event.kind == kind


def _held_name(event: MouseInput | KeyInput) -> str:
    return f"button {event.button}" if isinstance(event, MouseInput) else f"key {event.code}"


def _release_of(event: MouseInput | KeyInput) -> MouseInput | KeyInput:
    if isinstance(event, MouseInput):
        return replace(event, kind="up", buttons=0)
    return replace(event, kind="up", text="", modifiers=0, is_repeat=False)


def _command_of(event: InputEvent) -> tuple[str, Json]:
    """The input as a command of Chromium's protocol."""
    match event:
        case TextInput():
            return "Input.insertText", {"text": event.text}
        case MouseInput():
            return "Input.dispatchMouseEvent", _mouse_parameters(event)
        case KeyInput():
            return "Input.dispatchKeyEvent", _key_parameters(event)


def _mouse_parameters(event: MouseInput) -> Json:
    wheel = {"deltaX": event.delta_x, "deltaY": event.delta_y} if event.kind == "wheel" else {}
    return {
        "type": _MOUSE_TYPES[event.kind],
        "x": event.x,
        "y": event.y,
        "modifiers": event.modifiers,
        "button": event.button,
        "buttons": event.buttons,
        "clickCount": event.clicks,
        **wheel,
    }


def _key_parameters(event: KeyInput) -> Json:
    parameters: Json = {
        "key": event.key,
        "code": event.code,
        "windowsVirtualKeyCode": event.key_code,
        "modifiers": event.modifiers,
        "location": event.location,
    }
    if event.kind == "up":
        return parameters | {"type": "keyUp"}
    typed = {"text": event.text, "unmodifiedText": event.text} if event.text else {}
    return parameters | {
        "type": "keyDown" if event.text else "rawKeyDown",
        **typed,
        "autoRepeat": event.is_repeat,
    }
