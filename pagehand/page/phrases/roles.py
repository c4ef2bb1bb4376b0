"""Nouns for kinds of elements, and their ARIA roles."""

from dataclasses import dataclass
from typing import Final

from pagehand.page.phrases.tokens import Tokens

_TEXT: Final = ("textbox", "searchbox", "spinbutton", "combobox")
_ANY_FIELD: Final = (*_TEXT, "listbox", "slider", "file", "checkbox", "radio", "switch")


@dataclass(frozen=True, slots=True)
class RoleNoun:
    """A noun like `button`: the roles it means, and similar roles that are accepted."""

    noun: str
    roles: frozenset[str]
    similar_roles: frozenset[str] = frozenset()

    @property
    def is_generic(self) -> bool:
        """True for nouns that people use for anything to press or to fill in."""
        return self.noun in _GENERIC


def _nouns(nouns: str, roles: tuple[str, ...], similar: tuple[str, ...] = ()) -> dict[Tokens, RoleNoun]:
    return {
        tuple(noun.split()): RoleNoun(noun, frozenset(roles), frozenset(similar))
        for noun in nouns.split(", ")
    }


PICTURED: Final = (
    *("pencil", "trash", "bin", "bell", "gear", "cog", "magnifier", "dots"),
    *("star", "heart", "eye", "printer", "paperclip"),
)
"""What icons show, which people call them by."""
_GENERIC: Final = frozenset(("button", "link", "hyperlink", "field", "input", "input field", "dropdown"))

ROLE_NOUNS: Final[dict[Tokens, RoleNoun]] = {
    **_nouns(
        "button, push button, schaltfläche, knopf, bouton", ("button",), ("link", "menuitem", "tab", "")
    ),
    **_nouns("link, hyperlink, lien", ("link",), ("button", "menuitem", "tab", "")),
    **_nouns(
        "field, input, entry field, input field, form field, feld, eingabefeld, champ",
        _TEXT,
        ("listbox", "file", "slider"),
    ),
    **_nouns(
        "text field, text box, textbox, text input, text area, textarea, textfeld, zone de texte",
        ("textbox",),
        _TEXT,
    ),
    **_nouns("box, input box", _TEXT, ("checkbox", "switch", "listbox")),
    **_nouns(
        "search box, searchbox, search field, search bar, search input, suchfeld, champ de recherche",
        ("searchbox",),
        _TEXT,
    ),
    **_nouns(
        "checkbox, check box, tick box, tickbox, kontrollkästchen, case à cocher, case",
        ("checkbox",),
        ("switch", "menuitemcheckbox"),
    ),
    **_nouns("switch, toggle", ("switch",), ("checkbox", "toggle")),
    **_nouns("radio, radio button, radiobutton", ("radio",), ("menuitemradio",)),
    **_nouns("option, choice", ("option", "radio"), ("menuitem", "menuitemradio", "checkbox")),
    **_nouns(
        "dropdown, drop down, dropdown list, drop down list, select, select box, dropdown menu, "
        "combobox, combo box, picker, filter, auswahl, auswahlliste, auswahlfeld, liste déroulante",
        ("combobox", "listbox"),
        ("menu button", "textbox"),
    ),
    **_nouns("list box, listbox", ("listbox",), ("combobox",)),
    **_nouns("list", ("listbox", "combobox")),
    **_nouns("menu", ("menu button", "combobox"), ("button", "menuitem", "link")),
    **_nouns(
        "menu item, menu entry, menüpunkt, menüeintrag",
        ("menuitem", "menuitemcheckbox", "menuitemradio"),
        ("link", "option"),
    ),
    **_nouns("tab, reiter, registerkarte, onglet", ("tab",), ("link", "button")),
    **_nouns("slider", ("slider",)),
    **_nouns("spinner, number field, spin button", ("spinbutton",), ("textbox",)),
    **_nouns("date field, date picker, datepicker, calendar field", ("textbox", "combobox"), ("button",)),
    **_nouns("password field, password box", ("textbox",)),
    **_nouns("file field, file input, upload field, file picker", ("file",)),
    **_nouns("editor, rich text editor", ("textbox",)),
    **_nouns("page, page number, seite", ("link", "button"), ("",)),
    **_nouns(
        "icon, symbol, arrow, chevron, icône, x, cross, three dots, trash can, magnifying glass, "
        + ", ".join(PICTURED),
        ("img", "button", "link"),
        ("",),
    ),
    **_nouns("card, tile, widget", ("card",)),
    **_nouns("image, picture, photo", ("img",)),
    **_nouns("heading, headline", ("heading",)),
    **_nouns("row, table row, zeile, ligne", ("row",)),
    **_nouns("control, element", ("button", "link", "tab", "menuitem", *_ANY_FIELD), ("",)),
}
MAX_NOUN_WORDS: Final = max(len(noun) for noun in ROLE_NOUNS)

# nouns that include a name: `password field` is a field called password
NAMED_ROLES: Final[dict[Tokens, Tokens]] = {
    ("search", word): ("search",) for word in ("box", "field", "bar", "input")
} | {
    ("searchbox",): ("search",),
    ("password", "field"): ("password",),
    ("password", "box"): ("password",),
    ("date", "field"): ("date",),
    ("date", "picker"): ("date",),
    ("datepicker",): ("date",),
    ("suchfeld",): ("search",),
    ("champ", "de", "recherche"): ("search",),
    **{(word,): (word,) for word in PICTURED},
    ("three", "dots"): ("dots",),
    ("trash", "can"): ("trash",),
    ("magnifying", "glass"): ("magnifier",),
    ("x",): ("close",),
    ("cross",): ("close",),
}
NUMBERED: Final = frozenset(("page", "page number", "seite"))
"""Nouns for what is called by a number alone."""
