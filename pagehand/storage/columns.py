"""Column types that keep values exactly as they came, on SQLite and PostgreSQL alike."""

import json
from functools import partial
from typing import Any

import msgspec
import orjson
import structlog
from sqlalchemy import Dialect
from sqlalchemy.types import UserDefinedType

from pagehand.records import Status
from pagehand.workflow.json_values import made_storable

_log = structlog.get_logger(__name__)
_MOST_BYTES = 2**30
"""What both databases hold in one value."""


def dump_json(value: Any) -> str:
    """JSON text of `value`; what is not JSON (huge integers, lone surrogates) is made JSON first."""
    try:
        return orjson.dumps(value).decode()
    # tried first and mended only on refusal: nearly every value is JSON already
    except TypeError:
        return orjson.dumps(made_storable(value, most_bytes=_MOST_BYTES)[0]).decode()


def load_json(text: str) -> Any:
    """The value that `dump_json` was given; None for text that is not JSON, so that its row can be read."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return _load_lenient(text)


def _load_lenient(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        _log.warning("a stored value cannot be read", length=len(text), beginning=text[:80])
        return None


def storable(text: str) -> str:
    """`text` without the two things a database cannot hold: NUL and lone surrogates."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    # encoding and decoding is what replaces lone surrogates; ASCII has none
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


class Records(JsonText):
    """A list of structs of one kind, kept as JSON."""

    cache_ok = True

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self.kind = kind

    def bind_processor(self, dialect: Dialect) -> Any:
        """Encode the list; what is bound is never None."""
        del dialect
        return encode_records

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Decode what `bind_processor` wrote; nothing for what cannot be read, so that its row can be."""
        del dialect, coltype
        return partial(_decode_records, self.kind)


class Record(JsonText):
    """One struct kept as JSON; NULL when there is none."""

    cache_ok = True

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self.kind = kind

    def bind_processor(self, dialect: Dialect) -> Any:
        """Encode; None is SQL's NULL."""
        del dialect
        return _encode_record

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Decode what `bind_processor` wrote."""
        del dialect, coltype
        return partial(_decode_record, self.kind)


def encode_records(value: Any) -> str:
    """JSON text of a struct or of several, by their names on the wire."""
    return dump_json(msgspec.to_builtins(value))


def _encode_record(value: msgspec.Struct | None) -> str | None:
    return None if value is None else encode_records(value)


def _decode_records(kind: type[msgspec.Struct], text: str | None) -> list[msgspec.Struct]:
    # most executions sign in nowhere
    return [] if text in (None, "[]") else _decode_record(list[kind], text) or []


def _decode_record(kind: Any, text: str | None) -> Any:
    if text is None:
        return None
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError as error:
        _log.warning("a stored record cannot be read", error=str(error), beginning=text[:80])
        return None


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
        """The member with that word; None where an outer join found no row."""
        del dialect, coltype
        return _STATUSES.get


_STATUSES = {str(status): status for status in Status}
