"""Parsing Python."""

import ast
import re
from threading import Lock
from typing import Final

_LOCK: Final = Lock()
_WORD_OR_SIGN: Final = re.compile(r"\w+|[^\w\s]|\n")
_MOST_WORDS: Final = 30_000
"""CPython lets no other thread run while it parses; it parses as many in 0.1 s."""


class TooManyWordsError(SyntaxError):
    """A text has too many words and signs to be parsed."""


def parse_python(code: str) -> ast.Module:
    """The syntax tree of a program; in CPython before 3.11.8 two threads must not parse at once."""
    _check_length(code)
    with _LOCK:
        return ast.parse(code)


def parse_python_expression(code: str) -> ast.Expression:
    """The same for an expression."""
    _check_length(code)
    with _LOCK:
        return ast.parse(code, mode="eval")


def _check_length(code: str) -> None:
    if len(code) > _MOST_WORDS and (count := sum(1 for _ in _WORD_OR_SIGN.finditer(code))) > _MOST_WORDS:
        raise TooManyWordsError(f"it has {count:,} words and signs; at most {_MOST_WORDS:,} are read")
