"""Cron expressions of five fields in a time zone: their next and latest moments, and their description.

When clocks change, cronsim behaves like Debian's cron: a fixed time in a missing hour comes once, right after
it, and one in a doubled hour comes once, the first time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import dropwhile, islice, takewhile
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from cronsim import CronSim, CronSimError

from pagehand.clock import to_iso
from pagehand.errors import InvalidRequest
from pagehand.ids import new_id
from pagehand.records import Schedule, ScheduleRun
from pagehand.workflow.refusals import nearest

_FIELDS: Final = (
    ("minute", "0 to 59"),
    ("hour", "0 to 23"),
    ("day-of-month", "1 to 31, or `L` for the last"),
    ("month", "1 to 12, or JAN to DEC"),
    ("day-of-week", "0 to 7 (0 and 7 are Sunday), or SUN to SAT"),
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EXAMPLE: Final = "such as `30 8 * * MON-FRI` for 08:30 on working days"
ON_TIME_MS: Final = 60_000
"""A moment longer ago was missed: no service ran then."""
_PAGE_SIZE: Final = 100
"""How many missed moments are caught up in one transaction; the others follow in the next."""


class Cron:
    """An expression that was checked, in a time zone that exists."""

    def __init__(self, expression: str, time_zone: str) -> None:
        """Raises InvalidRequest, naming the field of the request and of the expression."""
        self._zone = _zone(time_zone)
        self._expression = " ".join(expression.split())
        _check(self._expression)
        if next(self.after(0), None) is None:
            raise InvalidRequest(f"`cron`: `{self._expression}` never comes: no date fits it")

    @property
    def words(self) -> str:
        """A description for people."""
        return self._from(0).explain()

    def after(self, moment: int) -> Iterator[int]:
        """The moments after one, in milliseconds."""
        # within a doubled hour cronsim counts from its first pass, and may begin with moments in the past
        return dropwhile(lambda found: found <= moment, map(_milliseconds, self._from(moment)))

    def next(self, moment: int, count: int) -> list[int]:
        """The first `count` moments after one."""
        return list(islice(self.after(moment), count))

    def latest(self, moment: int) -> int | None:
        """The last one that is not after a moment."""
        # reading backwards leaves out the second it begins at, so begin one later
        begin = _datetime(moment).astimezone(self._zone).replace(microsecond=0) + timedelta(seconds=1)
        return next(map(_milliseconds, CronSim(self._expression, begin, reverse=True)), None)

    def _from(self, moment: int) -> CronSim:
        return CronSim(self._expression, _datetime(moment).astimezone(self._zone))


def _check(expression: str) -> None:
    fields = expression.split(" ")
    if len(fields) != len(_FIELDS):
        names = ", ".join(name for name, _ in _FIELDS)
        raise InvalidRequest(f"`cron`: expected five fields ({names}), {_EXAMPLE}; got {len(fields)}")
    for position, (name, allowed) in enumerate(_FIELDS):
        # one field at a time, because cronsim does not say which one it refuses
        alone = ["*"] * len(_FIELDS)
        alone[position] = fields[position]
        if not _is_valid(" ".join(alone)):
            raise InvalidRequest(
                f"`cron`: the {name} `{fields[position]}` is not valid: it takes {allowed}, "
                f"with `*`, lists (`1,3`), ranges (`1-5`) and steps (`*/2`)"
            )
    if not _is_valid(expression):
        raise InvalidRequest(f"`cron`: `{expression}` never comes: no month it names has that day")


def _is_valid(expression: str) -> bool:
    try:
        CronSim(expression, _EPOCH)
    except (CronSimError, AssertionError):  # it asserts that the start of a step is a number
        return False
    return True


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    # a path outside the database is a ValueError, a folder in it such as `Europe` an OSError
    except (ZoneInfoNotFoundError, ValueError, OSError):
        meant = nearest(name, available_timezones())
        hint = f"did you mean `{meant}`?" if meant else "expected a name such as `Europe/Berlin` or `UTC`"
        raise InvalidRequest(f"`timeZone`: there is no time zone `{name[:80]}`; {hint}") from None


def _datetime(moment: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=moment)


def _milliseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)


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
