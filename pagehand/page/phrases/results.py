"""Search results by number: "the second result" is the link of the list's second item."""

import re
from typing import Final

from pagehand.page.phrases.nearby import Ambiguity
from pagehand.page.phrases.snapshot import Candidate, Snapshot
from pagehand.workflow.words import ORDINAL, position_of

_COUNTED: Final = re.compile(
    rf"(?:the\s+)?(?P<which>{ORDINAL})"
    r"\s+(?:search\s+)?(?:result|hit|match|entry|item)",
    re.IGNORECASE,
)
_OUTSIDE_CONTENT: Final = frozenset(("navigation", "header", "footer", "sidebar", "menu", "toolbar", "tabs"))
_Group = dict[int, Candidate]
"""The first link of each item, by the item's position."""


def find_counted_result(words: str, page: Snapshot) -> Candidate | None:
    """The result of that number; None when the words have none or the page has no list of links.

    Raises `Ambiguity` for a page with several lists.
    """
    found = _COUNTED.fullmatch(words.strip())
    if found is None:
        return None
    groups = [group for group in _groups(page) if len(group) > 1]
    if len(groups) > 1:
        groups = [group for group in groups if _is_headed(group)]
        if len(groups) != 1:
            raise Ambiguity("the page has several lists of results")
    if not groups:
        return None
    [results] = groups
    position = position_of(found["which"].lower())
    return results.get(len(results) - 1 if position == -1 else position) if position is not None else None


def _groups(page: Snapshot) -> list[_Group]:
    """Lists and tables of links outside menus; two that cannot be distinguished are left out."""
    groups: dict[tuple[object, ...], _Group] = {}
    items: dict[tuple[object, ...], dict[int, int]] = {}
    twins: set[tuple[object, ...]] = set()
    for candidate in page.candidates:
        if candidate.row is None or candidate.role != "link" or candidate.landmarks & _OUTSIDE_CONTENT:
            continue
        # two lists are one where nothing but their links distinguishes them
        key = (candidate.frame, candidate.row.count, candidate.row.ancestors, candidate.sections)
        item = items.setdefault(key, {}).setdefault(candidate.row.index, candidate.row.id)
        if item == candidate.row.id:
            groups.setdefault(key, {}).setdefault(candidate.row.index, candidate)
        else:
            twins.add(key)
    return [_renumbered(group) for key, group in groups.items() if key not in twins]


def _renumbered(group: _Group) -> _Group:
    """Only items with a link are counted: a table's heading row has none."""
    return {position: group[index] for position, index in enumerate(sorted(group))}


def _is_headed(group: _Group) -> bool:
    """True for a list under a heading with the word results."""
    return any(
        word.startswith("result") for value in group.values() for part in value.sections for word in part
    )
