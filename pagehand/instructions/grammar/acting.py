"""Steps that reach and act on a page: open, click, drag, hover, scroll, press a key."""

import re
from typing import Final

from pagehand.instructions.grammar.elements import kind_of, locator_of, on_element, read_element
from pagehand.instructions.grammar.places import COUNTED, is_placed
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import read_address, read_count
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.records import Json

_SCREEN_PIXELS: Final = 800
_WHOLE_PAGE_PIXELS: Final = 1_000_000
CLICK: Final = {"action": "click"}
"""The data of a click."""
_KEY: Final = re.compile(
    r"^(?:the )?(?:enter|return|escape|esc|tab|space|backspace|delete|f5)$"
    r"|\bkeys?$|\barrow$|\b(?:enter|escape)$"
    r"|^(?:the )?(?:ctrl|control|alt|shift|cmd|command|meta)(?: ?\+|$| \w$)",
    re.IGNORECASE,
)

_NAMED_PAGE: Final = re.compile(r"the (?P<name>[A-Z][\w&' -]*) (?:page|screen)")
_PLAIN_NAME: Final = re.compile(r"[A-Z][\w'-]*(?: [\w&'-]+){0,2}")
_OPENABLE: Final = re.compile(
    r".+ (?:link|menu|tab|menu item|section)|the .*\b(?:link|record|row|result|item|entry)\b.*",
    re.IGNORECASE | re.DOTALL,
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
    words = slots["element"]
    if found := re.search(r"\bnew (?:tab|window)\b|^\S+\.\w{2,}(?=[/ ])", words, re.IGNORECASE):
        raise NotUnderstood(found[0], "say `open https://example.com in a new tab`")
    if named := _NAMED_PAGE.fullmatch(words):
        return on_element(read_element(named["name"], context), CLICK)
    # anything else after "open" may be a site or a file, which is not on the page
    is_named = context.is_on_page and _PLAIN_NAME.fullmatch(words) is not None
    is_there = words.startswith("the ") and not COUNTED.match(words) and is_placed(words, context)
    if not (is_named or is_there or _OPENABLE.fullmatch(words)):
        raise context.not_understood(words, "an address was expected, such as `https://example.com`")
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


def _scroll_by(slots: Slots, context: ParseContext) -> Json:  # noqa: ARG001 - every frame takes the context
    pixels = round(read_count(slots["pixels"])) if slots["pixels"] else _SCREEN_PIXELS
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
        Frame(
            "(go to|open|visit|navigate to|browse to|load) {address} [{tab:in a new tab}]",
            _navigate,
            ("Go to https://example.com/orders", "Open example.com in a new tab", "Visit {{params.site}}"),
        ),
        Frame(
            "(open|create) (a|an|the) new {tab:tab|window} (with|at|for|and go to|and open) {address}",
            _navigate,
            ("Open a new tab with https://example.com",),
        ),
    ),
)

POINTING: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(click on|click|tap on|tap|follow) {element}",
            _MouseAction("click"),
            ("Click the Submit button", 'Click on "Sign in"', "Follow the Help link", "Click Delete"),
        ),
        Frame("(press on|press|push|hit) {element}", _press, ("Press Continue",)),
        Frame(
            "(open|go to|switch to) {element}",
            _open_element,
            ("Open the Settings menu", "Open the link in the first row"),
        ),
        Frame(
            "(double-click|doubleclick|double click) [on] {element}",
            _MouseAction("doubleClick"),
            ("Double-click the Total cell",),
        ),
        Frame(
            "(right-click|rightclick|right click) [on] {element}",
            _MouseAction("rightClick"),
            ("Right-click the Report link",),
        ),
        Frame("drag {element} (to|onto|on|into) {target}", _drag, ('Drag "Task 1" onto "Done"',)),
        Frame(
            "(scroll down to|scroll up to|scroll to) {element}",
            _scroll_to,
            ("Scroll to the Reviews section", "Scroll to the bottom of the page"),
        ),
        Frame(
            "scroll {way:down|up} [by] [{pixels:<number>} (pixels|px)]",
            _scroll_by,
            ("Scroll down by 400 pixels",),
        ),
        Frame("(choose|select|pick) {element}", _choose_option, ("Select the Express radio button",)),
    ),
)

HOVERING: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(hover over|hover on|hover|move the mouse to|move the mouse over|point at) {element}",
            _hover,
            ("Hover over the Products menu",),
        ),
    ),
)
