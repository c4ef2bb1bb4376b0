"""Pages are named as in "1,3-5,-1": from 1, and from the end with a minus."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand.documents.document import find_mistake, page_positions
from pagehand.errors import BlockFailed


@pytest.mark.parametrize(
    ("pages", "meant"),
    [
        (None, [0, 1, 2, 3, 4]),
        ("1", [0]),
        ("1,3-5,-1", [0, 2, 3, 4]),
        ("-1", [4]),
        ("-2--1", [3, 4]),
        ("2--2", [1, 2, 3]),
        ("-5-2", [0, 1]),
        (" 3 - 4 , 1 ", [0, 2, 3]),
        ("5,1,5,1-1", [0, 4]),
        ("007-3", None),
        ("01-002", [0, 1]),
    ],
)
def test_pages_come_in_the_order_of_the_document_once_each(
    pages: str | None, meant: list[int] | None
) -> None:
    if meant is None:
        with pytest.raises(BlockFailed, match="there is no page 007"):
            page_positions(pages, 5)
    else:
        assert page_positions(pages, 5) == meant


@pytest.mark.parametrize(
    "pages", ["", ",", "0", "-0", "1-0", "a", "1;2", "1.5", "--1", "1-2-3", "1,,2", "1000000000"]
)
def test_what_is_not_a_page_is_named(pages: str) -> None:
    assert "is not a page or range such as `1`, `3-5` or `-1`" in (find_mistake(pages) or "")
    with pytest.raises(BlockFailed, match=r"^`pages`: "):
        page_positions(pages, 5)


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ("6", "there is no page 6; the document has 5"),
        ("-6", "there is no page -6; the document has 5"),
        ("2-9", "there is no page 9"),
        ("4-2", "runs backwards"),
        ("-1-1", "runs backwards"),
    ],
)
def test_pages_that_are_not_there_are_refused(pages: str, reason: str) -> None:
    with pytest.raises(BlockFailed, match=reason):
        page_positions(pages, 5)


def test_an_empty_document_has_no_pages_to_name() -> None:
    assert page_positions(None, 0) == []
    with pytest.raises(BlockFailed, match="the document has 0"):
        page_positions("1", 0)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 60), st.data())
def test_counting_from_the_end_names_the_same_pages(count: int, data: st.DataObject) -> None:
    page = data.draw(st.integers(1, count))
    assert page_positions(str(page), count) == page_positions(str(page - count - 1), count) == [page - 1]


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=12))
def test_whatever_is_written_is_a_range_or_has_a_mistake(pages: str) -> None:
    mistake = find_mistake(pages)
    assert mistake is None or mistake.startswith("`")
