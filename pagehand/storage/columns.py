"""Column types that keep values exactly as they came, on SQLite and PostgreSQL alike."""

import json
from typing import Any

import orjson
from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator

from pagehand.records import Status


def dump_json(value: Any) -> str:
    """JSON text of `value`; also of what orjson refuses (huge integers, lone surrogates)."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)


def load_json(text: str) -> Any:
    """The value that `dump_json` was given."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)


def storable(text: str) -> str:
    """`text` without the two things a database cannot hold: NUL and lone surrogates."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


class JsonText(TypeDecorator[Any]):
    """A JSON value kept as text: key order and number forms survive, which JSONB would not keep."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Encode; None is SQL's NULL."""
        del dialect
        return None if value is None else dump_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Decode what `process_bind_param` wrote."""
        del dialect
        return None if value is None else load_json(value)


class Prose(TypeDecorator[str]):
    """Text written by pages, programs and people, made storable."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace what the database would refuse."""
        del dialect
        return None if value is None else storable(value)


class StatusText(TypeDecorator[Status]):
    """An execution's status, by its name on the wire."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Status | None, dialect: Dialect) -> str | None:
        """The plain word."""
        del dialect
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Status | None:
        """The member with that word."""
        del dialect
        return None if value is None else Status(value)
