"""Column types that keep values exactly as they came, on SQLite and PostgreSQL alike."""

import json
from typing import Any

import orjson
from sqlalchemy import Dialect
from sqlalchemy.types import UserDefinedType

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


def _encode(value: Any) -> str | None:
    return None if value is None else dump_json(value)


def _decode(text: str | None) -> Any:
    return None if text is None else load_json(text)


def _clean(text: str | None) -> str | None:
    return None if text is None else storable(text)


class _TextColumn(UserDefinedType[Any]):
    """A TEXT column; derived from no type of SQLAlchemy's, because dialects swap those for their own."""

    def get_col_spec(self, **_options: Any) -> str:
        """The column's type in SQL."""
        return "TEXT"


class JsonText(_TextColumn):
    """A JSON value kept as text: key order and number forms survive, which JSONB would not keep."""

    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """Encode; None is SQL's NULL."""
        del dialect
        return _encode

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Decode what `bind_processor` wrote."""
        del dialect, coltype
        return _decode


class Prose(_TextColumn):
    """Text written by pages, programs and people, made storable."""

    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """Replace what the database would refuse."""
        del dialect
        return _clean


class StatusText(_TextColumn):
    """An execution's status, by its name on the wire."""

    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """The plain word."""
        del dialect
        return str

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """The member with that word."""
        del dialect, coltype
        return _STATUSES.__getitem__


_STATUSES = {str(status): status for status in Status}
