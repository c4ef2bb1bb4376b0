"""Text that no store can keep: NUL characters and halves of surrogate pairs."""

from collections.abc import Iterator
from typing import Any, cast

from pagehand.errors import InvalidRequest


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
    elif isinstance(value, list):
        for position, item in enumerate(cast(list[Any], value)):
            yield from _texts(item, f"{at}[{position}]")
    elif isinstance(value, dict):
        for key, item in cast(dict[str, Any], value).items():
            yield at, key
            yield from _texts(item, f"{at}.{key}")
