"""Names of files after names of workflows."""

import re
from typing import Final

_NOT_IN_NAMES: Final = re.compile(r"[^\w]+")
_LONGEST: Final = 80


def file_stem(name: str, taken: set[str]) -> str:
    """The beginning of a file name that is not taken yet, and is from now on."""
    stem = _NOT_IN_NAMES.sub("-", name.lower()).strip("-")[:_LONGEST] or "workflow"
    number, unique = 1, stem
    while unique in taken:
        number += 1
        unique = f"{stem}-{number}"
    taken.add(unique)
    return unique
