"""Reading a snapshot by a plan."""

from typing import Any, cast

from pagehand.errors import NotPresent
from pagehand.page.extraction.matching import column_values
from pagehand.page.extraction.plan import Origin, Pick, Plan
from pagehand.page.extraction.snapshot import Snapshot, Source
from pagehand.records import Json


def apply(plan: Plan, snapshot: Snapshot) -> Any:
    """The data that the plan finds in the snapshot, in the types it names."""
    if plan.shape == "object":
        return _object(plan, snapshot)
    source = _source(plan.origin, snapshot)
    if plan.shape == "rows":
        reader = _RowReader(plan, source)
        rows = [reader.read(row) for row in range(len(source.rows))]
        # rows of advertisements and separators have nothing that was asked for
        return [row for row in rows if any(value not in (None, []) for value in row.values())]
    pick = plan.picks[""]
    values = [value for value in _values(pick, source) if value is not None]
    return [item for value in values for item in cast("list[Any]", value)] if pick.is_many else values


class _RowReader:
    """Reads the same properties from row after row."""

    def __init__(self, plan: Plan, source: Source) -> None:
        self._nulls = plan.nulls
        self._columns = {name: (pick, _values(pick, source)) for name, pick in plan.picks.items()}
        self._parts = {name: _RowReader(part, source) for name, part in plan.parts.items()}

    def read(self, row: int) -> Json:
        found = _kept({name: (pick, values[row]) for name, (pick, values) in self._columns.items()})
        for name, part in self._parts.items():
            if nested := part.read(row):
                found[name] = nested
        return found | dict.fromkeys(self._nulls)


def _object(plan: Plan, snapshot: Snapshot) -> Json:
    read: dict[str, tuple[Pick, Any]] = {}
    for name, pick in plan.picks.items():
        values = _values(pick, _source(pick.origin, snapshot))
        # planned for a place with one record: the first of several may be another one
        if len(values) != 1:
            raise NotPresent(f"The page has {len(values)} rows with `{pick.label}` where it had one")
        read[name] = (pick, values[0])
    nested = {name: apply(part, snapshot) for name, part in plan.parts.items()}
    return _kept(read) | nested | dict.fromkeys(plan.nulls)


def _kept(read: dict[str, tuple[Pick, Any]]) -> Json:
    """What was found; what was not is null where that is allowed, else absent."""
    return {name: value for name, (pick, value) in read.items() if value is not None or pick.takes_null}


def _values(pick: Pick, source: Source) -> list[Any]:
    place = _column(pick, source)
    return column_values(source, place, pick.kind, pick.choices, is_many=pick.is_many)


def _column(pick: Pick, source: Source) -> int:
    for place, column in enumerate(source.columns):
        if (column.label, column.group) == (pick.label, pick.group):
            return place
    raise NotPresent(f"The page has no `{pick.label}` any more where it was planned to be read")


def _source(origin: Origin | None, snapshot: Snapshot) -> Source:
    source = origin.find(snapshot) if origin is not None else None
    if source is None or (source.kind != "table" and not source.rows):
        kind, caption = (origin.kind, origin.caption) if origin else ("source", "")
        raise NotPresent(f"The page has no {kind} `{caption}` any more where data was planned to be read")
    return source
