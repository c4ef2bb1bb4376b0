"""What a page offers to words, as data: it can be kept, sent and looked at later."""

from dataclasses import dataclass, field
from functools import cache
from typing import Final

from msgspec import Struct

from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.page.phrases.tokens import Tokens, meant, plain, spelled, words_in
from pagehand.workflow.locator import Locator

MOST_CANDIDATES: Final = 3000
_LONGEST_NAME: Final = 80
# names that no reader sees
_WEAK: Final = frozenset(("attribute", "type", "title", "icon"))
_SPOKEN: Final = frozenset(("aria", "label", "text", "alt"))


Place = tuple[int, int]
"""A candidate's frame, and its number there."""


@cache
def script() -> str:
    """JavaScript that takes the number of candidates it may list; its `report` is one frame's snapshot."""
    return on_dom(load_script(__file__, "inventory"))


@dataclass(slots=True, frozen=True)
class Name:
    """One of the names an element goes by, and where it comes from."""

    source: str
    text: str
    plain: Tokens
    spelled: Tokens
    meant: Tokens

    @property
    def is_weak(self) -> bool:
        """True when a reader does not see it on the page."""
        return self.source in _WEAK

    @property
    def is_hint(self) -> bool:
        """True for a placeholder, which may be an example of what to type as well as a name."""
        return self.source == "placeholder"


@dataclass(slots=True, frozen=True)
class Row:
    """A table's row or a list's item."""

    id: int
    text: Tokens
    parts: tuple[Tokens, ...]
    index: int
    count: int
    outer: frozenset[int]
    texts: tuple[str, ...] = ()
    """The parts as they stand on the page."""


@dataclass(slots=True, frozen=True)
class Piece:
    """A text on the page and where it stands."""

    text: Tokens
    box: tuple[float, ...]


@dataclass(slots=True, frozen=True, eq=False)
class Candidate:
    """One element that words can mean."""

    frame: int
    index: int
    role: str
    names: tuple[Name, ...]
    sections: tuple[Tokens, ...]
    places: frozenset[str]
    tag: str
    row: Row | None
    row_level: int
    """How far above it its row is."""
    column: Tokens
    around: frozenset[Tokens]
    """The texts in the box that it shares with none of its namesakes."""
    box: tuple[float, ...]
    path: str
    is_enabled: bool
    is_field: bool
    is_control: bool
    also: frozenset[str]
    """Roles it has besides its own: `menu button`, `toggle`."""

    @property
    def place(self) -> Place:
        """Where it stands in its snapshot."""
        return (self.frame, self.index)

    @property
    def name(self) -> str:
        """What it is called, for people."""
        return self.names[0].text if self.names else ""

    def __str__(self) -> str:
        """As a failure names it: `button `Save``."""
        return f"{self.role or 'element'} `{self.name[:60]}`"


class ReportedRow(Struct):
    """A row as the script lists it."""

    id: int
    text: str
    parts: list[str]
    index: int
    count: int
    outer: list[int]


class ReportedCandidate(Struct, rename="camel"):
    """An element that words can mean, as the script lists it."""

    index: int
    role: str
    tag: str
    names: list[tuple[str, str]]
    """Each with where it comes from."""
    sections: list[str]
    places: list[str]
    row: int | None
    row_level: int
    column: str
    around: list[str]
    box: list[float]
    path: str
    is_enabled: bool
    is_field: bool
    is_control: bool
    has_menu: bool
    is_toggle: bool
    looks_like_button: bool


class ReportedText(Struct):
    """A text and where it stands."""

    text: str
    box: list[float]


class Report(Struct):
    """What `script` gives for one frame."""

    title: str
    candidates: list[ReportedCandidate]
    rows: list[ReportedRow]
    texts: list[ReportedText]


@dataclass(slots=True)
class View:
    """One frame of a page."""

    frame: int
    selector: str | None
    candidates: list[Candidate]
    texts: list[Piece]


@dataclass(slots=True)
class Snapshot:
    """A page as words see it: its frames, main frame first."""

    views: list[View] = field(default_factory=list[View])

    @classmethod
    def from_reports(cls, reports: list[tuple[str | None, Report]]) -> "Snapshot":
        """From what `script` reported, frame by frame, each with the frame's selector."""
        return cls([_view(at, selector, report) for at, (selector, report) in enumerate(reports)])

    @property
    def candidates(self) -> list[Candidate]:
        """All of them, in document order."""
        return [candidate for view in self.views for candidate in view.candidates]

    def locator_of(self, candidate: Candidate) -> Locator:
        """A locator that finds this element alone on the page as it was: role and name, or its path."""
        frame = self.views[candidate.frame].selector
        spoken = next((name.text for name in candidate.names if name.source in _SPOKEN), "")
        # a substring is enough to be a namesake: finding falls back to substrings where nothing matches whole
        namesakes = [
            item
            for item in self.candidates
            if item.role == candidate.role and any(spoken in name.text for name in item.names)
        ]
        is_plain = candidate.role not in ("", "file", "frame") and 0 < len(spoken) <= _LONGEST_NAME
        if is_plain and namesakes == [candidate]:
            return Locator(role=candidate.role, text=spoken, frame=frame)
        return Locator(css=candidate.path, frame=frame)


def _view(at: int, selector: str | None, report: Report) -> View:
    rows = {row.id: _row(row) for row in report.rows}
    title = words_in(report.title) if selector is not None else ()
    candidates = [_candidate(at, candidate, rows, title) for candidate in report.candidates]
    texts = [Piece(meant(words_in(text.text)), tuple(text.box)) for text in report.texts]
    return View(at, selector, candidates, texts)


def _row(row: ReportedRow) -> Row:
    parts = tuple(meant(words_in(part)) for part in row.parts)
    text = meant(words_in(row.text))
    return Row(row.id, text, parts, row.index, row.count, frozenset(row.outer), tuple(row.parts))


def _candidate(at: int, one: ReportedCandidate, rows: dict[int, Row], title: Tokens) -> Candidate:
    names = tuple(_name(source, text) for source, text in one.names)
    sections = [meant(words_in(text)) for text in one.sections]
    also = {"menu button"} if one.has_menu else set[str]()
    # a link drawn as a button is one to whoever sees it
    also |= {"button"} if one.role == "link" and one.looks_like_button else set()
    return Candidate(
        frame=at,
        index=one.index,
        role=one.role,
        names=tuple(name for name in names if name.spelled),
        sections=tuple(sections + ([meant(title)] if title else [])),
        places=frozenset(one.places),
        tag=one.tag,
        row=rows.get(one.row) if one.row is not None else None,
        row_level=one.row_level,
        column=meant(words_in(one.column)),
        around=frozenset(meant(words_in(text)) for text in one.around),
        box=tuple(one.box),
        path=one.path,
        is_enabled=one.is_enabled,
        is_field=one.is_field,
        is_control=one.is_control,
        also=frozenset(also | ({"toggle"} if one.is_toggle else set())),
    )


def _name(source: str, text: str) -> Name:
    words = words_in(text)
    return Name(source, text, plain(words), spelled(words), meant(words))
