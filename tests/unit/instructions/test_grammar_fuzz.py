"""Any text at all: valid blocks or a refusal in plain words, and never for long."""

import contextlib
import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pagehand.blocks import kinds
from pagehand.instructions.grammar import NotUnderstood
from pagehand.workflow.parse import parse_blocks
from support.instructions import read_instructions

WORDS = [
    "click", "the", "Save", "button", "and", "then", "type", "Ada", "into", "Name", "field", "if", "is",
    "shown", ",", ".", ":", "\n", "- ", "1.", "2.", '"', "'", "{{params.x}}", "https://example.com",
    "for each", "in", "row of", "ACME-17", "until", "extract", "as", "to", "with", "set", "please", "thanks",
    "?", "or", "not", "repeat", "3 times", "wait", "seconds", "go through all pages", "log in", "password",
    "otherwise", "first", "next to", "post the results", "\ue000", "\uf8ff", "é", "(", "\\", "step 1:",
    "every", "page",
]  # fmt: skip
STAND_INS = {chr(code) for code in range(0xE000, 0xF900)}
ANYTHING = st.text(st.characters(exclude_characters="`"), max_size=8)


@pytest.mark.timeout(120)
@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(WORDS) | ANYTHING, max_size=60).map(" ".join))
@example("click \x00")
def test_any_text_gives_valid_blocks_or_a_refusal_that_quotes_it(text: str) -> None:
    complaint = ""
    try:
        blocks = read_instructions(text, parameters=["orders", "x"], logins={"Portal": "login_1"})
        assert parse_blocks(blocks, kinds())
    except NotUnderstood as refusal:
        complaint = refusal.message
    assert "``" not in complaint
    assert not STAND_INS & set(complaint)


@pytest.mark.timeout(120)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), st.sampled_from([3900, 20_000])
)
def test_repeated_words_are_read_in_bounded_time(words: str, letters: int) -> None:
    text = f"{words} " * (letters // (len(words) + 1))
    began = time.process_time()
    with contextlib.suppress(NotUnderstood):
        read_instructions(text)
    assert time.process_time() - began < 3


@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0", " \t"])
@pytest.mark.parametrize(
    "around", [("click the ", "x"), ("if the ", " Save is shown, click x"), ("click Save", "")]
)
def test_white_space_costs_nothing(blank: str, around: tuple[str, str]) -> None:
    def read(blanks: str) -> object:
        try:
            return read_instructions(blanks.join(around))
        except NotUnderstood as refusal:
            return refusal.message

    began = time.process_time()
    assert read(blank * 400) == read(" ")
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "text",
    [
        'if "x" is shown: ' * 200 + "click y",
        "repeat 2 times: " * 200 + "click y",
        "click x " + "twice " * 500,
        "tap A, " * 500,
    ],
)
def test_deep_and_endless_sentences_are_refused(text: str) -> None:
    with pytest.raises(NotUnderstood, match=r"nested|too many steps|several ways|too long to read"):
        read_instructions(text)


def test_a_message_that_costs_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "thread_time", iter(range(1000)).__next__)
    with pytest.raises(NotUnderstood, match="takes too long to read"):
        read_instructions("click a, click B, click C")
