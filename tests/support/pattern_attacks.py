"""Texts made to keep a pattern busy, and whether the time for them grows faster than their length."""

import importlib
import random
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Final, cast

from support.patterns import FoundPattern

_parser: Any = importlib.import_module("re._parser")
"""The parse tree of a pattern has no public home."""
ANY_TEXT: Final = (
    *(" ", "\t", "\n", "\r\n", " \n", "a", "Z", "é", "0", "1", "_", "-", ".", ",", ";", ":", "/", "\\", "'"),
    *(
        '"',
        "“",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "{{",
        "<",
        ">",
        "=",
        "@",
        "#",
        "$",
        "%",
        "&",
        "+",
        "*",
        "|",
        "!",
    ),
    *("?", "a ", "1 ", ", ", "a.", "a@", "a-", "a:", "- ", "<a", "\x00", "\x1b[", "%20", "\\u"),
)
_FLAGS: Final = re.IGNORECASE | re.DOTALL | re.MULTILINE | re.VERBOSE
_MANY: Final = 20
"""Repeats up to this number are not pumped: they cost a constant factor."""


def attacks_on(pattern: re.Pattern[Any], most: int) -> Sequence[tuple[str, str, str]]:
    """What comes first, what is repeated, and how it ends: for each repeat of the pattern, and for its parts.

    All that is in `ANY_TEXT`, from the beginning, and of the others as many as there is room for.
    """
    text = pattern.pattern
    tree = _parser.parse(text.decode("latin-1") if isinstance(text, bytes) else text, pattern.flags & _FLAGS)
    ends: tuple[str, ...] = ("", "\x00", "\n")
    plain = list(product([""], ANY_TEXT, ends[:2]))
    starts, pumps = dict.fromkeys(("", *_before_repeats(tree, ""))), dict.fromkeys((*_parts(tree), *ANY_TEXT))
    others = list(product(starts, pumps, ends))
    return plain + random.Random(text).sample(others, min(most, len(others)))  # noqa: S311 - not for a secret


def _sample(nodes: Any) -> str:
    """A short text that the nodes match, but for what they look at around it."""
    return "".join(map(_sample_of, nodes))


def _sample_of(node: Any) -> str:  # noqa: PLR0911 - one line for each kind of node
    kind, value = str(node[0]), node[1]
    match kind:
        case "LITERAL":
            return chr(value)
        case "NOT_LITERAL":
            return "b" if value == ord("a") else "a"
        case "ANY":
            return "a"
        case "IN":
            return _one_of(value)
        case "BRANCH":
            return _sample(value[1][0])
        case "SUBPATTERN":
            return _sample(value[3])
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _sample(value[2]) * max(value[0], 1 if value[1] else 0)
        case "ATOMIC_GROUP":
            return _sample(value)
        case _:
            return ""


_CATEGORIES: Final = {
    "CATEGORY_SPACE": " ",
    "CATEGORY_DIGIT": "1",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_NOT_WORD": "-",
}


def _one_of(items: Any) -> str:
    if str(items[0][0]) == "NEGATE":
        refused = re.compile(f"[{''.join(map(_written_as, items[1:]))}]")
        return next(text for text in "a1 -.,_\n\x01é€" if not refused.match(text))
    kind, value = str(items[0][0]), items[0][1]
    match kind:
        case "LITERAL":
            return chr(value)
        case "RANGE":
            return chr(value[0])
        case _:
            return _CATEGORIES[str(value)]


def _written_as(item: Any) -> str:
    names = {" ": r"\s", "1": r"\d", "a": r"\w", "-": r"\W"}
    kind, value = str(item[0]), item[1]
    match kind:
        case "LITERAL":
            return re.escape(chr(value))
        case "RANGE":
            return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
        case _:
            return names[_CATEGORIES[str(value)]]


def _children(node: Any) -> Iterator[Any]:
    kind, value = str(node[0]), node[1]
    match kind:
        case "BRANCH":
            yield from value[1][:6]
        case "SUBPATTERN":
            yield value[3]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            yield value[2]
        case "ATOMIC_GROUP":
            yield value
        case "ASSERT" | "ASSERT_NOT":
            yield value[1]
        case _:
            pass


def _parts(nodes: Any) -> Iterator[str]:
    """Samples of up to four neighbours within the tree: what stands between two slots, for instance."""
    listed = list(nodes)
    for start in range(len(listed)):
        for size in range(1, 5):
            if text := _sample(listed[start : start + size]):
                yield text
                yield f"{text}a"
        for child in _children(listed[start]):
            yield from _parts(child)


def _before_repeats(nodes: Any, before: str) -> Iterator[str]:
    """What leads to each repeat."""
    for node in nodes:
        kind, value = str(node[0]), node[1]
        if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[1] > _MANY:
            yield before
        for child in _children(node):
            yield from _before_repeats(child, before)
        before += _sample_of(node)


class TooLongError(Exception):
    """The processor time for one text is over."""


_PROBES: Final = (96, 400, 2400)
"""Lengths that are tried first; the short ones find what grows exponentially without waiting for it."""
_SMALL: Final = 0.003
"""Seconds of processor time; 2,400 characters take longer only where the time grows faster than the text."""
_LIMIT: Final = 2.0


def grows_too_fast(run: Callable[[str], object], start: str, pump: str, end: str) -> str | None:
    """A description if the processor time grows faster than the length of the text."""

    def took(length: int) -> float:
        text = start + pump * (length // len(pump)) + end
        began = time.thread_time()
        run(text)
        return time.thread_time() - began

    shown = f"{start!r} + {pump!r} many times + {end!r}"
    before = signal.signal(signal.SIGPROF, _stop)
    # `re` looks for signals while it works
    signal.setitimer(signal.ITIMER_PROF, _LIMIT)
    try:
        if all(took(length) < _SMALL / 3 for length in _PROBES):
            return None
        # the best of several: a busy machine makes some slow, and none fast
        best = [min(took(length) for _ in range(3)) for length in (600, 2400, 9600)]
    except TooLongError:
        return f"{shown}: over {_LIMIT} s"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    # four times the text: four times as long if it is linear, sixteen times if quadratic
    if best[2] > 9 * best[1] > 81 * best[0] / 2:
        times = ", ".join(f"{1000 * item:.2f}" for item in best)
        return f"{shown}: {times} ms for 600, 2,400 and 9,600 characters"
    return None


def _stop(*_: object) -> None:
    raise TooLongError


def runner(found: FoundPattern) -> Callable[[str], object]:
    """Tries the pattern on a text the way its module does."""
    pattern = found.pattern

    def run(text: str) -> object:
        given: Any = text.encode() if isinstance(pattern.pattern, bytes) else text
        if found.use in ("match", "fullmatch"):
            return getattr(pattern, found.use)(given)
        return cast("object", pattern.sub(type(given)(), given))

    return run
