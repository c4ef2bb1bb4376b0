"""What people would call an element: `resolve` the other way round."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pagehand.errors import BlockFailed
from pagehand.page.phrases.resolve import resolve_all
from pagehand.page.phrases.snapshot import Candidate, Snapshot

_LONGEST_NAME: Final = 60
_LONGEST_ROW: Final = 40
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
    """Words that mean an element, and how many elements they mean equally well."""

    words: str
    matches: int


def phrase_for(candidate: Candidate, snapshot: Snapshot) -> Phrase | None:
    """The shortest words that mean this element alone; else those that mean the fewest besides it."""
    found = [phrase for words in _possible(candidate) if (phrase := _tried(words, candidate, snapshot))]
    # every phrase is tried on the page itself: only the resolver knows what it would take it for
    return min(found, key=lambda phrase: phrase.matches, default=None)


def _possible(candidate: Candidate) -> Iterator[str]:
    """Plain first; min keeps the first of equals."""
    noun = _NOUNS.get(candidate.role, "")
    for name in candidate.names:
        if name.is_weak or len(name.text) > _LONGEST_NAME:
            continue
        # in quotes where a word of the name would be read as something else, such as `now`
        for called in (f"{name.text} {noun}".strip(), f'"{name.text}" {noun}'.strip()):
            yield called
            if candidate.row is not None:
                for row_text in candidate.row.texts:
                    if row_text != name.text and 0 < len(row_text) <= _LONGEST_ROW:
                        yield f"{called} in the row of {row_text}"


def _tried(words: str, candidate: Candidate, snapshot: Snapshot) -> Phrase | None:
    try:
        meant = resolve_all(words, snapshot, "anything", None, one=False)
    except BlockFailed:
        return None  # words that the page's own words get in the way of
    places = [item.candidate.place for item in meant]
    return Phrase(words, len(places)) if candidate.place in places else None
