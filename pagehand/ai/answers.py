"""Answers that have to match a JSON Schema: how they are requested, read and validated."""

import json
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final, cast

import jsonschema_rs

from pagehand.errors import BlockFailed
from pagehand.records import Json, is_array, is_object

_FENCE: Final = "```"
_DEFINITIONS: Final = ("$defs", "definitions")
_MAX_PROBLEMS: Final = 5
_JSON_START: Final = re.compile(r"[{\[]")
_MAX_STARTS: Final = 50
"""Brackets in the text before an answer that are tried as its beginning."""


class AnswerSchema:
    """The schema of an answer."""

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
        answer = {"properties": {"answer": self.without_definitions}, "required": ["answer"]}
        return {"type": "object", **answer, **self.definitions}

    @property
    def without_definitions(self) -> Json:
        """The schema without the definitions it refers to."""
        return {name: part for name, part in self._schema.items() if name not in _DEFINITIONS}

    @property
    def definitions(self) -> Json:
        """The definitions it refers to, which have to be at the root."""
        return {name: self._schema[name] for name in _DEFINITIONS if name in self._schema}

    def read(self, arguments: Any) -> Any:
        """The value in a tool's arguments, without nulls of optional properties."""
        given: Any = arguments
        if self._is_wrapped and is_object(given) and set(given) == {"answer"}:
            given = given["answer"]
        # models fill optional fields with null; where the schema allows null, it stays
        return cast("Any", given) if self._validator.is_valid(given) else _without_nulls(given, self._schema)

    def problems(self, value: Any) -> str:
        """What is not valid, for the model to correct; empty for a valid value."""
        errors = list(self._validator.iter_errors(value))[:_MAX_PROBLEMS]
        return "; ".join(f"{_format_path(error.instance_path)}: {error.message}" for error in errors)


def parse_json(text: str) -> Any:
    """The JSON in a text that should be nothing else; `ValueError` when there is none."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        # within JSON a code fence is part of a value: it counts only where the text does not begin with JSON
        _, _, inside = stripped.partition(_FENCE)
        stripped = inside.strip() or stripped
    starts = [found.start() for found in islice(_JSON_START.finditer(stripped), _MAX_STARTS)]
    for start in starts or [0]:
        try:
            return json.JSONDecoder().raw_decode(stripped, start)[0]
        except json.JSONDecodeError as error:
            if stripped[start + 1 : error.pos].strip():
                raise  # this is the answer, but it was cut off
        except RecursionError as error:
            raise ValueError("the JSON is nested too deep") from error
    raise ValueError("there is no JSON in the text")


def _format_path(path: list[str | int]) -> str:
    return "`" + ".".join(str(step) for step in path) + "`" if path else "the answer"


def _without_nulls(value: Any, schema: Json) -> Any:
    """Without the nulls of optional properties."""
    if is_array(value):
        return [_without_nulls(item, _subschema(schema, "items")) for item in value]
    if not is_object(value):
        return value
    known = _subschema(schema, "properties")
    required = set(cast("list[str]", schema.get("required") or []))
    return {
        name: _without_nulls(item, _subschema(known, name))
        for name, item in value.items()
        if item is not None or name in required
    }


def _subschema(schema: Json, name: str) -> Json:
    """A nested schema; empty for one that is `true` or `false`."""
    found = schema.get(name)
    return found if is_object(found) else {}
