"""A running execution for the people beside it: who watches, who drives, what it waits for."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from pagehand.browser_session import LiveView
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.run.signals import Signals
from pagehand.errors import Conflict, TooMany
from pagehand.records import Execution
from pagehand.secrets.redactor import Redactor

AWAY_SECONDS: Final = 45.0
"""How long control is kept for a driver whose connection broke, as when a phone shows another app."""
_MAX_VIEWERS: Final = 20


class Viewer:
    """One person at the live view; `key` is a secret of theirs, by which they are known again."""

    def __init__(self, key: str, wake: Callable[[], None]) -> None:
        self.key = key
        self.wake = wake


class LiveRun:
    """Who watches one attempt at an execution. At most one person drives; the run holds meanwhile."""

    def __init__(self, execution: Execution, signals: Signals, events: EventLog, redactor: Redactor) -> None:
        self.execution = execution
        self._signals = signals
        self._events = events
        self._redactor = redactor
        self._viewers: list[Viewer] = []
        self._driver: str | None = None
        self._was_waiting = False
        self._away: asyncio.TimerHandle | None = None
        self.screen: LiveView | None = None
        """The browser, once one serves the execution."""
        self.has_ended = False
        self.touched_at = time.monotonic()
        """When somebody last used it."""
        signals.on_change = self._changed

    @property
    def waits_for(self) -> str:
        """What only a person can do and the run waits for; empty when it is nothing."""
        return self.shown(self._signals.person_task.reason) if self._signals.person_task else ""

    @property
    def held_for(self) -> str:
        """Why the run stands still; empty while it goes on."""
        return self.shown(self._signals.pause_reason)

    @property
    def has_driver(self) -> bool:
        """True while somebody drives."""
        return self._driver is not None

    def shown(self, text: str) -> str:
        """A text of the run or its page without the secrets that the run knows."""
        return self._redactor.text(text)

    def touch(self) -> None:
        """Somebody uses it right now."""
        self.touched_at = time.monotonic()

    def drives(self, viewer: Viewer) -> bool:
        """True while this person drives."""
        return self._driver == viewer.key

    def join(self, viewer: Viewer) -> None:
        """Begin to watch; a driver who was away for a moment drives again."""
        if len(self._viewers) >= _MAX_VIEWERS:
            raise TooMany(f"{_MAX_VIEWERS} people watch this execution already.", retry_after_seconds=10)
        self._viewers.append(viewer)
        if self.drives(viewer):
            self._is_back()

    def leave(self, viewer: Viewer) -> None:
        """Watch no longer; control is kept for a moment, then the run goes on."""
        self._viewers.remove(viewer)
        # the same person may look on with a second window
        if self.drives(viewer) and not any(item.key == viewer.key for item in self._viewers):
            self._is_back()
            self._away = asyncio.get_running_loop().call_later(AWAY_SECONDS, self.release)

    def take(self, viewer: Viewer, *, is_takeover: bool) -> None:
        """Take control; from somebody else only with `is_takeover`."""
        if self.screen is None or self.has_ended:
            raise Conflict("There is no browser to drive.")
        if self.drives(viewer):
            return
        if self._driver is not None and not is_takeover:
            raise Conflict("Somebody else drives the browser.")
        self._is_back()
        self._driver = viewer.key
        self._signals.drive()
        self.screen.drive()
        self._events.add("person.drives", "A person took control of the browser in the live view")
        self._wake()

    def give_back(self, viewer: Viewer) -> None:
        """Let the run go on; giving back also says that what it waited for is done."""
        if self.drives(viewer):
            if self._signals.person_task is not None:
                # before control goes back: the block that waits must see the answer at its first look
                self._signals.person_task.done.set()
            self.release()

    def release(self) -> None:
        """Take control from the driver, whoever that is, and give it to the run."""
        if self._driver is None:
            return
        self._is_back()
        self._driver = None
        if self.screen is not None:
            self.screen.stop_driving()
        self._events.add("person.gave_back", "The person gave the browser back to the run")
        self._signals.stop_driving()
        self._wake()

    def end(self) -> None:
        """The attempt is over: nobody drives or waits for news any more."""
        self.release()
        self.has_ended = True
        self._wake()

    def _changed(self) -> None:
        """Called on pauses; what was waited for is done, so the run has control again."""
        was_waiting, self._was_waiting = self._was_waiting, self._signals.person_task is not None
        # a code or a captcha was settled while the person drove: the run must not hold for them
        if was_waiting and not self._was_waiting:
            self.release()
        self._wake()

    def _is_back(self) -> None:
        if self._away is not None:
            self._away.cancel()
            self._away = None

    def _wake(self) -> None:
        for viewer in self._viewers:
            viewer.wake()
