"""The words people use for kinds of elements, and the roles they stand for."""

from dataclasses import dataclass
from typing import Final

from pagehand.page.phrases.tokens import Tokens

_TEXT: Final = ("textbox", "searchbox", "spinbutton", "combobox")
_ANY_FIELD: Final = (*_TEXT, "listbox", "slider", "file", "checkbox", "radio", "switch")


@dataclass(frozen=True, slots=True)
class RoleWord:
    """What a word like `button` means: roles that are it, and roles that pass for it."""

    word: str
    roles: frozenset[str]
    passing: frozenset[str] = frozenset()

    @property
    def is_generic(self) -> bool:
        """True for words that people use for anything to press or to fill in."""
        return self.word in _GENERIC


def _word(words: str, roles: tuple[str, ...], passing: tuple[str, ...] = ()) -> dict[Tokens, RoleWord]:
    return {
        tuple(word.split()): RoleWord(word, frozenset(roles), frozenset(passing))
        for word in words.split(", ")
    }


_GENERIC: Final = frozenset(("button", "link", "hyperlink", "field", "input", "input field", "dropdown"))

ROLE_WORDS: Final[dict[Tokens, RoleWord]] = {
    **_word("button, push button", ("button",), ("link", "menuitem", "tab", "")),
    **_word("link, hyperlink", ("link",), ("button", "menuitem", "tab", "")),
    **_word("field, input, entry field, input field, form field", _TEXT, ("listbox", "file", "slider")),
    **_word("text field, text box, textbox, text input, text area, textarea", ("textbox",), _TEXT),
    **_word("box, input box", _TEXT, ("checkbox", "switch", "listbox")),
    **_word("search box, searchbox, search field, search bar, search input", ("searchbox",), _TEXT),
    **_word("checkbox, check box, tick box, tickbox", ("checkbox",), ("switch", "menuitemcheckbox")),
    **_word("switch, toggle", ("switch",), ("checkbox", "toggle")),
    **_word("radio, radio button, radiobutton", ("radio",), ("menuitemradio",)),
    **_word("option, choice", ("option", "radio"), ("menuitem", "menuitemradio", "checkbox")),
    **_word(
        "dropdown, drop down, dropdown list, drop down list, select, select box, dropdown menu, "
        "combobox, combo box, picker",
        ("combobox", "listbox"),
        ("menu button", "textbox"),
    ),
    **_word("list box, listbox", ("listbox",), ("combobox",)),
    **_word("list", ("listbox", "combobox")),
    **_word("menu", ("menu button", "combobox"), ("button", "menuitem", "link")),
    **_word("menu item, menu entry", ("menuitem", "menuitemcheckbox", "menuitemradio"), ("link", "option")),
    **_word("tab", ("tab",), ("link", "button")),
    **_word("slider", ("slider",)),
    **_word("spinner, number field, spin button", ("spinbutton",), ("textbox",)),
    **_word("date field, date picker, datepicker, calendar field", ("textbox", "combobox"), ("button",)),
    **_word("password field, password box", ("textbox",)),
    **_word("file field, file input, upload field, file picker", ("file",)),
    **_word("editor, rich text editor", ("textbox",)),
    **_word("icon", ("img", "button", "link"), ("",)),
    **_word("image, picture, photo", ("img",)),
    **_word("heading, headline", ("heading",)),
    **_word("row, table row", ("row",)),
    **_word("control, element", ("button", "link", "tab", "menuitem", *_ANY_FIELD), ("",)),
}
LONGEST: Final = max(len(word) for word in ROLE_WORDS)

# role words that say what is in it as well: `password field` is a field called password
TELLING: Final[dict[Tokens, Tokens]] = {
    ("search", word): ("search",) for word in ("box", "field", "bar", "input")
} | {
    ("searchbox",): ("search",),
    ("password", "field"): ("password",),
    ("password", "box"): ("password",),
    ("date", "field"): ("date",),
    ("date", "picker"): ("date",),
    ("datepicker",): ("date",),
}
