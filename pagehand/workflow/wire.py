"""The base of every model that users write as JSON: camelCase names, exact types, no unknown keys."""

import json
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo, model_validator
from pydantic.alias_generators import to_camel

from pagehand.records import is_object
from pagehand.workflow.field_docs import add_descriptions

RESOLVED = {"resolved": True}
"""Validation context of data whose templates are filled in: text fields then take numbers and booleans."""


class WireModel(BaseModel):
    """A piece of the workflow language as it stands in JSON."""

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
