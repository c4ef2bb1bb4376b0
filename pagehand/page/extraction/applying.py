"""Reading a snapshot with a plan."""

from typing import Any, cast

from pagehand.errors import NotPresent
from pagehand.page.extraction.column_matching import column_values
from pagehand.page.extraction.plan import Origin, Pick, Plan
from pagehand.page.extraction.snapshot import Snapshot, Source
from pagehand.records import Json


def apply_plan(plan: Plan, snapshot: Snapshot) -> Any:
    """The data that the plan finds in the snapshot, in the types it names."""
    if plan.shape == "object":
        return _read_object(plan, snapshot)
    if plan.shape == "value":
        return _read_object(plan, snapshot).get("")
    source = _find_source(plan.origin, snapshot)
    if plan.shape == "rows":
        reader = _RowReader(plan, source)
        rows = [reader.read(row) for row in range(len(source.rows))]
        # rows of advertisements and separators have none of the properties
        return [row for row in rows if any(value not in (None, []) for value in row.values())]
    pick = plan.picks[""]
    values = [value for value in _values(pick, source) if value is not None]
    return [item for value in values for item in cast("list[Any]", value)] if pick.is_many else values


class _RowReader:
    """Reads the properties of one row at a time."""

    def __init__(self, plan: Plan, source: Source) -> None:
        self._nulls = plan.nulls
        self._columns = {name: (pick, _values(pick, source)) for name, pick in plan.picks.items()}
        self._parts = {name: _RowReader(part, source) for name, part in plan.parts.items()}

    def read(self, row: int) -> Json:
        found = _without_missing(
            {name: (pick, values[row]) for name, (pick, values) in self._columns.items()}
        )
        for name, part in self._parts.items():
            if nested := part.read(row):
                found[name] = nested
        return found | dict.fromkeys(self._nulls)


def _read_object(plan: Plan, snapshot: Snapshot) -> Json:
    read: dict[str, tuple[Pick, Any]] = {}
    for name, pick in plan.picks.items():
        values = _values(pick, _find_source(pick.origin, snapshot))
        # planned for a place with one record: the first of several may be another one
        if len(values) != 1:
            raise NotPresent(f"The page has {len(values)} rows with `{pick.label}` where it had one")
        read[name] = (pick, values[0])
    nested = {name: apply_plan(part, snapshot) for name, part in plan.parts.items()}
    return _without_missing(read) | nested | dict.fromkeys(plan.nulls)


def _without_missing(read: dict[str, tuple[Pick, Any]]) -> Json:
    """The values; a missing one is null where that is allowed, else left out."""
    return {name: value for name, (pick, value) in read.items() if value is not None or pick.takes_null}


def _values(pick: Pick, source: Source) -> list[Any]:
    column = _find_column(pick, source)
    return column_values(source, column, pick.kind, pick.choices, is_many=pick.is_many)


def _find_column(pick: Pick, source: Source) -> int:
    for at, column in enumerate(source.columns):
        if (column.label, column.group, column.kind) == (pick.label, pick.group, pick.sign):
            return at
    raise NotPresent(f"The page has no `{pick.label}` any more where it was planned to be read")


def _find_source(origin: Origin | None, snapshot: Snapshot) -> Source:
    source = origin.find(snapshot) if origin is not None else None
    if source is None or (source.kind != "table" and not source.rows):
        kind, caption = (origin.kind, origin.caption) if origin else ("source", "")
        raise NotPresent(f"The page has no {kind} `{caption}` any more where data was planned to be read")
    return source
