"""A clock that is set costs no living worker its executions."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pagehand.engine.postgres import lease as module
from pagehand.engine.postgres.lease import Reaper

pytestmark = pytest.mark.anyio

HOUR = 3600.0


class Clocks:
    """Two clocks that go on together, until the database's is set."""

    def __init__(self) -> None:
        self.monotonic_seconds = 1000.0
        self.database_seconds = 5000.0

    def go_on(self, seconds: float) -> None:
        self.monotonic_seconds += seconds
        self.database_seconds += seconds

    def monotonic(self) -> float:
        return self.monotonic_seconds

    async def now(self) -> int:
        return round(self.database_seconds * 1000)


class Looks:
    """What the reaper works on: nothing, and how often it looked for lost workers."""

    def __init__(self, clocks: Clocks) -> None:
        self.count = 0
        self.schedules = clocks
        queue = {"stalled": self.stalled, "unassigned": nothing, "remove_silent_workers": nothing}
        self.shared_queue = SimpleNamespace(**queue)
        self.run_messages = SimpleNamespace(sweep=nothing)
        self.executions = SimpleNamespace(waiting_past=nothing)
        self.exclusive_logins = SimpleNamespace(release_orphans=nothing)

    async def stalled(self, _: float) -> list[Any]:
        self.count += 1
        return []


async def nothing(*_: object) -> list[Any]:
    return []


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
async def test_after_the_clock_was_set_all_workers_get_their_time_again(
    jump: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks = Clocks()
    looks = Looks(clocks)
    monkeypatch.setattr(module, "time", clocks)
    unused = cast("Any", None)
    reaper = Reaper(cast("Any", looks), unused, unused, unused)

    async def rounds(count: int) -> int:
        before = looks.count
        for _ in range(count):
            clocks.go_on(1)
            await reaper._run_once()  # pyright: ignore[reportPrivateUsage] - its rounds, without the pauses
        return looks.count - before

    assert await rounds(40) > 0
    clocks.database_seconds += jump
    assert await rounds(30) == 0
    assert await rounds(5) > 0
