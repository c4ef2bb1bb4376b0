"""A phrase costs a bounded amount of processor time, whatever stands on the page."""

import itertools
import time
from contextlib import suppress

import pytest

from pagehand.errors import BlockFailed
from pagehand.page.phrases import LONGEST_PHRASE, MAX_CANDIDATES, NotClear, Snapshot, resolve
from pagehand.page.phrases.snapshot import FrameReport, ReportedCandidate, ReportedRow, ReportedText

WORDS = "Save in the row of for by near on at a b c"
HOSTILE = (
    "Save in the row of a for b in c near 1 by 2 at 3",
    "for row " * 60,
    "please now just please " * 20,
    "click on save " + "for in row a " * 20 + "please now just please",
    "the button next to Save below for above in left of a",
)


def crowded_page(elements: int) -> Snapshot:
    """Every element has the same words as its name, its row, its section and beside it."""
    candidates = [
        ReportedCandidate(
            index=number, role="button", tag="button", names=[("text", f"{WORDS} {number % 7}")],
            sections=[WORDS], landmarks=["form"], row=number // 5, row_level=1, column=WORDS,
            nearby_texts=[WORDS], box=[0, number, 8, 8], path=f"p{number}", is_enabled=True, is_field=True,
            is_control=True, has_menu=False, is_toggle=False, looks_like_button=True,
        )
        for number in range(elements)
    ]  # fmt: skip
    rows = [ReportedRow(number, WORDS, [WORDS], number, 600, []) for number in range(elements // 5)]
    texts = [ReportedText("Save", [number, number, 5, 5]) for number in range(elements)]
    return Snapshot.from_reports([(None, FrameReport("", candidates, rows, texts))])


@pytest.mark.slow
def test_a_hostile_phrase_on_a_hostile_page_is_given_up() -> None:
    page = crowded_page(3000)
    for phrase in HOSTILE:
        began = time.thread_time()
        with suppress(BlockFailed):
            resolve(phrase[:LONGEST_PHRASE], page, "anything")
        assert time.thread_time() - began < 4, phrase


def test_words_nobody_would_say_are_refused() -> None:
    with pytest.raises(NotClear, match="at most 500"):
        resolve("a" * 501, crowded_page(5))


def test_a_phrase_means_the_same_however_slow_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = itertools.count(step=3600)
    monkeypatch.setattr(time, "thread_time", lambda: float(next(hours)))
    page = crowded_page(1)
    assert resolve(f"{WORDS} 0", page).candidate.index == 0


def test_too_many_ways_to_understand_a_phrase_are_given_up_and_not_guessed() -> None:
    with pytest.raises(NotClear, match="in too many ways"):
        resolve("for row " * 30, crowded_page(500), "anything")


def test_nothing_is_chosen_on_a_page_of_which_a_part_was_not_listed() -> None:
    page = crowded_page(1)
    page.is_cut = True
    with pytest.raises(NotClear, match=f"more than {MAX_CANDIDATES:,} elements"):
        resolve(f"{WORDS} 0", page)
