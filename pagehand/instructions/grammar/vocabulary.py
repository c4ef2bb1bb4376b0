"""What can be instructed: the sentences of block kinds, the patterns made of all, and what they refer to."""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, Protocol

from pagehand.instructions.grammar.frames import Pattern, Scope, Word
from pagehand.instructions.grammar.lexicon import PARTICIPLES, gerund
from pagehand.instructions.grammar.literals import TOKEN, Literals
from pagehand.instructions.grammar.refusal import Budget, NotUnderstood
from pagehand.page.phrases import TargetKind
from pagehand.records import Json
from pagehand.workflow.words import word_set

_HEADINGS: Final = (
    "Reaching and acting on a page",
    "Filling in fields",
    "Reading a page and keeping files",
    "Signing in",
    "Waiting, searching, closing, mail",
    "Handing on what was read",
    "Documents and spreadsheets",
    "Several steps, conditions, loops",
)
"""In the order of the documentation; those of third-party kinds follow."""
_ORDERING: Final = "pagehand.instructions.grammar.ordering:ORDERING"
"""Frames of no kind."""
_MAX_VERB: Final = 6
"""Words that a step begins with, at most."""
_MAX_SUBJECT: Final = 9
"""Words of a statement up to its verb, at most."""
_BEING: Final = word_set("is are gets has have should shall must goes go needs")
_SUBORDINATE: Final = word_set(
    "if when once until till while unless after before that which because as so whether and then , ; :"
)
OutputKind = Literal["data", "file"]
"""Outputs of a block that later sentences can refer to."""
_DeclaredOutput = OutputKind | Literal["rounds"]
Build = Callable[["Slots", "ParseContext"], Json]


class ReadSteps(Protocol):
    """Reads the steps within others; `one` where a second would be ambiguous."""

    def __call__(self, text: str, context: "ParseContext", /, *, one: bool) -> list[Json]:
        """The blocks of the steps."""
        ...


class Slots(dict[str, str]):
    """The parts of a sentence by slot name; "" for a part that the sentence leaves out."""

    def __missing__(self, name: str) -> str:
        """A slot that the frame, or this way to fill it, does not have."""
        return ""


@dataclass(frozen=True, slots=True)
class Frame:
    """One way to phrase a step; `frames.py` says how `pattern` is written."""

    pattern: str
    build: Build
    examples: tuple[str, ...] = ()
    """Shown in the documentation and run by the tests."""
    scope: Scope = "step"
    hint: str = ""
    """How to say it, for a text that begins like this and goes on otherwise."""
    takes_names: bool = False
    """True when a name alone after such a step is another one: "click Account, then Billing"."""
    may_negate: bool = False
    """True when it holds a "not" that is part of what is to be done."""
    is_place: bool = False
    """True when it begins with where its steps are done."""
    compiled: Pattern = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "compiled", Pattern(self.pattern))


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """All frames of one block kind, which declares them by the name of this object.

    What a frame builds has no `type`: it becomes a block of the kind that declares the sentences.
    """

    heading: str
    """The heading in the documentation that lists its examples."""
    frames: tuple[Frame, ...] = ()
    merge_next: Callable[[Json, Json], Json | None] | None = None
    """The block with what the step after it adds; None when that is a separate step."""
    may_negate: bool = False
    """True when a frame takes a condition, which may contain "not"."""
    opens_menus: bool = False
    """True when steps that follow may choose from a menu that the step has opened, whatever its data."""


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
        declared = {kind.type: kind.sentences for kind in listed if kind.sentences}
        self._sentences = {name: _load(place) for name, place in {**declared, "": _ORDERING}.items()}
        self._types = {sentences: name for name, sentences in self._sentences.items()}

    @cached_property
    def frames(self) -> Sequence[tuple[str, Frame]]:
        """Every frame with the type of the block that it makes."""
        return [(name, frame) for name, sentences in self._ordered for frame in sentences.frames]

    @cached_property
    def examples(self) -> Mapping[str, Sequence[str]]:
        """Examples of all frames by heading."""
        found: dict[str, list[str]] = {}
        for _, sentences in self._ordered:
            examples = [example for frame in sentences.frames for example in frame.examples]
            found.setdefault(sentences.heading, []).extend(examples)
        return found

    def starts_step(self, words: Sequence[Word], at: int = 0) -> int:
        """How many words at this place begin a step; 0 for none."""
        return self._begins("steps", words, at)

    def _begins(self, kind: str, words: Sequence[Word], at: int) -> int:
        if at >= len(words):
            return 0
        text = tuple(word.text for word in words[at : at + _MAX_VERB])
        verbs = self._verbs[kind].get(words[at].text, ())
        return next((len(verb) for verb in verbs if text[: len(verb)] == verb), 0)

    def declares(self, words: Sequence[Word], at: int = 0) -> bool:
        """True when a statement begins here: "the Save button is clicked", "Amount should be 5"."""
        for number in range(at, min(at + _MAX_SUBJECT, len(words))):
            text, after = words[number].text, words[number + 1 : number + 4]
            if number > at and text in _BEING and after:
                goes = text in ("goes", "go") and after[0].text in ("into", "in", "under")
                # as in "Username is ⟨a template⟩"
                has_value = text == "is" and after[0].text >= TOKEN[1]
                return (
                    goes or has_value or text == "should" or any(word.text in PARTICIPLES for word in after)
                )
            if text in _SUBORDINATE or self.starts_step(words, number) * (number == at):
                return False
        return False

    def starts_rest(self, words: Sequence[Word]) -> bool:
        """True for words that begin a condition or a loop, which takes all that follows in its sentence."""
        return self._begins("rest", words, 0) > 0

    def takes_names(self, verb: str) -> bool:
        """True for a verb that holds for a name alone after it; elsewhere that may be part of a value."""
        words = tuple(verb.lower().split())
        return words in self._verbs["names"].get(words[0], ())

    def has_another_step(self, words: Sequence[Word]) -> bool:
        """True when another step begins within some words: "and click"."""
        return any(
            word.text in ("and", "then", ",") and self.starts_step(words, at + 1)
            for at, word in enumerate(words)
        )

    @cached_property
    def first_words(self) -> frozenset[str]:
        """The first words of all steps, to correct typos in them."""
        return frozenset((*self._verbs["steps"], "otherwise"))

    @cached_property
    def gerunds(self) -> Mapping[str, str]:
        """`click` for "clicking"."""
        return {gerund(verb): verb for verb in sorted(self._verbs["steps"])}

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

    def may_open_menu(self, block: Json) -> bool:
        """True for a step after which an entry of a menu may be chosen."""
        sentences = self._sentences.get(block.get("type", ""))
        is_press = block.get("data", {}).get("action") in ("click", "rightClick")
        return is_press or (sentences is not None and sentences.opens_menus)

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
    def _verbs(self) -> Mapping[str, Mapping[str, Sequence[tuple[str, ...]]]]:
        """What frames begin with, by the first word; the longest first: `click on` before `click`."""
        frames = [frame for _, frame in self.frames]
        return {
            "rest": _by_first_word(frame for frame in frames if frame.scope == "rest"),
            "names": _by_first_word(frame for frame in frames if frame.takes_names),
            # a place such as "in the row of …" begins a clause; it is no step by itself
            "steps": _by_first_word(frame for frame in frames if not frame.is_place),
        }


def _by_first_word(frames: Iterable[Frame]) -> Mapping[str, Sequence[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    verbs = {verb for frame in frames for verb in frame.compiled.verbs}
    for verb in sorted(verbs, key=lambda verb: (-len(verb), verb)):
        found.setdefault(verb[0], []).append(verb)
    return found


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


@dataclass(frozen=True, slots=True)
class ReadValues:
    """What steps before have read from the page, as templates."""

    count: int = 0
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """By the value's name."""
    lists: Mapping[str, str] = field(default_factory=dict[str, str])
    """By what one row is called."""
    parts: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """What is known of each row, by the list's template."""
    last: str = ""
    """The only value of the step that read last: what "it" may be."""
    pair: Sequence[str] = ()
    """The values of that step: what "they" may be."""
    row: str = ""
    """What one row of the list is called that was read last: one "of them"."""


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
    is_in_loop: bool = False
    is_on_page: bool = False
    """True once a step was read: what is opened after it may be on the page it leads to."""
    item_parts: frozenset[str] = frozenset()
    """What is known of each item, where steps before read them."""
    loop_item: str = ""
    """What the innermost loop calls its item."""
    last_element: Element | None = None
    """What `it` refers to."""
    menu_is_open: bool = False
    """True right after a click, which may have opened a menu to choose from."""
    place: str = ""
    """Where the elements of these steps are: "in the row of ACME-17"."""
    read_values: "ReadValues" = field(default_factory=ReadValues)
    read: "ReadSteps | None" = None

    def adopt(self, other: "ParseContext") -> None:
        """What the steps that `other` read have named and read, for those after them."""
        self.last_element, self.read_values = other.last_element, other.read_values
        self.menu_is_open, self.is_on_page = other.menu_is_open, True

    def forget_unless(self, other: Element | None) -> None:
        """After a condition and steps that name two elements, `it` could be either of them."""
        if other is not None and other != self.last_element:
            self.last_element = None
