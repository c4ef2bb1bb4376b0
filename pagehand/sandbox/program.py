"""Turns user code into the one program a worker runs: names in as JSON, the answer out as JSON.

The code is parsed here, never run here. Two things are changed on the way: `params.n` reads a dict's key as
`params["n"]` does, and the value asked for (a function's result or the last expression) is written as JSON.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pagehand.errors import BlockFailed
from pagehand.sandbox.helper_source import called_helpers, helper_text

AVAILABLE_MODULES = (
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

_INSTEAD = {
    "urllib": "`url_parse`, `url_quote`, `url_query`, `url_join`",
    "hmac": "`hmac_sha256`",
    "io": "`csv_parse` and `csv_write`",
    "pandas": "`csv_parse` and `csv_write`",
    "dateutil": "`date_parse`, `date_format`, `date_add`, `date_diff`",
    "regex": "`regex_find`, `regex_find_all`, `regex_replace`",
}

LONGEST_CODE = 100_000
"""Characters; longer code is refused unread."""

Kind = Literal["code", "expression"]

_OURS = "_pagehand_"
_KEY = f"{_OURS}key_"
_JSON_WORDS = {"true": "True", "false": "False", "null": "None"}
_ATTRIBUTE = f"""\
def {_OURS}attribute(value, name):
    if isinstance(value, dict):
        if name in value:
            return value[name]
        there = ", ".join([str(key) for key in value])
        raise AttributeError("there is no `" + name + "`; there is: " + there)
    return getattr(value, name)
"""


@dataclass(frozen=True, slots=True)
class Program:
    """What a worker is given, and the way back from its lines to the user's."""

    code: str
    kind: Kind
    arguments: int
    names: tuple[str, ...]
    prelude: str
    body: str
    tail: str

    @property
    def source(self) -> str:
        """The whole text."""
        return self.prelude + self.body + self.tail

    @property
    def last_line(self) -> int:
        """The line that writes the answer as JSON."""
        return self.source.count("\n") + 1

    def user_line(self, positions: Iterable[tuple[int, int]]) -> int | None:
        """The user's line for a traceback's (line, column) positions, outermost first."""
        first, lines = self.prelude.count("\n"), self._lines()
        for line, column in reversed(list(positions)):
            found = lines.get((line - first, column)) or lines.get((line - first, 0))
            if found is not None:
                return found
        return None

    def _lines(self) -> dict[tuple[int, int], int]:
        """Where each node of the body stood in the user's code; column 0 stands for the whole line."""
        ours = ast.parse(self.body)
        theirs = _parts(self.code, self.kind, self.arguments).tree
        lines: dict[tuple[int, int], int] = {}
        for written, rewritten in zip(ast.walk(theirs), ast.walk(ours), strict=False):
            if type(written) is not type(rewritten):
                break
            if isinstance(written, ast.stmt | ast.expr) and isinstance(rewritten, ast.stmt | ast.expr):
                lines.setdefault((rewritten.lineno, rewritten.col_offset + 1), written.lineno)
                lines.setdefault((rewritten.lineno, 0), written.lineno)
        return lines


def write_program(code: str, kind: Kind, arguments: int, names: Iterable[str]) -> Program:
    """Make the program for `code` over `names`; `BlockFailed` when it cannot be one."""
    return _write_program(code, kind, arguments, frozenset(names))


def check_syntax(code: str, kind: Kind = "code") -> str | None:
    """Say what is wrong with the code's grammar, or None; nothing is run."""
    try:
        _parse(code, kind)
    except BlockFailed as mistake:
        return mistake.message
    return None


@dataclass(frozen=True, slots=True)
class _Parts:
    tree: ast.Module
    reads: frozenset[str]
    writes: frozenset[str]
    """What the code itself gives a name to."""


@lru_cache(maxsize=256)
def _write_program(code: str, kind: Kind, arguments: int, names: frozenset[str]) -> Program:
    try:
        parts = _parts(code, kind, arguments)
        body = ast.unparse(parts.tree) + "\n"
    except RecursionError:
        raise BlockFailed("The code is nested too deeply; split it into smaller steps.") from None
    except ValueError as error:  # quotes in an f-string that cannot be written down again
        raise BlockFailed(
            f"An f-string in the code is too involved ({error}); compute its parts first."
        ) from None
    used = tuple(sorted(parts.reads & names))
    helpers = helper_text(called_helpers(parts.reads, names | parts.writes))
    prelude = helpers + _prelude(parts.reads, used, arguments)
    return Program(code, kind, arguments, used, prelude, body, _TAIL)


_TAIL = f'f"{{{_OURS}json.dumps({_OURS}value, allow_nan=False)}}"'
"""An f-string, because whatever the code has done to our names, what leaves is then text."""


def _prelude(reads: frozenset[str], used: Iterable[str], arguments: int) -> str:
    lines = [f"import json as {_OURS}json", f"{_OURS}given = {_OURS}json.loads({_OURS}text)"]
    lines += [f'{name} = {_OURS}given["names"]["{name}"]' for name in used]
    lines += [f'{_OURS}argument_{n} = {_OURS}given["arguments"][{n}]' for n in range(arguments)]
    lines += [
        f"{word} = {value}" for word, value in _JSON_WORDS.items() if word in reads and word not in used
    ]
    keys = sorted(name.removeprefix(_KEY) for name in reads if name.startswith(_KEY))
    lines += [f'{_KEY}{key} = "{key}"' for key in keys]
    return "\n".join(lines) + "\n" + (_ATTRIBUTE if keys else "")


def _parts(code: str, kind: Kind, arguments: int) -> _Parts:
    tree = _parse(code, kind)
    _refuse_what_is_missing(tree)
    imported = frozenset(_imported(tree))
    _Attributes(imported).visit(tree)
    reads = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    writes = frozenset(_written(tree)) | imported
    _ask_for_value(tree, arguments)
    return _Parts(ast.fix_missing_locations(tree), reads, writes)


def _parse(code: str, kind: Kind) -> ast.Module:
    if len(code) > LONGEST_CODE:
        raise BlockFailed(f"The code has {len(code)} characters; at most {LONGEST_CODE} are allowed.")
    if not code.strip():
        raise BlockFailed(f"The {kind} is empty.")
    try:
        tree = ast.parse(code) if kind == "code" else _parse_expression(code.strip())
    except SyntaxError as mistake:
        where = f" in line {mistake.lineno}" if kind == "code" and mistake.lineno else ""
        raise BlockFailed(f"The {kind} is not valid Python{where}: {mistake.msg}.") from None
    except (RecursionError, MemoryError):
        raise BlockFailed(f"The {kind} is nested too deeply.") from None
    except ValueError as mistake:  # null bytes
        raise BlockFailed(f"The {kind} is not valid Python: {mistake}.") from None
    _refuse_stray_return(tree)
    return tree


def _parse_expression(code: str) -> ast.Module:
    try:
        value = ast.parse(code, mode="eval").body
    except SyntaxError:
        if "\n" not in code:
            raise
        value = ast.parse(f"({code}\n)", mode="eval").body  # brackets let it go over several lines
    return ast.Module([ast.copy_location(ast.Expr(value), value)], [])


def _refuse_stray_return(tree: ast.Module) -> None:
    """A `return` outside a function would end the program before its answer is written."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            raise BlockFailed(
                f"Line {node.lineno}: `return` outside a function; put the code into `def main(inputs):`."
            )
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def _refuse_what_is_missing(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        for line, module in _modules(node):
            if module.partition(".")[0] not in AVAILABLE_MODULES:
                raise BlockFailed(
                    f"Line {line}: module `{module}` is not available in the sandbox; "
                    f"available: {', '.join(AVAILABLE_MODULES)}.{_instead(module)}"
                )
        for name in _named(node):
            if name.startswith(_OURS):
                raise BlockFailed(f"Names that begin with `{_OURS}` are taken: rename `{name}`.")


def _instead(module: str) -> str:
    names = _INSTEAD.get(module.partition(".")[0])
    return f" Without an import there is {names}." if names else ""


def _modules(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Import):
        yield from ((node.lineno, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.lineno, "." * node.level + (node.module or "")


def _named(node: ast.AST) -> Iterator[str]:
    for field in ("id", "arg", "name", "asname"):
        name: object = getattr(node, field, None)
        if isinstance(name, str):
            yield name


def _written(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


class _Attributes(ast.NodeTransformer):
    """Makes `value.name` read a dict's key; `value.name(…)` stays the method it looks like."""

    def __init__(self, imported: frozenset[str]) -> None:
        self._imported = imported

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        else:
            node.func = self.visit(node.func)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        """A pattern is a name to compare with, not something to read."""
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        is_module = isinstance(node.value, ast.Name) and node.value.id in self._imported
        if is_module or not isinstance(node.ctx, ast.Load) or node.attr.startswith("__"):
            return node
        reader = ast.Name(f"{_OURS}attribute", ast.Load())
        # A name for the key, not a literal: inside an f-string there may be no quote left to use.
        key = ast.Name(f"{_KEY}{node.attr}", ast.Load())
        return ast.copy_location(ast.Call(reader, [node.value, key], []), node)


def _ask_for_value(tree: ast.Module, arguments: int) -> None:
    """Let the program's last statement put the value asked for into our own name."""
    # a file of comments parses to nothing, and there is no last statement to take the value of
    if not tree.body:
        raise BlockFailed("The code is empty: comments alone have no value.")
    chosen = _function(tree, arguments)
    last = tree.body[-1]
    if chosen is not None and not (isinstance(last, ast.Expr) and _calls(last, chosen.name)):
        tree.body.append(_assign(chosen.call(), last))
    elif isinstance(last, ast.Expr):
        tree.body[-1] = _assign(last.value, last)
    else:
        raise BlockFailed(
            "The code has no value: end it with an expression, or define `def main(…)` with a `return`."
        )


def _assign(value: ast.expr, like: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Assign([ast.Name(f"{_OURS}value", ast.Store())], value), like)


def _calls(statement: ast.Expr, name: str) -> bool:
    """True when the last expression uses the function itself, so that its value is what is meant."""
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement))


@dataclass(frozen=True, slots=True)
class _Function:
    """A function at the top level of the code and how many of the arguments it takes."""

    name: str
    takes: int
    is_async: bool

    def call(self) -> ast.expr:
        """The expression that calls it."""
        given: list[ast.expr] = [ast.Name(f"{_OURS}argument_{n}", ast.Load()) for n in range(self.takes)]
        call = ast.Call(ast.Name(self.name, ast.Load()), given, [])
        return ast.Await(call) if self.is_async else call


def _function(tree: ast.Module, arguments: int) -> _Function | None:
    """`main`, else the last function that can be called with the arguments."""
    found: _Function | None = None
    for place, statement in enumerate(tree.body):
        named = _named_function(tree, place, statement)
        if named is None:
            continue
        name, signature, is_async = named
        required, takes = _arity(signature, arguments)
        if name == "main":
            if required > arguments:
                raise BlockFailed(f"`main` asks for {required} arguments; it can be given {arguments}.")
            return _Function(name, takes, is_async)
        if required <= arguments:
            found = _Function(name, takes, is_async)
    return found


def _named_function(
    tree: ast.Module, place: int, statement: ast.stmt
) -> tuple[str, ast.arguments, bool] | None:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return statement.name, statement.args, isinstance(statement, ast.AsyncFunctionDef)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=signature)):
            return name, signature, False
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.Lambda(args=signature)):
            return name, signature, False
        case ast.Expr(value=ast.Lambda(args=signature) as bare):
            target = ast.Name(f"{_OURS}function_{place}", ast.Store())
            tree.body[place] = ast.copy_location(ast.Assign([target], bare), statement)
            return target.id, signature, False
        case _:
            return None


def _arity(signature: ast.arguments, arguments: int) -> tuple[int, int]:
    """How many arguments a function must be given, and how many of ours it takes."""
    positional = len(signature.posonlyargs) + len(signature.args)
    must_be_named = sum(default is None for default in signature.kw_defaults)
    required = positional - len(signature.defaults)
    if must_be_named:
        required = arguments + must_be_named
    return required, arguments if signature.vararg else min(positional, arguments)
