"""Which moments of a schedule are run and which are missed, and when the next one is."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Final

from pagehand.clock import to_iso
from pagehand.engine.schedules.cron import Cron
from pagehand.ids import new_id
from pagehand.records import Schedule, ScheduleRun

ON_TIME_MS: Final = 60_000
"""A moment longer ago was missed: no service ran then."""
_PAGE_SIZE: Final = 100
"""How many missed moments are caught up in one transaction; the others follow in the next."""


@dataclass(slots=True, frozen=True)
class DueMoments:
    """What to do about a schedule now."""

    run: Sequence[int]
    missed: int | None
    """The last moment that is skipped as missed, if any is."""
    next_at: int

    def is_late(self, now: int) -> bool:
        """True for moments that are caught up."""
        return any(now - moment >= ON_TIME_MS for moment in self.run)


def due_moments(schedule: Schedule, now: int) -> DueMoments:
    """What to do about the moments from `next_at` until now, by the schedule's `catch_up`."""
    cron = Cron(schedule.cron, schedule.time_zone)
    if schedule.catch_up == "all":
        return _all(cron, schedule.next_at, now)
    last, following = _around(cron, schedule, now)
    if now - last < ON_TIME_MS or schedule.catch_up == "latest":
        # the one before it, if it was due too, is given up with all before
        before = cron.latest(last - 1)
        given_up = before if before is not None and before >= schedule.next_at else None
        return DueMoments([last], given_up, following)
    return DueMoments([], last, following)


def skip_restored(schedule: Schedule, now: int) -> ScheduleRun:
    """Move a schedule of a restored database past now; the run that its history shows.

    Whatever `catch_up` says: the moments since the backup may have run.
    """
    first = schedule.next_at
    last, schedule.next_at = _around(Cron(schedule.cron, schedule.time_zone), schedule, now)
    message = (
        f"The database was restored. Whether the moments from {to_iso(first)} on ran before that cannot be "
        "known: look at the site, and run the schedule by hand if they did not."
    )
    return ScheduleRun(
        id=new_id("tick"),
        schedule_id=schedule.id,
        scheduled_for=last,
        at=now,
        outcome="missed",
        message=message,
    )


def _around(cron: Cron, schedule: Schedule, now: int) -> tuple[int, int]:
    """The last moment of a due schedule that is not after now, and the next one."""
    return max(schedule.next_at, cron.latest(now) or 0), cron.next(now, 1)[0]


def _all(cron: Cron, first: int, now: int) -> DueMoments:
    passed = takewhile(lambda moment: moment <= now, cron.after(first))
    moments = [first, *islice(passed, _PAGE_SIZE - 1)]
    return DueMoments(moments, None, cron.next(moments[-1], 1)[0])
