"""The people at the live view of a running execution: who watches, and who drives."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from pagehand.browser import LiveView
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.signals import Signals
from pagehand.errors import Conflict, TooMany
from pagehand.records import Execution
from pagehand.secrets.redactor import Redactor

AWAY_SECONDS: Final = 45.0
"""How long a driver whose connection broke keeps control, as when a phone shows another app."""
_MAX_VIEWERS: Final = 20


class Viewer:
    """One person at the live view; `key` is a secret that identifies them when they reconnect."""

    def __init__(self, key: str, wake: Callable[[], None]) -> None:
        self.key = key
        self.wake = wake


class LiveRun:
    """The viewers of one attempt. At most one of them drives; the run is held meanwhile."""

    def __init__(self, execution: Execution, signals: Signals, events: EventLog, redactor: Redactor) -> None:
        self.execution = execution
        self._signals = signals
        self._events = events
        self._redactor = redactor
        self._viewers: list[Viewer] = []
        self._driver: str | None = None
        self._was_waiting = False
        self._away_timer: asyncio.TimerHandle | None = None
        self.on_control: Callable[[], None] = lambda: None
        """Called when a person takes control."""
        self.screen: LiveView | None = None
        """The browser, once one serves the execution."""
        self.has_ended = False
        self.touched_at = time.monotonic()
        """When it was last used."""
        signals.on_change = self._changed

    @property
    def waits_for(self) -> str:
        """What the run waits for a person to do; empty when it does not wait."""
        return self.redact(self._signals.person_task.reason) if self._signals.person_task else ""

    @property
    def held_for(self) -> str:
        """Why the run is held; empty while it runs."""
        return self.redact(self._signals.pause_reason)

    @property
    def has_driver(self) -> bool:
        """Whether someone drives."""
        return self._driver is not None

    def redact(self, text: str) -> str:
        """A text of the run or its page without secrets."""
        return self._redactor.text(text)

    def touch(self) -> None:
        """Record that it is used now."""
        self.touched_at = time.monotonic()

    def drives(self, viewer: Viewer) -> bool:
        """Whether this person drives."""
        return self._driver == viewer.key

    def join(self, viewer: Viewer) -> None:
        """Start to watch; a driver who comes back in time still drives."""
        if len(self._viewers) >= _MAX_VIEWERS:
            raise TooMany(f"{_MAX_VIEWERS} people watch this execution already.", retry_after_seconds=10)
        self._viewers.append(viewer)
        if self.drives(viewer):
            self._cancel_away_timer()

    def leave(self, viewer: Viewer) -> None:
        """Stop watching; a driver keeps control for `AWAY_SECONDS`, then the run continues."""
        self._viewers.remove(viewer)
        # the same person may still watch in a second window
        if self.drives(viewer) and not any(item.key == viewer.key for item in self._viewers):
            self._cancel_away_timer()
            self._away_timer = asyncio.get_running_loop().call_later(AWAY_SECONDS, self.release)

    def take_control(self, viewer: Viewer, *, is_takeover: bool) -> None:
        """Take control; from somebody else only with `is_takeover`."""
        if self.screen is None or self.has_ended:
            raise Conflict("There is no browser to drive.")
        if self.drives(viewer):
            return
        if self._driver is not None and not is_takeover:
            raise Conflict("Somebody else drives the browser.")
        self._cancel_away_timer()
        self._driver = viewer.key
        self._signals.drive()
        self.screen.drive()
        self.on_control()
        self._events.add("person.drives", "A person took control of the browser in the live view")
        self._wake()

    def return_control(self, viewer: Viewer) -> None:
        """Let the run continue; this also reports that what it waited for is done."""
        if self.drives(viewer):
            if self._signals.person_task is not None:
                # before control is released: the waiting block checks this first
                self._signals.person_task.done.set()
            self.release()

    def release(self) -> None:
        """Take control from the driver, if there is one, and give it to the run."""
        if self._driver is None:
            return
        self._cancel_away_timer()
        self._driver = None
        if self.screen is not None:
            self.screen.stop_driving()
        self._events.add("person.gave_back", "The person gave the browser back to the run")
        self._signals.stop_driving()
        self._wake()

    def end(self) -> None:
        """The attempt is over: release control and notify the viewers."""
        self.release()
        self.has_ended = True
        self._wake()

    def _changed(self) -> None:
        """Called when the run pauses or continues; takes control back once the wait is over."""
        was_waiting, self._was_waiting = self._was_waiting, self._signals.person_task is not None
        # a code or captcha was handled while the person drove: the run must not stay held for them
        if was_waiting and not self._was_waiting:
            self.release()
        self._wake()

    def _cancel_away_timer(self) -> None:
        if self._away_timer is not None:
            self._away_timer.cancel()
            self._away_timer = None

    def _wake(self) -> None:
        for viewer in self._viewers:
            viewer.wake()
