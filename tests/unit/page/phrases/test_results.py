"""Results as people count them: never an item of the wrong list."""

from typing import Any

import pytest

from pagehand.errors import BlockFailed
from pagehand.page.phrases import Snapshot, resolve
from pagehand.page.phrases.results import find_counted_result
from support.page_snapshots import element, page, row

Json = dict[str, Any]


def list_of(letter: str, first_id: int, linked: range, count: int) -> tuple[list[Json], list[Json]]:
    """The links of a list, and its items; those outside `linked` have no link."""
    links = [element("link", f"{letter}{at}", row=first_id + at) for at in linked]
    return links, [row(first_id + at, index=at, count=count) for at in range(count)]


def pages(*lists: tuple[list[Json], list[Json]]) -> Snapshot:
    return page(
        *(link for links, _ in lists for link in links), rows=[item for _, rows in lists for item in rows]
    )


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("the first result", "A1"),
        ("second search result", "A2"),
        ("the last hit", "A3"),
        ("The 3rd Entry", "A3"),
        ("the fourth result", None),
        ("the result", None),
        ("the first results page", None),
    ],
)
def test_results_are_counted_among_the_items_with_a_link(words: str, name: str | None) -> None:
    found = find_counted_result(words, pages(list_of("A", 10, range(1, 4), 4)))
    assert (found.name if found else None) == name


@pytest.mark.parametrize("which", ["first", "second", "third", "last"])
def test_of_two_lists_that_look_the_same_neither_is_counted(which: str) -> None:
    """Also where one of them has links in items in which the other has none."""
    snapshot = pages(list_of("A", 10, range(2), 4), list_of("B", 20, range(4), 4))
    with pytest.raises(BlockFailed):
        resolve(f"the {which} result", snapshot)


def test_a_list_of_one_is_not_a_list_of_results() -> None:
    assert find_counted_result("the first result", pages(list_of("A", 10, range(1), 1))) is None
