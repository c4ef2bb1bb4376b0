"""Conditions: "the Next button is disabled", "the page shows …", "the amount … is over 100"."""

import re
from keyword import iskeyword
from typing import Final

from pagehand.instructions.grammar.elements import locator_of, read_element
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import refuse_negation, refuse_unclear, refuse_vague_words
from pagehand.instructions.grammar.reading import read_before
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import read_reference, read_value
from pagehand.instructions.grammar.vocabulary import Element, ParseContext
from pagehand.records import Json
from pagehand.workflow.words import by_word

_SHOWN: Final = r"(?:shown|visible|displayed|present|there|on the page|on screen|showing|open)"
_NOT_SHOWN: Final = (
    rf"(?:is|are|becomes?) (?:not|no longer) {_SHOWN}|(?:isn't|aren't) {_SHOWN}"
    r"|(?:is|has) (?:hidden|gone|missing|absent)(?: away)?|(?:has )?disappear(?:s|ed)?|goes away|vanishes"
    r"|does(?: not|n't) (?:appear|exist|show)"
)
_STATES: Final = (
    (_NOT_SHOWN, "hidden"),
    (
        (
            rf"(?:is|are|becomes?) {_SHOWN}|appears?(?: on the page)?|shows up|(?<={TOKEN} )shows"
            rf"|comes up|pops up|exists?|can be seen|ha(?:s|ve) (?:appeared|loaded|opened|popped up"
            rf"|finished loading)|(?:is|are) (?:fully )?loaded|loads?"
        ),
        "visible",
    ),
    (
        (
            r"(?:is|becomes?|gets) (?:not (?:enabled|active|clickable)|inactive|disabled|greyed out|grayed "
            r"out)|(?:can't|cannot) be clicked"
        ),
        "disabled",
    ),
    (r"(?:is|becomes?|gets) (?:enabled|clickable|active)|can be clicked", "enabled"),
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
    rf"(?:the|its) (?:page )?(?:address|url|link)(?: bar)?(?: of the page)? (?:contains|has|includes|matches|"
    rf"is) (?P<part>{TOKEN}|\S+)",
    re.IGNORECASE,
)
_CONTAINS: Final = re.compile(
    rf"(?P<element>the .+?|{TOKEN}) (?:contains|says|shows|reads) (?P<text>{TOKEN})", re.IGNORECASE
)
_OPERATORS: Final = by_word(
    {
        ">": "more than|greater than|larger than|bigger than|higher than|over|above|exceeds",
        "<": "less than|fewer than|smaller than|lower than|below|under",
        ">=": "at least",
        "<=": "at most|no more than",
        "!=": "not equal to|is not|isn't",
        "==": "equal to|equals|is|are|says|reads",
    }
)
_COMPARED: Final = re.compile(
    rf"(?P<value>.+?) (?:is |are )?(?P<how>{'|'.join(_OPERATORS)}) (?P<other>.+)", re.IGNORECASE | re.DOTALL
)


_LOADS: Final = (
    r"(?:ha(?:s|ve) |is |are |finish(?:es|ed) |is done )?(?:fully |completely |finished )?"
    r"(?:loads?|loaded|loading|ready|opens?|opened|appears?|appeared|changes|shown|there|displayed)"
)
_PAGE: Final = r"(?:(?:the|this|that) )?(?:[\w-]+ ){0,3}(?:page|site|website|screen|portal)(?: with [\w -]+)?"
_PAGE_LOADS: Final = re.compile(
    rf"{_PAGE} {_LOADS}|(?:it|everything|all of it) (?:has |is )?(?:fully |completely |finished |done )?"
    rf"(?:loads|loaded|loading|ready)|(?:fully )?loaded",
    re.IGNORECASE,
)
_CONTENT_LOADS: Final = re.compile(
    rf"(?:the )?(?:search |new )?(?:results?|results page|list|data|content|contents|entries|records|rows"
    rf"|items|search results|result list|list of [a-z]+) {_LOADS}",
    re.IGNORECASE,
)
_ANY_OF_ROLE: Final = re.compile(
    rf"(?:the|an?) (?:[a-z]+ )?(?P<role>table|dialog)(?: box)? {_LOADS}|(?:the|an?) (?:[a-z]+ "
    rf")?(?P<popup>pop-?up|modal) {_LOADS}",
    re.IGNORECASE,
)
_BECOMES: Final = re.compile(
    rf"the (?:[a-z]+ ){{0,2}}(?:status|state) (?:is|says|shows|becomes|changes to|has changed to|"
    rf"turns to) (?P<text>{TOKEN}|(?-i:[A-Z])[\w-]*)",
    re.IGNORECASE,
)
# what a page says of something: a condition on it reads it first
_ATTRIBUTE: Final = re.compile(
    r"the (?:[\w'-]+ ){0,3}(?:status|state|type|category|country|currency|role|priority|stage|language"
    r"|plan|department|city|level|class|grade|number|total|subtotal|amount|balance|price|sum|quantity"
    r"|stock|count|score|age|weight|hours|days|fee|cost|costs|rate|percentage|discount|tax|vat|limit"
    r"|salary|budget|premium|name|title|result)",
    re.IGNORECASE,
)
_MEASURED: Final = re.compile(
    r"the (?!page|list|table|file|queue|.* param)(?:[a-z][a-z-]+ ){0,3}[a-z][a-z-]+ (?:is (?:more"
    r"|greater|larger|bigger|higher|less"
    r"|smaller|lower|over|above|below|under|at)\b|exceeds ).*",
    re.DOTALL,
)
_TEMPLATE: Final = re.compile(r"\{\{([\w.-]+)\}\}")
_FALSE: Final = frozenset(("empty", "missing", "not given", "not set", "false"))
_TRUE: Final = frozenset(("given", "set", "true"))
_FIELD_IS: Final = re.compile(
    rf"(?P<field>(?:the )?(?:.+ (?:field|box|input)|(?:field|box|input) .+)) (?:is|equals) "
    rf"(?P<value>empty|blank|{TOKEN})",
    re.IGNORECASE,
)
_PLAIN_TEXT: Final = re.compile(r"[A-Z][\w'-]*(?: [\w'-]+){0,3}")


def what_loads(text: str) -> str:
    """`page` or `content` for a condition that these are there, which every block waits for by itself."""
    words = text.strip()
    loads = "page" if _PAGE_LOADS.fullmatch(words) else "content" if _CONTENT_LOADS.fullmatch(words) else ""
    if loads:
        refuse_negation(words)
        refuse_vague_words(
            re.sub(r"^(?:it|this|that|everything|all of it)\b", "", words, flags=re.IGNORECASE)
        )
    return loads


def read_awaited(text: str, context: ParseContext) -> Json:
    """The condition that is waited for: until then any table or dialog will do."""
    if found := _ANY_OF_ROLE.fullmatch(text.strip()):
        return {"element": {"role": (found["role"] or "dialog").lower()}, "state": "visible"}
    if found := _BECOMES.fullmatch(text.strip()):
        return {"element": {"text": read_value(found["text"], context), "strict": True}, "state": "visible"}
    return read_condition(text, context)


def read_condition(text: str, context: ParseContext, reads: list[Json] | None = None) -> Json:
    """The condition in a clause; blocks that have to read something for it first are added to `reads`."""
    words = re.sub(r"^that (?=\w+ )", "", text.strip(), flags=re.IGNORECASE)
    words = re.sub(r" (?:is|are|has) already ", lambda found: found[0].replace(" already", ""), words)
    if reads is not None and (condition := _about_attribute(words, context, reads)) is not None:
        return condition
    # the order matters: "the address contains …" could also be an element called address
    for read in (_about_pair, _about_address, _about_field, _about_page, _about_value, _by_state):
        if (condition := read(words, context)) is not None:
            return condition
    raise NotUnderstood(
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
    there = _THERE_IS.fullmatch(words)
    if found := there or _YOU_SEE.fullmatch(words):
        element = read_element(f"{'the ' if there else ''}{found['element']}", context, "anything")
        return {"element": locator_of(element), "state": "hidden" if found["no"] else "visible"}
    if found := _CONTAINS.fullmatch(words):
        element = read_element(found["element"], context, "anything")
        value = read_value(found["text"], context)
        return {"element": locator_of(element), "state": "textContains", "value": value}
    return None


def _about_field(words: str, context: ParseContext) -> Json | None:
    if (found := _FIELD_IS.fullmatch(words)) is None:
        return None
    token = context.literals.token(found["value"])
    locator = locator_of(read_element(found["field"], context, "field"))
    return {"element": locator, "state": "valueEquals", "value": token.value if token else ""}


def _about_address(words: str, context: ParseContext) -> Json | None:
    if (found := _ADDRESS.fullmatch(words)) is None:
        return None
    refuse_unclear(found["part"])
    token = context.literals.token(found["part"])
    return {"url": token.value if token else found["part"]}


_PAIR: Final = re.compile(
    r"(?:they|both|the two|both values|(?:the |these |those )?(?:two )?(?:values|numbers|amounts|totals))"
    r"(?: (?P<differ>differ|are different|(?:do not|don't) match|are not (?:equal|the same|identical)|"
    r"aren't (?:equal|the same|identical))| (?:match|agree|are equal|are the same|are identical))",
    re.IGNORECASE,
)


def _about_pair(words: str, context: ParseContext) -> Json | None:
    """Both values that were read last: "if they differ"."""
    found = _PAIR.fullmatch(words)
    if found is None:
        return None
    if len(context.read_values.pair) != 2:  # noqa: PLR2004 - both
        raise NotUnderstood(words, "say which two values: `if the total is not the subtotal`")
    one, other = (_as_python(value.strip("{}")) for value in context.read_values.pair)
    return {"expression": f"{one} {'!=' if found['differ'] else '=='} {other}"}


def _about_value(words: str, context: ParseContext) -> Json | None:
    """A comparison of a parameter or an item with a number or quoted text."""
    found = _COMPARED.fullmatch(words)
    if found is None or any(pattern.fullmatch(words) for pattern, _ in _BY_STATE):
        return None
    value = _TEMPLATE.fullmatch(_template(found["value"], context))
    if value is None:
        return None
    if found["other"].lower() in _FALSE | _TRUE:
        is_positive = (found["how"].lower() == "is") == (found["other"].lower() in _TRUE)
        return {"expression": f"{'' if is_positive else 'not '}{_as_python(value[1])}"}
    return _comparison(value[1], found, context)


def _comparison(path: str, found: re.Match[str], context: ParseContext) -> Json:
    other, token = found["other"], context.literals.token(found["other"])
    sign = _OPERATORS[" ".join(found["how"].lower().split())]
    reference = token.value if token is not None else read_reference(other, context)
    if reference and (template := _TEMPLATE.fullmatch(reference)):
        return {"expression": f"{_as_python(path)} {sign} {_as_python(template[1])}"}
    if (number := _number(context.literals.unmask(other))) is not None and (
        token is None or token.kind != "quoted"
    ):
        return {"expression": f"{_as_python(path)} {sign} {number}"}
    # "is Germany": a name; what "is over the limit" compares with is not said
    is_text = (token is not None and token.kind == "quoted") or _PLAIN_TEXT.fullmatch(other) is not None
    if not is_text or sign not in ("==", "!="):
        raise NotUnderstood(other, "compare with a number or with quoted text")
    return {"expression": f"{_as_python(path)} {sign} {read_value(other, context)!r}"}


def _about_attribute(words: str, context: ParseContext, reads: list[Json]) -> Json | None:
    """A comparison of what the page says of something, which is read for it: "the balance is below 50"."""
    found = _COMPARED.fullmatch(words)
    is_known = found is not None and _template(found["value"], context).startswith("{{")
    if found is None or is_known or context.is_in_loop:
        return None
    # "the excess is over 500": what is more or less than a number is a value
    is_measured = _MEASURED.fullmatch(words) is not None and _number(found["other"]) is not None
    if not (_ATTRIBUTE.fullmatch(found["value"]) or is_measured):
        return None
    block, path = read_before(found["value"], context)
    reads.append(block)
    return _comparison(path, found, context)


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
            element = read_element(found["element"], context, "anything")
            return {"element": locator_of(element), "state": state}
    return None
