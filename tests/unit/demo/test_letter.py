"""The letter is a PDF that readers accept."""

import re
from dataclasses import replace

from pagehand.demo.claims import ClaimStore
from pagehand.demo.pages import claim_letter, money


def test_cross_references_point_at_the_objects_they_name() -> None:
    letter = claim_letter(ClaimStore().search()[0])
    start = int(letter.split(b"startxref\n")[1].split(b"\n")[0])
    offsets = re.findall(rb"(\d{10}) 00000 n ", letter[start:])

    assert letter[start:].startswith(b"xref\n0 8\n")
    assert [letter[int(offset) :].split(b" ", 1)[0] for offset in offsets] == [b"%d" % n for n in range(1, 8)]


def test_stream_is_as_long_as_it_says() -> None:
    letter = claim_letter(ClaimStore().search()[0])
    length = re.search(rb"/Length (\d+) >>\nstream\n", letter)

    assert length is not None
    assert letter[length.end() + int(length[1]) :].startswith(b"\nendstream")


def test_brackets_and_letters_the_font_lacks_do_not_break_the_text() -> None:
    claim = replace(ClaimStore().search()[0], holder="Dvořák (the \\ elder)")

    assert rb"Dear Dvo?\xe1k".replace(rb"\xe1", b"\xe1") + rb" \(the \\ elder\)," in claim_letter(claim)


def test_money_is_written_as_people_write_it() -> None:
    assert money(128_450_05) == "$128,450.05"
