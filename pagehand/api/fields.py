"""The base classes of requests and responses, and the conversion of JSON into a request."""

import base64
import binascii
import re
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Final, Generic, Self, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from pagehand.clock import from_iso, to_optional_iso
from pagehand.errors import InvalidRequest
from pagehand.records import Json
from pagehand.workflow import refusals
from pagehand.workflow.parse import LONGEST_NAME

TITLE: Final = "Pagehand"
R = TypeVar("R", bound=Struct)
T = TypeVar("T")
# in open requests only a near miss is certain to be a misspelt field
_MISSPELT_SIMILARITY: Final = 0.8


class Request(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """Base of every request: camelCase on the wire, unknown fields refused.

    `FIELD_HINTS` says what to use instead of a field that callers may expect in this request.
    """

    FIELD_HINTS: ClassVar[dict[str, str]] = {}


class OpenRequest(Request, forbid_unknown_fields=False):
    """A request that ignores unknown fields; misspelt ones and those in `FIELD_HINTS` are refused."""


class View(Struct, rename="camel", kw_only=True):
    """Base of every response: camelCase on the wire."""

    @classmethod
    def of(cls, record: object, **others: Any) -> Self:
        """Shows the fields of `record` that have the same names, times as text; `others` are the rest."""
        shown = {
            name: to_optional_iso(getattr(record, name)) if is_time else getattr(record, name)
            for name, is_time in _shared_fields(cls, type(record))
            if name not in others
        }
        return cls(**shown, **others)


@cache
def _shared_fields(view: type[View], record: type) -> list[tuple[str, bool]]:
    """The names that both have, and whether each is a time."""
    fields = [field for field in msgspec.structs.fields(view) if hasattr(record, field.name)]
    return [(field.name, _is_time(field.type)) for field in fields]


def _is_time(shown: Any) -> bool:
    """Whether it is a moment, or one that may be missing, with or without a description."""
    is_wrapped = get_origin(shown) in (Annotated, Union, UnionType)
    return shown == Moment or (is_wrapped and any(map(_is_time, get_args(shown))))


class Answer(Generic[T]):
    """The response with one thing under its noun: `{"tag": {…}}`. Call it with the thing."""

    def __init__(self, name: str, noun: str, thing: type[T], description: str) -> None:
        """`name` and `description` are those of the schema in OpenAPI."""
        self.struct = _envelope(name, description, (noun, thing))

    def __call__(self, thing: T) -> View:
        """The response."""
        return self.struct(thing)


class Listing(Generic[T]):
    """The response with a part of a list and how many there are: `{"tags": […], "total": 3}`."""

    def __init__(self, name: str, nouns: str, thing: type[T], description: str) -> None:
        """As those of `Answer`."""
        self.struct = _envelope(name, description, (nouns, list[thing]), ("total", int))

    def __call__(self, things: list[T], total: int) -> View:
        """The response."""
        return self.struct(things, total)


def _envelope(name: str, description: str, *fields: tuple[str, Any]) -> Any:
    return msgspec.defstruct(name, fields, bases=(View,), namespace={"__doc__": description})


class EmptyRequest(Request):
    """A request without fields."""


Id = Annotated[str, Meta(description="The id of the thing meant.")]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
ExistingName = Annotated[str, Meta(max_length=LONGEST_NAME)]
SearchText = Annotated[str, Meta(max_length=200)]
# longer than what the grammar reads, because a model may read it instead
MessageText = Annotated[str, Meta(min_length=1, max_length=10_000, extra_json_schema={"pattern": r"\S"})]
TagName = Annotated[str, Meta(min_length=1, max_length=200)]
TagNames = Annotated[list[TagName], Meta(max_length=100)]
Limit = Annotated[int, Meta(ge=1, le=1000, description="How many to answer with.")]
# beyond 2**53 numbers of JavaScript clients are no longer exact
Offset = Annotated[int, Meta(ge=0, le=2**53, description="How many to skip.")]
Version = Annotated[int, Meta(ge=1, le=2**53)]
Moment = Annotated[str, Meta(description="ISO 8601, UTC.", extra_json_schema={"format": "date-time"})]


class ById(Request):
    """The id of one thing."""

    id: Id


class Page(Request):
    """Which part of a list is wanted."""

    limit: Limit = 100
    offset: Offset = 0


class Named(View):
    """A thing by its id and name."""

    id: str
    name: str


_TYPE_WORDS: Final = {
    "int": refusals.WHOLE_NUMBER,
    "float": refusals.NUMBER,
    "str": refusals.STRING,
    "bool": refusals.BOOLEAN,
    "array": refusals.ARRAY,
    "object": refusals.OBJECT,
    "null": "null",
}
_MAX_SHOWN: Final = 80
_GOT_WORDS: Final = {**_TYPE_WORDS, "bool": "a boolean"}
_WHERE: Final = re.compile(r" - at `(?:key in )?\$\.?(.*)`$", re.DOTALL)
_EXPECTED: Final = re.compile(r"Expected `([^`]+)`(.*?)(?:, got `([^`]*)`)?$", re.DOTALL)
_MISSING: Final = re.compile(r"Object missing required field `(.+)`")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)


def convert(body: Json, model: type[R]) -> R:
    """The request in `body`, where null counts as not given; raises InvalidRequest that names the field."""
    check_known(body, model)
    # some generated clients send null for every optional field that was left out
    given = {name: value for name, value in body.items() if value is not None}
    try:
        return msgspec.convert(given, model)
    except msgspec.ValidationError as problem:
        raise InvalidRequest(_sentence(str(problem), model)) from None


def parse_time(field: str, text: str | None) -> int | None:
    """Milliseconds of an ISO 8601 field; raises InvalidRequest that names the field."""
    if text is None:
        return None
    try:
        return from_iso(text)
    except (ValueError, OverflowError):
        raise InvalidRequest(
            f"`{field}`: expected an ISO 8601 time in UTC, such as `2026-01-31T09:15:00.000Z`"
        ) from None


def decode_content(content_base64: str) -> bytes:
    """The bytes of the field `contentBase64`; InvalidRequest for anything else."""
    try:
        return base64.b64decode(content_base64, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidRequest("`contentBase64`: expected base64 (RFC 4648, with padding)") from None


def _sentence(problem: str, model: type[Struct]) -> str:
    found = _WHERE.search(problem)
    where, complaint = (found[1], problem[: found.start()]) if found else ("", problem)
    if found := _MISSING.fullmatch(complaint):
        return refusals.missing(f"{where}.{found[1]}" if where else found[1])
    if found := _UNKNOWN.fullmatch(complaint):
        known = _field_names(model, where)
        return f"`{where}.{found[1][:_MAX_SHOWN]}`: {refusals.unknown_key(found[1], known)}"
    if complaint.startswith("Invalid enum value"):
        return f"`{where}`: expected one of {', '.join(f'`{choice}`' for choice in _choices(model, where))}"
    if " matching regex " in complaint:
        return f"`{where}`: {_by_example(model, where)}"
    return f"`{where}`: {_EXPECTED.sub(_in_words, complaint)}"


def _by_example(model: type[Struct], where: str) -> str:
    """What a field with a pattern takes: nobody should have to read the pattern."""
    schema = next(schema for schema in _schemas_at(model, where) if "pattern" in schema)
    return f"expected a text such as `{schema['examples'][0]}`. {schema.get('description', '')}".strip()


def _in_words(found: re.Match[str]) -> str:
    names = [name.strip() for name in found[1].split("|")]
    wanted = " or ".join(_TYPE_WORDS.get(name, name) for name in names if name != "null")
    return f"expected {wanted}{found[2]}" + (
        f", got {_GOT_WORDS.get(found[3], found[3])}" if found[3] else ""
    )


def _choices(model: type[Struct], where: str) -> list[Any]:
    return [choice for schema in _schemas_at(model, where) for choice in schema.get("enum", [])]


def _field_names(model: type[Struct], where: str) -> list[str]:
    return [name for schema in _schemas_at(model, where) for name in schema.get("properties", {})]


def _schemas_at(model: type[Struct], where: str) -> list[Json]:
    """The schemas of the field at `where`, which may be nested: `target.type`, `rows[...].kind`."""
    [described], components = msgspec.json.schema_components([model])
    for name in re.sub(r"\[[^][]*\]", "", where).split("."):
        objects = [variant.get("properties", Json()) for variant in _variants(described, components)]
        described = next((item[name] for item in objects if name in item), Json())
    return _variants(described, components)


def _variants(described: Json, components: Json) -> list[Json]:
    """A schema and all schemas it consists of: behind references, in unions and arrays."""
    inner: list[Json] = [*described.get("anyOf", []), *filter(None, [described.get("items")])]
    if "$ref" in described:
        inner.append(components[described["$ref"].rpartition("/")[2]])
    return [described, *(variant for part in inner for variant in _variants(part, components))]


def check_known(body: Json, model: type[Struct], at: str = "") -> None:
    """Raise InvalidRequest for the first unknown field of `body`; `at` is the path of the object."""
    known = _known(model)
    for name in body:
        if name not in known and (sentence := _refusal(name, model, known)) is not None:
            raise InvalidRequest(f"`{at}{name[:_MAX_SHOWN]}`: {sentence}")


@cache
def _known(model: type[Struct]) -> frozenset[str]:
    return frozenset(model.__struct_encode_fields__)


def _refusal(name: str, model: type[Struct], known: frozenset[str]) -> str | None:
    hints: dict[str, str] = getattr(model, "FIELD_HINTS", {})
    is_open: Any = not model.__struct_config__.forbid_unknown_fields
    if is_open and name not in hints and not refusals.nearest(name, known, cutoff=_MISSPELT_SIMILARITY):
        return None
    return hints.get(name) or refusals.unknown_key(name, model.__struct_encode_fields__)
