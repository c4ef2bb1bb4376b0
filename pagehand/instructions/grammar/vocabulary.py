"""What can be instructed: the sentences that block kinds declare, and the patterns made of them all."""

import importlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal, Protocol

from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.rules import Rule, Sentences
from pagehand.instructions.grammar.scene import OutputKind
from pagehand.records import Json

_ABOUT: Final = (
    "Reaching and acting on a page",
    "Filling in fields",
    "Reading a page and keeping files",
    "Signing in",
    "Waiting, searching, closing, mail",
    "Handing on what was read",
    "Several steps, conditions, loops",
)
"""The order of the headings; those of kinds from outside come after them."""

FLOW: Final = (
    r"(?:if|for each|for every|for all|on every|on each|go through|page through|repeat|while|as long as)"
)
"""A pattern for how conditions and loops begin."""

_PutsOut = OutputKind | Literal["rounds"]


class SpokenKind(Protocol):
    """What the grammar needs to know of a block kind."""

    @property
    def type(self) -> str:
        """The exact `type` on the wire."""
        ...

    @property
    def sentences(self) -> str:
        """Where its sentences are, as `module:NAME`; "" for a kind that cannot be said."""
        ...

    @property
    def puts_out(self) -> "_PutsOut | None":
        """What later sentences may call "the results" or "the file"."""
        ...


class Vocabulary:
    """The sentences of all kinds; each is loaded here and not before, as its patterns take time to make."""

    def __init__(self, kinds: Iterable[SpokenKind]) -> None:
        listed = list(kinds)
        self._puts_out: dict[str, _PutsOut | None] = {kind.type: kind.puts_out for kind in listed}
        self._sentences = {kind.type: _load(kind.sentences) for kind in listed if kind.sentences}
        self._types = {sentences: name for name, sentences in self._sentences.items()}

    @cached_property
    def rules(self) -> Sequence[tuple[str, Rule]]:
        """Every rule with the type of the block that it makes."""
        return [(name, rule) for name, sentences in self._ordered for rule in sentences.rules]

    @cached_property
    def examples(self) -> Mapping[str, Sequence[str]]:
        """Examples of what is understood, by what they are about."""
        found: dict[str, list[str]] = {}
        for _, sentences in self._ordered:
            found.setdefault(sentences.about, []).extend(say for rule in sentences.rules for say in rule.says)
        return found

    @cached_property
    def between(self) -> re.Pattern[str]:
        """Finds what stands between two steps."""
        return re.compile(
            r"(?:\s*[,;]\s*(?:and\s+)?(?:then\s+|after that,?\s+|finally,?\s+)?|\s+and\s+(?:then\s+|"
            r"finally\s+)?|\s+then\s+|\s+&\s+)(?:to\s+)?"
            rf"(?=(?:{self._verbs}|{FLOW})\b)|\s*[,;]?\s*(?:and\s+)?\bthen\s+",
            re.IGNORECASE,
        )

    @cached_property
    def verb(self) -> re.Pattern[str]:
        """How a step begins."""
        return re.compile(rf"(?:{self._verbs}|{FLOW})\b", re.IGNORECASE)

    @cached_property
    def another_step(self) -> re.Pattern[str]:
        """Finds where, within some words, another step begins: "and click"."""
        return re.compile(rf"(?:\band|\bthen|,)\s+(?:{self._verbs}|{FLOW})\b")

    @cached_property
    def first_words(self) -> frozenset[str]:
        """The first words of all steps, to see slips in them."""
        starts = (*self._verbs.split("|"), "keep", "repeat", "while", "otherwise")
        return frozenset(
            word for start in starts for word in re.findall(r"[a-z]+", start.split(r"\s")[0])[:1]
        )

    def block(self, sentences: Sentences, data: Json, **more: Any) -> Json:
        """A block of the kind that declares these sentences, for what another kind's sentence needs."""
        # an installation may leave kinds out, and another kind's sentence may need one of them
        if (name := self._types.get(sentences)) is None:
            raise NotUnderstood("", "no block kind of this installation does what it says")
        return {"type": name, **more, "data": data}

    def completed(self, block: Json, step: Json) -> Json | None:
        """The block with what the next step says of it; None where that is a step of its own."""
        sentences = self._sentences.get(block.get("type", ""))
        return sentences.complete(block, step) if sentences is not None and sentences.complete else None

    def may_negate(self, type_name: str) -> bool:
        """True for a kind whose sentences hold a condition, which may say "not"."""
        return type_name in self._sentences and self._sentences[type_name].may_negate

    def output_kind(self, type_name: str) -> OutputKind | None:
        """What blocks of that type put out, if a sentence can speak of it."""
        declared = self._puts_out.get(type_name)
        return None if declared == "rounds" else declared

    def puts_out(self, block: Json) -> OutputKind | None:
        """What a block puts out; a loop what its rounds do."""
        type_name = block.get("type", "")
        if self._puts_out.get(type_name) != "rounds":
            return self.output_kind(type_name)
        nested = (item for sequence in block["sequenceData"].values() for item in sequence)
        # whatever its rounds put out, a loop puts out a list of it
        return "data" if any(map(self.puts_out, nested)) else None

    @cached_property
    def _ordered(self) -> Sequence[tuple[str, Sentences]]:
        return sorted(self._sentences.items(), key=lambda item: _place(item[1].about))

    @cached_property
    def _verbs(self) -> str:
        verbs = {verb for _, rule in self.rules for verb in rule.verbs.replace(" ", r"\s+").split("|")}
        # the longest first: `click on` must not be read as `click` and a name that begins with "on"
        return "|".join(sorted(verbs, key=lambda verb: (-len(verb), verb)))


def _place(about: str) -> int:
    return _ABOUT.index(about) if about in _ABOUT else len(_ABOUT)


def _load(declared: str) -> Sentences:
    module, _, name = declared.partition(":")
    return getattr(importlib.import_module(module), name)
