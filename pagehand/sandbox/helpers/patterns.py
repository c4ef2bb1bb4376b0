"""Regular expressions."""

import re as _pagehand_re
from typing import Any


def regex_test(pattern: str, text: str) -> bool:
    """True when the pattern is found anywhere in the text."""
    return _pagehand_re.search(pattern, text) is not None


def regex_find(pattern: str, text: str) -> Any:
    """The first match: its groups by name or in order, else its text; null when there is none."""
    found = _pagehand_re.search(pattern, text)
    return None if found is None else _pagehand_match(found)


def regex_find_all(pattern: str, text: str) -> list[Any]:
    """Every match, as `regex_find` gives one."""
    return [_pagehand_match(found) for found in _pagehand_re.finditer(pattern, text)]


def regex_replace(pattern: str, text: str, replacement: Any) -> str:
    """The text with every match replaced: by a text, or by what a function makes of the match."""
    if isinstance(replacement, str):
        return _pagehand_re.sub(pattern, replacement, text)
    pieces: list[str] = []
    end = 0
    for found in _pagehand_re.finditer(pattern, text):
        pieces += [text[end : found.start()], str(replacement(_pagehand_match(found)))]
        end = found.end()
    return "".join([*pieces, text[end:]])


def _pagehand_match(found: Any) -> Any:
    named = found.groupdict()
    if named:
        return named
    groups = list(found.groups())
    if not groups:
        return found.group(0)
    return groups[0] if len(groups) == 1 else groups
