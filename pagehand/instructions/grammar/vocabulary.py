"""What can be instructed: the sentences of block kinds, the patterns made of all, and what they refer to."""

import importlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, Protocol

from pagehand.instructions.grammar.literals import Literals
from pagehand.instructions.grammar.refusal import Budget, NotUnderstood
from pagehand.page.phrases import TargetKind
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
OutputKind = Literal["data", "file"]
"""Outputs of a block that later sentences can refer to."""
_DeclaredOutput = OutputKind | Literal["rounds"]
Build = Callable[["Slots", "ParseContext"], Json]
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


@dataclass(frozen=True, slots=True)
class Element:
    """An element by its name and, where the sentence has one, the noun for its kind."""

    name: str
    noun: str = ""
    locator: Json | None = None
    """Set when the name is not enough, or when a visited page has the element."""


@dataclass(frozen=True, slots=True)
class Output:
    """A block of the workflow and the kind of its output; None when no sentence can refer to it."""

    reference: str
    kind: OutputKind | None


class Pages(Protocol):
    """The pages an execution visited."""

    def find(self, words: str, target: TargetKind, /) -> Json | None:
        """A locator of the element; None when no page has it, `NotUnderstood` when several elements fit."""
        ...


@dataclass(slots=True)
class ParseContext:
    """Everything that a sentence may refer to. Copied for each reading that is tried."""

    vocabulary: Vocabulary
    literals: Literals = field(default_factory=Literals)
    budget: Budget = field(default_factory=Budget)
    parameters: Sequence[str] = ()
    """Names of the parameters that the workflow declares."""
    logins: Mapping[str, str] | None = None
    """Ids of the stored logins by name; None when they are not known."""
    existing: Sequence[Output] = ()
    """The blocks that the workflow already has."""
    pages: Pages | None = None
    loop_item: str = ""
    """What the innermost loop calls its item."""
    last_element: Element | None = None
    """What `it` refers to."""

    def in_loop(self, item: str) -> "ParseContext":
        """The context within a loop over things called `item`."""
        return replace(self, loop_item=item)

    def not_understood(self, text: str, reason: str) -> NotUnderstood:
        """A refusal that quotes masked text as the user wrote it."""
        return NotUnderstood(self.literals.as_written(text), reason)
