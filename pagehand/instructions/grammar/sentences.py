"""A message as sentences: lines, lists, full stops, and what is nested under a line that ends in a colon."""

import re
from dataclasses import dataclass, field
from typing import Final

from pagehand.instructions.grammar.lexicon import FIRST_WORDS
from pagehand.instructions.grammar.politeness import is_filler, strip_lead_in
from pagehand.workflow.words import word_set

_LINE: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?P<mark>(?:[-*•]|\(?(?:step )?\d{1,3} ?[.):]|[a-z]\)) )?(?P<text>.*?) ?$",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"(?:^|(?<= ))\(?(?:step )?(?P<number>\d{1,2}) ?[.):] (?=\D)", re.IGNORECASE)
# "Hauptstr. 5": a number alone begins no sentence
_END: Final = re.compile(r"(?<=[.!?]) (?!\d++(?![.):\d]))| ?; ?(?=then\b)")
_ABBREVIATION: Final = re.compile(
    r"\b(?:no|nos|nr|approx|vs|e\.g|i\.e|st|dr|mr|mrs|ms|inc|ltd|co|dept|tel|ref|qty|min|max|acct|prof|"
    r"(?-i:[A-Z]))\.$",
    re.IGNORECASE,
)
# the full stop of these belongs to a field's name, also where the sentence ends: "PO no."
_SHORT_LABEL: Final = re.compile(
    r"(?<!answer)(?<!say)(?<!choose) (?:no|nr|ref|tel|qty|acct|dept)\.$", re.IGNORECASE
)
_CONNECTIVES: Final = word_set(
    "then and if when once after before next finally otherwise unless please afterwards while"
)
_LABELLED: Final = re.compile(r"[A-Z][\w '/-]{0,40}(?:=|:(?!\d)|(?<!\d):) ?\S")
_THEN: Final = re.compile(r"(?:and then|then|next|after that|after this|afterwards)\b", re.IGNORECASE)
_IF: Final = re.compile(r"(?:if|unless|when|in case|should)\b", re.IGNORECASE)
_CONTINUATION: Final = re.compile(
    r"(?:the )?next page\b|(?:subject|text|body|message|cc|bcc)(?: line)?: ?|(?:otherwise|else|if not)\b|if "
    r"(?:it|that|this) (?:isn't|doesn't|is not|does not|is not the case)(?:,|$)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Sentence:
    """One sentence and, where it ends in a colon, the sentences under it."""

    text: str
    nested: list["Sentence"] = field(default_factory=list["Sentence"])
    may_be_in_loop: bool = False
    """True when it begins with "then" or "if", which may go on with the loop in the sentence before it."""


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a message in order, without those that only greet, thank or explain."""
    found: list[Sentence] = []
    opener: tuple[int, Sentence] | None = None
    for line in (part for whole in text.splitlines() for part in _split_numbered(whole)):
        match = _LINE.match(line)
        if match is None or not match["text"]:
            opener = None
            continue
        indent = len(match["indent"]) + (1 if match["mark"] else 0)
        sentences = _sentences_in(match["text"])
        # what is indented, or marked as an item, under a line that ends in a colon belongs to it
        if opener is not None and (indent > opener[0] or _LABELLED.match(match["text"])):
            opener[1].nested.extend(sentences)
            continue
        found.extend(sentences)
        opener = (indent, sentences[-1]) if match["text"].endswith(":") and sentences else None
    return found


def _split_numbered(line: str) -> list[str]:
    """The steps of a line that counts them: "1. open … 2. click …"."""
    starts: list[int] = []
    for mark in _NUMBER.finditer(line):
        # only numbers that count up from 1 mark steps; any other belongs to the text
        if int(mark["number"]) == len(starts) + 1:
            starts.append(mark.start())
    is_list = len(starts) > 1 and not line[: starts[0]].strip().rstrip(":")
    if not is_list:
        return [line]
    return [line[start:end] for start, end in zip(starts, [*starts[1:], len(line)], strict=True)]


def _sentences_in(line: str) -> list[Sentence]:
    sentences = [
        Sentence(
            strip_lead_in(_without_end(part)),
            may_be_in_loop=(_THEN.match(part) or _IF.match(part)) is not None,
        )
        for part in _split_line(line)
    ]
    return [sentence for sentence in sentences if not is_filler(sentence.text)]


def _without_end(part: str) -> str:
    bare = part.rstrip("!? ")
    return bare if _SHORT_LABEL.search(bare) else bare.rstrip(".!? ")


def _split_line(line: str) -> list[str]:
    """The line split at the ends of its sentences; the full stop of an abbreviation ends none."""
    parts: list[str] = []
    start = 0
    for end in _END.finditer(line):
        # "Click No. 5" is one sentence
        follows = re.match(r"\w+", line[end.end() :])
        is_step = follows is not None and follows[0].lower() in FIRST_WORDS | _CONNECTIVES
        if is_step or not _ABBREVIATION.search(line, start, end.start()):
            parts.append(line[start : end.start()])
            start = end.end()
    return [stripped for part in (*parts, line[start:]) if (stripped := part.strip())]


def continues_previous(sentence: Sentence) -> bool:
    """True for "Otherwise …" and "The next page is …"."""
    return _CONTINUATION.match(sentence.text) is not None
