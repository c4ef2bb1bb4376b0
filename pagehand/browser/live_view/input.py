"""A person's mouse and keyboard on the current tab, in the order they were used."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.errors import BrowserLost

_PATIENCE_SECONDS: Final = 0.25
"""A page answers at once, unless it is busy or shows a dialog: then the next act does not wait for it."""
_IDLE_SECONDS: Final = 3.0
_MOST_WAITING: Final = 500

MouseKind = Literal["move", "down", "up", "wheel"]
Button = Literal["none", "left", "middle", "right"]
_MOUSE: Final = {"move": "mouseMoved", "down": "mousePressed", "up": "mouseReleased", "wheel": "mouseWheel"}


@dataclass(slots=True, frozen=True)
class _Act:
    method: str
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_move(self) -> bool:
        return self.parameters.get("type") == "mouseMoved"

    @property
    def is_release(self) -> bool:
        return self.parameters.get("type") in ("mouseReleased", "keyUp")


class Observer(Protocol):
    """Receives the person's input; must neither fail nor take long."""

    async def before(self, event: dict[str, Any], /) -> None:
        """It is about to reach the page."""
        ...

    async def after(self, event: dict[str, Any], /) -> None:
        """It has reached the page."""
        ...


class UserInput:
    """Passes on what the driver does; of mouse moves that pile up only the newest."""

    def __init__(self, channel: Callable[[], Awaitable[CDPSession]]) -> None:
        """`channel` gives the current tab's protocol channel."""
        self._channel = channel
        self._waiting: deque[_Act] = deque()
        self._working: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Future[None]] = set()
        self._held: dict[str, dict[str, Any]] = {}
        self.observer: Observer | None = None
        """Hears of each input just before and just after it reaches the page."""

    def mouse(
        self,
        kind: MouseKind,
        *,
        x: float,
        y: float,
        button: Button = "none",
        buttons: int = 0,
        clicks: int = 0,
        modifiers: int = 0,
        delta_x: float = 0,
        delta_y: float = 0,
    ) -> None:
        """Move, press, release or turn the wheel at a point of the page, in its own pixels."""
        event: dict[str, Any] = {"type": _MOUSE[kind], "x": x, "y": y, "modifiers": modifiers}
        event |= {"button": button, "buttons": buttons, "clickCount": clicks}
        if kind == "wheel":
            event |= {"deltaX": delta_x, "deltaY": delta_y}
        act = _Act("Input.dispatchMouseEvent", event)
        if kind == "down":
            self._press(f"button {button}", act, event | {"type": "mouseReleased", "buttons": 0})
        elif kind == "up":
            self._release(f"button {button}", act)
        else:
            self._put(act)

    def key(
        self,
        kind: Literal["down", "up"],
        *,
        key: str,
        code: str,
        key_code: int = 0,
        text: str = "",
        modifiers: int = 0,
        location: int = 0,
        is_repeat: bool = False,
    ) -> None:
        """Press or release a key; `text` is what it types, if anything."""
        event: dict[str, Any] = {"key": key, "code": code, "windowsVirtualKeyCode": key_code}
        event |= {"modifiers": modifiers, "location": location}
        if kind == "up":
            self._release(f"key {code}", _Act("Input.dispatchKeyEvent", event | {"type": "keyUp"}))
            return
        pressed = (
            {"type": "keyDown", "text": text, "unmodifiedText": text} if text else {"type": "rawKeyDown"}
        )
        act = _Act("Input.dispatchKeyEvent", event | pressed | {"autoRepeat": is_repeat})
        self._press(f"key {code}", act, event | {"type": "keyUp", "modifiers": 0})

    def insert_text(self, text: str) -> None:
        """Text as a whole: pasted, dictated, or composed with an input method."""
        self._put(_Act("Input.insertText", {"text": text}))

    async def idle(self) -> None:
        """Return when all that was done has reached the page, or the page does not take it."""
        if self._working is not None:
            await asyncio.wait({self._working}, timeout=_IDLE_SECONDS)

    def let_go(self) -> None:
        """Release what is still held down; the run must not find the Shift key pressed."""
        # a release that waits belongs to a press that the page may have seen already
        releases = [act for act in self._waiting if act.is_release]
        self._waiting.clear()
        for event in self._held.values():
            is_key = event["type"] == "keyUp"
            releases.append(_Act("Input.dispatchKeyEvent" if is_key else "Input.dispatchMouseEvent", event))
        self._held.clear()
        for act in releases:
            self._put(act, must_arrive=True)

    def _press(self, what: str, act: _Act, release: dict[str, Any]) -> None:
        if self._put(act):
            self._held[what] = release

    def _release(self, what: str, act: _Act) -> None:
        """A page that has seen something pressed has to see it released, however much waits."""
        self._put(act, must_arrive=self._held.pop(what, None) is not None)

    def _put(self, act: _Act, *, must_arrive: bool = False) -> bool:
        """Queue an act; False when too many wait already and it may be left out."""
        if self._waiting and act.is_move and self._waiting[-1].is_move:
            self._waiting[-1] = act
        elif must_arrive or len(self._waiting) < _MOST_WAITING:
            self._waiting.append(act)
        else:
            return False
        if self._working is None or self._working.done():
            self._working = asyncio.ensure_future(self._work())
        return True

    async def _work(self) -> None:
        while self._waiting:
            act = self._waiting.popleft()
            if self.observer is not None and not act.is_move:
                await self.observer.before(act.parameters)
            sending = asyncio.ensure_future(self._perform(act))
            self._under_way.add(sending)
            sending.add_done_callback(self._under_way.discard)
            await asyncio.wait({sending}, timeout=_PATIENCE_SECONDS)
            if self.observer is not None and not act.is_move:
                await self.observer.after(act.parameters)

    async def _perform(self, act: _Act) -> None:
        with suppress(PlaywrightError, BrowserLost):  # the tab it was meant for is gone
            await send(await self._channel(), act.method, **act.parameters)
