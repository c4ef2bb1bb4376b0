"""The source of the helper functions, cut so that a program contains only those it calls."""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).with_name("helpers")
_RESERVED: Final = "_pagehand_"


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
        yield from ast.parse(path.read_text(encoding="utf-8")).body


@lru_cache(maxsize=1)
def helper_names() -> frozenset[str]:
    """The functions that user code may call."""
    return frozenset(name for name in _functions() if not name.startswith(_RESERVED))


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
