"""Refuses selectors that use what Playwright adds to CSS.

Playwright reads a locator's CSS itself, and knows more than the standard: `:text-matches()` runs a pattern
over every text of the page, which can take for ever, and `>>` goes on in another language.
"""

import re
from typing import Final

PLAYWRIGHT_PSEUDO_CLASSES: Final = frozenset(
    (
        *("visible", "light", "text", "text-is", "text-matches", "has-text", "nth-match"),
        *("left-of", "right-of", "above", "below", "near"),
    )
)
_PARTS: Final = re.compile(
    r""">>|\\.|"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|`(?:[^`\\]|\\.)*+`?""", re.DOTALL
)
"""What Playwright tells apart when it looks for `>>`."""
_UNNAMED: Final = re.compile(
    r"""(\\.)|"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|/\*(?:[^*]|\*(?!/))*+(?:\*/)?""", re.DOTALL
)
"""Strings and comments of CSS, which hold no names; an escaped quote begins none."""
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE | re.DOTALL)
_PSEUDO_CLASS: Final = re.compile(r"(?<!:):([-\w]+)")


def require_plain_css(selector: str) -> str:
    """The selector, if all of it is CSS; `ValueError` says what is not."""
    names = _ESCAPE.sub(_unescape, _UNNAMED.sub(r"\1", require_one_selector(selector)))
    for name in _PSEUDO_CLASS.findall(names):
        if name.lower() in PLAYWRIGHT_PSEUDO_CLASSES:
            raise ValueError(f"`:{name}` is Playwright's, not CSS; write texts as `text` beside `css`")
    return selector


def require_one_selector(selector: str) -> str:
    """The selector, if Playwright does not split it into several; `ValueError` otherwise."""
    if ">>" in _PARTS.findall(selector):
        raise ValueError("`>>` is Playwright's; use `frame`, or a blank for what is inside")
    return selector


def _unescape(escape: re.Match[str]) -> str:
    code = int(escape[1], 16) if escape[1] else ord(escape[2])
    # an escaped colon is part of a name, such as that of the class `md:hidden`
    return "_" if code in (ord(":"), 0) or code > _LAST_CODE_POINT else chr(code)


_LAST_CODE_POINT: Final = 0x10FFFF
