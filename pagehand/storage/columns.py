"""Column types that return values exactly as they were stored, on SQLite and PostgreSQL alike."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec
import orjson
import structlog
from sqlalchemy import BigInteger, ColumnElement, Dialect, Index, Integer, MetaData, text
from sqlalchemy.types import TypeEngine, UserDefinedType

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

    def get_col_spec(self, **_options: Any) -> str:
        """The column's type in SQL."""
        return "TEXT"


class JsonText(_TextColumn):
    """A JSON value stored as text: JSONB would lose the order of keys and the form of numbers."""

    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """Encode; None is SQL's NULL."""
        del dialect
        return _encode

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Decode what `bind_processor` wrote."""
        del dialect, coltype
        return _decode


class RawJsonText(JsonText):
    """A JSON value of any size, which is read as text."""

    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """The JSON text."""
        del dialect, coltype
        return _as_raw


class JsonStructList(JsonText):
    """A list of structs of one type, stored as JSON."""

    cache_ok = True

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self.kind = kind

    def bind_processor(self, dialect: Dialect) -> Any:
        """Encode the list, which is never None."""
        del dialect
        return encode_structs

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Decode what `bind_processor` wrote; an empty list if it cannot be read, so that its row can."""
        del dialect, coltype
        return partial(_decode_records, self.kind)


class JsonStruct(JsonText):
    """A struct stored as JSON, or NULL."""

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


class SanitizedText(_TextColumn):
    """Text from pages, programs and users; `sanitize_text` is applied to it."""

    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """Replace what the database cannot store."""
        del dialect
        return _clean


class StatusText(_TextColumn):
    """An execution's status, stored by its name in the API."""

    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """The status as plain text."""
        del dialect
        return str

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """The member of `Status`; None where an outer join found no row."""
        del dialect, coltype
        return _STATUSES.get


_STATUSES = {str(status): status for status in Status}

Encoders = Mapping[str, Callable[[Any], Any]]
"""By column name, the function that encodes its values."""


def encoders_of(columns: Iterable[ColumnElement[Any]]) -> Encoders:
    """The encoders of those columns whose values are not stored unchanged."""
    return {str(column.name): encode for column in columns if (encode := _encoder(column.type))}


def encode_values(values: dict[str, Any], encoders: Encoders) -> dict[str, Any]:
    """A row as it is stored; for statements that bypass the column types."""
    return values | {
        name: encode(values[name]) for name, encode in encoders.items() if values[name] is not None
    }


def _encoder(column_type: TypeEngine[Any]) -> Callable[[Any], Any] | None:
    if isinstance(column_type, JsonStruct | JsonStructList):
        return encode_structs
    if isinstance(column_type, JsonText):
        return dump_json
    return sanitize_text if isinstance(column_type, SanitizedText) else None


def partial_index(name: str, *columns: Any, where: str) -> Index:
    """An index of the rows for which the condition holds."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))
