"""Search terms of a text: its words without case, accents and English plurals."""

import re
import unicodedata
from collections import Counter

from pagehand.page.phrases.plurals import singular

_WORD = re.compile(r"[^\W_]+")
_CHINESE_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_MAX_LENGTH = 64


def search_terms(text: str) -> list[str]:
    """The terms of a text in order; scripts without spaces give pairs of characters."""
    found: list[str] = []
    for word in _WORD.findall(_fold(text)):
        if _CHINESE_JAPANESE.search(word):
            # pairs: single characters are in almost every text, and nothing separates words
            found += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        else:
            found.append(singular(word)[:_MAX_LENGTH])
    return found


def count_terms(text: str) -> Counter[str]:
    """How often each term is in a text."""
    return Counter(search_terms(text))


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(char for char in decomposed if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", letters)
