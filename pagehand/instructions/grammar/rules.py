"""Rules: which sentence makes which block, and how all of them are tried."""

import json
import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Final

from pagehand.instructions.grammar.context import ParseContext
from pagehand.instructions.grammar.names import refuse_negation
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.records import Json

Build = Callable[["Slots", ParseContext], Json]
_MAX_STEP_LENGTH: Final = 600
"""In characters; a literal counts as one."""
_SLOT: Final = re.compile(r"\{(\w+)\}")


class Slots(dict[str, str]):
    """The parts of a sentence by slot name; "" for a part that the sentence leaves out."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to phrase a step.

    `verbs` begin it; `rest` is a pattern with `{slots}`.
    """

    verbs: str
    rest: str
    build: Build
    examples: tuple[str, ...]
    """Shown in the documentation and run by the tests."""
    patterns: tuple[re.Pattern[str], ...] = field(init=False)

    def __post_init__(self) -> None:
        # a slot may contain the words around it: the shortest and the longest match are both tried
        patterns = tuple(self._pattern(slot) for slot in (r"(?P<\1>.+?)", r"(?P<\1>.+)"))
        object.__setattr__(self, "patterns", patterns)

    def _pattern(self, slot: str) -> re.Pattern[str]:
        return re.compile(rf"(?:{self.verbs}){_SLOT.sub(slot, self.rest)}", re.IGNORECASE | re.DOTALL)

    def matches(self, text: str) -> list[Slots]:
        """The slots of every way in which the text matches; empty when it does not."""
        found: list[Slots] = []
        for pattern in self.patterns:
            if match := pattern.fullmatch(text):
                slots = Slots({name: part or "" for name, part in match.groupdict().items()})
                if slots not in found:
                    found.append(slots)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """All rules of one block kind, which declares them by the name of this object.

    What a rule builds has no `type`: it becomes a block of the kind that declares the sentences.
    """

    heading: str
    """The heading in the documentation that lists its examples."""
    rules: tuple[Rule, ...] = ()
    merge_next: Callable[[Json, Json], Json | None] | None = None
    """The block with what the step after it adds; None when that is a separate step."""
    may_negate: bool = False
    """True when a rule takes a condition, which may contain "not"."""


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
