"""Who watches a run and who drives it."""

import asyncio
from typing import cast

import pytest

from pagehand.browser import LiveView
from pagehand.engine import viewers as live_run
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.signals import Signals
from pagehand.engine.viewers import LiveRun, Viewer
from pagehand.errors import Conflict, TooMany
from pagehand.records import Execution, Status
from pagehand.secrets.redactor import Redactor
from support.ignored_events import IgnoredEvents

pytestmark = pytest.mark.anyio


class Screen:
    """A browser without a picture: it only knows whether somebody drives it."""

    def __init__(self) -> None:
        self.is_driven = False

    def drive(self) -> None:
        self.is_driven = True

    def stop_driving(self) -> None:
        self.is_driven = False


async def _ignored(_status: Status, _reason: str) -> None: ...


class LiveViewers:
    """A run with two people around it."""

    def __init__(self) -> None:
        self.signals = Signals(_ignored)
        self.screen = Screen()
        execution = Execution(
            id="exec_1",
            organization_id="org",
            workflow_id="wf",
            workflow_name="w",
            workflow_version=1,
            browser_session_id="bs",
            accepted_at=0,
            start_time=0,
            deadline_at=0,
        )
        redactor = Redactor(["geheim"])
        self.run = LiveRun(
            execution, self.signals, EventLog(IgnoredEvents(), "exec_1", redactor, 0), redactor
        )
        self.run.screen = cast("LiveView", self.screen)
        self.woken: list[str] = []
        self.ada, self.bob = (
            Viewer(name, lambda name=name: self.woken.append(name)) for name in ("ada", "bob")
        )
        self.run.join(self.ada)
        self.run.join(self.bob)


@pytest.fixture
async def viewers() -> LiveViewers:
    return LiveViewers()


async def test_one_drives_and_the_run_holds_meanwhile(viewers: LiveViewers) -> None:
    viewers.run.take_control(viewers.ada, is_takeover=False)
    assert (viewers.run.drives(viewers.ada), viewers.screen.is_driven) == (True, True)
    assert viewers.signals.is_pause_requested
    with pytest.raises(Conflict):
        viewers.run.take_control(viewers.bob, is_takeover=False)
    viewers.run.return_control(viewers.bob)
    assert viewers.run.drives(viewers.ada)
    viewers.run.take_control(viewers.bob, is_takeover=True)
    assert (viewers.run.drives(viewers.ada), viewers.run.drives(viewers.bob)) == (False, True)
    viewers.run.return_control(viewers.bob)
    assert (viewers.run.has_driver, viewers.screen.is_driven, viewers.signals.is_paused) == (
        False,
        False,
        False,
    )
    assert set(viewers.woken) == {"ada", "bob"}


async def test_a_driver_who_is_away_for_long_loses_control(
    viewers: LiveViewers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_run, "AWAY_SECONDS", 0.05)
    viewers.run.take_control(viewers.ada, is_takeover=False)
    viewers.run.leave(viewers.ada)
    viewers.run.join(viewers.ada)
    await asyncio.sleep(0.1)
    assert viewers.run.drives(viewers.ada)
    viewers.run.leave(viewers.ada)
    await asyncio.sleep(0.1)
    assert (viewers.run.has_driver, viewers.signals.is_pause_requested) == (False, False)


async def test_the_run_has_control_again_when_what_it_waited_for_is_done(viewers: LiveViewers) -> None:
    async with viewers.signals.waiting_for_person("Type geheim"):
        assert viewers.run.waits_for == "Type ***"
        viewers.run.take_control(viewers.ada, is_takeover=False)
    assert (viewers.run.has_driver, viewers.signals.is_pause_requested) == (False, False)


async def test_giving_back_says_that_it_is_done(viewers: LiveViewers) -> None:
    async with viewers.signals.waiting_for_person("Sign in") as done:
        viewers.run.take_control(viewers.ada, is_takeover=False)
        viewers.run.return_control(viewers.ada)
        assert done.is_set()


async def test_an_end_takes_control_and_a_late_driver_is_refused(viewers: LiveViewers) -> None:
    viewers.run.take_control(viewers.ada, is_takeover=False)
    viewers.run.end()
    assert (viewers.run.has_ended, viewers.run.has_driver, viewers.screen.is_driven) == (True, False, False)
    with pytest.raises(Conflict):
        viewers.run.take_control(viewers.ada, is_takeover=True)


async def test_seats_are_limited(viewers: LiveViewers) -> None:
    for number in range(18):
        viewers.run.join(Viewer(str(number), lambda: None))
    with pytest.raises(TooMany):
        viewers.run.join(Viewer("one too many", lambda: None))
