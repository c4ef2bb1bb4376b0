"""Conditions: "the Next button is disabled", "the page shows …", "the amount … is over 100"."""

import re
from keyword import iskeyword
from typing import Final

from pagehand.instructions.grammar.elements import locator_of, read_element
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import refuse_negation, refuse_vague_words
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import read_value
from pagehand.instructions.grammar.vocabulary import Element, ParseContext
from pagehand.records import Json

_SHOWN: Final = r"(?:shown|visible|displayed|present|there|on the page|on screen|showing|open)"
_NOT_SHOWN: Final = (
    rf"(?:is|are|becomes?) (?:not|no longer) {_SHOWN}|(?:isn't|aren't) {_SHOWN}"
    r"|is (?:hidden|gone|missing|absent)|(?:has )?disappear(?:s|ed)?|goes away|vanishes"
    r"|does(?: not|n't) (?:appear|exist|show)"
)
_STATES: Final = (
    (_NOT_SHOWN, "hidden"),
    (
        (
            rf"(?:is|are|becomes?) {_SHOWN}|appears?(?: on the page)?|shows up|comes up|exists?"
            r"|has (?:appeared|loaded)"
        ),
        "visible",
    ),
    (
        r"(?:is|becomes?|gets) (?:not enabled|disabled|greyed out|grayed out)|(?:can't|cannot) be clicked",
        "disabled",
    ),
    (r"(?:is|becomes?|gets) (?:enabled|clickable)|can be clicked", "enabled"),
    (r"is (?:not (?:checked|ticked|selected)|unchecked|unticked)", "unchecked"),
    (r"is (?:checked|ticked|selected)", "checked"),
)
_BY_STATE: Final = tuple(
    (re.compile(rf"(?P<element>.+?) (?:{words})", re.IGNORECASE), state) for words, state in _STATES
)
_PAGE_SHOWS: Final = re.compile(
    r"(?:(?:the |this )?page|it) (?P<no>does(?: not|n't) )?(?:shows?|says?|contains?|displays?|has|"
    rf"reads?) (?:the (?:text|words|message) )?(?P<text>{TOKEN}|[A-Z].*)"
)
_THERE_IS: Final = re.compile(
    r"there (?:is|are) (?P<no>no |not )?(?:an? |the )?(?P<element>.+?)(?: on (?:the )?page| shown)?",
    re.IGNORECASE,
)
_YOU_SEE: Final = re.compile(
    r"(?:you|i|we) (?P<no>(?:do not|don't) )?(?:see|get) (?P<element>.+)", re.IGNORECASE
)
_ADDRESS: Final = re.compile(
    rf"the (?:address|url) (?:contains|has|includes|matches|is) (?P<part>{TOKEN}|\S+)", re.IGNORECASE
)
_CONTAINS: Final = re.compile(
    rf"(?P<element>the .+?|{TOKEN}) (?:contains|says|shows|reads) (?P<text>{TOKEN})", re.IGNORECASE
)
_COMPARED: Final = re.compile(
    r"(?P<value>.+?) (?:is )?(?P<how>more than|greater than|larger than|higher than|over|above|"
    r"exceeds|less than|smaller than|lower than|below|under|"
    r"at least|at most|no more than|not equal to|equal to|equals|is not|is) (?P<other>.+)",
    re.IGNORECASE | re.DOTALL,
)
_OPERATORS: Final = {
    "more than": ">", "higher than": ">", "exceeds": ">", "lower than": "<", "no more than": "<=",
    "greater than": ">", "larger than": ">", "over": ">", "above": ">", "less than": "<",
    "smaller than": "<", "below": "<", "under": "<", "at least": ">=", "at most": "<=", "equal to": "==",
    "equals": "==", "is": "==", "not equal to": "!=", "is not": "!=",
}  # fmt: skip


def read_condition(text: str, context: ParseContext) -> Json:
    """The condition in a clause."""
    words = re.sub(r"^that (?=\w+ )", "", text.strip(), flags=re.IGNORECASE)
    words = re.sub(r" (?:is|are|has) already ", lambda found: found[0].replace(" already", ""), words)
    # the order matters: "the address contains …" could also be an element called address
    for read in (_about_address, _about_page, _about_value, _by_state):
        if (condition := read(words, context)) is not None:
            return condition
    raise context.not_understood(
        words,
        "as a condition it should say whether something `is shown`, `is hidden`, `is enabled`, `is checked`, "
        "or what `the page shows`",
    )


def _about_page(words: str, context: ParseContext) -> Json | None:
    if found := _PAGE_SHOWS.fullmatch(words):
        token = context.literals.token(found["text"])
        text = token.value if token else context.literals.unmask(found["text"])
        context.last_element = Element(text)
        return {"element": {"text": text}, "state": "hidden" if found["no"] else "visible"}
    if found := _YOU_SEE.fullmatch(words):
        element = read_element(found["element"], context, "anything")
        return {"element": locator_of(element), "state": "hidden" if found["no"] else "visible"}
    if found := _THERE_IS.fullmatch(words):
        element = read_element(f"the {found['element']}", context, "anything")
        return {"element": locator_of(element), "state": "hidden" if found["no"] else "visible"}
    if found := _CONTAINS.fullmatch(words):
        element, value = (
            read_element(found["element"], context, "anything"),
            read_value(found["text"], context),
        )
        return {"element": locator_of(element), "state": "textContains", "value": value}
    return None


def _about_address(words: str, context: ParseContext) -> Json | None:
    if (found := _ADDRESS.fullmatch(words)) is None:
        return None
    refuse_vague_words(found["part"])
    refuse_negation(found["part"])
    token = context.literals.token(found["part"])
    return {"url": token.value if token else found["part"]}


def _about_value(words: str, context: ParseContext) -> Json | None:
    """A comparison of a parameter or an item with a number or quoted text."""
    found = _COMPARED.fullmatch(words)
    if found is None or any(pattern.fullmatch(words) for pattern, _ in _BY_STATE):
        return None
    value = re.fullmatch(r"\{\{([\w.-]+)\}\}", _template(found["value"], context))
    if value is None:
        return None
    token = context.literals.token(found["other"])
    if token is not None and token.kind == "quoted":
        other = repr(token.value)
    elif (number := _number(context.literals.unmask(found["other"]))) is not None:
        other = number
    else:
        raise context.not_understood(found["other"], "compare with a number or with quoted text")
    sign = _OPERATORS[" ".join(found["how"].lower().split())]
    return {"expression": f"{_as_python(value[1])} {sign} {other}"}


def _number(text: str) -> str | None:
    """A number in figures, without the sign of its currency; `1,250` has a mark between thousands."""
    bare = re.sub(r"^[$€£] ?| ?(?:[$€£]|EUR|USD|GBP|CHF)$", "", text.strip())
    bare = re.sub(r"(?<=\d),(?=\d{3}\b)", "", bare)
    return bare if re.fullmatch(r"-?\d+(?:\.\d+)?", bare) else None


def _as_python(path: str) -> str:
    """A template's path as Python reads it: `params.unit-price` would be a subtraction there."""
    name, *parts = path.split(".")
    return name + "".join(map(_step, parts))


def _step(part: str) -> str:
    if part.isdecimal():
        return f"[{int(part)}]"
    return f".{part}" if part.isidentifier() and not iskeyword(part) else f"[{part!r}]"


def _template(text: str, context: ParseContext) -> str:
    try:
        return read_value(text, context)
    except NotUnderstood:
        return ""  # not a value, so the clause must be about an element


def _by_state(words: str, context: ParseContext) -> Json | None:
    for pattern, state in _BY_STATE:
        if found := pattern.fullmatch(words):
            return {
                "element": locator_of(read_element(found["element"], context, "anything")),
                "state": state,
            }
    return None
