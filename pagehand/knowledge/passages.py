"""Cuts a text into passages of about 800 characters: at paragraphs, else at sentences, else at words.

Within a paragraph that is cut, a passage begins with the end of the one before it, so that a thought that
stands across the cut is found whole in one of them.
"""

import re
from collections.abc import Iterator

LENGTH = 800
OVERLAP = 120

_PARAGRAPHS = re.compile(r"\n\s*\n|\f")
_SENTENCES = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n")  # noqa: RUF001 - the full stops of other scripts


def passages_of(text: str) -> list[str]:
    """The passages of a text, in its order."""
    found: list[str] = []
    waiting = ""
    for paragraph in (_spaced(paragraph) for paragraph in _PARAGRAPHS.split(text)):
        if not paragraph:
            continue
        if waiting and len(waiting) + len(paragraph) + 2 > LENGTH:
            found.append(waiting)
            waiting = ""
        if len(paragraph) > LENGTH:
            *whole, waiting = _cut(paragraph)
            found += whole
        else:
            waiting = f"{waiting}\n\n{paragraph}" if waiting else paragraph
    return [*found, waiting] if waiting else found


def _spaced(paragraph: str) -> str:
    lines = (" ".join(line.split()) for line in paragraph.splitlines())
    return "\n".join(line for line in lines if line)


def _cut(paragraph: str) -> list[str]:
    """A long paragraph in several passages, each beginning with the end of the one before."""
    found: list[list[str]] = [[]]
    for sentence in _sentences(paragraph):
        if found[-1] and _length(found[-1]) + len(sentence) > LENGTH:
            found.append(_end_of(found[-1]))
        found[-1].append(sentence)
    return [" ".join(item) for item in found]


def _sentences(paragraph: str) -> Iterator[str]:
    for sentence in filter(None, _SENTENCES.split(paragraph)):
        rest = sentence.strip()
        # room for the end of the passage before, which goes in front of it
        while len(rest) > LENGTH - OVERLAP:
            at = rest.rfind(" ", 1, LENGTH - OVERLAP)
            at = at if at > 0 else LENGTH - OVERLAP
            yield rest[:at]
            rest = rest[at:].strip()
        if rest:
            yield rest


def _end_of(sentences: list[str]) -> list[str]:
    kept: list[str] = []
    for sentence in reversed(sentences):
        if _length(kept) + len(sentence) > OVERLAP:
            break
        kept.insert(0, sentence)
    return kept


def _length(sentences: list[str]) -> int:
    return sum(len(sentence) + 1 for sentence in sentences)
