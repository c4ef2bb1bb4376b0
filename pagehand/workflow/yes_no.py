"""Words for yes and no: in cells of sheets and pages, in values for checkboxes, in forms of PDF files."""

from typing import Final

_YES: Final = frozenset(
    ("true", "yes", "y", "on", "1", "checked", "ticked", "ja", "oui", "si", "sí", "sì", "sim", "✓", "✔")
)
_NO: Final = frozenset(
    ("false", "no", "n", "off", "0", "unchecked", "unticked", "nein", "non", "nee", "não", "✗", "✘")
)


def read_yes_no(text: str) -> bool | None:
    """What the text says; None when it is neither, as an empty one is."""
    word = text.strip().casefold()
    return True if word in _YES else False if word in _NO else None
