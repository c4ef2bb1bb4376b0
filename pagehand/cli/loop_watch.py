"""Notices when something holds the event loop, and says what: everybody else waits meanwhile.

Measured is the processor time that the loop's thread spends between two beats, so a busy machine raises no
false alarm. A second thread looks where the loop is when a beat is late; while native code holds the
interpreter even that has to wait, and the place is then the one seen at the next chance to look.
"""

import asyncio
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Final

import structlog

_log = structlog.get_logger("pagehand.loop")
_BEAT_SECONDS: Final = 0.05
_HELD_SECONDS: Final = 0.2
_FRAMES: Final = 3
_OURS: Final = f"{Path(__file__).parents[1]}/"


class LoopWatch:
    """Watches the loop it is started on, until it is stopped."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=self._look, name="loop watch", daemon=True)
        self._loop_thread = 0
        self._is_over = threading.Event()
        self._beat_at = 0.0
        self._spent = 0.0
        self._seen = ""
        self._next: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin; called on the loop."""
        self._loop_thread = threading.get_ident()
        self._spent = time.thread_time()
        self._beat()
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._is_over.set()
        if self._next is not None:
            self._next.cancel()

    def _beat(self) -> None:
        spent, self._spent = self._spent, time.thread_time()
        held = self._spent - spent
        if held > _HELD_SECONDS:
            _log.warning("something held the event loop", seconds=round(held, 2), at=self._seen or "unknown")
        self._seen = ""
        self._beat_at = time.monotonic()
        self._next = asyncio.get_running_loop().call_later(_BEAT_SECONDS, self._beat)

    def _look(self) -> None:
        while not self._is_over.wait(_HELD_SECONDS / 2):
            if time.monotonic() - self._beat_at > _HELD_SECONDS and not self._seen:
                frame = sys._current_frames().get(self._loop_thread)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - the documented way to another thread's stack
                self._seen = _places(traceback.extract_stack(frame)) if frame is not None else ""


def _places(stack: traceback.StackSummary) -> str:
    """The innermost places in our own code."""
    own = [frame for frame in stack if frame.filename.startswith(_OURS)]
    return " < ".join(
        f"{frame.filename.removeprefix(_OURS)}:{frame.lineno} {frame.name}"
        for frame in own[: -_FRAMES - 1 : -1]
    )
