"""What can be instructed: the sentences that block kinds declare, and the patterns made of all of them."""

import importlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal, Protocol

from pagehand.instructions.grammar.context import OutputKind
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.rules import Rule, Sentences
from pagehand.records import Json

_HEADINGS: Final = (
    "Reaching and acting on a page",
    "Filling in fields",
    "Reading a page and keeping files",
    "Signing in",
    "Waiting, searching, closing, mail",
    "Handing on what was read",
    "Several steps, conditions, loops",
)
"""In the order of the documentation; those of third-party kinds follow."""

FLOW: Final = (
    r"(?:if|for each|for every|for all|on every|on each|go through|page through|repeat|while|as long as)"
)
"""A pattern for how conditions and loops begin."""

_DeclaredOutput = OutputKind | Literal["rounds"]


class InstructableKind(Protocol):
    """What the grammar needs to know about a block kind."""

    @property
    def type(self) -> str:
        """The exact `type` on the wire."""
        ...

    @property
    def sentences(self) -> str:
        """Where its sentences are, as `module:NAME`; "" for a kind that has none."""
        ...

    @property
    def output_kind(self) -> "_DeclaredOutput | None":
        """What later sentences may call "the results" or "the file"."""
        ...


class Vocabulary:
    """The sentences of all kinds; loaded here and not before, because compiling their patterns takes time."""

    def __init__(self, kinds: Iterable[InstructableKind]) -> None:
        listed = list(kinds)
        self._outputs: dict[str, _DeclaredOutput | None] = {kind.type: kind.output_kind for kind in listed}
        self._sentences = {kind.type: _load(kind.sentences) for kind in listed if kind.sentences}
        self._types = {sentences: name for name, sentences in self._sentences.items()}

    @cached_property
    def rules(self) -> Sequence[tuple[str, Rule]]:
        """Every rule with the type of the block that it makes."""
        return [(name, rule) for name, sentences in self._ordered for rule in sentences.rules]

    @cached_property
    def examples(self) -> Mapping[str, Sequence[str]]:
        """Examples of all rules by heading."""
        found: dict[str, list[str]] = {}
        for _, sentences in self._ordered:
            examples = [example for rule in sentences.rules for example in rule.examples]
            found.setdefault(sentences.heading, []).extend(examples)
        return found

    @cached_property
    def separator(self) -> re.Pattern[str]:
        """Matches what is between two steps."""
        return re.compile(
            r"(?: ?[,;] ?(?:and )?(?:then |after that,? |finally,? )?| and (?:then |"
            r"finally )?| then | & )(?:to )?"
            rf"(?=(?:{self._verbs}|{FLOW})\b)| ?[,;]? ?(?:and )?\bthen ",
            re.IGNORECASE,
        )

    @cached_property
    def step_start(self) -> re.Pattern[str]:
        """Matches how a step begins."""
        return re.compile(rf"(?:{self._verbs}|{FLOW})\b", re.IGNORECASE)

    @cached_property
    def another_step(self) -> re.Pattern[str]:
        """Finds where, within some words, another step begins: "and click"."""
        return re.compile(rf"(?:\band|\bthen|,) (?:{self._verbs}|{FLOW})\b")

    @cached_property
    def first_words(self) -> frozenset[str]:
        """The first words of all steps, to correct typos in them."""
        starts = (*self._verbs.split("|"), "keep", "repeat", "while", "otherwise")
        return frozenset(word for start in starts for word in re.findall(r"[a-z]+", start.split(" ")[0])[:1])

    def block(self, sentences: Sentences, data: Json, **more: Any) -> Json:
        """A block of the kind that declares these sentences, for the sentence of another kind."""
        # an installation may leave kinds out, and another kind's sentence may need one of them
        if (name := self._types.get(sentences)) is None:
            raise NotUnderstood("", "no block kind of this installation does what it says")
        return {"type": name, **more, "data": data}

    def merge(self, block: Json, step: Json) -> Json | None:
        """The block with what the next step adds to it; None when that is a separate step."""
        sentences = self._sentences.get(block.get("type", ""))
        return sentences.merge_next(block, step) if sentences is not None and sentences.merge_next else None

    def may_negate(self, type_name: str) -> bool:
        """True for a kind whose sentences hold a condition, which may contain "not"."""
        return type_name in self._sentences and self._sentences[type_name].may_negate

    def output_kind_of_type(self, type_name: str) -> OutputKind | None:
        """The output of blocks of that type, if a sentence can refer to it."""
        declared = self._outputs.get(type_name)
        return None if declared == "rounds" else declared

    def output_kind(self, block: Json) -> OutputKind | None:
        """The output of a block; for a loop it depends on the blocks in it."""
        type_name = block.get("type", "")
        if self._outputs.get(type_name) != "rounds":
            return self.output_kind_of_type(type_name)
        nested = (item for sequence in block["sequenceData"].values() for item in sequence)
        # whatever the output of one round is, that of the loop is a list of it
        return "data" if any(map(self.output_kind, nested)) else None

    @cached_property
    def _ordered(self) -> Sequence[tuple[str, Sentences]]:
        return sorted(self._sentences.items(), key=lambda item: _heading_position(item[1].heading))

    @cached_property
    def _verbs(self) -> str:
        verbs = {verb for _, rule in self.rules for verb in rule.verbs.split("|")}
        # the longest first: `click on` must not be read as `click` and a name that begins with "on"
        return "|".join(sorted(verbs, key=lambda verb: (-len(verb), verb)))


def _heading_position(heading: str) -> int:
    return _HEADINGS.index(heading) if heading in _HEADINGS else len(_HEADINGS)


def _load(declared: str) -> Sentences:
    module, _, name = declared.partition(":")
    return getattr(importlib.import_module(module), name)
