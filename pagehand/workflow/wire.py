"""The base of every model that users write as JSON: camelCase names, exact types, no unknown keys."""

import ast
import inspect
import json
from functools import cache
from types import ModuleType
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo, model_validator
from pydantic.alias_generators import to_camel

from pagehand.python_code import parse_python
from pagehand.records import Json, is_object

RESOLVED = {"resolved": True}
"""Validation context of data whose templates are filled in: text fields then take numbers and booleans."""


def add_descriptions(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Give each property of a model's schema the text below its field; for `json_schema_extra`."""
    schema.update(getattr(model, "form_hints", {}))
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
    _collect(parse_python(inspect.getsource(module)), "", found)
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


class WireModel(BaseModel):
    """A piece of the workflow language as it stands in JSON."""

    form_hints: ClassVar[Json] = {}
    """What forms need to know beyond the JSON Schema; put into it."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        strict=True,
        frozen=True,
        defer_build=True,
        json_schema_extra=add_descriptions,
    )

    @model_validator(mode="before")
    @classmethod
    def _null_means_not_given(cls, value: Any) -> Any:
        given = value
        if not is_object(value) or None not in given.values():
            return given
        optional = {
            field.alias or name for name, field in cls.model_fields.items() if not field.is_required()
        }
        return {key: item for key, item in given.items() if item is not None or key not in optional}

    def as_given(self) -> Json:
        """Its fields as they stand in JSON, without those that were left out."""
        return self.model_dump(by_alias=True, exclude_none=True)


def wire_names(model: type[WireModel]) -> tuple[str, ...]:
    """The keys of a model as they stand in JSON."""
    return tuple(field.alias or name for name, field in model.model_fields.items())


def _scalar_as_text(value: Any, info: ValidationInfo) -> Any:
    if info.context is RESOLVED and isinstance(value, bool | int | float):
        return json.dumps(value)
    return value


Text = Annotated[str, BeforeValidator(_scalar_as_text)]
"""A string; a template alone in it may also yield a number or a boolean."""


def _number_as_text(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


TextOrNumber = Annotated[Text, BeforeValidator(_number_as_text, json_schema_input_type=str | float)]
"""Text that may be written as a number too, which stands for its decimal text."""


class NotATemplate:
    """Marks a field that is left as written: code, expressions, conditions judged later."""


Code = Annotated[str, NotATemplate()]
"""Text in which `{{` has no meaning of ours."""
