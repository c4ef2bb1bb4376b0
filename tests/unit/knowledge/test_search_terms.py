"""Words compare without case, accents and English plurals, in scripts with and without spaces."""

import pytest

from pagehand.knowledge.base import count_terms, search_terms


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Zebra machines, 27 months!", ["the", "zebra", "machine", "27", "month"]),
        ("policies policy ties", ["policy", "policy", "tie"]),
        ("boxes taxes classes branches", ["box", "tax", "class", "branch"]),
        ("status class this gas", ["status", "class", "this", "gas"]),
        ("Größe CAFÉ naïve", ["grosse", "cafe", "naive"]),
        ("snake_case e-mail", ["snake", "case", "e", "mail"]),
        ("東京都 は", ["東京", "京都", "は"]),
        ("Москва", ["москва"]),
        ("…!?", []),
    ],
)
def test_words_are_folded(text: str, words: list[str]) -> None:
    assert search_terms(text) == words


def test_a_word_without_end_is_cut() -> None:
    assert len(search_terms("x" * 10_000)[0]) == 64


def test_words_are_counted() -> None:
    assert count_terms("a cat and a dog")["a"] == 2
