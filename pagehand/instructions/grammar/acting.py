"""Steps that reach and act on a page: open, click, drag, hover, scroll, press a key."""

import re
from typing import Final

from pagehand.instructions.grammar.elements import kind_of, locator_of, on_element, read_element
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import read_address
from pagehand.instructions.grammar.vocabulary import ParseContext, Rule, Sentences, Slots
from pagehand.records import Json

_SCREEN_PIXELS: Final = 800
_WHOLE_PAGE_PIXELS: Final = 1_000_000
CLICK: Final = {"action": "click"}
"""The data of a click."""
_KEY: Final = re.compile(
    r"^(?:the )?(?:enter|return|escape|esc|tab|space|backspace|delete|f5)$"
    r"|\b(?:enter|return|escape|esc|tab|space|backspace|delete|f5) key$|\b(?:enter|escape)$"
    r"|^(?:the )?(?:ctrl|control|alt|shift|cmd|command|meta)(?: ?\+|$| \w$)",
    re.IGNORECASE,
)


def _navigate(slots: Slots, context: ParseContext) -> Json:
    data: Json = {"url": read_address(slots["address"], context)}
    return {"data": {**data, "newTab": True} if slots.get("tab") else data}


class _MouseAction:
    """Builds a block for one action of the mouse."""

    def __init__(self, action: str) -> None:
        self._action = action

    def __call__(self, slots: Slots, context: ParseContext) -> Json:
        return on_element(read_element(slots["element"], context), {"action": self._action})


def _press(slots: Slots, context: ParseContext) -> Json:
    """A click, unless it is a key that is pressed."""
    # "press Enter" would else look for a button called Enter
    if _KEY.search(slots["element"].strip()):
        raise NotUnderstood(
            slots["element"], "keys are pressed in a field: say `type … into … and press Enter`"
        )
    return on_element(read_element(slots["element"], context), CLICK)


def _open_element(slots: Slots, context: ParseContext) -> Json:
    if found := re.search(r"\bnew (?:tab|window)\b|^\S+\.\w{2,}(?=[/ ])", slots["element"], re.IGNORECASE):
        raise NotUnderstood(found[0], "say `open https://example.com in a new tab`")
    return on_element(read_element(slots["element"], context), CLICK)


def _drag(slots: Slots, context: ParseContext) -> Json:
    what, where = read_element(slots["element"], context), read_element(slots["target"], context)
    return on_element(what, {"action": "drag", "toLocator": locator_of(where)})


def _hover(slots: Slots, context: ParseContext) -> Json:
    return on_element(read_element(slots["element"], context, "anything"))


def _scroll_to(slots: Slots, context: ParseContext) -> Json:
    if edge := re.fullmatch(
        r"(?:the )?(?:very )?(top|bottom|end)(?: of (?:the )?page)?", slots["element"], re.IGNORECASE
    ):
        y = -_WHOLE_PAGE_PIXELS if edge[1].lower() == "top" else _WHOLE_PAGE_PIXELS
        return {"data": {"action": "scroll", "y": y}}
    return on_element(read_element(slots["element"], context, "anything"), {"action": "scroll"})


def _scroll_by(slots: Slots, context: ParseContext) -> Json:  # noqa: ARG001 - every rule takes the context
    pixels = int(slots["pixels"]) if slots["pixels"] else _SCREEN_PIXELS
    return {"data": {"action": "scroll", "y": pixels if slots["way"].lower() == "down" else -pixels}}


def _choose_option(slots: Slots, context: ParseContext) -> Json:
    option = read_element(slots["element"], context)
    if kind_of(option) not in ("radio", "tab", "option"):
        raise context.not_understood(slots["element"], "say what it is chosen from: `… from the … list`")
    return on_element(option, CLICK)


_HEADING: Final = "Reaching and acting on a page"

OPENING: Final = Sentences(
    _HEADING,
    (
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
    ),
)

POINTING: Final = Sentences(
    _HEADING,
    (
        Rule(
            "click on|click|tap on|tap|follow",
            r" {element}",
            _MouseAction("click"),
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
            _MouseAction("doubleClick"),
            ("Double-click the Total cell",),
        ),
        Rule(
            "right-?click on|right-?click|right click on|right click",
            r" {element}",
            _MouseAction("rightClick"),
            ("Right-click the Report link",),
        ),
        Rule("drag", r" {element} (?:to|onto|on|into) {target}", _drag, ('Drag "Task 1" onto "Done"',)),
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
        Rule("choose|select|pick", r" {element}", _choose_option, ("Select the Express radio button",)),
    ),
)

HOVERING: Final = Sentences(
    _HEADING,
    (
        Rule(
            "hover over|hover on|hover|move the mouse to|move the mouse over|point at",
            r" {element}",
            _hover,
            ("Hover over the Products menu",),
        ),
    ),
)
