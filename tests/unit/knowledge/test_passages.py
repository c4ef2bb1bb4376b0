"""A text is cut where it makes sense, loses nothing, and overlaps where it had to be cut."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand.knowledge.base import MAX_LENGTH, OVERLAP, split_passages


def test_short_paragraphs_stay_together() -> None:
    assert split_passages("One.\n\nTwo.\n\n\n Three. ") == ["One.\n\nTwo.\n\nThree."]


def test_a_text_is_cut_between_paragraphs() -> None:
    paragraphs = [f"{number} " + "word " * 100 for number in range(4)]
    found = split_passages("\n\n".join(paragraphs))
    assert [item.split(" ", 1)[0] for item in found] == ["0", "1", "2", "3"]


def test_a_long_paragraph_is_cut_between_sentences_with_an_overlap() -> None:
    sentences = [f"Sentence number {number} says something of its own." for number in range(60)]
    found = split_passages(" ".join(sentences))
    assert len(found) > 3
    assert all(len(item) <= MAX_LENGTH for item in found)
    assert all(item.startswith("Sentence") and item.endswith("own.") for item in found)
    for before, after in pairwise(found):
        shared = after[: after.index("own.") + 4]
        assert before.endswith(shared) or shared in before
        assert len(shared) <= OVERLAP


@pytest.mark.parametrize("text", ["x" * 5000, "word " * 1000, "a\nb\n" * 2000, "é" * 3000])
def test_whatever_it_is_no_passage_is_too_long(text: str) -> None:
    found = split_passages(text)
    assert all(0 < len(item) <= MAX_LENGTH for item in found)
    assert set("".join(found)) - {" ", "\n"} == set(text) - {" ", "\n"}


def test_nothing_is_lost() -> None:
    words = [f"w{number}" for number in range(3000)]
    found = split_passages(". ".join(words))
    kept = {word.strip(".") for item in found for word in item.split()}
    assert kept == set(words)


@pytest.mark.parametrize("text", ["", "  \n\n \f "])
def test_no_text_has_no_passages(text: str) -> None:
    assert split_passages(text) == []


_WORDS = st.text(st.characters(categories=["L", "N", "P", "Zs"], include_characters="\n"), max_size=2_500)


@settings(max_examples=40, deadline=None)
@given(_WORDS)
def test_any_text_keeps_its_letters_in_order_and_its_passages_in_bounds(text: str) -> None:
    found = split_passages(text)
    assert all(0 < len(passage) <= MAX_LENGTH for passage in found)
    letters = iter("".join("".join(found).split()))
    assert all(letter in letters for letter in "".join(text.split()))


def test_sentences_of_scripts_without_spaces_are_cut_at_their_full_stops() -> None:
    found = split_passages("これは文です。" * 300)
    assert all(len(passage) <= MAX_LENGTH and passage.endswith("。") for passage in found)
