"""The steps of one sentence: where one ends and the next begins."""

import json
import re
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Final

from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.flow import MAX_NAME_LENGTH, ReadSentences, if_block, read_flow
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import refuse_negation
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.repeating import loop_block
from pagehand.instructions.grammar.typos import correct_typo
from pagehand.instructions.grammar.values import COUNT, read_times
from pagehand.instructions.grammar.vocabulary import FLOW, ParseContext, Vocabulary
from pagehand.records import Json

# only after these is a name alone another step; elsewhere it may be part of a value
_ABOUT_ELEMENTS: Final = re.compile(
    r"(?:click|tap|press)(?: on)?|follow|hit|push|open|go to|visit|tick|check|untick|uncheck|hover over",
    re.IGNORECASE,
)
STARTS_FLOW: Final = re.compile(rf"{FLOW}\b", re.IGNORECASE)
_STEP_STARTS: Final = re.compile(
    r"(?P<before>^[ \t]*(?:(?:[-*•]|\(?\d{1,3}[.)]) )?|[.!?;:,]\s|\b(?:and|then|please|you)\s)"
    r"(?P<word>[a-z]+)",
    re.IGNORECASE | re.MULTILINE,
)
_MAX_JOINED: Final = 4
_MAX_PIECES: Final = 200
_STEP_IF: Final = re.compile(
    r"(?P<body>.+?) ?,? (?:(?:but )?only )?if (?P<condition>.+)", re.IGNORECASE | re.DOTALL
)
_STEP_TIMES: Final = re.compile(
    rf"(?P<step>.+?) (?P<often>(?:{COUNT}) times|twice|once)", re.IGNORECASE | re.DOTALL
)
_MAX_STEP_LENGTH: Final = 600
"""In characters; a literal counts as one."""


def read_clauses(text: str, context: ParseContext, read: ReadSentences) -> list[Json]:
    """The steps of one sentence, split where another step begins; `read` reads bodies within it."""
    return _Clauses(text, read, context.vocabulary).read(0, context)


Recovered = tuple[str, list[Json] | NotUnderstood]
"""A clause, and its blocks or why it has none."""


def recover_clauses(text: str, context: ParseContext, read: ReadSentences) -> list[Recovered]:
    """The clauses of a sentence that is not understood as a whole, with as few left open as possible."""
    return _Clauses(text, read, context.vocabulary).recover(0, context)


def correct_typos(text: str, known: frozenset[str]) -> str:
    """The text with typos in its verbs corrected, where only one known verb fits."""
    return _STEP_STARTS.sub(
        lambda found: found["before"] + (correct_typo(found["word"], known) or found["word"]), text
    )


def step_names(blocks: Sequence[Json]) -> list[str]:
    """Names of the steps, for a refusal that lists what was understood."""
    return [str(block.get("name") or block.get("type") or f"press {block['keys'][0]}") for block in blocks]


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


class _Clauses:
    """A sentence as pieces that may be steps; they are joined again where one alone makes no sense."""

    def __init__(self, text: str, read: ReadSentences, vocabulary: Vocabulary) -> None:
        self._step_start = vocabulary.step_start
        self._read_body = read
        self._starts, self._ends = [0], list[int]()
        for found in vocabulary.separator.finditer(text):
            if found.start() > self._starts[-1]:
                self._ends.append(found.start())
                self._starts.append(found.end())
        self._ends.append(len(text))
        if len(self._ends) > _MAX_PIECES:
            raise NotUnderstood(text, "it has too many steps for one sentence; begin a new one now and then")
        self._text = text
        self._refusals: dict[int, NotUnderstood] = {}
        self._recovered: dict[int, list[Recovered]] = {}

    def read(self, first: int, context: ParseContext) -> list[Json]:
        """The blocks from piece number `first` on."""
        if first == len(self._starts):
            return []
        if first in self._refusals:
            raise self._refusals[first]
        refusal: NotUnderstood | None = None
        for last in self._possible_ends(first):
            attempt = copy(context)
            try:
                blocks = self._read_step(first, last, attempt)
            except NotUnderstood as problem:
                refusal = refusal or problem
                continue
            try:
                rest = self.read(last + 1, attempt)
            except NotUnderstood as problem:
                refusal = refusal or problem.after(step_names(blocks))
                continue
            if (ambiguous := self._ambiguous_and(last, context)) is not None:
                refusal = ambiguous
                break
            context.last_element = attempt.last_element
            return merge_steps(blocks, rest, context)
        # cached: the ways to split the rest grow exponentially with its pieces
        self._refusals[first] = refusal or NotUnderstood(self._text, "it has no step")
        raise self._refusals[first]

    def recover(self, first: int, context: ParseContext) -> list[Recovered]:
        """The clauses from piece number `first` on."""
        if first == len(self._starts):
            return []
        if first in self._recovered:
            return self._recovered[first]
        ways = list(self._ways_from(first, context))
        # the first of equals: it leaves nothing open before, and its step is the shortest
        best = min(ways, key=lambda way: sum(isinstance(outcome, NotUnderstood) for _, outcome in way))
        self._recovered[first] = best
        return best

    def _ways_from(self, first: int, context: ParseContext) -> Iterator[list[Recovered]]:
        refusal, end = NotUnderstood(self._text, "it has no step"), first
        for last in self._possible_ends(first):
            attempt = copy(context)
            try:
                blocks = self._read_step(first, last, attempt)
            except NotUnderstood as problem:
                refusal = problem if last == first else refusal
                continue
            if (ambiguous := self._ambiguous_and(last, context)) is not None:
                refusal, end = ambiguous, last + 1
                break
            yield [(self._piece(first, last), blocks), *self.recover(last + 1, attempt)]
        # what is open may have named what `it` refers to after it
        rest = self.recover(end + 1, replace(context, last_element=None))
        yield [(self._piece(first, end), refusal), *rest]

    def _possible_ends(self, first: int) -> Sequence[int]:
        """The last pieces of a step that begins at `first`; a condition or a loop takes all that follows."""
        if STARTS_FLOW.match(self._text, self._starts[first]):
            return [len(self._starts) - 1]
        return range(first, min(first + _MAX_JOINED, len(self._starts)))

    def _piece(self, first: int, last: int) -> str:
        return self._text[self._starts[first] : self._ends[last]].strip()

    def _read_step(self, first: int, last: int, context: ParseContext) -> list[Json]:
        text = self._piece(first, last)
        if not self._step_start.match(text) and first > 0:
            text = self._with_verb(text, first)
        is_alone = first == 0 and last == len(self._starts) - 1
        return _read_clause(text, context, self._read_body, is_alone=is_alone)

    def _with_verb(self, text: str, first: int) -> str:
        """As in "Click Account, then Billing": the verb of the step before applies again."""
        for before in reversed(range(first)):
            if found := self._step_start.match(self._text, self._starts[before]):
                return f"{found[0]} {text}" if _ABOUT_ELEMENTS.fullmatch(found[0]) else text
        return text

    def _ambiguous_and(self, last: int, context: ParseContext) -> NotUnderstood | None:
        """A capital letter after "and" may continue a name: "Click Save and Download report"."""
        if last + 1 == len(self._starts) or not self._text[self._starts[last + 1]].isupper():
            return None
        before, between = (
            self._text[: self._ends[last]],
            self._text[self._ends[last] : self._starts[last + 1]],
        )
        if between.strip().lower() == "and" and not re.search(rf"{TOKEN}$", before):
            return context.not_understood(self._text, "it could be one step or two; put names in quotes")
        return None


def _read_clause(text: str, context: ParseContext, read: ReadSentences, *, is_alone: bool) -> list[Json]:
    """One step, or one that depends on a condition or is done several times.

    Among several steps it is not clear to how many of them a trailing "if …" or "3 times" applies.
    """
    flow = read_flow(text, (), context, read)
    if flow is not None:
        return flow
    attempt = copy(context)
    try:
        block = _read_single(text, attempt)
    except NotUnderstood as refusal:
        if not is_alone:
            raise
        return [_read_trailing(text, context, read, refusal)]
    context.last_element = attempt.last_element
    return block.get("several", [block])


def _read_single(text: str, context: ParseContext) -> Json:
    block = read_step(text, context)
    if not context.vocabulary.may_negate(block.get("type", "")):
        refuse_negation(text)
    if "several" in block or "keys" in block:
        return block
    return {"name": _step_name(text, block, context), **block}


def _read_trailing(text: str, context: ParseContext, read: ReadSentences, refusal: NotUnderstood) -> Json:
    """A step followed by "if …" or "… times"; the refusal when there is neither."""
    if found := _STEP_TIMES.fullmatch(text):
        often = found["often"].lower().removesuffix("times").strip()
        steps = _read_inner(found["step"], context, read)
        return loop_block({"times": read_times(often)}, steps, context)
    if found := _STEP_IF.fullmatch(text):
        # "it" in the condition refers to what the step names
        steps = _read_inner(found["body"], context, read)
        condition = read_condition(found["condition"], context)
        branches = {"trueSequence": steps, "falseSequence": list[Json]()}
        return if_block(condition, branches, context)
    raise refusal


def _read_inner(text: str, context: ParseContext, read: ReadSentences) -> list[Json]:
    with context.budget.nested():
        return _read_clause(text, context, read, is_alone=True)


def _step_name(text: str, block: Json, context: ParseContext) -> str:
    """The step in the user's words, without secrets."""
    if block["data"].get("inputType") == "SensitiveTextInput":
        return f"Fill in {block['data']['key']}"
    written = context.literals.as_written(text)
    return (written[:1].upper() + written[1:])[:MAX_NAME_LENGTH]


def read_step(text: str, context: ParseContext) -> Json:
    """The block that a step means; `NotUnderstood` when it means none or several."""
    if len(text) > _MAX_STEP_LENGTH:
        raise NotUnderstood(text, "it is too long for one step; put values in quotes, or say it in parts")
    context.budget.check()
    blocks: dict[str, tuple[Json, ParseContext]] = {}
    refusal: NotUnderstood | None = None
    for type_name, rule in context.vocabulary.rules:
        for slots in rule.matches(text):
            # a copy for each match: one that fails half way must not change what `it` refers to
            attempt = copy(context)
            try:
                block = _with_type(rule.build(slots, attempt), type_name)
            except NotUnderstood as problem:
                refusal = refusal or problem
            else:
                # two rules that build the same block agree; only different blocks are ambiguous
                blocks.setdefault(json.dumps(block, sort_keys=True), (block, attempt))
    if len(blocks) > 1:
        raise context.not_understood(
            text,
            "it can be read in several ways; put names and values in quotes",
        )
    if not blocks:
        # "not" explains a refusal better than the rule that happened to be tried first
        refuse_negation(text)
        raise refusal or NotUnderstood(text, _suggest(text, context))
    block, attempt = next(iter(blocks.values()))
    context.last_element = attempt.last_element
    return block


def _with_type(block: Json, type_name: str) -> Json:
    if "keys" in block:
        return block
    if "several" in block:
        return {"several": [_with_type(item, type_name) for item in block["several"]]}
    return {"type": type_name, **block}


def _suggest(text: str, context: ParseContext) -> str:
    """Examples that begin with the same verb, or how steps begin in general."""
    verb = text.split(maxsplit=1)[0].lower() if text.split() else ""
    examples = (example for _, rule in context.vocabulary.rules for example in rule.examples)
    similar = [example for example in examples if verb == example.split(maxsplit=1)[0].lower()]
    if similar:
        return f"no step goes on like this; say it like {' or '.join(f'`{item}`' for item in similar[:2])}"
    return (
        "no step begins like this; begin with a verb and the page's own words: `click the Save button`, "
        "`type Ada into the Name field`, `open https://example.com`"
    )
