"""Which moments are run when some have passed."""

import pytest

from pagehand.clock import from_iso, to_iso
from pagehand.engine.schedules.cron import due_moments
from pagehand.records import CatchUp, Schedule


def schedule(catch_up: CatchUp, next_at: str, cron: str = "0 * * * *") -> Schedule:
    return Schedule(
        id="schedule_1",
        organization_id="org_1",
        workflow_id="wf_1",
        cron=cron,
        time_zone="UTC",
        params={},
        catch_up=catch_up,
        next_at=from_iso(next_at),
    )


def seen(catch_up: CatchUp, next_at: str, now: str) -> tuple[list[str], str | None, str]:
    due = due_moments(schedule(catch_up, next_at), from_iso(now))
    missed = None if due.missed is None else to_iso(due.missed)[11:16]
    return [to_iso(item)[11:16] for item in due.run], missed, to_iso(due.next_at)[11:16]


@pytest.mark.parametrize("catch_up", ["none", "latest", "all"])
def test_a_moment_that_is_on_time_is_run(catch_up: CatchUp) -> None:
    now = "2026-05-01T10:00:00.700Z"
    assert seen(catch_up, "2026-05-01T10:00:00Z", now) == (["10:00"], None, "11:00")


def test_none_gives_up_what_has_passed() -> None:
    assert seen("none", "2026-05-01T08:00:00Z", "2026-05-01T10:30:00Z") == ([], "10:00", "11:00")


def test_none_still_runs_the_one_that_is_on_time() -> None:
    assert seen("none", "2026-05-01T08:00:00Z", "2026-05-01T10:00:30Z") == (["10:00"], "09:00", "11:00")


def test_latest_runs_the_last_that_has_passed() -> None:
    assert seen("latest", "2026-05-01T08:00:00Z", "2026-05-01T10:30:00Z") == (["10:00"], "09:00", "11:00")


def test_latest_gives_nothing_up_when_only_one_has_passed() -> None:
    assert seen("latest", "2026-05-01T10:00:00Z", "2026-05-01T10:30:00Z") == (["10:00"], None, "11:00")


def test_all_runs_every_one() -> None:
    moments = ["08:00", "09:00", "10:00"]
    assert seen("all", "2026-05-01T08:00:00Z", "2026-05-01T10:30:00Z") == (moments, None, "11:00")


def test_very_many_are_caught_up_in_parts() -> None:
    every_minute = schedule("all", "2026-05-01T00:00:00Z", "* * * * *")
    now = from_iso("2026-05-02T00:00:00Z")
    first = due_moments(every_minute, now)
    assert len(first.run) == 100
    every_minute.next_at = first.next_at
    second = due_moments(every_minute, now)
    assert second.run[0] == first.run[-1] + 60_000
