"""The steps of a sentence: which frames its words fit, where one step ends and the next begins.

A step ends where the next one can begin, if both are understood. Words that fit frames in two ways with
different results are refused, like words that fit none.
"""

import json
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Final

from pagehand.instructions.grammar.elements import ends_with_noun
from pagehand.instructions.grammar.frames import Scope, Span, Word, tokenize
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import refuse_negation
from pagehand.instructions.grammar.refusal import NotUnderstood, OtherFrame
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, ReadValues, Slots
from pagehand.records import Json

MAX_NAME_LENGTH: Final = 120
"""Of a block, in characters."""
_ALSO: Final = frozenset(("please", "also", "just", "finally", "lastly", "afterwards", "next", "now"))
ALONE: Final[Sequence[Scope]] = ("clause", "sentence")
_PREPOSITIONS: Final = frozenset(("to", "from", "for", "in", "on", "at", "after", "before", "as"))
_ONE_OR_TWO: Final = "it could be one step or two; put names in quotes"
_MAX_JOINED: Final = 4
_MAX_PIECES: Final = 200


def read_steps(text: str, context: ParseContext) -> list[Json]:
    """The steps of one sentence; `NotUnderstood` when any word of it is not clear."""
    return _Chart(text, context).read(0, context)


Recovered = tuple[str, list[Json] | NotUnderstood]
"""A clause, and its blocks or why it has none."""


def recover_clauses(text: str, context: ParseContext) -> list[Recovered]:
    """The clauses of a sentence that is not understood as a whole, with as few left open as possible."""
    return _Chart(text, context).recover(0, context)


def step_names(blocks: Sequence[Json]) -> list[str]:
    """Names of the steps, for a refusal that lists what was understood."""
    named = (block.get("name") or block.get("type") or block.get("awaited") for block in blocks)
    return [str(name or "press a key") for name in named]


def merge_steps(blocks: Sequence[Json], more: Sequence[Json], context: ParseContext) -> list[Json]:
    """Both lists in order; a step that only completes the one before becomes part of it."""
    result = list(blocks)
    for block in more:
        merged = context.vocabulary.merge(result[-1], block) if result else None
        if merged is not None:
            result[-1] = merged
        else:
            result.append(block)
    return result


class _Chart:
    """A sentence as pieces that may be steps; they are joined again where one alone makes no sense."""

    def __init__(self, text: str, context: ParseContext) -> None:
        self._text = text
        self._words = tokenize(text)
        self._vocabulary = context.vocabulary
        self._starts, self._ends = [0], list[int]()
        at = 1
        while at < len(self._words):
            if after := self._separator(at):
                self._ends.append(at)
                self._starts.append(after)
            at = after or at + 1
        self._ends.append(len(self._words))
        if len(self._ends) > _MAX_PIECES:
            raise NotUnderstood(text, "it has too many steps for one sentence; begin a new one now and then")
        self._refusals: dict[tuple[int, str], NotUnderstood] = {}
        self._recovered: dict[int, list[Recovered]] = {}

    def _separator(self, at: int) -> int:
        """Where the next step begins, if what stands here is between two steps; else 0."""
        after = at + (self._word(at) in (",", ";"))
        after += self._word(after) in ("and", "&")
        after += after > at and self._word(after) == "only" and self._word(after + 1) in ("then", "after")
        has_then = self._word(after) == "then"
        if has_then:
            after += 1
        elif self._word(after) == "after" and self._word(after + 1) in ("that", "this") and after > at:
            after += 2 + (self._word(after + 2) == ",")
        while after > at and self._word(after) in _ALSO:
            after += 1 + (self._word(after + 1) == ",")
        if after > at and self._word(after) == "to" and self._vocabulary.starts_step(self._words, after + 1):
            after += 1
        if after == at or after >= len(self._words) or self._is_label(after):
            return 0
        starts = self._vocabulary.starts_step(self._words, after) or self._vocabulary.declares(
            self._words, after
        )
        is_clause = starts or self._vocabulary.starts_rest(self._words[after : after + 6])
        return after if has_then or is_clause else 0

    def _is_label(self, at: int) -> bool:
        """A preposition with a capital letter within a sentence is a field: "From with 5 and To with 7"."""
        return self._word(at) in _PREPOSITIONS and self._text[self._words[at].start].isupper()

    def _word(self, at: int) -> str:
        return self._words[at].text if at < len(self._words) else ""

    def read(self, first: int, context: ParseContext) -> list[Json]:
        """The blocks from piece number `first` on."""
        if first == len(self._starts):
            return []
        # the ways to split the rest grow exponentially with its pieces; what it refers to may differ
        key = (first, repr(context.last_element))
        if key in self._refusals:
            raise self._refusals[key]
        refusal: NotUnderstood | None = None
        for last in self._possible_ends(first):
            attempt = copy(context)
            try:
                blocks = self._read_piece(first, last, attempt)
            except NotUnderstood as problem:
                refusal = refusal or problem
                continue
            attempt.is_on_page = True
            try:
                rest = self.read(last + 1, attempt)
            except NotUnderstood as problem:
                refusal = refusal or problem.after(step_names(blocks))
                continue
            if self._may_continue_name(last):
                # a page that has the whole name decides it
                refusal = NotUnderstood(self._text, _ONE_OR_TWO)
                continue
            context.adopt(attempt)
            return merge_steps(blocks, rest, context)
        self._refusals[key] = refusal or NotUnderstood(self._text, "it has no step")
        raise self._refusals[key]

    def recover(self, first: int, context: ParseContext) -> list[Recovered]:
        """The clauses from piece number `first` on."""
        if first == len(self._starts):
            return []
        if first not in self._recovered:
            ways = list(self._ways_from(first, context))
            # the first of equals: it leaves nothing open before, and its step is the shortest
            best = min(ways, key=lambda way: sum(isinstance(outcome, NotUnderstood) for _, outcome in way))
            self._recovered[first] = best
        return self._recovered[first]

    def _ways_from(self, first: int, context: ParseContext) -> Iterator[list[Recovered]]:
        refusal, end = NotUnderstood(self._text, "it has no step"), first
        for last in self._possible_ends(first):
            attempt = copy(context)
            try:
                blocks = self._read_piece(first, last, attempt)
            except NotUnderstood as problem:
                refusal = problem if last == first else refusal
                continue
            if self._may_continue_name(last):
                refusal, end = NotUnderstood(self._text, _ONE_OR_TWO), last + 1
                break
            yield [(self._piece(first, last), blocks), *self.recover(last + 1, attempt)]
        # what is open may have named or read what is referred to after it
        after = replace(context, last_element=None, read_values=ReadValues())
        yield [(self._piece(first, end), refusal), *self.recover(end + 1, after)]

    def _piece(self, first: int, last: int) -> str:
        return Span(self._text, self._words).part(self._starts[first], self._ends[last])

    def _possible_ends(self, first: int) -> Sequence[int]:
        """The last pieces of a step that begins at `first`; a condition or a loop takes all that follows."""
        if self._vocabulary.starts_rest(self._words[self._starts[first] :]):
            return [len(self._starts) - 1]
        return range(first, min(first + _MAX_JOINED, len(self._starts)))

    def _read_piece(self, first: int, last: int, context: ParseContext) -> list[Json]:
        words = self._words[self._starts[first] : self._ends[last]]
        text = self._piece(first, last)
        known = self._vocabulary
        if first > 0 and not (known.starts_step(words) or known.starts_rest(words) or known.declares(words)):
            text = self._with_verb(text, first)
        # what follows a step may belong to it and to those before, unless these are set apart
        is_apart = first == 0 or {"then", ";"} & {
            word.text for word in self._words[self._ends[first - 1] : self._starts[first]]
        }
        is_alone = first == 0 and last == len(self._starts) - 1
        trailing: Sequence[Scope] = ("clause", "sentence") if is_alone else ("clause",) if is_apart else ()
        try:
            return read_clause(text, context, trailing)
        except NotUnderstood:
            # "hit Open, then Post": with a capital letter it may be a name that is a verb as well
            is_name = is_apart and first > 0 and text[:1].isupper() and text == self._piece(first, last)
            if not is_name or (named := self._with_verb(text, first)) == text:
                raise
            return read_clause(named, context, trailing)

    def _with_verb(self, text: str, first: int) -> str:
        """As in "Click Account, then Billing": the verb of the step before applies again."""
        for before in reversed(range(first)):
            start = self._starts[before]
            if length := self._vocabulary.starts_step(self._words, start):
                verb = Span(self._text, self._words).part(start, start + length)
                return f"{verb} {text}" if self._vocabulary.takes_names(verb) else text
        return text

    def _may_continue_name(self, last: int) -> bool:
        """A capital letter, or a word alone, after "and" may continue a name: "Click Save and continue"."""
        if last + 1 == len(self._starts):
            return False
        start, end, after = self._starts[last], self._ends[last], self._starts[last + 1]
        between = [word.text for word in self._words[end:after]]
        verb = self._piece(last, last)[
            : self._words[start + max(1, self._vocabulary.starts_step(self._words, start)) - 1].end
            - self._words[start].start
        ]
        if self._words[end - 1].text >= TOKEN[1] or between[-1:] not in (["and"], [","]):
            return False
        is_capital = self._text[self._words[after].start].isupper()
        is_word = self._ends[last + 1] == after + 1 and self._vocabulary.takes_names(verb)
        return (is_capital and (is_word or between == ["and"])) or (
            is_word and between == ["and"] and not ends_with_noun(self._piece(last, last))
        )


def read_clause(text: str, context: ParseContext, trailing: Sequence[Scope] = ALONE) -> list[Json]:
    """One step; with frames of these scopes where it is clear that what follows applies to it alone.

    Among several steps it is not clear to how many of them a trailing "if …" or "3 times" applies.
    """
    words = tokenize(text)
    scope = "rest" if context.vocabulary.starts_rest(words) else "step"
    frames = [item for item in context.vocabulary.frames if item[1].scope == scope]
    attempt = copy(context)
    try:
        block = _read_single(Span(text, words), frames, attempt)
    except NotUnderstood as refusal:
        frames = [item for item in context.vocabulary.frames if item[1].scope in trailing]
        matching = [name for name, frame in frames if _matches(frame, Span(text, words), context)]
        attempt = copy(context)
        try:
            block = _read_step(Span(text, words), frames, attempt)
        except NotUnderstood:
            # words such as "to" and "after" are in many texts; others say what was meant
            if any(matching):
                raise
            raise refusal from None
    context.adopt(attempt)
    return block.get("several", [block])


def _read_single(span: Span, frames: Sequence[tuple[str, Frame]], context: ParseContext) -> Json:
    block = _read_step(span, frames, context)
    is_step = frames[0][1].scope == "step"
    may_negate = block.pop("may_negate", False) or context.vocabulary.may_negate(block.get("type", ""))
    if is_step and not may_negate:
        refuse_negation(span.text)
    if "data" not in block:
        return block
    return {"name": _step_name(span.text, block, context), **block}


def _matches(frame: Frame, span: Span, context: ParseContext) -> list[Slots]:
    return [Slots(parts) for parts in frame.compiled.matches(span, context.budget)]


def _read_step(span: Span, frames: Sequence[tuple[str, Frame]], context: ParseContext) -> Json:
    """The block that a step means; `NotUnderstood` when it means none or several."""
    context.budget.check()
    blocks: dict[str, tuple[Json, ParseContext]] = {}
    refusal: NotUnderstood | None = None
    for type_name, frame in frames:
        for slots in _matches(frame, span, context):
            # a copy for each match: one that fails half way must not change what `it` refers to
            attempt = copy(context)
            try:
                block = _with_type(frame.build(slots, attempt), type_name)
            except NotUnderstood as problem:
                refusal = problem if refusal is None or isinstance(refusal, OtherFrame) else refusal
            else:
                block = {**block, "may_negate": True} if frame.may_negate else block
                # two frames that build the same block agree; only different blocks are ambiguous
                blocks.setdefault(json.dumps(block, sort_keys=True), (block, attempt))
    if len(blocks) > 1:
        raise NotUnderstood(span.text, "it can be read in several ways; put names and values in quotes")
    if not blocks:
        # "not" explains a refusal better than the frame that happened to be tried first
        if frames and frames[0][1].scope == "step":
            refuse_negation(span.text)
        raise refusal or NotUnderstood(span.text, _suggest(span.words, context))
    block, attempt = next(iter(blocks.values()))
    if context.vocabulary.output_kind_of_type(block.get("type", "")) == "file":
        # "it" is the file from now on, and no value or row that was read before
        attempt.read_values = replace(attempt.read_values, last="", pair=(), row="")
    attempt.menu_is_open = context.vocabulary.may_open_menu(block)
    context.adopt(attempt)
    return block


def _with_type(block: Json, type_name: str) -> Json:
    if "several" in block:
        return {"several": [_with_type(item, type_name) for item in block["several"]]}
    if "data" not in block:
        return block
    return {"type": type_name, **block}


def _step_name(text: str, block: Json, context: ParseContext) -> str:
    """The step in the user's words, without secrets."""
    if block["data"].get("inputType") == "SensitiveTextInput":
        return f"Fill in {block['data']['key']}"
    written = context.literals.as_written(text)
    return (written[:1].upper() + written[1:])[:MAX_NAME_LENGTH]


def _suggest(words: Sequence[Word], context: ParseContext) -> str:
    """The hint of a frame that begins alike, examples that do, or how steps begin in general."""
    begins = tuple(word.text for word in words[:6])
    frames = [frame for _, frame in context.vocabulary.frames]
    for frame in frames:
        if frame.hint and any(begins[: len(verb)] == verb for verb in frame.compiled.verbs):
            return frame.hint
    examples = [example for frame in frames for example in frame.examples]
    similar = [example for example in examples if begins[:1] == (example.split(maxsplit=1)[0].lower(),)]
    if similar:
        return f"no step goes on like this; say it like {' or '.join(f'`{item}`' for item in similar[:2])}"
    return (
        "no step begins like this; begin with a verb and the page's own words: `click the Save button`, "
        "`type Ada into the Name field`, `open https://example.com`"
    )
