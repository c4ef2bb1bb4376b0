"""The text of the helper functions, cut so that a program carries only those it calls."""

import ast
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

_SOURCE: Final = Path(__file__).with_name("helpers.py")
_PRIVATE: Final = "_pagehand_"


@lru_cache(maxsize=1)
def _functions() -> dict[str, tuple[str, frozenset[str]]]:
    """By name: the text without annotations and docstrings, and the names it reads."""
    tree = ast.parse(_SOURCE.read_text(encoding="utf-8"))
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            text = ast.unparse(statement)
            found.update({alias.asname or alias.name: (text, frozenset()) for alias in statement.names})
        elif isinstance(statement, ast.FunctionDef):
            bare = _Bare().visit(statement)
            reads = frozenset(node.id for node in ast.walk(bare) if isinstance(node, ast.Name))
            found[statement.name] = (ast.unparse(ast.fix_missing_locations(bare)), reads)
    return found


@lru_cache(maxsize=1)
def helper_names() -> frozenset[str]:
    """What user code may call."""
    return frozenset(name for name in _functions() if not name.startswith(_PRIVATE))


@lru_cache(maxsize=256)
def helper_text(wanted: frozenset[str]) -> str:
    """The functions of these names and all that they need themselves."""
    functions = _functions()
    needed: dict[str, None] = {}
    waiting: list[str] = sorted(wanted)
    while waiting:
        name = waiting.pop()
        if name in functions and name not in needed:
            needed[name] = None
            waiting += sorted(functions[name][1])
    texts = dict.fromkeys(functions[name][0] for name in functions if name in needed)
    return "".join(f"{text}\n" for text in texts)


def called_helpers(reads: Iterable[str], taken: Iterable[str]) -> frozenset[str]:
    """The helpers among the names a program reads, unless it has something of its own by that name."""
    return (helper_names() & frozenset(reads)) - frozenset(taken)


class _Bare(ast.NodeTransformer):
    """Takes out what the sandbox has no use for, which makes programs shorter."""

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
