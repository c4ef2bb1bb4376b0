"""Text that no store can keep: NUL characters and halves of surrogate pairs."""

from collections.abc import Iterator
from typing import Any

from pagehand.errors import InvalidRequest
from pagehand.records import is_array, is_object


def check_storable(value: Any, at: str) -> None:
    """Refuse text, at any depth, that cannot be stored; the sentence names the place."""
    for place, text in _texts(value, at):
        if "\x00" in text:
            raise InvalidRequest(f"`{place}`: text with a NUL character cannot be stored; take it out.")
        if not text.isascii() and _has_lone_surrogate(text):
            raise InvalidRequest(
                f"`{place}`: text with half of a surrogate pair is not valid Unicode; take it out."
            )


def _has_lone_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _texts(value: Any, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield at, value
    elif is_array(value):
        for position, item in enumerate(value):
            yield from _texts(item, f"{at}[{position}]")
    elif is_object(value):
        for key, item in value.items():
            # keys are stored as well as values
            yield at, key
            yield from _texts(item, f"{at}.{key}")
