"""Answers in the shape of a JSON Schema: how they are asked for, read and checked."""

import json
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final, cast

import jsonschema_rs

from pagehand.errors import BlockFailed
from pagehand.records import Json, is_array, is_object

_FENCE: Final = "```"
_SHARED: Final = ("$defs", "definitions")
_MOST_PROBLEMS: Final = 5
_START: Final = re.compile(r"[{\[]")
_MOST_STARTS: Final = 50
"""How many brackets of the words around an answer may be taken for its beginning."""


class Shape:
    """A schema ready to be asked for and checked against."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """`BlockFailed` when it is not a JSON Schema."""
        self._schema = dict(schema)
        try:
            self._validator = jsonschema_rs.validator_for(self._schema, validate_formats=True, offline=True)
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            raise BlockFailed(f"`schema` is not a valid JSON Schema: {error}") from error
        self._is_wrapped = self._schema.get("type") != "object"

    @property
    def arguments(self) -> Json:
        """The schema as a tool's arguments, which are always an object."""
        if not self._is_wrapped:
            return self._schema
        answer = {"properties": {"answer": self.plain}, "required": ["answer"]}
        return {"type": "object", **answer, **self.shared}

    @property
    def plain(self) -> Json:
        """The schema without the parts it refers to."""
        return {name: part for name, part in self._schema.items() if name not in _SHARED}

    @property
    def shared(self) -> Json:
        """The parts it refers to, which have to stand at the root."""
        return {name: self._schema[name] for name in _SHARED if name in self._schema}

    def read(self, arguments: Any) -> Any:
        """The value that a tool's arguments stand for; nulls nobody asked for are left out."""
        given: Any = arguments
        if self._is_wrapped and is_object(given) and set(given) == {"answer"}:
            given = given["answer"]
        # models fill optional fields with null; where the schema allows that, the nulls stay
        return cast("Any", given) if self._validator.is_valid(given) else _without_nulls(given, self._schema)

    def problems(self, value: Any) -> str:
        """What does not fit, in words for whoever has to mend it; empty when all fits."""
        errors = list(self._validator.iter_errors(value))[:_MOST_PROBLEMS]
        return "; ".join(f"{_place(error.instance_path)}: {error.message}" for error in errors)


def from_text(text: str) -> Any:
    """JSON out of a text that was meant to be JSON alone; `ValueError` when there is none."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        # within JSON a fence is part of a value, so it counts only where the text does not begin with JSON
        _, _, inside = stripped.partition(_FENCE)
        stripped = inside.strip() or stripped
    starts = [found.start() for found in islice(_START.finditer(stripped), _MOST_STARTS)]
    for start in starts or [0]:
        try:
            return json.JSONDecoder().raw_decode(stripped, start)[0]
        except json.JSONDecodeError as error:
            if stripped[start + 1 : error.pos].strip():
                raise  # it began well: the rest of an answer that was cut off is not the answer
        except RecursionError as error:
            raise ValueError("the JSON is nested too deep") from error
    raise ValueError("there is no JSON in the text")


def _place(path: list[str | int]) -> str:
    return "`" + ".".join(str(step) for step in path) + "`" if path else "the answer"


def _without_nulls(value: Any, schema: Json) -> Any:
    """Without the nulls of properties that the schema does not require."""
    if is_array(value):
        return [_without_nulls(item, _part(schema, "items")) for item in value]
    if not is_object(value):
        return value
    known = _part(schema, "properties")
    required = set(cast("list[str]", schema.get("required") or []))
    return {
        name: _without_nulls(item, _part(known, name))
        for name, item in value.items()
        if item is not None or name in required
    }


def _part(schema: Json, name: str) -> Json:
    """A schema inside another; one that is `true` or `false` says nothing of what is in a value."""
    found = schema.get(name)
    return found if is_object(found) else {}
