"""What was asked for and is not in what was read, in words for the event and the summary."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pagehand.blocks.outcome import Outcome
from pagehand.records import is_array, is_object

_NOTHING: Final[tuple[Any, ...]] = (None, [])


def reading_outcome(
    value: Any, names: Iterable[str], how: str = "", details: Mapping[str, Any] | None = None
) -> Outcome:
    """The outcome of a reading that says what it did not find."""
    rows = value if is_array(value) else None
    given: list[Any] = rows if rows is not None else [value]
    records = [item for item in given if is_object(item)]
    missing = _missing(records, names)
    counted = {name: count for name, count in missing.items() if count}
    report = {**(details or {}), **({"missing": counted} if counted else {})}
    if rows is not None:
        report["rows"] = len(rows)
        remark = _about_rows(len(rows), missing)
        return Outcome(value, f"Read {_many(len(rows), 'row')}{how}{_added(remark)}", report, remark)
    found = [name for name, count in missing.items() if not count]
    report["fields"] = len(found)
    what = _quoted(found) if found and not how else "one record" if found else "nothing"
    remark = _about_record([name for name, count in missing.items() if count])
    return Outcome(value, f"Read {what}{how}{_added(remark)}", report, remark)


def _missing(records: Sequence[Mapping[str, Any]], names: Iterable[str]) -> dict[str, int]:
    """For each name the number of records without it."""
    return {name: sum(record.get(name) in _NOTHING for record in records) for name in names}


def _about_rows(count: int, missing: Mapping[str, int]) -> str:
    if not count:
        return "There were no rows"
    absent = [name for name, without in missing.items() if without == count]
    if not absent:
        return ""
    where = "the row" if count == 1 else "every row"
    return f"{_quoted(absent)} {'is' if len(absent) == 1 else 'are'} missing in {where}"


def _about_record(absent: Sequence[str]) -> str:
    if not absent:
        return ""
    return f"{_quoted(absent)} {'was' if len(absent) == 1 else 'were'} not found on the page"


def _added(remark: str) -> str:
    return f". {remark}" if remark else ""


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
