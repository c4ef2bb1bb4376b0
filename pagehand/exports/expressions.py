"""Expressions of workflows as Python for a script that has no sandbox: only what cannot do any harm."""

import ast
import builtins
from typing import Final

from pagehand.exports import script_helpers
from pagehand.exports.not_exported import NotExported

_ROOTS: Final = ("params", "blocks", "item", "index", "input", "context")
_BUILTINS: Final = frozenset(
    (
        "abs",
        "all",
        "any",
        "bool",
        "dict",
        "enumerate",
        "float",
        "int",
        "len",
        "list",
        "max",
        "min",
        "next",
        "range",
        "round",
        "set",
        "sorted",
        "str",
        "sum",
        "tuple",
        "zip",
    )
)
_METHODS: Final = frozenset(
    (
        "append",
        "count",
        "endswith",
        "extend",
        "get",
        "index",
        "items",
        "join",
        "keys",
        "lower",
        "lstrip",
        "replace",
        "rstrip",
        "split",
        "splitlines",
        "startswith",
        "strip",
        "title",
        "upper",
        "values",
    )
)
_NODES: Final = (
    ast.Expression,
    ast.BoolOp,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.IfExp,
    ast.Call,
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Slice,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.comprehension,
    ast.Lambda,
    ast.arguments,
    ast.arg,
    ast.keyword,
    ast.JoinedStr,
    ast.FormattedValue,
    ast.expr_context,
    ast.boolop,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
)

_TAKEN: Final = frozenset((*dir(builtins), *vars(script_helpers), "page")) - _BUILTINS - {"input"}


def python_expression(code: str, names: tuple[str, ...] = ()) -> str:
    """The expression with `blocks.x` as `names["blocks"]["x"]`; raises NotExported for anything doubtful."""
    try:
        tree = ast.parse(code.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotExported("its code is more than an expression") from error
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise NotExported(f"its code has a `{type(node).__name__}`")
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    # a name that is bound in one part of it means the script's own in another
    if taken := bound & _TAKEN:
        raise NotExported(f"its code has its own `{min(taken)}`")
    return ast.unparse(ast.fix_missing_locations(_Safe(bound, (*_ROOTS, *names)).visit(tree)))


class _Safe(ast.NodeTransformer):
    """Refuses names and methods that are not known to be harmless."""

    def __init__(self, bound: set[str], roots: tuple[str, ...]) -> None:
        self._bound = bound
        self._roots = roots

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name: bound in the expression, one of the workflow's, or a harmless function."""
        if node.id.startswith("__"):
            raise NotExported(f"its code uses `{node.id}`")
        if node.id in self._bound or node.id in _BUILTINS:
            return node
        if node.id in self._roots:
            return ast.Subscript(ast.Name("names", ast.Load()), ast.Constant(node.id), ast.Load())
        raise NotExported(f"its code uses `{node.id}`")

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call of a method keeps its name; everything else is visited."""
        if isinstance(node.func, ast.Attribute):
            if node.func.attr not in _METHODS:
                raise NotExported(f"its code calls `{node.func.attr}`")
            node.func.value = self.visit(node.func.value)
        else:
            node.func = self.visit(node.func)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A path such as `params.n` reads a value by its name."""
        if node.attr.startswith("_"):
            raise NotExported(f"its code uses `{node.attr}`")
        return ast.Subscript(self.visit(node.value), ast.Constant(node.attr), ast.Load())
