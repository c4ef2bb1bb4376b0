"""The rules all page readers share: `dom.js` says what is shown, what it is called, what text is in it."""

from typing import Final

from pagehand.javascript import load_script

DOM: Final = load_script(__file__, "dom")
"""A function that makes the object of those rules, for one program in one frame."""


def on_dom(reader: str) -> str:
    """The JavaScript function `(dom, …) => …` as a function of its other arguments."""
    return f"(...given) => ({reader})(({DOM})(), ...given)"
