"""Refuses unknown fields of a request, and names the field that was probably meant.

Open requests (`OpenRequest`) ignore unknown fields, because their clients may send more than we know. A
misspelt field, or one that a caller would expect to have an effect (`FIELD_HINTS`), is refused there too.
"""

from functools import cache
from typing import Any, Final

from msgspec import Struct

from pagehand.errors import InvalidRequest
from pagehand.records import Json
from pagehand.workflow.nearest import listed, nearest

# in open requests only a near miss is certain to be a misspelt field
_MISSPELT_SIMILARITY: Final = 0.8
_MAX_SHOWN: Final = 80


def check_known(body: Json, model: type[Struct], at: str = "") -> None:
    """Raise InvalidRequest for the first unknown field of `body`; `at` is the path of the object."""
    known = _known(model)
    for name in body:
        if name not in known and (sentence := _refusal(name, model, known)) is not None:
            raise InvalidRequest(f"`{at}{name[:_MAX_SHOWN]}`: {sentence}")


def unknown_sentence(name: str, known: list[str], hints: dict[str, str] | None = None) -> str:
    """Why a field is refused, and which field was probably meant."""
    if hints and name in hints:
        return hints[name]
    if meant := nearest(name, known):
        return f"unknown field; did you mean `{meant}`?"
    return f"unknown field; known are {listed(known)}" if known else "unknown field; none is expected here"


@cache
def _known(model: type[Struct]) -> frozenset[str]:
    return frozenset(model.__struct_encode_fields__)


def _refusal(name: str, model: type[Struct], known: frozenset[str]) -> str | None:
    hints: dict[str, str] = getattr(model, "FIELD_HINTS", {})
    is_open: Any = not model.__struct_config__.forbid_unknown_fields
    if is_open and name not in hints and not nearest(name, known, cutoff=_MISSPELT_SIMILARITY):
        return None
    return unknown_sentence(name, list(model.__struct_encode_fields__), hints)
