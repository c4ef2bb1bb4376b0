"""The names that templates and expressions use: `params.x`, `blocks.table`, `item`."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pagehand.workflow.templates import PATTERN

_TEMPLATE: Final = re.compile(r"\\\{\{|" + PATTERN)
_WITH_NAMES: Final = ("params", "blocks")


@dataclass(slots=True, frozen=True)
class Name:
    """A name that is read: its root, and what is read of `params` or `blocks`."""

    root: str
    member: str | None
    written: str
    """As the user wrote it, for messages."""


def names_in_template(text: str) -> Iterator[Name]:
    """The names that the templates in a text use."""
    for found in _TEMPLATE.finditer(text):
        # an escaped template is text
        if found[0] == "\\{{":
            continue
        path = found[0][2:-2].strip()
        root, _, rest = path.partition(".")
        member = rest.partition(".")[0] or None
        yield Name(root, member, "{{" + path + "}}")


def names_in_expression(tree: ast.AST) -> Iterator[Name]:
    """What an expression reads of the names that templates know; what it binds itself is left out."""
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not _is_read(node)}
    # wherever it is bound: whether that is before the reading is not followed, in favour of the author
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    # `params.get("x")` reads a method of the object and not a parameter called `get`
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    members: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=root) as name, attr=member) if id(node) not in called:
                pass
            case ast.Subscript(value=ast.Name(id=root) as name, slice=ast.Constant(value=str(member))):
                pass
            case _:
                continue
        if root in _WITH_NAMES and root not in bound:
            members.add(id(name))
            yield Name(root, member, ast.unparse(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in bound and id(node) not in members:
            yield Name(node.id, None, node.id)


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
