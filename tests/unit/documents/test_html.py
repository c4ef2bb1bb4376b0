"""A saved page or HTML letter gives the text and tables that a person sees."""

import pytest

from pagehand.documents import html
from support.documents import done, pages_of, tables_of

Rows = list[list[str]]


def rows_of(table: str) -> Rows:
    (rows,) = tables_of(html.read, table.encode())
    return rows


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("<table><tr><th>Item<th>Price<tr><td>Oil<td>4.50</table>", [["Item", "Price"], ["Oil", "4.50"]]),
        ("<table><tr><td colspan=2>Sum<td>5<tr><td>a<td>b<td>c</table>", [["Sum", "", "5"], ["a", "b", "c"]]),
        ("<table><tr><td rowspan=2>A<td>1<tr><td>2</table>", [["A", "1"], ["", "2"]]),
        ("<table><tr><td>1<td rowspan=2>A<tr><td>2</table>", [["1", "A"], ["2", ""]]),
        (
            "<table><tr><td rowspan=2 colspan=2>A<td>1<tr><td>2<tr><td>x<td>y<td>3</table>",
            [["A", "", "1"], ["", "", "2"], ["x", "y", "3"]],
        ),
        (
            "<table><tr><td rowspan=3>A<td rowspan=2>B<td>1<tr><td>2<tr><td>C<td>3</table>",
            [["A", "B", "1"], ["", "", "2"], ["", "C", "3"]],
        ),
        ("<table><tr><td>a<tr><td> <tr><td>b</table>", [["a"], ["b"]]),
        ("<table><tr><td>two<br>lines and&nbsp;more</table>", [["two lines and more"]]),
        ("<table><tr><td>seen<td hidden>not<td><span hidden>no</span>yes</table>", [["seen", "yes"]]),
    ],
)
def test_cells_stand_under_the_column_they_are_shown_in(table: str, rows: Rows) -> None:
    assert rows_of(table) == rows


@pytest.mark.parametrize("span", ["0", "-1", "two", "", "99999", "1e3", "²"])
def test_a_span_that_makes_no_sense_is_one(span: str) -> None:
    assert rows_of(f'<table><tr><td colspan="{span}" rowspan="{span}">a<td>b<tr><td>c<td>d</table>') == [
        ["a", "b"],
        ["c", "d"],
    ]


def test_a_huge_span_does_not_fill_the_memory() -> None:
    (row, *_) = rows_of("<table><tr><td colspan=9999>a<td>b</table>")
    assert len(row) == 101


def test_tables_inside_a_layout_table_are_found_and_the_layout_is_not() -> None:
    letter = """<table><tr><td>Hello<table><tr><td>Oil<td>4.50</table>
        <td><table><tr><td>Brass<td>9</table></table>"""
    assert tables_of(html.read, letter.encode()) == [[["Oil", "4.50"]], [["Brass", "9"]]]


def test_tables_three_deep_give_the_innermost() -> None:
    nested = "<table><tr><td><table><tr><td><table><tr><td>in<td>most</table></table></table>"
    assert tables_of(html.read, nested.encode()) == [[["in", "most"]]]


def test_a_table_keeps_its_caption() -> None:
    page = "<table><caption> Open \n invoices</caption><tr><td>INV-7</table>"
    assert pages_of(html.read, page.encode())[0]["tables"][0]["caption"] == "Open invoices"


def test_the_title_is_known_and_not_part_of_the_text() -> None:
    document, _ = done(html.read, b"<title> My \n page </title><body><p>Hello")
    assert document["title"] == "My page"
    assert document["pages"][0]["text"] == "Hello"


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("iso-8859-1", "iso-8859-1"),
        ("windows-1251", "windows-1251"),
        ("utf-8", "utf-8"),
        ("no-such-charset", "utf-8"),
        ("utf-8", "cp1252"),
    ],
)
def test_the_declared_charset_is_tried_and_a_wrong_one_is_survived(declared: str, encoding: str) -> None:
    words = "Привет" if encoding == "windows-1251" else "Grüße"
    content = f'<meta charset="{declared}"><p>{words}'.encode(encoding)
    assert pages_of(html.read, content)[0]["text"] == words


def test_terms_and_descriptions_are_lines_of_two_pieces() -> None:
    page = b"<dl><dt>Order: <dd>A-17<dt>Date<dd>3 May<dt>Alone</dl>"
    assert pages_of(html.read, page, lines=True)[0]["lines"][:2] == [["Order", "A-17"], ["Date", "3 May"]]


@pytest.mark.parametrize("content", [b"", b"   ", b"<!doctype html>", b"<html></html>", b"<p>"])
def test_an_empty_page_has_no_text_and_no_tables(content: bytes) -> None:
    assert pages_of(html.read, content) == [{"text": "", "tables": []}]


def test_markup_nested_very_deep_is_read() -> None:
    content = b"<div>" * 300 + b"deep" + b"</div>" * 300
    assert pages_of(html.read, content)[0]["text"] == "deep"
