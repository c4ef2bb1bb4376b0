"""Keys of stored files: `<organization>/<execution or "uploads">/<id>`."""

import re

from pagehand.errors import InvalidRequest

# each part begins with a letter, digit or `_`: no `..`, no hidden file
_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}(?:/[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}){0,7}")


def checked_key(key: str) -> str:
    """The key, if it is valid; raises InvalidRequest for paths outside the store and hidden files."""
    if not _KEY.fullmatch(key):
        raise InvalidRequest(f"`key`: {key[:100]!r} cannot name a stored file.")
    return key
