"""A message as sentences: lines, lists, full stops, and what stands under a line that ends in a colon."""

import re
from dataclasses import dataclass, field
from typing import Final

_LINE: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?P<mark>(?:[-*•]|\(?\d{1,3}[.)]|[a-z]\))\s+)?(?P<text>.*?)\s*$"
)
_END: Final = re.compile(r"(?<=[.!])\s+|\s*;\s*(?=then\b)")
_LEAD: Final = re.compile(
    r"^(?:(?:please|kindly|now|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|after that|"
    r"afterwards|finally|lastly|after the loop|and then|and|"
    r"i want you to|i'd like you to|could you|can you|you should|you)\b[,:]?\s+(?=\w))+",
    re.IGNORECASE,
)
_SEQUEL: Final = re.compile(r"(?:and then|then|next|after that|afterwards)\b", re.IGNORECASE)
_GOES_ON: Final = re.compile(r"(?:the )?next page\b|(?:otherwise|else|if not)\b", re.IGNORECASE)


@dataclass(slots=True)
class Sentence:
    """One sentence and, where it ends in a colon, the sentences under it."""

    text: str
    below: list["Sentence"] = field(default_factory=list["Sentence"])
    is_sequel: bool = False
    """True when it began with "then" or the like."""


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a message, in order."""
    found: list[Sentence] = []
    opener: tuple[int, Sentence] | None = None
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None or not match["text"]:
            opener = None
            continue
        indent = len(match["indent"]) + (1 if match["mark"] else 0)
        sentences = _in_line(match["text"])
        if opener is not None and indent > opener[0]:
            opener[1].below.extend(sentences)
            continue
        found.extend(sentences)
        opener = (indent, sentences[-1]) if match["text"].endswith(":") and sentences else None
    return found


def _in_line(line: str) -> list[Sentence]:
    parts = [part.strip().rstrip(".!").strip() for part in _END.split(line)]
    return [Sentence(without_lead(part), is_sequel=_SEQUEL.match(part) is not None) for part in parts if part]


def without_lead(text: str) -> str:
    """The sentence without the courtesies and connectives at its beginning."""
    return _LEAD.sub("", text).strip()


def belongs_to_the_one_before(sentence: Sentence) -> bool:
    """True for "Otherwise …" and "The next page is …"."""
    return _GOES_ON.match(sentence.text) is not None
