"""The rules all page scripts share: `dom.js` decides what is visible, and gives names, texts and roles."""

from typing import Final

from pagehand.javascript import load_script

_CORE: Final = load_script(__file__, "dom_core")
DOM: Final = f"() => ({load_script(__file__, 'dom')})(({_CORE})())"
"""A function that returns the object of those rules, for one script in one frame."""


def on_dom(script: str) -> str:
    """The JavaScript function `(dom, …) => …` as a function of its other arguments."""
    return f"(...given) => ({script})(({DOM})(), ...given)"


def on_dom_core(script: str) -> str:
    """The same with only visibility and the tree: much less to send for scripts that run at every step."""
    return f"(...given) => ({script})(({_CORE})(), ...given)"
