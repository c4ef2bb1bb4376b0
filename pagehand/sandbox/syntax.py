"""Parses user code and refuses what the sandbox cannot run, without running anything."""

import ast
from collections.abc import Iterator
from typing import Final, Literal

from pagehand.errors import BlockFailed
from pagehand.python_code import TooManyWordsError, parse_python, parse_python_expression

AVAILABLE_MODULES: Final = (
    "base64",
    "binascii",
    "bisect",
    "collections",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "functools",
    "hashlib",
    "itertools",
    "json",
    "math",
    "random",
    "re",
    "time",
    "tomllib",
    "typing",
    "unicodedata",
)
"""Modules user code may import; each as far as the subset of Python goes."""

_ALTERNATIVES: Final = {
    "urllib": "`url_parse`, `url_quote`, `url_query`, `url_join`",
    "hmac": "`hmac_sha256`",
    "io": "`csv_parse` and `csv_write`",
    "pandas": "`csv_parse` and `csv_write`",
    "dateutil": "`date_parse`, `date_format`, `date_add`, `date_diff`",
    "regex": "`regex_find`, `regex_find_all`, `regex_replace`",
}
_LONGEST_CODE: Final = 100_000
"""In characters; longer code is not parsed."""

RESERVED_PREFIX: Final = "_pagehand_"
"""The beginning of names that a program uses itself; user code must not use them."""

Kind = Literal["code", "expression"]


def check_syntax(code: str, kind: Kind = "code") -> str | None:
    """What is wrong with the syntax; None if nothing is."""
    try:
        parse_user_code(code, kind)
    except BlockFailed as mistake:
        return mistake.message
    return None


def parse_user_code(code: str, kind: Kind) -> ast.Module:
    """The syntax tree; `BlockFailed` says what is wrong with the syntax."""
    if len(code) > _LONGEST_CODE:
        raise BlockFailed(f"The code has {len(code)} characters; at most {_LONGEST_CODE} are allowed.")
    if not code.strip():
        raise BlockFailed(f"The {kind} is empty.")
    try:
        tree = parse_python(code) if kind == "code" else _parse_expression(code.strip())
    except TooManyWordsError as mistake:
        raise BlockFailed(f"The {kind} is too long: {mistake}.") from None
    except SyntaxError as mistake:
        where = f" in line {mistake.lineno}" if kind == "code" and mistake.lineno else ""
        raise BlockFailed(f"The {kind} is not valid Python{where}: {mistake.msg}.") from None
    except (RecursionError, MemoryError):
        raise BlockFailed(f"The {kind} is nested too deeply.") from None
    except ValueError as mistake:  # null bytes
        raise BlockFailed(f"The {kind} is not valid Python: {mistake}.") from None
    _refuse_top_level_return(tree)
    return tree


def refuse_unavailable(tree: ast.Module) -> None:
    """Raise `BlockFailed` for a module that cannot be imported, or a reserved name."""
    for node in ast.walk(tree):
        for line, module in _imported_modules(node):
            if module.partition(".")[0] not in AVAILABLE_MODULES:
                raise BlockFailed(
                    f"Line {line}: module `{module}` is not available in the sandbox; "
                    f"available: {', '.join(AVAILABLE_MODULES)}.{_alternative(module)}"
                )
        for name in _names_in(node):
            if name.startswith(RESERVED_PREFIX):
                raise BlockFailed(f"Names that begin with `{RESERVED_PREFIX}` are taken: rename `{name}`.")


def imported_names(tree: ast.Module) -> Iterator[str]:
    """The names that import statements define."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def assigned_names(tree: ast.Module) -> Iterator[str]:
    """The names that the code defines in other ways: variables, functions, classes and parameters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg


def _parse_expression(code: str) -> ast.Module:
    try:
        value = parse_python_expression(code).body
    except SyntaxError:
        if "\n" not in code:
            raise
        value = parse_python_expression(f"({code}\n)").body  # brackets allow line breaks
    return ast.Module([ast.copy_location(ast.Expr(value), value)], [])


def _refuse_top_level_return(tree: ast.Module) -> None:
    """A `return` outside a function would end the program before it writes its result."""
    remaining: list[ast.AST] = list(tree.body)
    while remaining:
        node = remaining.pop()
        if isinstance(node, ast.Return):
            raise BlockFailed(
                f"Line {node.lineno}: `return` outside a function; put the code into `def main(inputs):`."
            )
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            remaining.extend(ast.iter_child_nodes(node))


def _imported_modules(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Import):
        yield from ((node.lineno, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.lineno, "." * node.level + (node.module or "")


def _alternative(module: str) -> str:
    names = _ALTERNATIVES.get(module.partition(".")[0])
    return f" Without an import there is {names}." if names else ""


def _names_in(node: ast.AST) -> Iterator[str]:
    for field in ("id", "arg", "name", "asname"):
        name: object = getattr(node, field, None)
        if isinstance(name, str):
            yield name
