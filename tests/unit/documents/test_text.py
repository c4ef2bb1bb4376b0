"""Plain text and CSV come in many encodings and dialects, and read as people meant them."""

import csv
import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagehand.documents import text
from pagehand.documents.text import csv_rows, decode_text
from pagehand.errors import BlockFailed
from support.documents import done, pages_of, tables_of

SENTENCE = "Grüße aus Köln, 5 €, שלום, 你好"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_text_reads_the_same_in_every_encoding_that_marks_itself(encoding: str) -> None:
    assert decode_text(SENTENCE.encode(encoding)) == SENTENCE


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_recognized_by_its_zero_bytes(encoding: str) -> None:
    assert decode_text("Customer;Amount\n".encode(encoding)) == "Customer;Amount\n"


def test_text_that_is_not_utf_8_is_read_as_windows_writes_it() -> None:
    assert decode_text("Straße 5 €".encode("cp1252")) == "Straße 5 €"


def test_bytes_that_no_windows_text_has_become_replacement_characters() -> None:
    assert decode_text(b"caf\xe9 \x81") == "café \ufffd"


@pytest.mark.parametrize("content", [b"\x00\x01\x02\x03", b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\xff\xff" * 9])
def test_programs_are_not_taken_for_text(content: bytes) -> None:
    with pytest.raises(BlockFailed, match="not text"):
        decode_text(content)


def test_text_cut_off_in_the_middle_of_a_character_is_refused_by_its_encoding() -> None:
    with pytest.raises(BlockFailed, match="utf-16"):
        decode_text("Customer".encode("utf-16")[:-1])


@pytest.mark.parametrize(
    ("written", "pages"),
    [
        (b"", [""]),
        (b"one", ["one"]),
        (b"one\ftwo", ["one", "two"]),
        (b"one\ftwo\f", ["one", "two"]),
        (b"one\f\fthree", ["one", "", "three"]),
    ],
)
def test_form_feeds_end_pages(written: bytes, pages: list[str]) -> None:
    document, _ = done(text.read, written)
    assert [page["text"] for page in document["pages"]] == pages
    assert document["count"] == len(pages)


def test_pages_of_a_text_can_be_chosen() -> None:
    document, _ = done(text.read, b"one\ftwo\fthree", pages="-1,1")
    assert [page["text"] for page in document["pages"]] == ["one", "three"]
    assert document["count"] == 3


def test_lines_are_cut_at_tabs_and_wide_gaps() -> None:
    content = b"Invoice:   INV-7\n\nTotal\t12.50  EUR\n"
    assert pages_of(text.read, content, lines=True)[0]["lines"] == [
        ["Invoice:", "INV-7"],
        ["Total", "12.50  EUR"],
    ]


def test_lines_are_left_out_when_nobody_asks_for_them() -> None:
    assert "lines" not in pages_of(text.read, b"Invoice:   INV-7")[0]


@pytest.mark.parametrize(
    ("written", "rows"),
    [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a;b\r\n1;2\r\n", [["a", "b"], ["1", "2"]]),
        ("a\tb\n1\t2", [["a", "b"], ["1", "2"]]),
        ("a|b\n1|2", [["a", "b"], ["1", "2"]]),
        ("Name\nAda\nBob\n", [["Name"], ["Ada"], ["Bob"]]),
        ("a, b\n1, 2\n", [["a", "b"], ["1", "2"]]),
        ('1, "x, y"\n2, "z"\n', [["1", "x, y"], ["2", "z"]]),
        ("a,b\n\n , \n1,2\n", [["a", "b"], ["1", "2"]]),
        ('Note\n"two\nlines"\n', [["Note"], ["two\nlines"]]),
        ('a,b\n"he said ""hi""",2\n', [["a", "b"], ['he said "hi"', "2"]]),
        ("O'Neil,'tis\nD'Arcy,it's\n", [["O'Neil", "'tis"], ["D'Arcy", "it's"]]),
        ("", []),
        ("\n\n", []),
    ],
)
def test_csv_is_read_in_the_dialect_it_is_written_in(written: str, rows: list[list[str]]) -> None:
    assert csv_rows(written) == rows


@pytest.mark.parametrize(
    ("written", "rows"),
    [
        ("Schraube;1,50\nMutter;2,50\n", [["Schraube", "1,50"], ["Mutter", "2,50"]]),
        ("Schraube\t1,50\nMutter\t2,50\n", [["Schraube", "1,50"], ["Mutter", "2,50"]]),
        ("Lovelace, Ada;7\nHopper, Grace;8\n", [["Lovelace, Ada", "7"], ["Hopper, Grace", "8"]]),
    ],
)
def test_commas_within_cells_do_not_cut_a_file_with_another_delimiter(
    written: str, rows: list[list[str]]
) -> None:
    assert csv_rows(written) == rows


def test_lines_above_the_table_of_a_bank_do_not_hide_its_delimiter() -> None:
    export = (
        "Kontoauszug, Januar\nKonto: DE89\n\nDatum;Text;Betrag\n02.01.;Kaffee;-3,50\n03.01.;Lohn;2500,00\n"
    )
    assert csv_rows(export)[2:] == [
        ["Datum", "Text", "Betrag"],
        ["02.01.", "Kaffee", "-3,50"],
        ["03.01.", "Lohn", "2500,00"],
    ]


def test_a_doubled_quote_far_down_is_read_like_one_at_the_top() -> None:
    plain = 'id;"name"\n' + '1;"plain"\n' * 8_000
    assert csv_rows(plain + '2;"a ""quoted"" one"\n')[-1] == ["2", 'a "quoted" one']


def test_rows_of_different_lengths_are_all_kept() -> None:
    assert csv_rows("a,b,c\n1,2\n3\n") == [["a", "b", "c"], ["1", "2"], ["3"]]


_CELL = st.text(st.characters(exclude_characters="\r\n\x00", exclude_categories=["Cs"]), max_size=8)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(",;\t|"), st.lists(st.tuples(_CELL, _CELL, st.integers()), min_size=2, max_size=5))
@example(";", [("1,50", "2,50", 1), ("3,50", "4,50", 2)])
@example(",", [("", "\t", 0), ("", "\t", 0)])
@example(",", [("a; b", "x", 0), ("c; d", "y", 0)])
@example("|", [(' "a', '"; ', 0), ("c;", "y", 0)])
def test_what_a_csv_writer_quotes_comes_back_cell_by_cell(
    delimiter: str, cells: list[tuple[str, str, int]]
) -> None:
    rows = [["key", *map(str, row)] for row in cells]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    assert csv_rows(out.getvalue()) == rows


def test_a_csv_file_is_one_table_on_one_page() -> None:
    content = "Kunde;Betrag\nMüller;3,50\n".encode("cp1252")
    assert tables_of(text.read_table, content) == [[["Kunde", "Betrag"], ["Müller", "3,50"]]]
    assert pages_of(text.read_table, content)[0]["text"] == "Kunde;Betrag\nMüller;3,50\n"
