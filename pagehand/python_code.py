"""Parsing Python."""

import ast
from threading import Lock

_LOCK = Lock()


def parse_python(code: str) -> ast.Module:
    """The syntax tree of a program; in CPython before 3.11.8 two threads must not parse at once."""
    with _LOCK:
        return ast.parse(code)


def parse_python_expression(code: str) -> ast.Expression:
    """The same for an expression."""
    with _LOCK:
        return ast.parse(code, mode="eval")
