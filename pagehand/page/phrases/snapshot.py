"""What a page offers to phrases, as data: it can be stored and searched later.

Snapshots of test executions are stored as JSON; `rename` keeps the names that stored ones have.
"""

from functools import cache, cached_property
from typing import Final

from msgspec import Struct, field

from pagehand.javascript import join_scripts
from pagehand.page.dom import on_dom
from pagehand.page.phrases.days import days_in, infer_month_first
from pagehand.page.phrases.tokens import (
    Tokens,
    canonicalize,
    key_words,
    normalize,
    said_words,
    strip_stop_words,
    tokenize,
)
from pagehand.workflow.locator import Locator

MAX_CANDIDATES: Final = 50_000
"""In one frame; to list and read so many takes seconds."""
_MAX_NAME_LENGTH: Final = 80
_TITLE_WORDS: Final = 2
"""In a heading that only says of what kind the entries below are."""
_HIDDEN_SOURCES: Final = frozenset(("attribute", "type", "title", "icon", "drawn"))
_ACCESSIBLE_SOURCES: Final = frozenset(("aria", "label", "text", "alt"))

CandidateKey = tuple[int, int]
"""A candidate's frame, and its number there."""


@cache
def inventory_script() -> str:
    """JavaScript function of the most candidates to list; its `report` is a `FrameReport` as JSON."""
    return on_dom(
        join_scripts(__file__, "inventory", "dom, most", "elements names items sections rows report")
    )


class Name(Struct, frozen=True, rename={"words": "plain", "normalized": "spelled", "canonical": "meant"}):
    """One of an element's names, and where it comes from."""

    source: str
    text: str
    words: Tokens
    """Without stop words."""
    normalized: Tokens
    """In one spelling."""
    canonical: Tokens
    """With one word for all synonyms."""

    @property
    def is_hidden(self) -> bool:
        """True when a reader does not see it on the page."""
        return self.source in _HIDDEN_SOURCES

    @property
    def is_placeholder(self) -> bool:
        """True for a placeholder, which may be an example of what to type as well as a name."""
        return self.source == "placeholder"


class Row(Struct, frozen=True, rename={"ancestors": "outer"}):
    """A table's row or a list's item."""

    id: int
    text: Tokens
    parts: tuple[Tokens, ...]
    index: int
    count: int
    ancestors: frozenset[int]
    """Ids of the rows around it."""
    texts: tuple[str, ...] = ()
    """The first of the parts as the page shows them: those that are texts in the row."""


class VisibleText(Struct, frozen=True):
    """A text on the page and its box."""

    text: Tokens
    box: tuple[float, ...]
    items: frozenset[int] = frozenset()
    """The cards, columns, list entries … that it is in."""
    look: str = ""
    """The same for texts that look alike."""
    is_heading: bool = False


class Candidate(
    Struct,
    frozen=True,
    eq=False,
    rename={"landmarks": "places", "nearby_texts": "around", "extra_roles": "also"},
):
    """An element that a phrase can refer to."""

    frame: int
    index: int
    role: str
    names: tuple[Name, ...]
    sections: tuple[Tokens, ...]
    """Headings and labels of what it is in."""
    landmarks: frozenset[str]
    tag: str
    row: Row | None
    row_level: int
    """How many levels its row is above it."""
    column: Tokens
    nearby_texts: frozenset[Tokens]
    """The texts in the largest box around it that holds no other element of its name."""
    box: tuple[float, ...]
    path: str
    is_enabled: bool
    is_field: bool
    is_control: bool
    extra_roles: frozenset[str]
    """Roles it has besides `role`: `menu button`, `toggle`."""
    items: frozenset[int] = frozenset()
    """As in `VisibleText`."""
    look: str = ""
    shows: Tokens = ()
    """The words of the value that a cell shows."""

    @property
    def key(self) -> CandidateKey:
        """Identifies it in its snapshot; in document order."""
        return (self.frame, self.index)

    def is_inside(self, other: "Candidate") -> bool:
        """Whether the other is a control around it."""
        return other.is_control and self.frame == other.frame and self.path.startswith(f"{other.path} > ")

    @property
    def name(self) -> str:
        """Its first name, for people."""
        return self.names[0].text if self.names else ""

    def __str__(self) -> str:
        """As a failure names it: `button `Save``."""
        return f"{self.role or 'element'} `{self.name[:60]}`"


class FrameSnapshot(Struct):
    """One frame of a page."""

    frame: int
    selector: str | None
    candidates: list[Candidate]
    texts: list[VisibleText]


class ReportedRow(Struct):
    """A row as the script lists it."""

    id: int
    text: str
    parts: list[str]
    index: int
    count: int
    ancestors: list[int]
    others: list[str] = field(default_factory=list[str])
    """What names it without being a text in it: what its fields hold, a cell that spans several rows."""


class ReportedCandidate(Struct, rename="camel"):
    """An element as the script lists it."""

    index: int
    role: str
    tag: str
    names: list[tuple[str, str]]
    """Each with where it comes from."""
    sections: list[str]
    landmarks: list[str]
    row: int | None
    row_level: int
    column: str
    nearby_texts: list[str]
    box: list[float]
    path: str
    is_enabled: bool
    is_field: bool
    is_control: bool
    has_menu: bool
    is_toggle: bool
    looks_like_button: bool
    is_card: bool = False
    shows: str = ""
    items: list[int] = field(default_factory=list[int])
    look: str = ""


class ReportedText(Struct, rename="camel"):
    """A text as the script lists it."""

    text: str
    box: list[float]
    items: list[int] = field(default_factory=list[int])
    look: str = ""
    is_heading: bool = False


class FrameReport(Struct, rename="camel"):
    """What the script reports of one frame."""

    title: str
    candidates: list[ReportedCandidate]
    rows: list[ReportedRow]
    texts: list[ReportedText]
    is_cut: bool = False
    """True when there is more than could be listed."""


class Snapshot(Struct, rename={"frames": "views"}, dict=True):
    """A page as phrases see it: its frames, main frame first; what all phrases ask for is computed once."""

    frames: list[FrameSnapshot] = field(default_factory=list[FrameSnapshot])
    is_cut: bool = False
    """True when there is more on the page than could be listed."""

    @classmethod
    def from_reports(cls, reports: list[tuple[str | None, FrameReport]]) -> "Snapshot":
        """From the reports of all frames, each with the frame's selector."""
        reader = _ReportReader([report for _, report in reports])
        return cls(
            [reader.frame(number, selector, report) for number, (selector, report) in enumerate(reports)],
            is_cut=any(report.is_cut for _, report in reports),
        )

    @cached_property
    def candidates(self) -> list[Candidate]:
        """All of them, in document order."""
        return [candidate for frame in self.frames for candidate in frame.candidates]

    @cached_property
    def by_token(self) -> dict[str, list[Candidate]]:
        """Candidates by the words of their names, so that a phrase is compared with few of them."""
        index: dict[str, dict[CandidateKey, Candidate]] = {}
        for candidate in self.candidates:
            for name in candidate.names:
                for token in (*name.words, *name.canonical, *key_words(name.words), "".join(name.words)):
                    index.setdefault(token, {})[candidate.key] = candidate
        return {token: list(found.values()) for token, found in index.items()}

    @cached_property
    def whole_names(self) -> frozenset[Tokens]:
        """The names of all candidates and the other texts, each as a whole."""
        names = (name.canonical for candidate in self.candidates for name in candidate.names)
        return frozenset((*names, *(text.text for frame in self.frames for text in frame.texts)))

    @cached_property
    def said_words(self) -> frozenset[str]:
        """Every word of the page, as `said_words` has it."""
        rows = {id(item.row): item.row for item in self.candidates if item.row is not None}
        texts = {
            *self.whole_names,
            *(part for row in rows.values() for part in (row.text, *row.parts)),
            *(text for item in self.candidates for text in (*item.sections, *item.nearby_texts, item.column)),
            *((mark,) for item in self.candidates for mark in item.landmarks),
        }
        return frozenset(word for text in texts for word in said_words(text))

    @cached_property
    def row_words(self) -> frozenset[str]:
        """What names rows, and no kind of things that a heading speaks of."""
        rows = {id(item.row): item.row for item in self.candidates if item.row is not None}
        words = (word for row in rows.values() for part in row.parts for word in part)
        return frozenset(words) - self.heading_words

    @cached_property
    def title_words(self) -> frozenset[str]:
        """What the page's first heading says that all of it is about: `Shipments`."""
        headings = (item for item in self.candidates if item.role == "heading" and item.names)
        title = next((item.names[0].canonical for item in headings), ())
        return frozenset(said_words(title)) if len(title) <= _TITLE_WORDS else frozenset()

    @cached_property
    def heading_words(self) -> frozenset[str]:
        """The words of all headings."""
        texts = {text for item in self.candidates for text in item.sections}
        return frozenset(word for text in texts for word in said_words(text))

    def locator_of(self, candidate: Candidate) -> Locator:
        """A locator that finds only this element on the page: by role and name, or by its path."""
        frame = self.frames[candidate.frame].selector
        accessible = next((name.text for name in candidate.names if name.source in _ACCESSIBLE_SOURCES), "")
        # a substring is enough: finding falls back to substrings where no whole name matches
        same_name = [
            item
            for item in self.candidates
            if item.role == candidate.role and any(accessible in name.text for name in item.names)
        ]
        has_role = candidate.role not in ("", "file", "frame") and 0 < len(accessible) <= _MAX_NAME_LENGTH
        if has_role and same_name == [candidate]:
            return Locator(role=candidate.role, text=accessible, frame=frame)
        return Locator(css=candidate.path, frame=frame)


class _ReportReader:
    """Makes candidates of what the script reports; the same text, which rows repeat, is read once."""

    def __init__(self, reports: list[FrameReport]) -> None:
        self._canonical = cache(_canonical)
        texts = {part for report in reports for row in report.rows for part in row.parts}
        month_first = infer_month_first(self._canonical(text) for text in texts)

        def days(part: Tokens) -> list[Tokens]:
            return [(day,) for day in days_in(part, month_first=month_first)]

        self._days = cache(days)
        self._name = cache(_name)

    def frame(self, number: int, selector: str | None, report: FrameReport) -> FrameSnapshot:
        """One frame; the title counts as a heading of frames within the page."""
        rows = {row.id: self._row(row) for row in report.rows}
        title = _canonical(report.title) if selector is not None else ()
        candidates = [self._candidate(number, candidate, rows, title) for candidate in report.candidates]
        texts = [
            VisibleText(
                self._canonical(text.text), tuple(text.box), frozenset(text.items), text.look, text.is_heading
            )
            for text in report.texts
        ]
        return FrameSnapshot(number, selector, candidates, texts)

    def _row(self, row: ReportedRow) -> Row:
        parts = tuple(self._canonical(part) for part in (*row.parts, *row.others))
        text = self._canonical(row.text)
        parts += tuple(day for part in parts for day in self._days(part))
        return Row(row.id, text, parts, row.index, row.count, frozenset(row.ancestors), tuple(row.parts))

    def _candidate(
        self, frame: int, reported: ReportedCandidate, rows: dict[int, Row], title: Tokens
    ) -> Candidate:
        names = tuple(self._name(source, text) for source, text in reported.names)
        sections = [self._canonical(text) for text in reported.sections]
        return Candidate(
            frame=frame,
            index=reported.index,
            role=reported.role,
            names=tuple(name for name in names if name.normalized),
            sections=tuple(sections + ([title] if title else [])),
            landmarks=frozenset(reported.landmarks),
            tag=reported.tag,
            row=rows.get(reported.row) if reported.row is not None else None,
            row_level=reported.row_level,
            column=self._canonical(reported.column),
            nearby_texts=frozenset(self._canonical(text) for text in reported.nearby_texts),
            box=tuple(reported.box),
            path=reported.path,
            is_enabled=reported.is_enabled,
            is_field=reported.is_field,
            is_control=reported.is_control,
            extra_roles=_extra_roles(reported),
            items=frozenset(reported.items),
            look=reported.look,
            shows=tokenize(reported.shows),
        )


def _extra_roles(reported: ReportedCandidate) -> frozenset[str]:
    roles = {
        "menu button": reported.has_menu,
        # a link drawn as a button is one to people
        "button": reported.role == "link" and reported.looks_like_button,
        "toggle": reported.is_toggle,
        "card": reported.is_card,
    }
    return frozenset(role for role, applies in roles.items() if applies)


def _name(source: str, text: str) -> Name:
    words = tokenize(text)
    return Name(source, text, strip_stop_words(words), normalize(words), canonicalize(words))


def _canonical(text: str) -> Tokens:
    return canonicalize(tokenize(text))
