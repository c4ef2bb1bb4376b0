"""Turns user code into the program that a worker runs: JSON in, JSON out.

The code is parsed here, never run here. Two things are changed: `params.n` reads the key of a dict like
`params["n"]`, and the result (of a function, or the last expression) is written as JSON.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from pagehand.errors import BlockFailed
from pagehand.python_code import parse_python
from pagehand.sandbox.syntax import (
    RESERVED_PREFIX,
    Kind,
    assigned_names,
    imported_names,
    parse_user_code,
    refuse_unavailable,
)

VALUE_NAME: Final = f"{RESERVED_PREFIX}value"
"""The variable that holds the result."""
ARGUMENT_NAME: Final = f"{RESERVED_PREFIX}argument_"
"""The beginning of the variables that hold the arguments, before their position."""
_FOLDER: Final = Path(__file__).with_name("helpers")
INPUT_NAME: Final = f"{RESERVED_PREFIX}text"
"""The variable that holds the input of a program as JSON: its `names` and `arguments`."""
_JSON: Final = f"{RESERVED_PREFIX}json"
_INPUT: Final = f"{RESERVED_PREFIX}given"
_KEY: Final = f"{RESERVED_PREFIX}key_"
_READ_ATTRIBUTE: Final = f"{RESERVED_PREFIX}attribute"
_JSON_WORDS: Final = {"true": "True", "false": "False", "null": "None"}
_ATTRIBUTE_FUNCTION: Final = f"""\
def {_READ_ATTRIBUTE}(value, name):
    if isinstance(value, dict):
        if name in value:
            return value[name]
        there = ", ".join([str(key) for key in value])
        raise AttributeError("there is no `" + name + "`; there is: " + there)
    return getattr(value, name)
"""
_TAIL: Final = f'f"{{{_JSON}.dumps({VALUE_NAME}, allow_nan=False)}}"'
"""Writes the result; an f-string, so that it is text even if the code has replaced our names."""


def assign_result(tree: ast.Module, arguments: int) -> int:
    """Make the last statement assign the result to `VALUE_NAME`; how many of the arguments that takes.

    `BlockFailed` if the code has no value.
    """
    # code of comments alone has no statements
    if not tree.body:
        raise BlockFailed("The code is empty: comments alone have no value.")
    function = _find_function(tree, arguments)
    last = tree.body[-1]
    if function is not None and not (isinstance(last, ast.Expr) and _uses(last, function.name)):
        tree.body.append(_assign(function.call(), last))
        return function.takes
    if isinstance(last, ast.Expr):
        tree.body[-1] = _assign(last.value, last)
        return 0
    raise BlockFailed(
        "The code has no value: end it with an expression, or define `def main(…)` with a `return`."
    )


@dataclass(frozen=True, slots=True)
class _Function:
    """A function at the top level of the code, and how many of the arguments it takes."""

    name: str
    takes: int
    is_async: bool

    def call(self) -> ast.expr:
        """The expression that calls it."""
        given: list[ast.expr] = [ast.Name(f"{ARGUMENT_NAME}{n}", ast.Load()) for n in range(self.takes)]
        call = ast.Call(ast.Name(self.name, ast.Load()), given, [])
        return ast.Await(call) if self.is_async else call


def _find_function(tree: ast.Module, arguments: int) -> _Function | None:
    """`main`, else the last function that can be called with the arguments."""
    found: _Function | None = None
    for position, statement in enumerate(tree.body):
        definition = _function_definition(tree, position, statement)
        if definition is None:
            continue
        name, signature, is_async = definition
        required, takes = _arity(signature, arguments)
        if name == "main":
            if required > arguments:
                raise BlockFailed(f"`main` asks for {required} arguments; it can be given {arguments}.")
            return _Function(name, takes, is_async)
        if required <= arguments:
            found = _Function(name, takes, is_async)
    return found


def _function_definition(
    tree: ast.Module, position: int, statement: ast.stmt
) -> tuple[str, ast.arguments, bool] | None:
    """Name, parameters and whether it is async; a lambda without a name is given one."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return statement.name, statement.args, isinstance(statement, ast.AsyncFunctionDef)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=signature)):
            return name, signature, False
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.Lambda(args=signature)):
            return name, signature, False
        case ast.Expr(value=ast.Lambda(args=signature) as function):
            target = ast.Name(f"{RESERVED_PREFIX}function_{position}", ast.Store())
            tree.body[position] = ast.copy_location(ast.Assign([target], function), statement)
            return target.id, signature, False
        case _:
            return None


def _arity(signature: ast.arguments, arguments: int) -> tuple[int, int]:
    """How many arguments a function requires, and how many of ours it takes."""
    positional = len(signature.posonlyargs) + len(signature.args)
    required_keywords = sum(default is None for default in signature.kw_defaults)
    required = positional - len(signature.defaults)
    if required_keywords:
        required = arguments + required_keywords
    return required, arguments if signature.vararg else min(positional, arguments)


def _uses(statement: ast.Expr, name: str) -> bool:
    """Whether the expression uses the function itself, so that its own value is the result."""
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement))


def _assign(value: ast.expr, like: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Assign([ast.Name(VALUE_NAME, ast.Store())], value), like)


@lru_cache(maxsize=1)
def _functions() -> dict[str, tuple[str, frozenset[str]]]:
    """By name: the source without annotations and docstrings, and the names it reads."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for statement in _statements():
        if isinstance(statement, ast.Import):
            text = ast.unparse(statement)
            found.update({alias.asname or alias.name: (text, frozenset()) for alias in statement.names})
        elif isinstance(statement, ast.FunctionDef):
            stripped = _StripAnnotations().visit(statement)
            reads = frozenset(node.id for node in ast.walk(stripped) if isinstance(node, ast.Name))
            found[statement.name] = (ast.unparse(ast.fix_missing_locations(stripped)), reads)
    return found


def _statements() -> Iterator[ast.stmt]:
    # read as text, not imported: they run only in the sandbox
    for path in sorted(_FOLDER.glob("*.py")):
        yield from parse_python(path.read_text(encoding="utf-8")).body


@lru_cache(maxsize=1)
def helper_names() -> frozenset[str]:
    """The functions that user code may call."""
    return frozenset(name for name in _functions() if not name.startswith(RESERVED_PREFIX))


@lru_cache(maxsize=256)
def helper_text(names: frozenset[str]) -> str:
    """The source of these functions and of everything they call themselves."""
    functions = _functions()
    needed: set[str] = set()
    remaining = sorted(names)
    while remaining:
        name = remaining.pop()
        if name in functions and name not in needed:
            needed.add(name)
            remaining += sorted(functions[name][1])
    texts = dict.fromkeys(functions[name][0] for name in functions if name in needed)
    return "".join(f"{text}\n" for text in texts)


def called_helpers(reads: Iterable[str], defined: Iterable[str]) -> frozenset[str]:
    """The helpers among the names that a program reads and does not define itself."""
    return (helper_names() & frozenset(reads)) - frozenset(defined)


class _StripAnnotations(ast.NodeTransformer):
    """Removes annotations and docstrings, which makes programs shorter."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for argument in (*node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)


@dataclass(frozen=True, slots=True)
class Program:
    """The source for a worker, and how its lines map to the user's."""

    code: str
    kind: Kind
    arguments: int
    """How many there are."""
    takes: int
    """How many of them the code takes."""
    names: tuple[str, ...]
    """The names that the code uses, of those it may use."""
    prelude: str
    body: str
    tail: str

    @property
    def source(self) -> str:
        """The source that the worker runs."""
        return self.prelude + self.body + self.tail

    @property
    def last_line(self) -> int:
        """The line that writes the result as JSON."""
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
        """The user's line for each (line, column) of the body; column 0 stands for the whole line."""
        rewritten_tree = parse_python(self.body)
        written_tree = _analyze(self.code, self.kind, self.arguments).tree
        lines: dict[tuple[int, int], int] = {}
        for written, rewritten in zip(ast.walk(written_tree), ast.walk(rewritten_tree), strict=False):
            if type(written) is not type(rewritten):
                break
            if isinstance(written, ast.stmt | ast.expr) and isinstance(rewritten, ast.stmt | ast.expr):
                lines.setdefault((rewritten.lineno, rewritten.col_offset + 1), written.lineno)
                lines.setdefault((rewritten.lineno, 0), written.lineno)
        return lines


def write_program(code: str, kind: Kind, arguments: int, names: Iterable[str]) -> Program:
    """The program for `code`, which may use `names`; `BlockFailed` if the code cannot be run."""
    return _write_program(code, kind, arguments, frozenset(names))


@lru_cache(maxsize=256)
def _write_program(code: str, kind: Kind, arguments: int, names: frozenset[str]) -> Program:
    try:
        analyzed = _analyze(code, kind, arguments)
        body = ast.unparse(analyzed.tree) + "\n"
    except RecursionError:
        raise BlockFailed("The code is nested too deeply; split it into smaller steps.") from None
    except ValueError as error:  # `ast.unparse` cannot write some quotes in f-strings
        raise BlockFailed(
            f"An f-string in the code is too involved ({error}); compute its parts first."
        ) from None
    used = tuple(sorted(analyzed.reads & names))
    helpers = helper_text(called_helpers(analyzed.reads, names | analyzed.defines))
    prelude = helpers + _write_prelude(analyzed.reads, used, analyzed.takes)
    return Program(code, kind, arguments, analyzed.takes, used, prelude, body, _TAIL)


@dataclass(frozen=True, slots=True)
class _AnalyzedCode:
    """The rewritten syntax tree, the names that the code reads and defines, and the arguments it takes."""

    tree: ast.Module
    reads: frozenset[str]
    defines: frozenset[str]
    takes: int


def _analyze(code: str, kind: Kind, arguments: int) -> _AnalyzedCode:
    tree = parse_user_code(code, kind)
    refuse_unavailable(tree)
    imported = frozenset(imported_names(tree))
    _RewriteAttributes(imported).visit(tree)
    reads = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    defines = frozenset(assigned_names(tree)) | imported
    takes = assign_result(tree, arguments)
    return _AnalyzedCode(ast.fix_missing_locations(tree), reads, defines, takes)


class _RewriteAttributes(ast.NodeTransformer):
    """Makes `value.name` read the key of a dict; `value.name(…)` stays a method call."""

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
        """Leave patterns alone: an attribute in a pattern must stay an attribute."""
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        is_module = isinstance(node.value, ast.Name) and node.value.id in self._imported
        if is_module or not isinstance(node.ctx, ast.Load) or node.attr.startswith("__"):
            return node
        reader = ast.Name(_READ_ATTRIBUTE, ast.Load())
        # a variable for the key, not a literal: inside an f-string there may be no quote left to use
        key = ast.Name(f"{_KEY}{node.attr}", ast.Load())
        return ast.copy_location(ast.Call(reader, [node.value, key], []), node)


def _write_prelude(reads: frozenset[str], used: Iterable[str], arguments: int) -> str:
    """The statements before the user's code, which define the names it reads."""
    lines = [f"import json as {_JSON}", f"{_INPUT} = {_JSON}.loads({INPUT_NAME})"]
    lines += [f'{name} = {_INPUT}["names"]["{name}"]' for name in used]
    lines += [f'{ARGUMENT_NAME}{n} = {_INPUT}["arguments"][{n}]' for n in range(arguments)]
    lines += [
        f"{word} = {value}" for word, value in _JSON_WORDS.items() if word in reads and word not in used
    ]
    keys = sorted(name.removeprefix(_KEY) for name in reads if name.startswith(_KEY))
    lines += [f'{_KEY}{key} = "{key}"' for key in keys]
    return "\n".join(lines) + "\n" + (_ATTRIBUTE_FUNCTION if keys else "")
