"""Column types that return values exactly as they were stored, on SQLite and PostgreSQL alike."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec
import orjson
import structlog
from sqlalchemy import BigInteger, ColumnElement, Dialect, Index, Integer, MetaData, text
from sqlalchemy.types import UserDefinedType

from pagehand.records import Status
from pagehand.workflow.json_values import made_storable

metadata = MetaData()


# SQLite numbers rows by itself only in a column whose type is exactly INTEGER
Serial = BigInteger().with_variant(Integer(), "sqlite")


_log = structlog.get_logger(__name__)
_MOST_BYTES = 2**30
"""The largest value that both databases hold."""


def dump_json(value: Any) -> str:
    """JSON text of `value`; what JSON cannot hold (huge integers, lone surrogates) is replaced."""
    if isinstance(value, msgspec.Raw):
        return str(memoryview(value), "utf-8")
    try:
        return orjson.dumps(value).decode()
    # replaced only after a refusal: nearly every value is JSON already
    except TypeError:
        return orjson.dumps(made_storable(value, most_bytes=_MOST_BYTES)[0]).decode()


def load_json(text: str) -> Any:
    """The value of a JSON text; None for text that is not JSON, so that its row stays readable."""
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


def sanitize_text(text: str) -> str:
    """`text` with NUL and lone surrogates replaced, which databases cannot store."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    # encoding replaces lone surrogates; ASCII has none
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _encode(value: Any) -> str | None:
    return None if value is None else dump_json(value)


def _decode(text: str | None) -> Any:
    return None if text is None else load_json(text)


def _as_raw(text: str | None) -> msgspec.Raw | None:
    return None if text is None else msgspec.Raw(text)


def _clean(text: str | None) -> str | None:
    return None if text is None else sanitize_text(text)


class _TextColumn(UserDefinedType[Any]):
    """A TEXT column; not derived from a type of SQLAlchemy, because dialects replace those with their own."""

    encode: Callable[[Any], Any] | None = None
    """Makes what is stored; None where that is the value itself, as in `decode`."""
    decode: Callable[[Any], Any] | None = None

    def get_col_spec(self, **_options: Any) -> str:
        """The column's type in SQL."""
        return "TEXT"

    def bind_processor(self, dialect: Dialect) -> Any:
        """What writes a value."""
        del dialect
        return self.encode

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """What reads it."""
        del dialect, coltype
        return self.decode


class JsonText(_TextColumn):
    """A JSON value stored as text: JSONB would lose the order of keys and the form of numbers."""

    cache_ok = True
    encode = staticmethod(_encode)
    decode = staticmethod(_decode)


class RawJsonText(JsonText):
    """A JSON value of any size, which is read as text."""

    cache_ok = True
    decode = staticmethod(_as_raw)


def encode_structs(value: Any) -> str:
    """JSON text of a struct or a list of structs, with the names of the API."""
    return dump_json(msgspec.to_builtins(value))


def _encode_record(value: msgspec.Struct | None) -> str | None:
    return None if value is None else encode_structs(value)


def _decode_records(kind: type[msgspec.Struct], text: str | None) -> list[msgspec.Struct]:
    # most lists are empty: most executions do not sign in
    return [] if text in (None, "[]") else _decode_record(list[kind], text) or []


def _decode_record(kind: Any, text: str | None) -> Any:
    if text is None:
        return None
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError as error:
        _log.warning("a stored record cannot be read", error=str(error), beginning=text[:80])
        return None


class JsonStructList(JsonText):
    """A list of structs of one type, stored as JSON; empty if it cannot be read, so that its row can."""

    cache_ok = True
    encode = staticmethod(encode_structs)

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self.kind = kind
        self.decode = partial(_decode_records, kind)


class JsonStruct(JsonText):
    """A struct stored as JSON, or NULL."""

    cache_ok = True
    encode = staticmethod(_encode_record)

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self.kind = kind
        self.decode = partial(_decode_record, kind)


class SanitizedText(_TextColumn):
    """Text from pages, programs and users; `sanitize_text` is applied to it."""

    cache_ok = True
    encode = staticmethod(_clean)


class StatusText(_TextColumn):
    """An execution's status, stored by its name in the API; None where an outer join found no row."""

    cache_ok = True
    encode = str
    decode = {str(status): status for status in Status}.get


Encoders = Mapping[str, Callable[[Any], Any]]
"""By column name, the function that encodes its values."""


def encoders_of(columns: Iterable[ColumnElement[Any]]) -> Encoders:
    """The encoders of those columns whose values are not stored unchanged."""
    types = {str(column.name): column.type for column in columns}
    return {
        name: kind.encode for name, kind in types.items() if isinstance(kind, _TextColumn) and kind.encode
    }


def encode_values(values: dict[str, Any], encoders: Encoders) -> dict[str, Any]:
    """A row as it is stored; for statements that bypass the column types."""
    return values | {
        name: encode(values[name]) for name, encode in encoders.items() if values[name] is not None
    }


def partial_index(name: str, *columns: Any, where: str) -> Index:
    """An index of the rows for which the condition holds."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))
