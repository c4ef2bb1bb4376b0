"""Reads the files of other tools: what is wrong with one is said with its place."""

import ast
from typing import Any, Final, TypeGuard

import orjson

from pagehand.errors import InvalidRequest
from pagehand.python_code import TooManyWordsError, parse_python
from pagehand.records import Json, is_array, is_object
from pagehand.workflow import refusals
from pagehand.workflow.problems import shown

MOST_CHARACTERS: Final = 2_000_000
MOST_OF_TEXT: Final = 500_000
"""Of YAML and Python, whose readers take a thousand times as much memory as the text."""
_MOST_DEPTH: Final = 60
_NAMES: Final[dict[Any, str]] = {
    str: "a text",
    list: refusals.ARRAY,
    dict: refusals.OBJECT,
    bool: refusals.BOOLEAN,
}


def read_json(text: str) -> Any:
    """The value; raises InvalidRequest with line and column."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"{error.lineno}:{error.colno}: this is not JSON: {error.msg}.") from error
    return value


def read_python(text: str) -> ast.Module:
    """The syntax tree of a program, which is never run; raises InvalidRequest with line and column."""
    try:
        return parse_python(text)
    except TooManyWordsError as error:
        raise InvalidRequest(f"1:1: this program is too long: {error}.") from error
    except SyntaxError as error:
        place = f"{error.lineno or 1}:{error.offset or 1}"
        raise InvalidRequest(f"{place}: this is not Python: {error.msg}.") from error
    except ValueError as error:
        raise InvalidRequest(f"1:1: this is not Python: {error}.") from error
    except (RecursionError, MemoryError) as error:
        raise InvalidRequest("1:1: this program is nested too deeply.") from error


def field(given: Json, name: str, kind: type[Any] | tuple[type[Any], ...], at: str) -> Any:
    """A field of that type, or None where there is none; raises InvalidRequest with its place."""
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind in (int, (int, float))):
        raise InvalidRequest(
            f"{at}: `{name}`: expected {_NAMES.get(kind, refusals.NUMBER)}, got {shown(value)}."
        )
    return value


def text_of(given: Json, name: str, at: str) -> str:
    """A text, empty where there is none."""
    return field(given, name, str, at) or ""


def objects(given: Json, name: str, at: str) -> list[Json]:
    """An array of objects, empty where there is none."""
    items: list[Any] = field(given, name, list, at) or []
    for number, item in enumerate(items):
        if not is_object(item):
            raise InvalidRequest(f"{at}: `{name}[{number}]`: expected an object, got {shown(item)}.")
    return items


def refuse_depth(value: Any, depth: int = 0) -> None:
    """Refuse what is nested more deeply than any recording is."""
    if depth > _MOST_DEPTH:
        raise InvalidRequest(f"1:1: this is nested more than {_MOST_DEPTH} deep, as no recording is.")
    if is_object(value):
        for item in value.values():
            refuse_depth(item, depth + 1)
    elif is_array(value):
        for item in value:
            refuse_depth(item, depth + 1)


def is_text_list(value: Any) -> TypeGuard[list[str]]:
    """Whether it is an array of texts alone."""
    return is_array(value) and all(isinstance(item, str) for item in value)
