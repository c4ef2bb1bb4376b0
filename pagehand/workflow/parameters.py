"""Parameters that a workflow declares: what they may be, what fits them, and both as JSON Schema."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final, cast

from pagehand.errors import InvalidRequest
from pagehand.records import Json
from pagehand.workflow.problems import shown
from pagehand.workflow.refusals import ARRAY, BOOLEAN, NUMBER, OBJECT, STRING

TYPES: Final = ("string", "number", "boolean", "date", "file", "object", "array")
"""What a parameter may be; one without a type takes anything."""

_EXPECTED: Final = {
    "string": STRING,
    "number": NUMBER,
    "boolean": BOOLEAN,
    "date": "an ISO 8601 date such as `2026-01-31`",
    "file": "a file: its id, or its File info",
    "object": OBJECT,
    "array": ARRAY,
}
_SCHEMAS: Final[dict[str, Json]] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "file": {"type": ["string", "object"]},
    "object": {"type": "object"},
    "array": {"type": "array"},
}


def check_declared(parameters: Iterable[Mapping[str, Any]]) -> None:
    """Refuse declarations that contradict themselves: a default or a choice that does not fit its type."""
    names: set[str] = set()
    for position, parameter in enumerate(parameters):
        at, name = f"parameters[{position}]", str(parameter["name"])
        if name in names:
            raise InvalidRequest(f"`{at}.name`: `{name}` is declared twice; expected each name once")
        names.add(name)
        for choice in cast("list[Any]", parameter.get("enum") or []):
            # a choice is checked against the type alone: against the choices it would always fit
            if (expected := _misfit({**parameter, "enum": None}, choice)) is not None:
                raise InvalidRequest(f"`{at}.enum`: expected {expected}, got {shown(choice)}")
        if parameter.get("isSecret") and parameter.get("default") is not None:
            raise InvalidRequest(
                f"`{at}.default`: expected none, because everybody who may read the workflow would see the "
                "secret; give it with each run or schedule, or keep it in a login"
            )
        if (
            parameter.get("default") is not None
            and (expected := _misfit(parameter, parameter["default"])) is not None
        ):
            raise InvalidRequest(f"`{at}.default`: expected {expected}, got {shown(parameter['default'])}")


def check_params(parameters: Iterable[Mapping[str, Any]], params: Mapping[str, Any], at: str) -> None:
    """Refuse params that lack a required one or do not fit a declared one; others are passed on."""
    for parameter in parameters:
        name = str(parameter["name"])
        value = params.get(name)
        if value is None:
            if parameter.get("isRequired") and parameter.get("default") is None:
                raise InvalidRequest(f"`{at}.{name}` is missing: the workflow declares it as required.")
        elif (expected := _misfit(parameter, value)) is not None:
            got = "" if parameter.get("isSecret") else f", got {shown(value)}"
            raise InvalidRequest(f"`{at}.{name}`: expected {expected}{got}.")


def input_schema(parameters: Iterable[Mapping[str, Any]], inferred: Iterable[str]) -> Json:
    """What the workflow takes as JSON Schema; `inferred` ones are those that only its templates name."""
    properties: Json = {}
    required: list[str] = []
    for parameter in parameters:
        name = str(parameter["name"])
        properties[name] = _property(parameter)
        if parameter.get("isRequired") and parameter.get("default") is None:
            required.append(name)
    for name in inferred:
        if name not in properties:
            properties[name] = {"description": "Named in the workflow, not declared.", "x-inferred": True}
    schema: Json = {"type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema


def _property(parameter: Mapping[str, Any]) -> Json:
    schema: Json = dict(_SCHEMAS.get(str(parameter.get("type")), {}))
    if parameter.get("description"):
        schema["description"] = parameter["description"]
    if parameter.get("enum"):
        schema["enum"] = parameter["enum"]
    # saved before secrets could have none
    if parameter.get("default") is not None and not parameter.get("isSecret"):
        schema["default"] = parameter["default"]
    if parameter.get("isSecret"):
        schema["writeOnly"] = True
    return schema


def _misfit(parameter: Mapping[str, Any], value: Any) -> str | None:
    """What was expected instead, or None when the value fits."""
    wanted = parameter.get("type")
    if wanted is not None and not _FITS[str(wanted)](value):
        return _EXPECTED[str(wanted)]
    choices: list[Any] = parameter.get("enum") or []
    # by type too: to Python, true is 1
    if choices and not any(type(value) is type(choice) and value == choice for choice in choices):
        return f"one of {', '.join(shown(choice) for choice in choices[:20])}"
    return None


def _is_file(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and "id" in value)


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


_FITS: Final[dict[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "date": lambda value: isinstance(value, str) and _is_date(value),
    "file": _is_file,
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
}
