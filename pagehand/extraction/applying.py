"""Reading a snapshot by a plan."""

from typing import Any

from pagehand.errors import NotPresent
from pagehand.extraction.cells import read_many, read_one
from pagehand.extraction.matching import column_style
from pagehand.extraction.plan import Origin, Pick, Plan
from pagehand.extraction.snapshot import Row, Snapshot, Source


def apply(plan: Plan, snapshot: Snapshot) -> Any:
    """The data that the plan finds in the snapshot, in the types it names."""
    if plan.shape == "object":
        return _object(plan, snapshot)
    source = _source(plan.origin, snapshot)
    if plan.shape == "rows":
        rows = [_row(plan, source, row) for row in source.rows]
        return [row for row in rows if any(value not in (None, []) for value in row.values())]
    pick = plan.picks[""]
    values = [_value(pick, source, row) for row in source.rows]
    return [one for value in values if value is not None for one in (value if pick.is_many else [value])]


def _object(plan: Plan, snapshot: Snapshot) -> dict[str, Any]:
    read = {
        name: (pick, _value(pick, source := _source(pick.origin, snapshot), source.rows[0]))
        for name, pick in plan.picks.items()
    }
    found = _kept(read)
    found |= {name: apply(part, snapshot) for name, part in plan.parts.items()}
    return found | dict.fromkeys(plan.nulls)


def _row(plan: Plan, source: Source, row: Row) -> dict[str, Any]:
    found = _kept({name: (pick, _value(pick, source, row)) for name, pick in plan.picks.items()})
    for name, part in plan.parts.items():
        if nested := _row(part, source, row):
            found[name] = nested
    return found | dict.fromkeys(plan.nulls)


def _kept(read: dict[str, tuple[Pick, Any]]) -> dict[str, Any]:
    """What was found; what was not is null where that is allowed, else absent."""
    return {name: value for name, (pick, value) in read.items() if value is not None or pick.takes_null}


def _value(pick: Pick, source: Source, row: Row) -> Any:
    place = _column(pick, source)
    style = column_style(source, place)
    read = read_many if pick.is_many else read_one
    return read(row[place], pick.kind, style, pick.choices)


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
