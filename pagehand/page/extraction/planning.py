"""Making a plan: matching what the schema asks for with what the page has. Refuses rather than guesses."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pagehand.errors import Diagnosis, NotPresent
from pagehand.page.extraction.applying import apply_plan
from pagehand.page.extraction.assignment import Assignment, assign_columns
from pagehand.page.extraction.column_matching import (
    MIN_SCORE,
    PARTIAL_TIE,
    TIE,
    ColumnCandidate,
    column_candidates,
    match_column,
    tier_of,
)
from pagehand.page.extraction.label_matching import canonical_words
from pagehand.page.extraction.plan import Pick, Plan, origin_of
from pagehand.page.extraction.planning_refusal import ADVICE, not_found, same_fit
from pagehand.page.extraction.schema import Schema
from pagehand.page.extraction.snapshot import Snapshot, Source
from pagehand.page.extraction.target_field import TargetField, first_words

_COVERAGE_BONUS, _PROMPT_BONUS, _RECORD_TIE = 0.15, 0.1, 0.05
_ONLY_LIST_SCORE = 0.6
_NAVIGATION_COST, _CONTAINER_COST = 10, 5
_KEY = re.compile(
    r"(?<![\w#/.-])(?<!than )(?<!over )(?<!above )(?<!under )(?<!below )(?<!least )(?<!most )"
    r"(?:#\d[\w-]{1,20}|[A-Z]{1,6}-?\d[\w/-]{1,20}|\d{5,20})(?![\w/-])"
)
"""A number that names a record; years and amounts are shorter, or look otherwise."""
_ROW_SOURCES = frozenset(("table", "cards", "linkedData"))


def make_plan(snapshot: Snapshot, schema: Schema, prompt: str = "") -> Plan:
    """Where to read what `schema` asks for; `NotPresent` says what was not found, and what the page has."""
    target = TargetField.from_schema(schema, schema)
    name = _value_name(schema, prompt) if target.shape == "value" else ""
    if name:
        whole = {"type": "object", "properties": {name: schema}, "required": [name]}
        target = TargetField.from_schema(whole, schema)
    if target.shape == "value" or (target.shape != "values" and not target.properties()):
        raise NotPresent(
            "Reading without `fields` needs a `schema` with properties, or a model, and none is configured",
            Diagnosis(
                expected="an object or list of objects with named properties, or a value with a description",
                advice=ADVICE,
            ),
        )
    context = canonical_words(snapshot.title, *snapshot.headings, *target.texts)
    plan = _Planner(snapshot, prompt).plan(target, context)
    return Plan("value", picks={"": plan.picks[name]}) if name else plan


def _value_name(schema: Schema, prompt: str) -> str:
    """What a single value is called: the schema has no property to say it."""
    text = next((str(schema[key]) for key in ("title", "description") if schema.get(key)), prompt)
    return first_words(text)


def records_named(schema: Schema, prompt: str) -> frozenset[str]:
    """The numbers of the records that the description of the schema, or the prompt, names."""
    return _keys_in(str(schema.get("description", "")), prompt)


def _keys_in(*texts: str) -> frozenset[str]:
    return frozenset(found.casefold() for text in texts for found in _KEY.findall(text))


@dataclass(frozen=True, slots=True)
class _Draft:
    """A plan for one source, or across all of them, with what it lacks."""

    plan: Plan
    missing: tuple[str, ...]
    score: float
    relevance: int = 0
    source: Source | None = None

    @property
    def found(self) -> int:
        """How many fields it reads."""
        return len(self.plan.picks) + len(self.plan.parts)


class _Planner:
    """Plans for one snapshot."""

    def __init__(self, snapshot: Snapshot, prompt: str) -> None:
        self._snapshot = snapshot
        self._prompt = canonical_words(prompt)
        self._prompt_text = prompt

    def plan(self, target: TargetField, context: frozenset[str]) -> Plan:
        if target.shape == "object":
            draft = self._plan_object(target, context)
            if draft.missing or not draft.found:
                raise not_found(self._snapshot, target.properties(), draft.missing, draft.plan.doubts)
            return draft.plan
        if target.shape == "rows":
            return self._plan_rows(target, context)
        return self._plan_values(target, context)

    # objects

    def _plan_object(self, target: TargetField, context: frozenset[str]) -> _Draft:
        fields = target.properties()
        records = self._records(target)
        # lists elsewhere on the page may belong to another record than the row that is meant
        is_row = any(source.row_of for source in records)
        assignment = self._assign_across(
            records, fields, context | canonical_words(target.name), self._words(target)
        )
        picks = self._picks(assignment)
        parts: dict[str, Plan] = {}
        for field in fields:
            is_nested = field.shape == "object" or (field.shape in ("rows", "values") and not is_row)
            if is_nested and field.name not in picks:
                plan = self._plan_nested(field, context, assignment.doubts)
                if plan is not None:
                    parts[field.name] = plan
        return _draft(Plan("object", None, picks, parts), fields, assignment)

    def _plan_nested(
        self, field: TargetField, context: frozenset[str], doubts: dict[str, str]
    ) -> Plan | None:
        """The plan of a nested field; a refusal is added to `doubts`."""
        try:
            if field.shape == "object":
                draft = self._plan_object(field, context)
                return draft.plan if draft.found and not draft.missing else None
            return self.plan(field, context | canonical_words(*field.texts))
        except NotPresent as refused:
            doubts[field.name] = refused.message
            return None

    def _records(self, target: TargetField) -> list[Source]:
        """Sources of one record; for a nested object only those captioned with its name, if there are any."""
        name = canonical_words(target.name)
        single = [
            source
            for source in self._snapshot.sources
            if len(source.rows) == 1 and source.kind != "list" and not source.is_navigation
            if not source.is_detail or name & canonical_words(source.caption)
        ]
        if rows := self._rows_meant(target, single):
            return rows
        shared = [len(name & canonical_words(source.caption)) for source in single]
        closest = max(shared, default=0)
        return [source for source, count in zip(single, shared, strict=True) if count == closest]

    def _rows_meant(self, target: TargetField, single: Sequence[Source]) -> list[Source]:
        """The row that schema or prompt names by its number ("the order #1040"), of each list that has it."""
        keys = records_named(target.root, self._prompt_text) | _keys_in(*target.texts[1:])
        if len(keys) != 1:
            return []
        (key,) = keys
        # a page or a part of it that is about this number says more than a row
        titles = [
            self._snapshot.title,
            *self._snapshot.headings,
            *(one.caption for one in self._snapshot.sources),
        ]
        values = (cell.text for one in single for some in one.rows[0] for cell in some if one.kind == "pairs")
        if any(key.removeprefix("#") in title.casefold() for title in titles) or key in map(
            str.casefold, values
        ):
            return []
        found = (one.row_with(key) for one in self._snapshot.sources if one.kind in _ROW_SOURCES)
        return [one for one in found if one is not None]

    def _assign_across(
        self,
        sources: Sequence[Source],
        fields: Sequence[TargetField],
        context: frozenset[str],
        words: frozenset[str],
    ) -> Assignment:
        """The best column of each field over several sources; `words` say which captions are meant."""
        plain = [field for field in fields if field.shape in ("value", "values")]
        found = [
            (field, source, column_candidates(source, field, context))
            for source in sources
            for field in plain
        ]
        coverage = {
            id(source): sum(1 for _, other, some in found if other is source and some) / max(len(plain), 1)
            for source in sources
        }
        candidates: dict[str, list[ColumnCandidate]] = {field.name: [] for field in plain}
        for field, source, some in found:
            shared = len(words & canonical_words(source.caption))
            bonus = _COVERAGE_BONUS * coverage[id(source)] + _PROMPT_BONUS * shared
            candidates[field.name] += [replace(c, score=c.score * source.trust + bonus) for c in some]
        return assign_columns(plain, candidates, _RECORD_TIE)

    # arrays of objects

    def _plan_rows(self, target: TargetField, context: frozenset[str]) -> Plan:
        fields = target.properties()
        words = self._words(target)
        drafts = [
            self._plan_source(source, fields, context, words)
            for source in self._snapshot.sources
            if source.kind in _ROW_SOURCES and not _is_single_item(source)
        ]
        most = max((draft.found for draft in drafts), default=0)
        complete = [
            draft
            for draft in drafts
            if not draft.missing and draft.found and draft.found * 2 >= most and self._is_list(draft)
        ]
        has_required = any(field.is_required for field in fields)
        if not complete or (most * 2 < len(fields) and not has_required):
            best = max(drafts, key=lambda draft: (draft.found, draft.score), default=None)
            missing, doubts = (best.missing, best.plan.doubts) if best else ((), ())
            raise not_found(self._snapshot, fields, missing, doubts)
        # a card has all of its values, a part of the card has some
        complete = [draft for draft in complete if self._has_required(draft, fields)] or complete
        # the tags inside each card would otherwise compete with the cards
        complete = _without_nested(complete)
        complete.sort(key=lambda draft: (-draft.relevance, -draft.found, -draft.score))
        self._refuse_tie(complete)
        return complete[0].plan

    def _is_list(self, draft: _Draft) -> bool:
        """False where one box of several has all the values: a record beside other things."""
        is_boxes = draft.source is not None and draft.source.kind == "cards" and len(draft.source.rows) > 1
        return not is_boxes or len(apply_plan(draft.plan, self._snapshot)) > 1

    def _has_required(self, draft: _Draft, fields: Sequence[TargetField]) -> bool:
        required = [field.name for field in fields if field.is_required]
        return all(name in row for row in apply_plan(draft.plan, self._snapshot) for name in required)

    def _plan_source(
        self, source: Source, fields: Sequence[TargetField], context: frozenset[str], words: frozenset[str]
    ) -> _Draft:
        draft = self._plan_columns(source, fields, context)
        relevance = len(words & canonical_words(source.caption))
        relevance -= _NAVIGATION_COST * source.is_navigation + _CONTAINER_COST * source.is_container
        return _Draft(draft.plan, draft.missing, draft.score * source.trust, relevance, source)

    def _plan_columns(self, source: Source, fields: Sequence[TargetField], context: frozenset[str]) -> _Draft:
        plain = [field for field in fields if field.shape in ("value", "values")]
        candidates = {field.name: column_candidates(source, field, context) for field in plain}
        assignment = assign_columns(plain, candidates, TIE)
        parts: dict[str, Plan] = {}
        for field in fields:
            if field.shape == "object":
                nested = self._plan_columns(source, field.properties(), context | canonical_words(field.name))
                if nested.found and not nested.missing:
                    parts[field.name] = nested.plan
        origin = origin_of(source, self._snapshot)
        return _draft(Plan("rows", origin, self._picks(assignment), parts), fields, assignment)

    def _refuse_tie(self, drafts: Sequence[_Draft]) -> None:
        best = drafts[0]
        data = apply_plan(best.plan, self._snapshot)
        for other in drafts[1:]:
            is_close = (other.relevance, other.found) == (best.relevance, best.found)
            is_close = is_close and abs(other.score - best.score) <= TIE * max(best.found, 1)
            # the same data shown twice, for small and large screens, is not a tie
            if is_close and apply_plan(other.plan, self._snapshot) != data:
                raise same_fit(best.plan, other.plan)

    # arrays of values

    def _plan_values(self, target: TargetField, context: frozenset[str]) -> Plan:
        """An array of values: a list under a heading that names it, a column, or the only list."""
        found = sorted(self._lists(target, context), key=lambda candidate: candidate.rank, reverse=True)
        rival = next((other for other in found[1:] if found[0].ties_with(other, target, TIE)), None)
        if not found or rival is not None:
            doubt = f"`{found[0].label}` and `{rival.label}` fit equally well" if rival is not None else ""
            raise not_found(self._snapshot, [target], (), [doubt] if doubt else [])
        pick = self._pick(target, found[0])
        return Plan("values", pick.origin, {"": pick})

    def _lists(self, target: TargetField, context: frozenset[str]) -> Iterator[ColumnCandidate]:
        sources = [source for source in self._snapshot.sources if not source.is_navigation]
        lists = [source for source in sources if source.kind == "list"]
        for source in sources:
            if source.kind != "list":
                for candidate in column_candidates(source, target, context):
                    yield replace(candidate, score=candidate.score * source.trust)
        for source in lists:
            match = match_column(target, source.columns[0], context)
            shared = len(self._words(target) & canonical_words(source.caption))
            if match.score >= MIN_SCORE:
                yield ColumnCandidate(source, 0, match.score, tier_of(source.columns[0], match))
            elif not target.name and (shared or len(lists) == 1):
                yield ColumnCandidate(source, 0, _ONLY_LIST_SCORE + PARTIAL_TIE * shared)

    def _words(self, target: TargetField) -> frozenset[str]:
        """The words of schema and prompt."""
        return canonical_words(*target.texts) | self._prompt

    def _picks(self, assignment: Assignment) -> dict[str, Pick]:
        return {name: self._pick(field, candidate) for name, (field, candidate) in assignment.chosen.items()}

    def _pick(self, field: TargetField, candidate: ColumnCandidate) -> Pick:
        column = candidate.source.columns[candidate.column]
        origin = origin_of(candidate.source, self._snapshot)
        is_many = field.shape == "values" and candidate.source.kind != "list"
        return Pick(
            origin,
            column.label,
            column.group,
            column.kind,
            field.kind,
            field.choices,
            is_many,
            field.takes_null,
        )


def _draft(plan: Plan, fields: Sequence[TargetField], assignment: Assignment) -> _Draft:
    """A plan with the fields it lacks."""
    absent = [field for field in fields if field.name not in plan.picks and field.name not in plan.parts]
    nulls = tuple(field.name for field in absent if field.takes_null)
    missing = tuple(field.name for field in absent if field.is_required and not field.takes_null)
    complete = replace(plan, nulls=nulls, doubts=tuple(assignment.doubts.values()))
    return _Draft(complete, missing, assignment.score)


def _without_nested(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Without lists inside single items of another list that has as many fields."""
    found: dict[int, int] = {}
    for draft in drafts:
        if draft.source is not None and draft.source.group is not None:
            found[draft.source.group] = draft.found
    return [
        draft
        for draft in drafts
        if draft.source is None
        or not any(found.get(group, 0) >= draft.found for group in draft.source.outer_groups)
    ]


def _is_single_item(source: Source) -> bool:
    """True for embedded data that describes a single item and not a list of items."""
    return source.kind == "linkedData" and len(source.rows) == 1 and "itemListElement" not in source.caption
