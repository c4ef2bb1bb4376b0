"""The phrase for an element: the inverse of `resolve`."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pagehand.errors import BlockFailed
from pagehand.page.phrases.resolve import resolve_all
from pagehand.page.phrases.snapshot import Candidate, Snapshot
from pagehand.records import Json

_CPU_SECONDS: Final = 1.0
"""For all phrases that are tried."""
_CPU_SECONDS_OF_PAGE: Final = 3.0
_MAX_DESCRIBED: Final = 200
_MAX_NAME_LENGTH: Final = 60
_MAX_ROW_LENGTH: Final = 40
_NOUNS: Final = {
    "button": "button",
    "link": "link",
    "textbox": "field",
    "searchbox": "field",
    "spinbutton": "field",
    "combobox": "dropdown",
    "listbox": "list box",
    "checkbox": "checkbox",
    "switch": "switch",
    "radio": "radio button",
    "option": "option",
    "menuitem": "menu item",
    "tab": "tab",
    "slider": "slider",
    "file": "file field",
    "heading": "heading",
    "img": "image",
    "row": "row",
}


@dataclass(slots=True, frozen=True)
class Phrase:
    """A phrase for an element, and how many elements it matches equally well."""

    words: str
    matches: int


def suggest_phrase(candidate: Candidate, snapshot: Snapshot) -> Phrase | None:
    """The shortest phrase that matches this element alone; else the one with the fewest matches."""
    end = time.thread_time() + _CPU_SECONDS
    found = [
        phrase
        for words in _possible_phrases(candidate)
        if time.thread_time() < end and (phrase := _try_phrase(words, candidate, snapshot))
    ]
    # every phrase is tried on the snapshot: only the resolver knows what it matches
    return min(found, key=lambda phrase: phrase.matches, default=None)


def describe_elements(snapshot: Snapshot, most: int = _MAX_DESCRIBED) -> list[Json]:
    """What words can name on a page, in its order: controls, fields and headings, each with its words.

    An element that no words mean alone, or that was not reached in time, has a locator instead.
    """
    end = time.thread_time() + _CPU_SECONDS_OF_PAGE
    shown = [
        item for item in snapshot.candidates if item.is_control or item.is_field or item.role == "heading"
    ]
    return [_described(item, snapshot, end) for item in shown[:most]]


def _described(candidate: Candidate, snapshot: Snapshot, end: float) -> Json:
    described: Json = {"role": candidate.role or candidate.tag, "name": candidate.name[:_MAX_NAME_LENGTH]}
    if not candidate.is_enabled:
        described["isDisabled"] = True
    tried = (
        _try_phrase(words, candidate, snapshot)
        for words in _possible_phrases(candidate)
        if time.thread_time() < end
    )
    found = next((phrase for phrase in tried if phrase is not None and phrase.matches == 1), None)
    if found is not None:
        return {**described, "words": found.words}
    locator = snapshot.locator_of(candidate)
    return {**described, "locator": locator.as_given()}


def _possible_phrases(candidate: Candidate) -> Iterator[str]:
    """The simplest first; `min` keeps the first of equals."""
    noun = _NOUNS.get(candidate.role, "")
    for name in candidate.names:
        if name.is_hidden or len(name.text) > _MAX_NAME_LENGTH:
            continue
        # in quotes for names with words that have another meaning in a phrase, such as `now`
        for called in (f"{name.text} {noun}".strip(), f'"{name.text}" {noun}'.strip()):
            yield called
            if candidate.row is not None:
                for row_text in candidate.row.texts:
                    if row_text != name.text and 0 < len(row_text) <= _MAX_ROW_LENGTH:
                        yield f"{called} in the row of {row_text}"


def _try_phrase(words: str, candidate: Candidate, snapshot: Snapshot) -> Phrase | None:
    try:
        found = resolve_all(words, snapshot, "anything", None, one=False)
    except BlockFailed:
        return None
    keys = [item.candidate.key for item in found]
    return Phrase(words, len(keys)) if candidate.key in keys else None
