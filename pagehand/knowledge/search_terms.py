"""What a text says, as words that compare: without case, accents and English plurals."""

import re
import unicodedata
from collections import Counter

from pagehand.page.phrases.plurals import singular

_WORD = re.compile(r"[^\W_]+")
_CHINESE_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_LONGEST = 64


def words_of(text: str) -> list[str]:
    """The words of a text in their order; scripts without spaces give pairs of characters."""
    found: list[str] = []
    for word in _WORD.findall(_folded(text)):
        if _CHINESE_JAPANESE.search(word):
            # pairs, because single characters are in almost every text and words are not marked
            found += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        else:
            found.append(singular(word)[:_LONGEST])
    return found


def counted(text: str) -> Counter[str]:
    """How often each word stands in a text."""
    return Counter(words_of(text))


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(item for item in apart if not unicodedata.combining(item)))
