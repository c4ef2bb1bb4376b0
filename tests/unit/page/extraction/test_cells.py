"""A cell gives a value of the kind that is asked for, or none; several cells agree or give none."""

from typing import Any

import pytest

from pagehand.page.extraction.cells import is_blank, read_cell, read_list, read_single
from pagehand.page.extraction.snapshot import Cell
from pagehand.page.extraction.target_field import ValueKind
from pagehand.page.extraction.values import ValueFormat

PLAIN = ValueFormat()


@pytest.mark.parametrize("text", ["", "  ", "-", "\u2013", "—", "N/A", "n.a.", "…"])
def test_a_dash_or_nothing_is_not_a_value(text: str) -> None:
    assert is_blank(Cell(text), "text")
    assert read_cell(Cell(text), "text", PLAIN) is None


@pytest.mark.parametrize("text", ["0", "no", "x", "--", ".", "a-b"])
def test_anything_else_is_a_value(text: str) -> None:
    assert read_cell(Cell(text), "text", PLAIN) == text


def test_what_the_markup_says_for_machines_fills_a_blank_cell() -> None:
    cell = Cell("", value="2026-03-04")
    assert not is_blank(cell, "date")
    assert read_cell(cell, "date", PLAIN) == "2026-03-04"


def test_what_the_markup_says_wins_over_what_is_shown_where_it_can_be_read() -> None:
    assert read_cell(Cell("yesterday", value="2026-03-04"), "date", PLAIN) == "2026-03-04"
    assert read_cell(Cell("4 March 2026", value="17"), "date", PLAIN) == "2026-03-04"


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("$1,200.50", "number", 1200.5),
        ("1,200", "integer", 1200),
        ("3.0", "integer", 3),
        ("3.5", "integer", None),
        ("many", "number", None),
        ("yes", "boolean", True),
        ("perhaps", "boolean", None),
        ("3 March 2026", "date", "2026-03-03"),
        ("03/04/2026", "date", None),
        ("2026-03-04 10:00", "date-time", "2026-03-04T10:00:00"),
        ("Write to ada@shop.test now", "email", "ada@shop.test"),
        ("a@b.test, c@d.test", "email", None),
        ("  spaced  ", "text", "spaced"),
    ],
)
def test_a_text_is_read_as_the_kind_that_is_wanted(text: str, kind: ValueKind, value: Any) -> None:
    assert read_cell(Cell(text), kind, PLAIN) == value


def test_the_style_of_the_column_decides_what_one_cell_leaves_open() -> None:
    assert read_cell(Cell("1.234"), "number", ValueFormat(decimal=",")) == 1234
    assert read_cell(Cell("03/04/2026"), "date", ValueFormat(day_first=True)) == "2026-04-03"
    assert read_cell(Cell("03/04/2026"), "date", ValueFormat(day_first=False)) == "2026-03-04"


@pytest.mark.parametrize(
    ("links", "address"),
    [
        (("https://x.test/a",), "https://x.test/a"),
        (("https://x.test/a", "https://x.test/b"), None),
        (("mailto:a@b.test", "https://x.test/a"), "https://x.test/a"),
        (("tel:+123", "javascript:void(0)"), None),
        ((), None),
    ],
)
def test_a_link_is_the_one_page_a_cell_leads_to(links: tuple[str, ...], address: str | None) -> None:
    assert read_cell(Cell("Details", links=links), "link", PLAIN) == address


def test_a_picture_is_the_only_one_in_the_cell() -> None:
    assert read_cell(Cell("", images=("a.png",)), "image", PLAIN) == "a.png"
    assert read_cell(Cell("", images=("a.png", "b.png")), "image", PLAIN) is None
    assert is_blank(Cell("text"), "image")


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("mailto:ada@shop.test", "ada@shop.test"),
        ("MAILTO:ada@shop.test?subject=Hi", "ada@shop.test"),
        ("mailto:ada@shop.test?", "ada@shop.test"),
        ("mailto:ada%2Borders@shop.test", "ada+orders@shop.test"),
        ("mailto:%20ada@shop.test", "ada@shop.test"),
        ("mailto:ada@shop.test,bo@shop.test", None),
        ("mailto:?cc=bo@shop.test", None),
    ],
)
@pytest.mark.parametrize("text", ["CONTACT US", ""])
def test_the_one_address_that_a_link_writes_to_wins_over_its_text(
    link: str, address: str | None, text: str
) -> None:
    assert read_cell(Cell(text, links=(link,)), "email", PLAIN) == address


@pytest.mark.parametrize(
    ("text", "choice"),
    [("open", "OPEN"), (" In  Progress ", "in_progress"), ("in_progress", "in_progress"), ("closed", None)],
)
def test_a_choice_is_given_as_the_schema_writes_it(text: str, choice: str | None) -> None:
    assert read_cell(Cell(text), "text", PLAIN, ("OPEN", "in_progress")) == choice


def test_several_cells_give_the_value_they_agree_on() -> None:
    assert read_single([Cell("5"), Cell("$5"), Cell("-")], "number", PLAIN) == 5
    assert read_single([Cell("5"), Cell("6")], "number", PLAIN) is None
    assert read_single([], "text", PLAIN) is None


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        ([Cell("red, green; blue")], "text", ["red", "green", "blue"]),
        ([Cell("a | b • c · d")], "text", ["a", "b", "c", "d"]),
        ([Cell("1,200")], "number", [1200]),
        ([Cell("x", items=("one, two", "three"))], "text", ["one, two", "three"]),
        ([Cell("a"), Cell("b, c")], "text", ["a", "b, c"]),
        ([Cell("-"), Cell("")], "text", []),
        ([Cell("1; many; 3")], "number", None),
        ([], "text", []),
        ([Cell("", links=("https://a.test/", "mailto:a@b.test"))], "link", ["https://a.test/"]),
    ],
)
def test_many_values_come_from_many_cells_or_one_list(
    cells: list[Cell], kind: ValueKind, values: list[Any] | None
) -> None:
    assert read_list(cells, kind, PLAIN) == values
