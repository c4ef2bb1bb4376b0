"""Making a plan: what the schema asks for, matched with what the page has. Refuses rather than guesses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pagehand.errors import Diagnosis, NotPresent
from pagehand.page.extraction.applying import apply
from pagehand.page.extraction.matching import (
    CONVINCING,
    PARTIAL_TIE,
    TIE,
    Candidate,
    candidates,
    name_likeness,
    tier_of,
)
from pagehand.page.extraction.plan import Pick, Plan, origin_of
from pagehand.page.extraction.schema import Schema
from pagehand.page.extraction.snapshot import Cell, Snapshot, Source
from pagehand.page.extraction.wanted import Wanted, properties, want
from pagehand.page.extraction.words import meanings

_ADVICE = (
    "Name the values in `fields`, narrow the block's locator to where they stand, or set PAGEHAND_MODEL."
)
_COVERAGE, _RECORD_TIE = 0.15, 0.05
_MOST_LABELS = 30
_PER_ROW = frozenset(("table", "cards", "linkedData"))


def make_plan(snapshot: Snapshot, schema: Schema, prompt: str = "") -> Plan:
    """Where to read what `schema` asks for; `NotPresent` says what could not be found, and what could."""
    wanted = want(schema, schema)
    if wanted.shape == "value" or (wanted.shape != "values" and not properties(wanted)):
        raise NotPresent(
            "Reading without `fields` needs a `schema` with properties, or a model, and none is configured",
            Diagnosis(expected="an object or an array of objects with named properties", advice=_ADVICE),
        )
    planner = _Planner(snapshot, prompt)
    around = meanings(snapshot.title, *snapshot.headings, *wanted.texts)
    return planner.whole(wanted, around)


@dataclass(frozen=True, slots=True)
class _Fit:
    """What one source, or all of them, can give."""

    plan: Plan
    missing: tuple[str, ...]
    score: float
    relevance: int = 0
    source: Source | None = None

    @property
    def explained(self) -> int:
        return len(self.plan.picks) + len(self.plan.parts)


class _Planner:
    """Looks through one snapshot."""

    def __init__(self, snapshot: Snapshot, prompt: str) -> None:
        self._snapshot = snapshot
        self._prompt = meanings(prompt)

    def whole(self, wanted: Wanted, around: frozenset[str]) -> Plan:
        if wanted.shape == "object":
            fit = self._object(wanted, around)
            if fit.missing or not fit.explained:
                raise self._refusal(fit, properties(wanted))
            return fit.plan
        if wanted.shape == "rows":
            return self._rows(wanted, around).plan
        return self._values(wanted, around)

    # objects

    def _object(self, wanted: Wanted, around: frozenset[str]) -> _Fit:
        wants = properties(wanted)
        sources = self._records(wanted)
        picked, doubts = self._pick_across(sources, wants, around | meanings(wanted.name))
        picks = {name: self._pick(value, candidate) for name, (value, candidate) in picked.items()}
        parts: dict[str, Plan] = {}
        for field in wants:
            if field.shape in ("object", "rows", "values") and field.name not in picks:
                plan = self._nested(field, around, doubts)
                if plan is not None:
                    parts[field.name] = plan
        score = sum(candidate.score for _, candidate in picked.values())
        return _fit(Plan("object", None, picks, parts), wants, doubts, score)

    def _nested(self, one: Wanted, around: frozenset[str], doubts: dict[str, str]) -> Plan | None:
        """The plan of a nested property; what stands against it is noted instead of raised."""
        try:
            if one.shape == "object":
                fit = self._object(one, around)
                return fit.plan if fit.explained and not fit.missing else None
            return self.whole(one, around | meanings(*one.texts))
        except NotPresent as refused:
            doubts[one.name] = refused.message
            return None

    def _records(self, wanted: Wanted) -> list[Source]:
        """What holds one record; inside a nested object only what stands under its name, if anything does."""
        single = [
            source
            for source in self._snapshot.sources
            if len(source.rows) == 1 and source.kind != "list" and not source.around
        ]
        words = meanings(wanted.name)
        closest = max((len(words & meanings(field.caption)) for field in single), default=0)
        return (
            [field for field in single if len(words & meanings(field.caption)) == closest]
            if closest
            else single
        )

    def _pick_across(
        self, sources: Sequence[Source], wants: Sequence[Wanted], around: frozenset[str]
    ) -> tuple[dict[str, tuple[Wanted, Candidate]], dict[str, str]]:
        """The best candidate of each property over several sources."""
        plain = [field for field in wants if field.shape in ("value", "values")]
        found = [(field, source, candidates(source, field, around)) for source in sources for field in plain]
        covered = {
            id(source): sum(1 for _, other, some in found if other is source and some) / max(len(plain), 1)
            for source in sources
        }
        ranked: dict[str, list[Candidate]] = {field.name: [] for field in plain}
        for item, source, some in found:
            bonus = _COVERAGE * covered[id(source)] + 0.1 * bool(self._prompt & meanings(source.caption))
            ranked[item.name] += [replace(c, score=c.score * source.trust + bonus) for c in some]
        return _assign(plain, ranked, _RECORD_TIE)

    # arrays

    def _rows(self, wanted: Wanted, around: frozenset[str]) -> _Fit:
        wants = properties(wanted)
        words = self._words(wanted)
        fits = [
            self._rows_of(source, wants, around, words)
            for source in self._snapshot.sources
            if source.kind in _PER_ROW and not _is_one_thing(source)
        ]
        most = max((fit.explained for fit in fits), default=0)
        able = [fit for fit in fits if not fit.missing and fit.explained and fit.explained * 2 >= most]
        if not able or (most * 2 < len(wants) and not any(field.is_required for field in wants)):
            best = max(fits, key=lambda fit: (fit.explained, fit.score), default=None)
            raise self._refusal(best, wants)
        # the tags inside each card would otherwise compete with the cards
        able = _without_nested(able)
        able.sort(key=lambda fit: (-fit.relevance, -fit.explained, -fit.score))
        self._refuse_tie(able)
        return able[0]

    def _rows_of(
        self, source: Source, wants: Sequence[Wanted], around: frozenset[str], words: frozenset[str]
    ) -> _Fit:
        fit = self._columns_of(source, wants, around)
        relevance = len(words & meanings(source.caption)) - 10 * source.around
        return _Fit(fit.plan, fit.missing, fit.score * source.trust, relevance, source)

    def _columns_of(self, source: Source, wants: Sequence[Wanted], around: frozenset[str]) -> _Fit:
        plain = [field for field in wants if field.shape in ("value", "values")]
        ranked = {field.name: candidates(source, field, around) for field in plain}
        picked, doubts = _assign(plain, ranked, TIE)
        picks = {name: self._pick(value, candidate) for name, (value, candidate) in picked.items()}
        parts: dict[str, Plan] = {}
        for field in wants:
            if field.shape == "object":
                nested = self._columns_of(source, properties(field), around | meanings(field.name))
                if nested.explained and not nested.missing:
                    parts[field.name] = nested.plan
        score = sum(candidate.score for _, candidate in picked.values())
        origin = origin_of(source, self._snapshot)
        return _fit(Plan("rows", origin, picks, parts), wants, doubts, score)

    def _refuse_tie(self, able: Sequence[_Fit]) -> None:
        best = able[0]
        data = apply(best.plan, self._snapshot)
        for other in able[1:]:
            is_close = (other.relevance, other.explained) == (best.relevance, best.explained)
            is_close = is_close and abs(other.score - best.score) <= TIE * max(best.explained, 1)
            # the same data shown twice, for small and large screens, is not a tie
            if is_close and apply(other.plan, self._snapshot) != data:
                names = " and ".join(f"`{_called(item.plan)}`" for item in (best, other))
                raise NotPresent(
                    f"Two places on the page fit the schema equally well: {names}",
                    Diagnosis(
                        found=f"{names} have the same columns and different data",
                        cause="nothing says which of the two is meant",
                        advice="Say it in `prompt` in the words of its heading, or give a locator.",
                    ),
                )

    def _values(self, wanted: Wanted, around: frozenset[str]) -> Plan:
        """An array of plain values: a list under a heading that names it, a column, or the only list."""
        found = sorted(self._lists(wanted, around), key=lambda one: one.rank, reverse=True)
        rival = next((other for other in found[1:] if found[0].rivals(other, wanted, TIE)), None)
        if not found or rival is not None:
            names = f"`{found[0].label}` and `{rival.label}` fit equally well" if rival is not None else ""
            raise self._refusal(None, [wanted], doubt=names)
        pick = self._pick(wanted, found[0])
        return Plan("values", pick.origin, {"": pick})

    def _lists(self, wanted: Wanted, around: frozenset[str]) -> Iterator[Candidate]:
        lists = [source for source in self._snapshot.sources if source.kind == "list" and not source.around]
        for source in self._snapshot.sources:
            if not source.around and source.kind != "list":
                for candidate in candidates(source, wanted, around):
                    yield replace(candidate, score=candidate.score * source.trust)
        for source in lists:
            like = name_likeness(wanted, source.columns[0], around)
            asked = len(self._words(wanted) & meanings(source.caption))
            if like.score >= CONVINCING:
                yield Candidate(source, 0, like.score, tier_of(source.columns[0], like))
            elif not wanted.name and (asked or len(lists) == 1):
                yield Candidate(source, 0, 0.6 + PARTIAL_TIE * asked)

    def _words(self, wanted: Wanted) -> frozenset[str]:
        """What is asked for, in the words of schema and prompt."""
        return meanings(*wanted.texts) | self._prompt

    def _pick(self, one: Wanted, candidate: Candidate) -> Pick:
        column = candidate.source.columns[candidate.column]
        origin = origin_of(candidate.source, self._snapshot)
        is_many = one.shape == "values" and candidate.source.kind != "list"
        return Pick(origin, column.label, column.group, one.kind, one.choices, is_many, one.takes_null)

    # refusing

    def _refusal(self, fit: _Fit | None, wants: Sequence[Wanted], *, doubt: str = "") -> NotPresent:
        missing = fit.missing if fit and fit.missing else tuple(field.name for field in wants if field.name)
        names = ", ".join(f"`{name}`" for name in missing) or "a list of values"
        doubts = ("; ".join(fit.plan.doubts) if fit else "") or doubt
        sentence = f"Could not find {names} on the page without a model"
        return NotPresent(
            f"{sentence} ({doubts})" if doubts else sentence,
            Diagnosis(
                expected=", ".join(f"`{field.name or 'values'}`" for field in wants),
                found=self._seen(),
                cause=doubts
                or "nothing on the page is called that, or what is does not hold values of that type",
                advice=_ADVICE,
            ),
        )

    def _seen(self) -> str:
        """The labels a reader could have used, source by source."""
        described: list[str] = []
        for source in self._snapshot.sources:
            if source.kind in ("table", "pairs", "cards", "linkedData") and not source.around:
                labels = ", ".join(column.label for column in source.columns[:_MOST_LABELS])
                described.append(f"{source.kind}{f' `{source.caption}`' if source.caption else ''}: {labels}")
        return "; ".join(described[:10]) or "no tables, lists, labels or structured data"


def _assign(
    wants: Sequence[Wanted], ranked: dict[str, list[Candidate]], tie: float
) -> tuple[dict[str, tuple[Wanted, Candidate]], dict[str, str]]:
    """Give each property its best column, the surest first; none of two that would be a guess."""
    picked: dict[str, tuple[Wanted, Candidate]] = {}
    doubts: dict[str, str] = {}
    taken: set[tuple[bool, frozenset[Cell]]] = set()
    left = {field.name: field for field in wants}
    while left:
        free = {name: [c for c in ranked[name] if _key(left[name], c) not in taken] for name in left}
        tops = {name: max(some, key=lambda c: c.rank) for name, some in free.items() if some}
        if not tops:
            break
        name = max(tops, key=lambda one: tops[one].rank)
        best, one = tops[name], left.pop(name)
        rival = next((c for c in free[name] if best.rivals(c, one, tie)), None)
        if rival is not None:
            doubts[name] = f"`{name}`: `{best.label}` and `{rival.label}` fit equally well"
            continue
        picked[name] = (one, best)
        # an empty column explains nothing, so it may serve another property as well
        if any(best.cells):
            taken.add(_key(one, best))
    return picked, doubts


def _key(one: Wanted, candidate: Candidate) -> tuple[bool, frozenset[Cell]]:
    """What a property uses up: the cells, apart for their text and their addresses."""
    cells = candidate.source.once(
        ("identity", candidate.column), lambda: frozenset(cell for row in candidate.cells for cell in row)
    )
    return one.kind in ("link", "image"), cells


def _fit(plan: Plan, wants: Sequence[Wanted], doubts: dict[str, str], score: float) -> _Fit:
    """A plan with what it leaves open."""
    absent = [field for field in wants if field.name not in plan.picks and field.name not in plan.parts]
    nulls = tuple(name.name for name in absent if name.takes_null)
    missing = tuple(name.name for name in absent if name.is_required and not name.takes_null)
    whole = replace(plan, nulls=nulls, doubts=tuple(doubts.values()))
    return _Fit(whole, missing, score)


def _without_nested(fits: Sequence[_Fit]) -> list[_Fit]:
    """Without lists inside single items of another list that explains as much."""
    most: dict[int, int] = {}
    for fit in fits:
        if fit.source is not None and fit.source.number is not None:
            most[fit.source.number] = fit.explained
    return [
        fit
        for fit in fits
        if fit.source is None or not any(most.get(item, 0) >= fit.explained for item in fit.source.inside)
    ]


def _is_one_thing(source: Source) -> bool:
    """True for embedded data that describes a single thing and is not a list of things."""
    return source.kind == "linkedData" and len(source.rows) == 1 and "itemListElement" not in source.caption


def _called(plan: Plan) -> str:
    return (plan.origin.caption or plan.origin.kind) if plan.origin else plan.shape
