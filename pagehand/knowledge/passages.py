"""Splits a text into passages of about 800 characters: at paragraphs, else at sentences, else at words.

Within a paragraph that is split, a passage begins with the end of the one before it, so that a sentence
across the split is complete in one of them.
"""

import re
from collections.abc import Iterator

MAX_LENGTH = 800
OVERLAP = 120

_PARAGRAPHS = re.compile(r"\n\s*\n|\f")
_SENTENCES = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n")  # noqa: RUF001 - the full stops of other scripts


def split_passages(text: str) -> list[str]:
    """The passages of a text, in its order."""
    found: list[str] = []
    waiting = ""
    for paragraph in (_collapse_spaces(paragraph) for paragraph in _PARAGRAPHS.split(text)):
        if not paragraph:
            continue
        if waiting and len(waiting) + len(paragraph) + 2 > MAX_LENGTH:
            found.append(waiting)
            waiting = ""
        if len(paragraph) > MAX_LENGTH:
            *complete, waiting = _split_paragraph(paragraph)
            found += complete
        else:
            waiting = f"{waiting}\n\n{paragraph}" if waiting else paragraph
    return [*found, waiting] if waiting else found


def _collapse_spaces(paragraph: str) -> str:
    lines = (" ".join(line.split()) for line in paragraph.splitlines())
    return "\n".join(line for line in lines if line)


def _split_paragraph(paragraph: str) -> list[str]:
    """Several passages, each beginning with the end of the one before."""
    found: list[list[str]] = [[]]
    for sentence in _sentences(paragraph):
        if found[-1] and _length(found[-1]) + len(sentence) > MAX_LENGTH:
            found.append(_overlap(found[-1]))
        found[-1].append(sentence)
    return [" ".join(item) for item in found]


def _sentences(paragraph: str) -> Iterator[str]:
    for sentence in filter(None, _SENTENCES.split(paragraph)):
        rest = sentence.strip()
        # leaves room for the end of the passage before
        while len(rest) > MAX_LENGTH - OVERLAP:
            at = rest.rfind(" ", 1, MAX_LENGTH - OVERLAP)
            at = at if at > 0 else MAX_LENGTH - OVERLAP
            yield rest[:at]
            rest = rest[at:].strip()
        if rest:
            yield rest


def _overlap(sentences: list[str]) -> list[str]:
    kept: list[str] = []
    for sentence in reversed(sentences):
        if _length(kept) + len(sentence) > OVERLAP:
            break
        kept.insert(0, sentence)
    return kept


def _length(sentences: list[str]) -> int:
    return sum(len(sentence) + 1 for sentence in sentences)
