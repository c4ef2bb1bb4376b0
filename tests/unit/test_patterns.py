"""Texts made to keep a pattern busy: wherever text of others meets one, time grows with its length."""

import re
import time
from collections.abc import Callable
from datetime import datetime
from functools import cache

import pytest

from pagehand.ai.answers import parse_json
from pagehand.blocks.data.extract_from_input import named_values
from pagehand.blocks.dates import parse_date
from pagehand.blocks.document_reading import snapshot_of
from pagehand.blocks.outside.send_email import as_plain_text
from pagehand.blocks.page.controls.date_format import style_of_hint
from pagehand.blocks.user_code import is_javascript
from pagehand.logins.profile import LoginSite
from pagehand.logins.second_factor.mail_message import find_code, find_link, parse_mail
from pagehand.page.extraction.cells import read_cell, read_list
from pagehand.page.extraction.label_matching import tokenize_label
from pagehand.page.extraction.snapshot import Cell
from pagehand.page.extraction.values import ValueFormat
from pagehand.workflow import templates
from support.pattern_attacks import attacks_on, grows_too_fast, runner
from support.patterns import FoundPattern, patterns_of

PLAIN = ValueFormat()
NOW = datetime(2026, 11, 16)  # noqa: DTZ001 - phrases are counted from a naive moment


def refuses(read: Callable[[str], object]) -> Callable[[str], object]:
    def tried(text: str) -> object:
        try:
            return read(text)
        except Exception as refusal:  # noqa: BLE001 - what it says is tested elsewhere, here only how long it takes
            return refusal

    return tried


def mail(text: str) -> object:
    letter = parse_mail(b"From: a@b.example\r\nSubject: x\r\n\r\n" + text.encode(), 0)
    return find_code(letter), find_link(letter, LoginSite("https://b.example"))


def document(text: str) -> object:
    page = {"lines": [[text]], "tables": [], "text": text}
    return snapshot_of({"pages": [page], "title": "", "more": {}})


READERS: dict[str, Callable[[str], object]] = {
    "a model's answer": refuses(parse_json),
    "name: value lines": named_values,
    "a date": lambda text: parse_date(text, NOW),
    "a line of a document": document,
    "a mail to send": as_plain_text,
    "a mail received": mail,
    "a hint in a field": lambda text: style_of_hint(text, day_first=True),
    "an address in a cell": lambda text: read_cell(Cell(text), "email", PLAIN),
    "a number in a cell": lambda text: read_cell(Cell(text), "number", PLAIN),
    "a date in a cell": lambda text: read_cell(Cell(text), "date", PLAIN),
    "values in a cell": lambda text: read_list([Cell(text)], "text", PLAIN),
    "a label": tokenize_label,
    "code": is_javascript,
    "a template": refuses(templates.check),
}
BUSY = [
    " ", "\t", "\n", " \n", "a", "1", "A1 ", "code 123456 ", "<", "<br ", "<script>", "(", "[", "{{", "{{a ",
    "{{a.b", "a@", "a.", "a@a.a", "```", "/*", "//\n", "(=", "1,", "$", ": ", "- : ", "a:", "1. ",
    "http://", "\\",
]  # fmt: skip
LENGTH = 60_000
SECONDS = 3.0
"""Of processor time, on a slow machine; what is not linear takes minutes."""


@pytest.mark.parametrize("reader", READERS)
def test_no_text_keeps_a_pattern_busy(reader: str) -> None:
    read = READERS[reader]
    for piece in BUSY:
        for text in (piece * (LENGTH // len(piece)), "a" + piece * (LENGTH // len(piece)) + "\x01!"):
            began = time.thread_time()
            read(text)
            took = time.thread_time() - began
            assert took < SECONDS, f"{took:.1f} s for {piece!r}"


SHARES = 6
OUR_OWN_TEXT = "pagehand.demo."
"""The demo's pages are changed by patterns, and nobody else writes them."""


@cache
def all_patterns() -> list[FoundPattern]:
    found = [item for item in patterns_of("pagehand") if not item.where.startswith(OUR_OWN_TEXT)]
    return sorted(found, key=lambda item: str(item.pattern.pattern))


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("share", range(SHARES))
def test_no_pattern_takes_longer_than_in_proportion_to_its_text(share: int) -> None:
    problems: list[str] = []
    for found in all_patterns()[share::SHARES]:
        run = runner(found)
        slow = (grows_too_fast(run, *attack) for attack in attacks_on(found.pattern, 60))
        if problem := next(filter(None, slow), None):
            problems.append(f"{found.where} ({found.use}) {found.pattern.pattern!r:.80}: {problem}")
    assert problems == []


@pytest.mark.slow
def test_patterns_of_every_kind_are_collected() -> None:
    places = {found.where.partition(":")[0] for found in all_patterns()}
    assert len(all_patterns()) > 300
    # a constant, one in a function, those of the grammar's rules, and one in a container
    assert {
        "pagehand.workflow.refusals",
        "pagehand.browser.downloads",
        "pagehand.instructions.grammar.acting",
        "pagehand.checks.grammar",
    } <= places


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"\s+x", "search"),
        (r"(?:a+)+b", "fullmatch"),
        (r"\[[^]]*\]", "search"),
        (r"(?P<a>.+?)\s*,?\s+to\s+(?P<b>.+)", "fullmatch"),
        (r"type .+ in .+(?:,|\band\b).+ in .+", "fullmatch"),
        (r"x:[ \t]*([\t -~]*)", "fullmatch"),
    ],
)
def test_slow_patterns_are_found(pattern: str, use: str) -> None:
    found = FoundPattern("here", re.compile(pattern), use)
    assert any(grows_too_fast(runner(found), *attack) for attack in attacks_on(found.pattern, 300))


def test_a_pattern_that_takes_its_time_in_proportion_is_not_blamed() -> None:
    found = FoundPattern("here", re.compile(r"\b(?:alpha|beta|gamma)\b.*+|(?<!\s)\s++x"), "search")
    assert [
        *filter(None, (grows_too_fast(runner(found), *attack) for attack in attacks_on(found.pattern, 60)))
    ] == []
