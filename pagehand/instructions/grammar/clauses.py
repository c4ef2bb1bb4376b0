"""The steps of one sentence: where one ends and the next begins."""

import re
from collections.abc import Sequence
from copy import copy
from typing import Final

from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.flow import LONGEST_NAME, Read, branch, read_flow
from pagehand.instructions.grammar.keys import joined
from pagehand.instructions.grammar.names import refuse_negation
from pagehand.instructions.grammar.other_steps import read_times
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.repeating import loop
from pagehand.instructions.grammar.rules import read_step
from pagehand.instructions.grammar.scene import Scene
from pagehand.instructions.grammar.typos import meant_word
from pagehand.instructions.grammar.values import COUNT
from pagehand.instructions.grammar.vocabulary import FLOW, Vocabulary
from pagehand.instructions.grammar.wording import ATOM
from pagehand.records import Json

# only after these is a name alone another step; elsewhere it may be part of a value
_ABOUT_ELEMENTS: Final = re.compile(
    r"(?:click|tap|press)(?:\s+on)?|follow|hit|push|open|go to|visit|tick|check|untick|uncheck|hover over",
    re.IGNORECASE,
)
STARTS_FLOW: Final = re.compile(rf"{FLOW}\b", re.IGNORECASE)
_STEP_STARTS: Final = re.compile(
    r"(?P<before>^[ \t]*(?:(?:[-*•]|\(?\d{1,3}[.)])\s+)?|[.!?;:,]\s+|\b(?:and|then|please|you)\s+)"
    r"(?P<word>[a-z]+)",
    re.IGNORECASE | re.MULTILINE,
)
_MOST_JOINED: Final = 4
_STEP_IF: Final = re.compile(r"(?P<body>.+?)\s*,?\s+(?:(?:but )?only )?if\s+(?P<condition>.+)", re.IGNORECASE)
_STEP_TIMES: Final = re.compile(rf"(?P<step>.+?)\s+(?P<often>(?:{COUNT}) times|twice|once)", re.IGNORECASE)


def read_clauses(text: str, scene: Scene, read: Read) -> list[Json]:
    """The steps of one sentence, split where another step begins; `read` reads bodies within it."""
    return _Clauses(text, read, scene.vocabulary).read(0, scene)


def mend_typos(text: str, known: frozenset[str]) -> str:
    """The text with a slip in the verbs mended, where only one of those known can be meant."""
    return _STEP_STARTS.sub(
        lambda found: found["before"] + (meant_word(found["word"], known) or found["word"]), text
    )


def step_names(blocks: Sequence[Json]) -> list[str]:
    """What steps were called, for a refusal that says what was understood."""
    return [str(block.get("name") or block.get("type") or f"press {block['keys'][0]}") for block in blocks]


class _Clauses:
    """A sentence as pieces that may be steps; they are joined again where one alone makes no sense."""

    def __init__(self, text: str, read: Read, vocabulary: Vocabulary) -> None:
        self._verb = vocabulary.verb
        self._read_body = read
        self._starts, self._ends = [0], list[int]()
        for found in vocabulary.between.finditer(text):
            if found.start() > self._starts[-1]:
                self._ends.append(found.start())
                self._starts.append(found.end())
        self._ends.append(len(text))
        self._text = text
        self._hopeless: dict[int, NotUnderstood] = {}

    def read(self, first: int, scene: Scene) -> list[Json]:
        """The blocks from piece number `first` on."""
        if first == len(self._starts):
            return []
        if first in self._hopeless:
            raise self._hopeless[first]
        refusal: NotUnderstood | None = None
        for last in self._choices(first):
            attempt = copy(scene)
            try:
                blocks = self._one(first, last, attempt)
            except NotUnderstood as problem:
                refusal = refusal or problem
                continue
            try:
                rest = self.read(last + 1, attempt)
            except NotUnderstood as problem:
                refusal = refusal or problem.after(step_names(blocks))
                continue
            self._refuse_second_reading(last, scene)
            scene.last = attempt.last
            return joined(blocks, rest, scene)
        # remembered: the ways to cut what follows grow exponentially with its pieces
        self._hopeless[first] = refusal or NotUnderstood(self._text, "it says no step")
        raise self._hopeless[first]

    def _choices(self, first: int) -> Sequence[int]:
        """Where the step that begins at a piece may end: conditions and loops take all that follows."""
        if STARTS_FLOW.match(self._text, self._starts[first]):
            return [len(self._starts) - 1]
        return range(first, min(first + _MOST_JOINED, len(self._starts)))

    def _piece(self, first: int, last: int) -> str:
        return self._text[self._starts[first] : self._ends[last]].strip()

    def _one(self, first: int, last: int, scene: Scene) -> list[Json]:
        text = self._piece(first, last)
        if not self._verb.match(text) and first > 0:
            text = self._with_verb(text, first)
        is_alone = first == 0 and last == len(self._starts) - 1
        return _read_clause(text, scene, self._read_body, is_alone=is_alone)

    def _with_verb(self, text: str, first: int) -> str:
        """As in "Click Account, then Billing": the verb of the step before is meant again."""
        for before in reversed(range(first)):
            if found := self._verb.match(self._text, self._starts[before]):
                return f"{found[0]} {text}" if _ABOUT_ELEMENTS.fullmatch(found[0]) else text
        return text

    def _refuse_second_reading(self, last: int, scene: Scene) -> None:
        """A capital letter after "and" may go on with a name: "Click Save and Download report"."""
        if last + 1 == len(self._starts) or not self._text[self._starts[last + 1]].isupper():
            return
        before, between = (
            self._text[: self._ends[last]],
            self._text[self._ends[last] : self._starts[last + 1]],
        )
        if between.strip().lower() == "and" and not re.search(rf"{ATOM}$", before):
            raise NotUnderstood(
                scene.wording.written(self._text), "it could be one step or two; put names in quotes"
            )


def _read_clause(text: str, scene: Scene, read: Read, *, is_alone: bool) -> list[Json]:
    """One step, or one that depends on a condition or is done several times.

    Among several steps it is not clear how many of them a trailing "if …" or "3 times" speaks of.
    """
    flow = read_flow(text, (), scene, read)
    if flow is not None:
        return flow
    attempt = copy(scene)
    try:
        block = _read_single(text, attempt)
    except NotUnderstood as refusal:
        if not is_alone:
            raise
        return [_read_trailing(text, scene, read, refusal)]
    scene.last = attempt.last
    return block.get("several", [block])


def _read_single(text: str, scene: Scene) -> Json:
    block = read_step(text, scene)
    if not scene.vocabulary.may_negate(block.get("type", "")):
        refuse_negation(text)
    if "several" in block or "keys" in block:
        return block
    return {"name": _step_name(text, block, scene), **block}


def _read_trailing(text: str, scene: Scene, read: Read, refusal: NotUnderstood) -> Json:
    """A step followed by "if …" or "… times"; the refusal when there is neither."""
    if found := _STEP_TIMES.fullmatch(text):
        often = found["often"].lower().removesuffix("times").strip()
        steps = _read_clause(found["step"], scene, read, is_alone=True)
        return loop({"times": read_times(often)}, steps, scene)
    if found := _STEP_IF.fullmatch(text):
        # what the step names is what "it" means in the condition
        steps = _read_clause(found["body"], scene, read, is_alone=True)
        condition = read_condition(found["condition"], scene)
        branches = {"trueSequence": steps, "falseSequence": list[Json]()}
        return branch(condition, branches, scene)
    raise refusal


def _step_name(text: str, block: Json, scene: Scene) -> str:
    """What the user called the step; without what must stay secret."""
    if block["data"].get("inputType") == "SensitiveTextInput":
        return f"Fill in {block['data']['key']}"
    written = scene.wording.written(text)
    return (written[:1].upper() + written[1:])[:LONGEST_NAME]
