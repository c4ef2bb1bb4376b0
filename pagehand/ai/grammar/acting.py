"""Steps that reach and act on a page: open, click, type, choose, tick, upload, hover, scroll."""

import re
from typing import Final

from pagehand.ai.grammar.elements import block_on, input_into, kind_of, locator_of, read_element
from pagehand.ai.grammar.refusal import NotUnderstood
from pagehand.ai.grammar.rules import Rule, Words
from pagehand.ai.grammar.scene import Element, Scene
from pagehand.ai.grammar.values import read_address, read_file, read_last_value, read_value
from pagehand.records import Json

_SCREEN: Final = 800
_WHOLE_PAGE: Final = 1_000_000
_KEYS: Final = frozenset(("enter", "return", "escape", "esc", "tab", "space", "backspace", "delete", "f5"))
_LIST: Final = re.compile(r"\s*(?:,\s*and|,|\band\b)\s+")
_PAIR: Final = re.compile(r"(?P<value>.+?)\s+(?:into|in|to)\s+(?P<field>.+)", re.IGNORECASE)


def _navigate(words: Words, scene: Scene) -> Json:
    data: Json = {"url": read_address(words["address"], scene)}
    return {"type": "Navigate", "data": {**data, "newTab": True} if words.get("tab") else data}


def _mouse(action: str) -> "_Mouse":
    return _Mouse(action)


class _Mouse:
    """Builds a Mouse block for one action."""

    def __init__(self, action: str) -> None:
        self._action = action

    def __call__(self, words: Words, scene: Scene) -> Json:
        key = re.sub(r"^the\s+|\s+key$", "", words["element"].strip().lower())
        if key in _KEYS or re.match(r"(?:ctrl|control|alt|shift|cmd|command|meta)\b\s*\+?", key):
            raise NotUnderstood(
                words["element"], "keys are pressed in a field: say `type … into … and press Enter`"
            )
        return block_on("Mouse", read_element(words["element"], scene), {"action": self._action})


def _open_element(words: Words, scene: Scene) -> Json:
    return block_on("Mouse", read_element(words["element"], scene), {"action": "click"})


def _drag(words: Words, scene: Scene) -> Json:
    what, where = read_element(words["element"], scene), read_element(words["target"], scene)
    return block_on("Mouse", what, {"action": "drag", "toLocator": locator_of(where)})


def _type(words: Words, scene: Scene) -> Json:
    return _filled(_field(words, scene), read_value(words["value"], scene))


def _set(words: Words, scene: Scene) -> Json:
    return _filled(_field(words, scene), read_last_value(words["value"], scene))


def _field(words: Words, scene: Scene) -> Element:
    if re.search(r"\b(?:into|the form)\b", words["field"]):
        written = scene.wording.written(words["field"])
        raise NotUnderstood(written, "name one field; put names and values in quotes")
    field = read_element(words["field"], scene, "field")
    if words["value"].casefold() == field.name.casefold():
        raise NotUnderstood(words["value"], "put it in quotes if this very word is to be typed")
    return field


def _filled(field: Element, value: str) -> Json:
    """The Input block that suits the field."""
    if kind_of(field) == "choice" and field.noun not in ("picker", "list"):
        return input_into(field, "Dropdown", value)
    if kind_of(field) in ("checkbox", "radio", "button", "link"):
        raise NotUnderstood(f"{field.name} {field.noun}", "text cannot be put into it")
    if re.search(r"\bdate\b|\bbirthday\b|\bdate of\b", f"{field.name} {field.noun}", re.IGNORECASE):
        return input_into(field, "Date", value)
    is_secret = (
        re.search(r"passwor[dt]|passcode|\bpin\b|secret", field.name, re.IGNORECASE)
        or value == "{{login.password}}"
    )
    return input_into(field, "SensitiveTextInput" if is_secret else "TextInput", value)


def _type_several(words: Words, scene: Scene) -> Json:
    """Several values into several fields, said in one breath."""
    fields: list[Json] = []
    for part in _LIST.split(words["pairs"]):
        pair = _PAIR.fullmatch(part)
        if pair is None:
            raise NotUnderstood(scene.wording.written(part), "each value needs its field: `… into …`")
        fields.append(_type(Words(value=pair["value"], field=pair["field"]), scene))
    if len(fields) == 1:
        raise NotUnderstood(scene.wording.written(words["pairs"]), "this is one field, not several")
    return {"several": fields}


def _choose(words: Words, scene: Scene) -> Json:
    return input_into(
        read_element(words["field"], scene, "field"), "Dropdown", read_value(words["value"], scene)
    )


def _choose_option(words: Words, scene: Scene) -> Json:
    option = read_element(words["element"], scene)
    if kind_of(option) not in ("radio", "tab", "option"):
        raise NotUnderstood(
            scene.wording.written(words["element"]), "say what it is chosen from: `… from the … list`"
        )
    return block_on("Mouse", option, {"action": "click"})


def _tick(value: str) -> "_Tick":
    return _Tick(value)


class _Tick:
    """Builds an Input block for a checkbox."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __call__(self, words: Words, scene: Scene) -> Json:
        box = read_element(words["element"], scene, "field")
        if kind_of(box) not in ("", "checkbox", "field", "switch", "option"):
            raise NotUnderstood(scene.wording.written(words["element"]), "only a checkbox can be ticked")
        return input_into(box, "Checkbox", self._value)


def _upload(words: Words, scene: Scene) -> Json:
    return input_into(read_element(words["field"], scene, "field"), "File", read_file(words["value"], scene))


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
        "click on|click|press on|press|tap on|tap|follow|push|hit",
        r" {element}",
        _mouse("click"),
        ("Click the Submit button", 'Click on "Sign in"', "Follow the Help link", "Press Continue"),
    ),
    Rule(
        "open",
        r" (?P<element>.+ (?:link|menu|tab|menu item|section))",
        _open_element,
        ("Open the Settings menu",),
    ),
    Rule(
        "double-?click on|double-?click|double click on|double click",
        r" {element}",
        _mouse("doubleClick"),
        ("Double-click the Total cell",),
    ),
    Rule(
        "right-?click on|right-?click|right click on|right click",
        r" {element}",
        _mouse("rightClick"),
        ("Right-click the Report link",),
    ),
    Rule("drag", r" {element} (?:to|onto|on|into) {target}", _drag, ('Drag "Task 1" onto "Done"',)),
    Rule(
        "type|enter|write|put|fill in|fill|insert|input|key in|paste",
        r" {value} (?:into|in|to) {field}",
        _type,
        (
            "Type Ada into the First name field",
            'Enter "42 Main St" in Street',
            "Type {{params.user}} into Username",
            "Type the customer's name from the parameters into the Name field",
        ),
    ),
    Rule(
        "fill in|fill|complete|fill out",
        r" {field} with {value}",
        _set,
        ('Fill in the Comment box with "Thank you"',),
    ),
    Rule(
        "set|change",
        r" {field} to {value}",
        _set,
        ("Set the Arrival date to next Friday", "Set Quantity to 3"),
    ),
    Rule(
        "type|enter|write|put|fill in|insert",
        r" (?P<pairs>.+ (?:into|in) .+(?:,|\band\b).+ (?:into|in) .+)",
        _type_several,
        ("Type Ada into First name and Lovelace into Last name",),
    ),
    Rule(
        "choose|select|pick",
        r" {value} (?:from|in|out of) {field}",
        _choose,
        ("Choose Norway from the Country list", "Select Blue in the Colour dropdown"),
    ),
    Rule("choose|select|pick", r" {element}", _choose_option, ("Select the Express radio button",)),
    Rule(
        "check|tick|mark|enable|switch on|turn on",
        r" {element}",
        _tick("true"),
        ('Tick the box "I accept the terms"', "Check the Newsletter checkbox"),
    ),
    Rule(
        "uncheck|untick|unmark|disable|clear the checkbox|switch off|turn off",
        r" {element}",
        _tick("false"),
        ("Untick Newsletter",),
    ),
    Rule(
        "upload|attach",
        r" {value} (?:into|in|to) {field}",
        _upload,
        ("Upload {{params.contract}} to the Attachment field",),
    ),
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
