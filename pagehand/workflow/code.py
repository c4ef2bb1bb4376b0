"""Telling the two languages apart that users write functions in."""

import re
from typing import Final

_COMMENTS: Final = re.compile(r"\s*+(?://[^\n]*+|/\*.*?\*/)", re.DOTALL)
_FUNCTION: Final = re.compile(
    r"\s*+(?:async\s+)?(?:function\b|[A-Za-z_$][\w$]*\s*=>|\([^=]*(?:=[^>][^=]*)*\)\s*=>)"
)


def is_javascript(code: str) -> bool:
    """True for an arrow function or a `function`; anything else is Python."""
    # Python has no `=>` and no statement that begins with `function`
    start = 0
    while comment := _COMMENTS.match(code, start):
        start = comment.end()
    return _FUNCTION.match(code, start) is not None
