"""Frames: how a step may be phrased, and where its parts stand in the words of a text.

A frame is a text of words, `(one|another)`, `[what may be left out]`, `{slot}` for any words, `{slot:words}`
for words that are kept, `@name` for the verbs of that name, and `<number>` or `<literal>` for a token of that
kind.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, NamedTuple

from pagehand.instructions.grammar.lexicon import FIRST_WORDS, PARTICIPLES, expand_verbs
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.refusal import Budget, NotUnderstood
from pagehand.workflow.words import by_word

_TOKENS: Final = re.compile(rf"{TOKEN}|[,;:]|[^\s,;:{TOKEN[1:-1]}]++")
_SYNTAX: Final = re.compile(r"[()\[\]|{}]|[^\s()\[\]|{}]+")
_MARKS: Final = frozenset(",;:")
_MAX_TOKENS: Final = 1500
_MAX_MATCHES: Final = 40
_MAX_LEADING: Final = 400
NUMBERS: Final = by_word(
    {0: "zero", 1: "a|an|one|once", 2: "two|twice", 3: "three", 4: "four", 5: "five", 6: "six"}
    | {7: "seven", 8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve"}
)
"""Numbers in words."""
UNIT: Final = r"(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?)"
"""A pattern for a unit of time."""
_CLASSES: Final = {
    "number": rf"\d++(?:\.\d++)?|{'|'.join(NUMBERS)}",
    "literal": TOKEN,
    "file": rf"{TOKEN}|[\w-][\w.-]*\.[a-z][a-z\d]{{1,3}}",
    "unit": UNIT,
    "time": rf"\d++(?:\.\d++)?{UNIT}",
}


class Word(NamedTuple):
    """One token of a text: a word, a mark, or the character that masks a literal."""

    text: str
    """In small letters."""
    start: int
    end: int


def tokenize(text: str) -> list[Word]:
    """The tokens of masked text."""
    return [Word(found[0].lower(), found.start(), found.end()) for found in _TOKENS.finditer(text)]


class Span(NamedTuple):
    """Some of a text's tokens."""

    text: str
    words: Sequence[Word]

    def part(self, start: int, end: int) -> str:
        """The text of the tokens from `start` up to `end`."""
        return self.text[self.words[start].start : self.words[end - 1].end] if start < end else ""


@dataclass(slots=True)
class _Matching:
    """One text that is matched against one frame."""

    words: Sequence[Word]
    budget: Budget
    parts: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    begun: dict[str, int] = field(default_factory=dict[str, int])
    """Where the words that are kept begin, by name."""
    found: list[dict[str, tuple[int, int]]] = field(default_factory=list[dict[str, tuple[int, int]]])
    _ends: dict[int, list[int]] = field(default_factory=dict[int, list[int]])

    def ends_before(self, node: "_Node") -> list[int]:
        """Where a slot before this node may end, in order; found once for all places where it begins."""
        if id(node) not in self._ends:
            words, firsts = self.words, node.firsts
            places = range(1, len(words) + 1)
            self._ends[id(node)] = [
                end
                for end in places
                if words[end - 1].text not in _MARKS
                and (node.can_end if end == len(words) else firsts is None or words[end].text in firsts)
            ]
        return self._ends[id(node)]


@dataclass(frozen=True, slots=True)
class _Node:
    """Matches from a position to the end; `firsts` are the words it can begin with, None for any."""

    run: Callable[[_Matching, int], None]
    firsts: frozenset[str] | None
    can_end: bool = False


def _run_end(matching: _Matching, at: int) -> None:
    if at == len(matching.words):
        matching.found.append(dict(matching.parts))
        if len(matching.found) > _MAX_MATCHES:
            raise NotUnderstood("", "it can be read in several ways; put names and values in quotes")


_END: Final = _Node(_run_end, frozenset(), can_end=True)


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str


@dataclass(frozen=True, slots=True)
class _Choice:
    """One of several; `keep` names what is there, `is_optional` when nothing may be there."""

    ways: "list[_Way]"
    keep: str = ""
    is_optional: bool = False


_Way = list[str | _Slot | _Choice]
_CLOSING: Final = {"(": ")", "[": "]"}


class _Parser:
    """Reads the text of a frame."""

    def __init__(self, text: str) -> None:
        self._syntax = _SYNTAX.findall(expand_verbs(text))
        self._at = 0

    def ways(self, closing: str = "") -> list[_Way]:
        """Alternatives, each a sequence, up to a closing mark."""
        ways: list[_Way] = [[]]
        while self._at < len(self._syntax):
            mark = self._syntax[self._at]
            self._at += 1
            if mark == closing:
                break
            if mark == "|":
                ways.append([])
            elif mark in _CLOSING:
                ways[-1].append(_Choice(self.ways(_CLOSING[mark]), is_optional=mark == "["))
            else:
                ways[-1].append(self._slot() if mark == "{" else mark)
        return ways

    def _slot(self) -> _Slot | _Choice:
        name, colon, first = self._syntax[self._at].partition(":")
        if not colon:
            self._at += 2  # the name and the closing brace
            return _Slot(name)
        if first:
            self._syntax[self._at] = first
        else:
            self._at += 1
        return _Choice(self.ways("}"), keep=name)


def _compile(way: _Way, after: _Node) -> _Node:
    for item in reversed(way):
        match item:
            case _Slot(name):
                after = _slot(name, after)
            case _Choice(ways, keep, is_optional):
                after = _keep(keep, ways, after) if keep else _choice(ways, after, is_optional=is_optional)
            case _:
                after = _class(item[1:-1], after) if item.startswith("<") else _word(item, after)
    return after


def _word(word: str, after: _Node) -> _Node:
    def run(matching: _Matching, at: int) -> None:
        if at < len(matching.words) and matching.words[at].text == word:
            after.run(matching, at + 1)

    return _Node(run, frozenset((word,)))


def _class(name: str, after: _Node) -> _Node:
    if name in ("verb", "done"):
        return _any([_word(word, after) for word in sorted(FIRST_WORDS if name == "verb" else PARTICIPLES)])
    pattern = _CLASSES[name]

    def run(matching: _Matching, at: int) -> None:
        if at < len(matching.words) and re.fullmatch(pattern, matching.words[at].text):
            after.run(matching, at + 1)

    return _Node(run, None)


def _any(nodes: Sequence[_Node]) -> _Node:
    def run(matching: _Matching, at: int) -> None:
        for node in nodes:
            node.run(matching, at)

    known = [node.firsts for node in nodes if node.firsts is not None]
    firsts = frozenset[str]().union(*known) if len(known) == len(nodes) else None
    return _Node(run, firsts, any(node.can_end for node in nodes))


def _choice(ways: list[_Way], after: _Node, *, is_optional: bool) -> _Node:
    """One of several; of words alone only the longest that is there: `click on` is not `click`."""
    if not _is_plain(_Choice(ways)):
        nodes = [_compile(way, after) for way in ways]
        return _any([*nodes, after] if is_optional else nodes)
    texts = sorted((tuple(map(str, way)) for way in ways), key=len, reverse=True)

    def run(matching: _Matching, at: int) -> None:
        for text in texts:
            if all(
                at + number < len(matching.words) and matching.words[at + number].text == word
                for number, word in enumerate(text)
            ):
                return after.run(matching, at + len(text))
        return after.run(matching, at) if is_optional else None

    firsts = frozenset(text[0] for text in texts)
    if not is_optional:
        return _Node(run, firsts)
    return _Node(run, None if after.firsts is None else firsts | after.firsts, after.can_end)


def _slot(name: str, after: _Node) -> _Node:
    def run(matching: _Matching, at: int) -> None:
        words = matching.words
        if at < len(words) and words[at].text in _MARKS:
            return
        ends = matching.ends_before(after)
        for end in ends[bisect_right(ends, at) :]:
            matching.budget.spend()
            matching.parts[name] = (at, end)
            after.run(matching, end)
            del matching.parts[name]

    return _Node(run, None)


def _keep(name: str, ways: list[_Way], after: _Node) -> _Node:
    def close(matching: _Matching, at: int) -> None:
        before = matching.parts.get(name)  # the same may be said twice: `letter by letter` before and after
        matching.parts[name] = (matching.begun[name], at)
        after.run(matching, at)
        if before is None:
            del matching.parts[name]
        else:
            matching.parts[name] = before

    inner = _choice(ways, _Node(close, after.firsts, after.can_end), is_optional=False)

    def run(matching: _Matching, at: int) -> None:
        matching.begun[name] = at
        inner.run(matching, at)

    return _Node(run, inner.firsts, inner.can_end)


class Pattern:
    """The text of a frame, ready to be matched."""

    def __init__(self, text: str) -> None:
        self._ways = _Parser(text).ways()
        if twice := _twice(self._ways):
            raise ValueError(f"`{{{twice}}}` stands twice in one way to say it: {text}")

    @cached_property
    def _start(self) -> _Node:
        return _any([_compile(way, _END) for way in self._ways])

    def matches(self, span: Span, budget: Budget) -> list[dict[str, str]]:
        """The slots of every way in which all of the words match."""
        words, firsts = span.words, self._start.firsts
        if not words or len(words) > _MAX_TOKENS or (firsts is not None and words[0].text not in firsts):
            return []
        matching = _Matching(words, budget)
        self._start.run(matching, 0)
        found = [{name: span.part(*ends) for name, ends in parts.items()} for parts in matching.found]
        return [parts for number, parts in enumerate(found) if parts not in found[:number]]

    @cached_property
    def verbs(self) -> frozenset[tuple[str, ...]]:
        """The words that a text of this pattern begins with."""
        return frozenset(verb for way in self._ways for verb in _leading(way) if verb)


def _twice(ways: list[_Way]) -> str:
    """A slot that two parts of a text could fill at once; empty when there is none."""
    for way in ways:
        seen: set[str] = set()
        for item in way:
            names = _slots_in(item)
            if again := seen & names:
                return min(again)
            seen |= names
            if isinstance(item, _Choice) and (inner := _twice(item.ways)):
                return inner
    return ""


def _slots_in(item: str | _Slot | _Choice) -> set[str]:
    if isinstance(item, str):
        return set()
    if isinstance(item, _Slot):
        return {item.name}
    return {name for way in item.ways for part in way for name in _slots_in(part)}


def _leading(way: _Way) -> Iterator[tuple[str, ...]]:
    """All words that a way begins with, up to what may be anything or left out."""
    found: list[tuple[str, ...]] = [()]
    for item in way:
        if isinstance(item, str) and not item.startswith("<"):
            more = [(item,)]
        elif isinstance(item, _Choice) and not item.is_optional and found == [()]:
            more = [verb for inner in item.ways for verb in _leading(inner)]
        elif isinstance(item, _Choice) and not item.is_optional and _is_plain(item):
            more = [tuple(map(str, inner)) for inner in item.ways]
        else:
            break
        if len(found) * len(more) > _MAX_LEADING:
            break
        found = [(*first, *then) for first in found for then in more]
        if isinstance(item, _Choice) and not _is_plain(item):
            break
    yield from found


def _is_plain(choice: _Choice) -> bool:
    return all(isinstance(item, str) and not item.startswith("<") for way in choice.ways for item in way)


Scope = Literal["step", "rest", "clause", "sentence"]
"""Where a frame fits: any step, all that follows in its sentence, the first step or one after "then", or a
sentence of its own."""
