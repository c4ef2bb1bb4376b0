"""What is wrong with a piece of JSON, as one sentence: which field, what was expected, what was given."""

import json
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from pagehand.records import is_array, is_object
from pagehand.workflow.block_keys import in_data, in_locator, sentence
from pagehand.workflow.locator import Locator
from pagehand.workflow.refusals import (
    ARRAY,
    BOOLEAN,
    NUMBER,
    OBJECT,
    STRING,
    WHOLE_NUMBER,
    missing,
    unknown_key,
)
from pagehand.workflow.templates import is_template, models_of
from pagehand.workflow.wire import WireModel, wire_names

_SHOWN: Final = 60
_EXPECTED: Final = {
    "int_type": WHOLE_NUMBER,
    "int_parsing": WHOLE_NUMBER,
    "int_from_float": WHOLE_NUMBER,
    "float_type": NUMBER,
    "float_parsing": NUMBER,
    "string_type": STRING,
    "bool_type": BOOLEAN,
    "bool_parsing": BOOLEAN,
    "list_type": ARRAY,
    "dict_type": OBJECT,
    "model_type": OBJECT,
    "model_attributes_type": OBJECT,
    "finite_number": "a finite number",
    # the one pattern that users meet is that of a loop's `itemName`
    "string_pattern_mismatch": "a name of letters, digits, `_` and `-` that begins with a letter",
}
_NOT_EMPTY: Final = "text that is not empty"
_BOUNDS: Final = {
    "greater_than": ("a number above", "gt"),
    "greater_than_equal": ("a number of at least", "ge"),
    "less_than": ("a number below", "lt"),
    "less_than_equal": ("a number of at most", "le"),
}


def first_problem(
    error: ValidationError,
    model: type[WireModel],
    given: Any,
    at: str,
    *,
    forgive_templates: bool = False,
    key_hints: dict[str, str] | None = None,
) -> str | None:
    """The first thing pydantic found, in words; None when all of it is templates still to be filled in."""
    found = [problem for problem in error.errors() if not (forgive_templates and _may_still_fit(problem))]
    # a mistyped key explains the missing one that comes with it
    found.sort(key=lambda error: error["type"] != "extra_forbidden")
    return _sentence(found[0], model, given, at, key_hints or {}) if found else None


def shown(value: Any) -> str:
    """A value as a message shows it: JSON, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _may_still_fit(error: ErrorDetails) -> bool:
    return error["type"] != "extra_forbidden" and is_template(error["input"])


def _sentence(
    error: ErrorDetails, model: type[WireModel], given: Any, at: str, key_hints: dict[str, str]
) -> str:
    kind, path = error["type"], _path(error, given)
    where = at + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    if kind == "extra_forbidden":
        return sentence(f"`{where}`: {_unknown_key(model, path, key_hints)}")
    if kind == "missing":
        return f"{missing(where)}."
    if kind in ("value_error", "condition"):
        return f"`{where}`: {error['msg'].removeprefix('Value error, ')}."
    return f"`{where}`: expected {_expected(error)}, got {shown(error['input'])}."


def _expected(error: ErrorDetails) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "literal_error":
        return f"one of {context['expected']}".replace("'", "`")
    if kind in _EXPECTED:
        return _EXPECTED[kind]
    if kind in _BOUNDS:
        words, bound = _BOUNDS[kind]
        return f"{words} {context[bound]:g}"
    if kind in ("too_short", "too_long", "string_too_short", "string_too_long"):
        return _length(error)
    return error["msg"].removeprefix("Input should be ").removeprefix("a valid ")


def _length(error: ErrorDetails) -> str:
    """How long it should be; pydantic calls optional text a `Value` with items, like an array."""
    context = error.get("ctx", {})
    if isinstance(error["input"], str):
        is_empty = error["type"].endswith("too_short")
        most = context.get("max_length")
        return _NOT_EMPTY if is_empty else f"at most {most} {'character' if most == 1 else 'characters'}"
    words, count = (
        ("at least", context.get("min_length"))
        if error["type"] == "too_short"
        else ("at most", context.get("max_length"))
    )
    return f"{words} {count} item{'' if count == 1 else 's'}"


def _path(error: ErrorDetails, given: Any) -> list[str | int]:
    """The error's place in the JSON: pydantic's also names the members of unions, which no user wrote."""
    path = _resolved(error["loc"], given, is_missing=error["type"] == "missing")
    return path if path is not None else list(error["loc"][:1])


def _resolved(location: tuple[str | int, ...], here: Any, *, is_missing: bool) -> list[str | int] | None:
    """`location` without what is not in the JSON; None when its last part is not there.

    A member of a union may be called like a key beside it: then the way that ends at the last part is right.
    """
    if not location:
        return []
    part, rest = location[0], location[1:]
    if not rest and is_missing:
        return [part]
    inner = _inside(here, part)
    if inner is not _NOT_THERE:
        below = _resolved(rest, inner, is_missing=is_missing)
        if below is not None:
            return [part, *below]
    return _resolved(rest, here, is_missing=is_missing) if rest else None


_NOT_THERE: Final = object()


def _inside(here: Any, part: str | int) -> Any:
    if is_object(here) and part in here:
        return here[part]
    if is_array(here) and isinstance(part, int) and part < len(here):
        return here[part]
    return _NOT_THERE


def _unknown_key(model: type[WireModel], path: list[str | int], key_hints: dict[str, str]) -> str:
    key = str(path[-1])
    if model is Locator:
        return in_locator(key)
    if len(path) == 1:
        return in_data(key, wire_names(model), _field_with(model, key), key_hints)
    models = _models_at(model, path[:-1])
    if Locator in models:
        return in_locator(key)
    return unknown_key(key, dict.fromkeys(name for model in models for name in wire_names(model)))


def _field_with(model: type[WireModel], key: str) -> str | None:
    """The field of `model` whose object has `key`; locators have their own sentence."""
    for name, field in model.model_fields.items():
        inner = [model for model in models_of(field) if model is not Locator]
        if any(key in wire_names(item) for item in inner):
            return field.alias or name
    return None


def _models_at(model: type[WireModel], path: list[str | int]) -> list[type[WireModel]]:
    """The models that may stand at `path`: positions and the keys of maps lead no further in."""
    models = [model]
    for part in path:
        fields = [
            field
            for model in models
            for name, field in model.model_fields.items()
            if part in (name, field.alias)
        ]
        models = [model for field in fields for model in models_of(field)] or models
    return models
