"""The fragments of a block's data that have a grammar, and the names that they use: `params.x`, `item`."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from pagehand.records import Json, is_array, is_object
from pagehand.workflow.locator import LOCATOR_KEYS, Locator
from pagehand.workflow.templates import TEMPLATE, is_marked, models_of
from pagehand.workflow.wire import WireModel, wire_names

_TEMPLATE: Final = re.compile(r"\\\{\{|" + TEMPLATE.pattern)


_WITH_NAMES: Final = ("params", "blocks")


@dataclass(slots=True, frozen=True)
class Name:
    """A name that is read: its root, and what is read of `params` or `blocks`."""

    root: str
    member: str | None
    written: str
    """As the user wrote it, for messages."""


Grammar = Literal["template", "expression", "css", "xpath", "words", "text", "schema", "url"]


_GRAMMARS: Final[dict[str, Grammar]] = {"css": "css", "xpath": "xpath", "words": "words"}
"""Of the fields of a locator; the others are texts of the page."""


@dataclass(slots=True, frozen=True)
class Fragment:
    """A text with a grammar, or a schema, and its field."""

    field: str
    grammar: Grammar
    value: Any


def fragments_of(model: type[WireModel], data: Json, at: str = "data") -> Iterator[Fragment]:
    """All fragments of `data`; code is left to the kinds, which know its language."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    for key, value in data.items():
        where, field = f"{at}.{key}", fields.get(key)
        # a schema may also be a template that yields one
        if key == "schema" and is_object(value):
            yield Fragment(where, "schema", value)
        if field is None:
            yield from templates_in(value, where)
        else:
            yield from _value(value, tuple(models_of(field)), where, marked=is_marked(field))


def locator_fragments(locator: Json, at: str) -> Iterator[Fragment]:
    """A locator's texts and the templates in it."""
    for key, value in locator.items():
        if isinstance(value, str):
            yield Fragment(f"{at}.{key}", _GRAMMARS.get(key, "text"), value)
    yield from templates_in(locator, at)


def templates_in(value: Any, at: str) -> Iterator[Fragment]:
    """Every text with a template, at any depth."""
    if isinstance(value, str):
        if "{{" in value:
            yield Fragment(at, "template", value)
    elif is_array(value):
        for position, item in enumerate(value):
            yield from templates_in(item, f"{at}[{position}]")
    elif is_object(value):
        for key, item in value.items():
            yield from templates_in(item, f"{at}.{key}")


def _value(value: Any, models: tuple[type[WireModel], ...], at: str, *, marked: bool) -> Iterator[Fragment]:
    if is_array(value) and models:
        for position, item in enumerate(value):
            yield from _value(item, models, f"{at}[{position}]", marked=marked)
    elif is_object(value) and models:
        yield from _object(value, models, at, marked=marked)
    elif marked:
        # of the marked fields only conditions have models: a bare text is then an expression
        if isinstance(value, str) and models:
            yield Fragment(at, "expression", value)
    else:
        yield from templates_in(value, at)


def _object(given: Json, models: tuple[type[WireModel], ...], at: str, *, marked: bool) -> Iterator[Fragment]:
    if Locator in models and given.keys() <= set(LOCATOR_KEYS):
        yield from locator_fragments(given, at)
    elif marked and isinstance(given.get("expression"), str):
        yield Fragment(f"{at}.expression", "expression", given["expression"])
    # the first model of a union that has all of these fields
    elif model := next((model for model in models if given.keys() <= set(wire_names(model))), None):
        yield from fragments_of(model, given, at)
    else:  # a map from names to such objects
        for key, item in given.items():
            yield from _value(item, models, f"{at}.{key}", marked=marked)


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
