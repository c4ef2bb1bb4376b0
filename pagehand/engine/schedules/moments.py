"""Which moments of a schedule are run and which are missed, and when the next one is."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Final

from pagehand.engine.schedules.cron import Cron
from pagehand.records import Schedule

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
    last = max(schedule.next_at, cron.latest(now) or 0)
    following = cron.next(now, 1)[0]
    if now - last < ON_TIME_MS or schedule.catch_up == "latest":
        # the one before it, if it was due too, is given up with all before
        before = cron.latest(last - 1)
        given_up = before if before is not None and before >= schedule.next_at else None
        return DueMoments([last], given_up, following)
    return DueMoments([], last, following)


def _all(cron: Cron, first: int, now: int) -> DueMoments:
    passed = takewhile(lambda moment: moment <= now, cron.after(first))
    moments = [first, *islice(passed, _PAGE_SIZE - 1)]
    return DueMoments(moments, None, cron.next(moments[-1], 1)[0])
