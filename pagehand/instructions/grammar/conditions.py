"""When something is so: "the Next button is disabled", "the page shows …", "the amount … is over 100"."""

import re
from keyword import iskeyword
from typing import Final

from pagehand.instructions.grammar.elements import locator_of, read_element
from pagehand.instructions.grammar.names import refuse_negation, refuse_open_words
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.scene import Element, Scene
from pagehand.instructions.grammar.values import read_value
from pagehand.instructions.grammar.wording import ATOM
from pagehand.records import Json

_SHOWN: Final = r"(?:shown|visible|displayed|present|there|on the page|on screen|showing|open)"
_NOT_SHOWN: Final = (
    rf"(?:is|are|becomes?) (?:not|no longer) {_SHOWN}|(?:isn't|aren't) {_SHOWN}"
    r"|is (?:hidden|gone|missing|absent)|disappears?|goes away|vanishes|does(?: not|n't) (?:appear|"
    r"exist|show)"
)
_STATES: Final = (
    (_NOT_SHOWN, "hidden"),
    (rf"(?:is|are|becomes?) {_SHOWN}|appears?(?: on the page)?|shows up|comes up|exists?", "visible"),
    (
        r"(?:is|becomes?|gets) (?:not enabled|disabled|greyed out|grayed out)|(?:can't|cannot) be clicked",
        "disabled",
    ),
    (r"(?:is|becomes?|gets) (?:enabled|clickable)|can be clicked", "enabled"),
    (r"is (?:not (?:checked|ticked|selected)|unchecked|unticked)", "unchecked"),
    (r"is (?:checked|ticked|selected)", "checked"),
)
_BY_STATE: Final = tuple(
    (re.compile(rf"(?P<element>.+?)\s+(?:{words.replace(' ', chr(92) + 's+')})", re.IGNORECASE), state)
    for words, state in _STATES
)
_PAGE_SHOWS: Final = re.compile(
    r"(?:(?:the |this )?page|it) (?P<no>does(?: not|n't) )?(?:shows?|says?|contains?|displays?|has|"
    rf"reads?) (?:the (?:text|words|message) )?(?P<text>{ATOM}|[A-Z].*)"
)
_THERE_IS: Final = re.compile(
    r"there (?:is|are) (?P<no>no |not )?(?:an? |the )?(?P<element>.+?)(?: on (?:the )?page| shown)?",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(
    rf"the (?:address|url) (?:contains|has|includes|matches|is) (?P<part>{ATOM}|\S+)", re.IGNORECASE
)
_CONTAINS: Final = re.compile(
    rf"(?P<element>the .+?|{ATOM}) (?:contains|says|shows|reads) (?P<text>{ATOM})", re.IGNORECASE
)
_COMPARED: Final = re.compile(
    r"(?P<value>.+?) (?:is )?(?P<how>more than|greater than|larger than|over|above|less than|"
    r"smaller than|below|under|"
    r"at least|at most|not equal to|equal to|equals|is not|is) (?P<other>.+)",
    re.IGNORECASE,
)
_OPERATORS: Final = {
    "more than": ">", "greater than": ">", "larger than": ">", "over": ">", "above": ">", "less than": "<",
    "smaller than": "<", "below": "<", "under": "<", "at least": ">=", "at most": "<=", "equal to": "==",
    "equals": "==", "is": "==", "not equal to": "!=", "is not": "!=",
}  # fmt: skip


def read_condition(text: str, scene: Scene) -> Json:
    """The condition that a clause means."""
    words = re.sub(r"^that\s+", "", text.strip(), flags=re.IGNORECASE)
    # the order matters: "the address contains …" would else be an element called address
    for read in (_about_address, _about_page, _about_value, _by_state):
        if (condition := read(words, scene)) is not None:
            return condition
    raise NotUnderstood(
        scene.wording.written(words),
        "as a condition it should say whether something `is shown`, `is hidden`, `is enabled`, `is checked`, "
        "or what `the page shows`",
    )


def _about_page(words: str, scene: Scene) -> Json | None:
    if found := _PAGE_SHOWS.fullmatch(words):
        atom = scene.wording.atom(found["text"])
        text = atom.value if atom else scene.wording.plain(found["text"])
        scene.last = Element(text)
        return {"element": {"text": text}, "state": "hidden" if found["no"] else "visible"}
    if found := _THERE_IS.fullmatch(words):
        element = read_element(f"the {found['element']}", scene, "anything")
        return {"element": locator_of(element), "state": "hidden" if found["no"] else "visible"}
    if found := _CONTAINS.fullmatch(words):
        element, value = read_element(found["element"], scene, "anything"), read_value(found["text"], scene)
        return {"element": locator_of(element), "state": "textContains", "value": value}
    return None


def _about_address(words: str, scene: Scene) -> Json | None:
    if (found := _ADDRESS.fullmatch(words)) is None:
        return None
    refuse_open_words(found["part"])
    refuse_negation(found["part"])
    atom = scene.wording.atom(found["part"])
    return {"url": atom.value if atom else found["part"]}


def _about_value(words: str, scene: Scene) -> Json | None:
    """A comparison of a parameter or an item with a number or quoted text."""
    if (found := _COMPARED.fullmatch(words)) is None:
        return None
    value = re.fullmatch(r"\{\{([\w.-]+)\}\}", _template(found["value"], scene))
    if value is None:
        return None
    atom = scene.wording.atom(found["other"])
    if atom is not None and atom.kind == "quoted":
        other = repr(atom.value)
    elif re.fullmatch(r"-?\d+(?:\.\d+)?", found["other"].strip()):
        other = found["other"].strip()
    else:
        raise NotUnderstood(
            scene.wording.written(found["other"]), "compare with a number or with quoted text"
        )
    sign = _OPERATORS[" ".join(found["how"].lower().split())]
    return {"expression": f"{_as_python(value[1])} {sign} {other}"}


def _as_python(path: str) -> str:
    """A template's path as Python reads it: `params.unit-price` would be a subtraction there."""
    name, *parts = path.split(".")
    return name + "".join(map(_step, parts))


def _step(part: str) -> str:
    if part.isdecimal():
        return f"[{int(part)}]"
    return f".{part}" if part.isidentifier() and not iskeyword(part) else f"[{part!r}]"


def _template(text: str, scene: Scene) -> str:
    try:
        return read_value(text, scene)
    except NotUnderstood:
        return ""  # it is not a value, so the clause must be about an element


def _by_state(words: str, scene: Scene) -> Json | None:
    for pattern, state in _BY_STATE:
        if found := pattern.fullmatch(words):
            return {"element": locator_of(read_element(found["element"], scene, "anything")), "state": state}
    return None
