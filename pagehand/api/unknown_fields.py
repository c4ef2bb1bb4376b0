"""Fields of a request that its operation does not know: refused with the one that was probably meant.

Open requests (`OpenRequest`) ignore what nobody knows, because their clients may send more than
we know. A slip of a known field, or a field that would change what happens, is refused in those too.
"""

from functools import cache
from typing import Any, Final

from msgspec import Struct

from pagehand.errors import InvalidRequest
from pagehand.records import Json
from pagehand.workflow.nearest import listed, nearest

# open requests ignore what clients send for others: only a near miss is certainly meant for us
_SURELY_A_SLIP: Final = 0.8
_SHOWN: Final = 80


def check_known(body: Json, model: type[Struct], at: str = "") -> None:
    """Refuse the first field of `body` that does not belong there; `at` is the place of the object."""
    known = _known(model)
    for name in body:
        if name not in known and (sentence := _refusal(name, model, known)) is not None:
            raise InvalidRequest(f"`{at}{name[:_SHOWN]}`: {sentence}")


def unknown_sentence(name: str, known: list[str], elsewhere: dict[str, str] | None = None) -> str:
    """Why a field is refused, and which was probably meant or where it belongs."""
    if elsewhere and name in elsewhere:
        return elsewhere[name]
    if meant := nearest(name, known):
        return f"unknown field; did you mean `{meant}`?"
    return f"unknown field; known are {listed(known)}" if known else "unknown field; none is expected here"


@cache
def _known(model: type[Struct]) -> frozenset[str]:
    return frozenset(model.__struct_encode_fields__)


def _refusal(name: str, model: type[Struct], known: frozenset[str]) -> str | None:
    elsewhere: dict[str, str] = getattr(model, "FIELD_HINTS", {})
    is_open: Any = not model.__struct_config__.forbid_unknown_fields
    if is_open and name not in elsewhere and not nearest(name, known, cutoff=_SURELY_A_SLIP):
        return None
    return unknown_sentence(name, list(model.__struct_encode_fields__), elsewhere)
