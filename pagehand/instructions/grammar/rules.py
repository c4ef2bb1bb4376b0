"""Rules: which sentence makes which block, and the one way to try them all."""

import json
import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Final

from pagehand.instructions.grammar.names import refuse_negation
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.scene import Scene
from pagehand.records import Json

Build = Callable[["Words", Scene], Json]
_LONGEST: Final = 600
"""How many letters a step may have; what stands in quotes counts as one."""
_SLOT: Final = re.compile(r"\{(\w+)\}")


class Words(dict[str, str]):
    """The parts of a sentence by the names of their slots; "" for what was not said."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to say a step.

    `verbs` begin it; `rest` is a pattern with `{slots}`, in which a blank stands for any white space.
    """

    verbs: str
    rest: str
    build: Build
    says: tuple[str, ...]
    """Examples, shown in the documentation and tried by the tests."""
    patterns: tuple[re.Pattern[str], ...] = field(init=False)

    def __post_init__(self) -> None:
        # what stands in a slot may hold the words around it: the shortest and the longest are both tried
        patterns = tuple(self._pattern(slot) for slot in (r"(?P<\1>.+?)", r"(?P<\1>.+)"))
        object.__setattr__(self, "patterns", patterns)

    def _pattern(self, slot: str) -> re.Pattern[str]:
        rest = _SLOT.sub(slot, self.rest.replace(" ", r"\s+"))
        verbs = self.verbs.replace(" ", r"\s+")
        return re.compile(rf"(?:{verbs}){rest}", re.IGNORECASE)

    def readings(self, text: str) -> list[Words]:
        """The ways in which the text fits."""
        found: list[Words] = []
        for pattern in self.patterns:
            if match := pattern.fullmatch(text):
                words = Words({name: part or "" for name, part in match.groupdict().items()})
                if words not in found:
                    found.append(words)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """All ways to say one block kind, which declares them by the name of this object.

    What a rule builds has no `type`: it becomes a block of the kind that declares the sentences.
    """

    about: str
    """The heading in the documentation that its examples stand under."""
    rules: tuple[Rule, ...] = ()
    complete: Callable[[Json, Json], Json | None] | None = None
    """The block with what the step after it adds; None where that is a step of its own."""
    may_negate: bool = False
    """True where a rule takes a condition, which may say "not"."""


def read_step(text: str, scene: Scene) -> Json:
    """The one block that a step means; refuses when it means none or several."""
    if len(text) > _LONGEST:
        raise NotUnderstood(text, "it is too long for one step; put values in quotes, or say it in parts")
    blocks: dict[str, tuple[Json, Scene]] = {}
    refusal: NotUnderstood | None = None
    for type_name, rule in scene.vocabulary.rules:
        for words in rule.readings(text):
            # each reading has its own: one that fails half way must not leave behind what `it` means
            attempt = copy(scene)
            try:
                block = _typed(rule.build(words, attempt), type_name)
            except NotUnderstood as problem:
                refusal = refusal or problem
            else:
                # two rules that mean the same block agree; only different blocks are a doubt
                blocks.setdefault(json.dumps(block, sort_keys=True), (block, attempt))
    if len(blocks) > 1:
        raise NotUnderstood(
            scene.wording.written(text), "it can be read in several ways; put names and values in quotes"
        )
    if not blocks:
        # "not" explains a refusal better than the rule that happened to be tried first
        refuse_negation(text)
        raise refusal or NotUnderstood(text, _how_to_say(text, scene))
    block, attempt = next(iter(blocks.values()))
    scene.last = attempt.last
    return block


def _typed(block: Json, type_name: str) -> Json:
    if "keys" in block:
        return block
    if "several" in block:
        return {"several": [_typed(candidate, type_name) for candidate in block["several"]]}
    return {"type": type_name, **block}


def _how_to_say(text: str, scene: Scene) -> str:
    """Examples that begin with the same verb, or how steps begin at all."""
    first = text.split(maxsplit=1)[0].lower() if text.split() else ""
    says = (say for _, rule in scene.vocabulary.rules for say in rule.says)
    alike = [say for say in says if first == say.split(maxsplit=1)[0].lower()]
    if alike:
        return f"no step goes on like this; say it like {' or '.join(f'`{say}`' for say in alike[:2])}"
    return (
        "no step begins like this; begin with a verb and the page's own words: `click the Save button`, "
        "`type Ada into the Name field`, `open https://example.com`"
    )
