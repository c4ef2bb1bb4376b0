"""Steps that reach and act on a page: open, click, drag, hover, scroll, press a key."""

import re
from typing import Final

from pagehand.instructions.grammar.elements import block_on, locator_of, read_element
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.rules import Rule, Words
from pagehand.instructions.grammar.scene import Scene
from pagehand.instructions.grammar.values import read_address
from pagehand.records import Json

_SCREEN: Final = 800
_WHOLE_PAGE: Final = 1_000_000
_KEY: Final = re.compile(
    r"^(?:the\s+)?(?:enter|return|escape|esc|tab|space|backspace|delete|f5)$"
    r"|\b(?:enter|return|escape|esc|tab|space|backspace|delete|f5)\s+key$|\b(?:enter|escape)$"
    r"|^(?:the\s+)?(?:ctrl|control|alt|shift|cmd|command|meta)(?:\s*\+|$|\s+\w$)",
    re.IGNORECASE,
)


def _navigate(words: Words, scene: Scene) -> Json:
    data: Json = {"url": read_address(words["address"], scene)}
    return {"type": "Navigate", "data": {**data, "newTab": True} if words.get("tab") else data}


class _Mouse:
    """Builds a Mouse block for one action."""

    def __init__(self, action: str) -> None:
        self._action = action

    def __call__(self, words: Words, scene: Scene) -> Json:
        return block_on("Mouse", read_element(words["element"], scene), {"action": self._action})


def _press(words: Words, scene: Scene) -> Json:
    """A click, unless it is a key that is pressed."""
    if _KEY.search(words["element"].strip()):
        raise NotUnderstood(
            words["element"], "keys are pressed in a field: say `type … into … and press Enter`"
        )
    return block_on("Mouse", read_element(words["element"], scene), {"action": "click"})


def _open_element(words: Words, scene: Scene) -> Json:
    if found := re.search(r"\bnew (?:tab|window)\b|^\S+\.\w{2,}(?=[/\s])", words["element"], re.IGNORECASE):
        raise NotUnderstood(found[0], "say `open https://example.com in a new tab`")
    return block_on("Mouse", read_element(words["element"], scene), {"action": "click"})


def _drag(words: Words, scene: Scene) -> Json:
    what, where = read_element(words["element"], scene), read_element(words["target"], scene)
    return block_on("Mouse", what, {"action": "drag", "toLocator": locator_of(where)})


def _hover(words: Words, scene: Scene) -> Json:
    return block_on("Hover", read_element(words["element"], scene, "anything"))


def _scroll_to(words: Words, scene: Scene) -> Json:
    if edge := re.fullmatch(
        r"(?:the )?(?:very )?(top|bottom|end)(?: of (?:the )?page)?", words["element"], re.IGNORECASE
    ):
        y = -_WHOLE_PAGE if edge[1].lower() == "top" else _WHOLE_PAGE
        return {"type": "Mouse", "data": {"action": "scroll", "y": y}}
    return block_on("Mouse", read_element(words["element"], scene, "anything"), {"action": "scroll"})


def _scroll_by(words: Words, scene: Scene) -> Json:  # noqa: ARG001 - every rule is told the scene
    pixels = int(words["pixels"]) if words["pixels"] else _SCREEN
    return {
        "type": "Mouse",
        "data": {"action": "scroll", "y": pixels if words["way"].lower() == "down" else -pixels},
    }


def _press_key(words: Words, scene: Scene) -> Json:  # noqa: ARG001 - as above
    key = {"return": "Enter", "esc": "Escape"}.get(words["key"].lower(), words["key"].capitalize())
    return {"keys": [key]}


ACTING: Final = (
    Rule(
        "go to|open|visit|navigate to|browse to|load",
        r" {address}(?P<tab> in a new tab)?",
        _navigate,
        ("Go to https://example.com/orders", "Open example.com in a new tab", "Visit {{params.site}}"),
    ),
    Rule(
        "open|create",
        r" (?:an?|the) new (?P<tab>tab|window) (?:with|at|for|and go to|and open) {address}",
        _navigate,
        ("Open a new tab with https://example.com",),
    ),
    Rule(
        "click on|click|tap on|tap|follow",
        r" {element}",
        _Mouse("click"),
        ("Click the Submit button", 'Click on "Sign in"', "Follow the Help link", "Click Delete"),
    ),
    Rule("press on|press|push|hit", r" {element}", _press, ("Press Continue",)),
    Rule(
        "open",
        r" (?P<element>.+ (?:link|menu|tab|menu item|section)|"
        r"the .*\b(?:link|record|row|result|item|entry)\b.*)",
        _open_element,
        ("Open the Settings menu", "Open the link in the first row"),
    ),
    Rule(
        "double-?click on|double-?click|double click on|double click",
        r" {element}",
        _Mouse("doubleClick"),
        ("Double-click the Total cell",),
    ),
    Rule(
        "right-?click on|right-?click|right click on|right click",
        r" {element}",
        _Mouse("rightClick"),
        ("Right-click the Report link",),
    ),
    Rule("drag", r" {element} (?:to|onto|on|into) {target}", _drag, ('Drag "Task 1" onto "Done"',)),
    Rule(
        "hover over|hover on|hover|move the mouse to|move the mouse over|point at",
        r" {element}",
        _hover,
        ("Hover over the Products menu",),
    ),
    Rule(
        "scroll down to|scroll up to|scroll to",
        r" {element}",
        _scroll_to,
        ("Scroll to the Reviews section", "Scroll to the bottom of the page"),
    ),
    Rule(
        "scroll",
        r" (?P<way>down|up)(?: by)?(?: (?P<pixels>\d+) ?(?:pixels|px))?",
        _scroll_by,
        ("Scroll down by 400 pixels",),
    ),
    Rule(
        "press|hit",
        r" (?:the )?(?P<key>Enter|Return|Escape|Esc|Tab)(?: key)?",
        _press_key,
        (),
    ),
)
