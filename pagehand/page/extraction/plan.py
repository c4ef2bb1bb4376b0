"""How to read a page: which source, and which column for which property. It holds no values of the page."""

from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from pagehand.page.extraction.snapshot import ColumnKind, Snapshot, Source, SourceKind
from pagehand.page.extraction.target_field import Shape, ValueKind
from pagehand.records import Json


@dataclass(frozen=True, slots=True)
class Origin:
    """Identifies a source in later snapshots of the same page."""

    kind: SourceKind
    caption: str
    place: int = 0
    """Which one, among sources of that kind and caption."""
    row_of: str = ""
    """The text of the row that is meant, where one row is read as a record."""

    def find(self, snapshot: Snapshot) -> Source | None:
        """The source in a snapshot."""
        same = [
            source
            for source in snapshot.sources
            if (source.kind, source.caption) == (self.kind, self.caption)
        ]
        source = same[self.place] if self.place < len(same) else None
        return source.row_with(self.row_of) if source is not None and self.row_of else source


@dataclass(frozen=True, slots=True)
class Pick:
    """One column and the type its values take."""

    origin: Origin
    label: str
    group: str
    sign: ColumnKind
    """Where the column has its name from."""
    kind: ValueKind
    choices: tuple[str, ...] = ()
    is_many: bool = False
    takes_null: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """Where an object, each object of an array, or an array of values is read."""

    shape: Shape
    origin: Origin | None = None
    """The source of all rows; an object may be put together from several."""
    picks: dict[str, Pick] = field(default_factory=dict[str, Pick])
    parts: dict[str, "Plan"] = field(default_factory=dict[str, "Plan"])
    """Plans of nested properties; inside rows they read the same row."""
    nulls: tuple[str, ...] = ()
    """Properties that are nowhere and may be null."""
    doubts: tuple[str, ...] = ()
    """Why optional properties are left out although something similar is there."""

    def describe(self) -> Json:
        """The plan for an event: names on the page, none of its data."""
        described: Json = {"shape": self.shape}
        if self.origin is not None:
            described |= {"source": self.origin.kind, "caption": self.origin.caption}
        described["columns"] = {name: pick.label for name, pick in self.picks.items()}
        if self.origin is None:
            described["sources"] = {name: pick.origin.kind for name, pick in self.picks.items()}
        if self.parts:
            described["parts"] = {name: part.describe() for name, part in self.parts.items()}
        if self.doubts:
            described["doubts"] = list(self.doubts)
        return described


def origin_of(source: Source, snapshot: Snapshot) -> Origin:
    """Identifies a source of the snapshot."""
    same = [item for item in snapshot.sources if (item.kind, item.caption) == (source.kind, source.caption)]
    whole = source.within or source
    place = next(at for at, candidate in enumerate(same) if candidate is whole)
    return Origin(source.kind, source.caption, place, source.row_of)


def plan_to_store(plan: Plan) -> Json:
    """The plan as JSON."""
    return _PLANS.dump_python(plan, mode="json")


def stored_plan(given: Any) -> Plan | None:
    """The plan that was stored; None for one that this release cannot read."""
    try:
        # plans are stored per workflow version: one of an older release is replaced, not migrated
        return _PLANS.validate_python(given)
    except ValidationError:
        return None


_PLANS: Final = TypeAdapter(Plan)
