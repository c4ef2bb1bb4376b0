"""What the fields of a model are for: the text below each, as it stands in the source.

Pydantic can read it too, when a class is made. That takes 0.3 s of every start, and only schemas show it.
"""

import ast
import inspect
from functools import cache
from types import ModuleType
from typing import Any

from pydantic import BaseModel


def add_descriptions(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Give each property of a model's schema the text below its field; for `json_schema_extra`."""
    texts = _texts(model)
    for name, field in model.model_fields.items():
        shown = schema.get("properties", {}).get(field.alias or name)
        if shown is not None and name in texts:
            shown.setdefault("description", texts[name])


def _texts(model: type[BaseModel]) -> dict[str, str]:
    """By field; a class's own text replaces that of the class it derives from."""
    texts: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        module = inspect.getmodule(owner)
        if module is not None and issubclass(owner, BaseModel):
            texts |= _texts_in(module).get(owner.__qualname__, {})
    return texts


@cache
def _texts_in(module: ModuleType) -> dict[str, dict[str, str]]:
    """By class of a module and field."""
    found: dict[str, dict[str, str]] = {}
    _collect(ast.parse(inspect.getsource(module)), "", found)
    return found


def _collect(node: ast.Module | ast.ClassDef, prefix: str, found: dict[str, dict[str, str]]) -> None:
    for inner in node.body:
        if isinstance(inner, ast.ClassDef):
            name = prefix + inner.name
            found[name] = _below_fields(inner)
            _collect(inner, f"{name}.", found)


def _below_fields(node: ast.ClassDef) -> dict[str, str]:
    texts: dict[str, str] = {}
    for field, below in zip(node.body, node.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                texts[name] = inspect.cleandoc(text)
            case _:
                pass
    return texts
