"""Cron expressions of five fields in a time zone: their next and latest moments, and their description.

When clocks change, cronsim behaves like Debian's cron: a fixed time in a missing hour comes once, right after
it, and one in a doubled hour comes once, the first time.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import dropwhile, islice
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from cronsim import CronSim, CronSimError

from pagehand.errors import InvalidRequest
from pagehand.workflow.nearest import nearest

_FIELDS: Final = (
    ("minute", "0 to 59"),
    ("hour", "0 to 23"),
    ("day-of-month", "1 to 31, or `L` for the last"),
    ("month", "1 to 12, or JAN to DEC"),
    ("day-of-week", "0 to 7 (0 and 7 are Sunday), or SUN to SAT"),
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EXAMPLE: Final = "such as `30 8 * * MON-FRI` for 08:30 on working days"


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
