"""Logs what blocks the event loop.

It measures the processor time of the loop's thread between two ticks: a busy machine causes no false alarm. A
second thread looks at the loop's stack when a tick is late. While native code holds the interpreter that
thread has to wait too, and sees the stack only afterwards.
"""

import asyncio
import sys
import threading
import time
import traceback
from pathlib import Path
from types import FrameType
from typing import Final

import structlog

_log = structlog.get_logger("pagehand.loop")
# shorter than what is reported: a loop that is busy with many small things is not blocked
_TICK_SECONDS: Final = 0.01
_BLOCKED_SECONDS: Final = 0.05
_FRAMES: Final = 3
_OURS: Final = f"{Path(__file__).parents[1]}/"


class LoopWatch:
    """Watches the loop it is started on, until it is stopped."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=self._watch_stack, name="loop watch", daemon=True)
        self._loop_thread = 0
        self._stopped = threading.Event()
        self._ticked_at = 0.0
        self._spent = 0.0
        self._stack = ""
        self._next: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start to watch the running loop."""
        self._loop_thread = threading.get_ident()
        self._spent = time.thread_time()
        self._tick()
        self._thread.start()

    def stop(self) -> None:
        """Stop to watch."""
        self._stopped.set()
        if self._next is not None:
            self._next.cancel()

    def _tick(self) -> None:
        spent, self._spent = self._spent, time.thread_time()
        blocked = self._spent - spent
        if blocked > _BLOCKED_SECONDS:
            _log.warning(
                "something held the event loop", seconds=round(blocked, 3), at=self._stack or "unknown"
            )
        self._stack = ""
        self._ticked_at = time.monotonic()
        self._next = asyncio.get_running_loop().call_later(_TICK_SECONDS, self._tick)

    def _watch_stack(self) -> None:
        while not self._stopped.wait(_BLOCKED_SECONDS / 2):
            if time.monotonic() - self._ticked_at > _BLOCKED_SECONDS / 2 and not self._stack:
                frame = sys._current_frames().get(self._loop_thread)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - the documented way to another thread's stack
                self._stack = "" if frame is None else _describe_stack(frame)


def _describe_stack(innermost: FrameType) -> str:
    """The innermost frames of our own code."""
    # without the lines of source: reading files takes longer than the loop may be blocked
    stack = traceback.StackSummary.extract(traceback.walk_stack(innermost), lookup_lines=False)
    own = [frame for frame in stack if frame.filename.startswith(_OURS)]
    return " < ".join(
        f"{frame.filename.removeprefix(_OURS)}:{frame.lineno} {frame.name}" for frame in own[:_FRAMES]
    )
