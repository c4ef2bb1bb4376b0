"""Which value user code results in: that of a function it defines, or of its last expression."""

import ast
from dataclasses import dataclass
from typing import Final

from pagehand.errors import BlockFailed
from pagehand.sandbox.syntax import RESERVED_PREFIX

VALUE_NAME: Final = f"{RESERVED_PREFIX}value"
"""The variable that holds the result."""
ARGUMENT_NAME: Final = f"{RESERVED_PREFIX}argument_"
"""The beginning of the variables that hold the arguments, before their position."""


def assign_result(tree: ast.Module, arguments: int) -> None:
    """Make the last statement assign the result to `VALUE_NAME`; `BlockFailed` if the code has no value."""
    # code of comments alone has no statements
    if not tree.body:
        raise BlockFailed("The code is empty: comments alone have no value.")
    function = _find_function(tree, arguments)
    last = tree.body[-1]
    if function is not None and not (isinstance(last, ast.Expr) and _uses(last, function.name)):
        tree.body.append(_assign(function.call(), last))
    elif isinstance(last, ast.Expr):
        tree.body[-1] = _assign(last.value, last)
    else:
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
