"""The order of steps and where they are done: before, after, once, to what end, in which row."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Final

from pagehand.instructions.grammar.acting import PURPOSES
from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.documents import NAMING
from pagehand.instructions.grammar.elements import kind_of, read_element
from pagehand.instructions.grammar.filling import OPTIONS
from pagehand.instructions.grammar.flow import HEADING, as_steps, read_inner, several
from pagehand.instructions.grammar.frames import tokenize
from pagehand.instructions.grammar.lexicon import PARTICIPLES, VERBS
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import refuse_negation, refuse_unclear, refuse_vague_words
from pagehand.instructions.grammar.places import AREA, is_placed, read_place
from pagehand.instructions.grammar.politeness import limits_steps
from pagehand.instructions.grammar.refusal import NotUnderstood, OtherFrame
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.instructions.grammar.waiting import WAITING_FOR, WAITING_FOR_CAPTCHA, wait_until
from pagehand.records import Json


def _in_order(slots: Slots, context: ParseContext) -> Json:
    texts = ((name, slots[name]) for name in ("first", "steps", "last") if slots[name])
    parts = (text if name == "steps" else as_steps(text, context) for name, text in texts)
    return several(*(block for part in parts for block in read_inner(part, context)))


def _passive(slots: Slots, context: ParseContext) -> Json:
    """What is said to be done is done: "Amount is set to 5" as "set Amount to 5"."""
    if not context.vocabulary.declares(tokenize(f"{slots['what']} {slots['be']} {slots['done']}")):
        raise OtherFrame("begin with a verb: `click …`")
    verb = PARTICIPLES[slots["done"].lower()]
    # "the Terms checkbox is ticked" says how things are
    if slots["be"].lower() in ("is", "are") and (verb in _STATES or (not slots["rest"] and verb in _CHOOSE)):
        raise OtherFrame("begin with a verb: `tick …`")
    particle = _PARTICLE.match(slots["rest"])
    rest = slots["rest"]
    if particle:
        verb, rest = f"{verb} {particle[1]}", rest[particle.end() :]
    what = re.sub(r"^The ", "the ", slots["what"])
    return several(*read_inner(f"{verb} {what} {rest}".strip(), context, one=True))


def _goes_into(slots: Slots, context: ParseContext) -> Json:
    """As in "the total goes into the Amount field"."""
    value = re.sub(r"^The ", "the ", slots["value"])
    return several(*read_inner(f"type {value} into {slots['field']}", context, one=True))


def _should_be(slots: Slots, context: ParseContext) -> Json:
    """The value a field is to have; only what is called like one is a field, and not "the total"."""
    field, value = slots["field"], slots["value"]
    value, *others = re.split(r"(?:, and|,| and) (?=(?:the )?[A-Z])", value)
    more = [_BESIDE.fullmatch(other) for other in others]
    if not all(more):
        raise OtherFrame("say `set … to …`")
    is_value = re.fullmatch(rf"{TOKEN}|[A-Z\d].*", value, re.DOTALL)
    is_field = re.fullmatch(
        r"(?:[Tt]he )?(?!The )[A-Z][^,;:]*|[Tt]he .* (?:field|box|dropdown|list)"
        r"|(?:the )?(?:user ?name|user id|password|e-?mail(?: address)?)",
        field,
    )
    if (
        context.vocabulary.starts_step(tokenize(field))
        or not is_field
        or not is_value
        or (slots["be"].lower() == "is" and not re.fullmatch(rf"{TOKEN}|(?=\D*+\d)\S++", value))
    ):
        raise OtherFrame("say `set … to …`")
    bare = re.sub(r"^The ", "the ", field)
    pairs = "".join(f" and {pair['field']} to {pair['value']}" for pair in more if pair)
    return several(*read_inner(f"set {bare} to {value}{pairs}", context, one=True))


def _copy_over(slots: Slots, context: ParseContext) -> Json:
    """What the page shows is read and typed: "copy the fee into the Amount field"."""
    if re.search(
        r"\b(?:file|document|attachment|picture|image|row|field|box|link|page|to|into)s?\b", slots["what"]
    ):
        raise OtherFrame("say `read …, then type it into …`")
    return several(
        *read_inner(f"read {slots['what']}", context, one=True),
        *read_inner(f"type it into {slots['field']}", context, one=True),
    )


_STATES: Final = frozenset(
    ("tick", "check", "untick", "uncheck", "mark", "enable", "disable", "open", "close", "activate", "turn")
)
_PARTICLE: Final = re.compile(r"(in|out|on|off|up|down)(?: |$)(?!the\b|an?\b)", re.IGNORECASE)
# "Start should be 5 and End 7"
_BESIDE: Final = re.compile(
    rf"(?P<field>(?:the )?[A-Z][\w -]*?) (?:(?:should be|to|is) )?(?P<value>{TOKEN}|\S*\d\S*)"
)


def _once(slots: Slots, context: ParseContext) -> Json:
    wait = wait_until(slots["condition"], Slots(), context)
    if "data" in wait:
        wait = context.vocabulary.block(WAITING_FOR, wait["data"])
    awaited = context.last_element
    steps = read_inner(slots["steps"], context)
    context.forget_unless(awaited)
    return several(*wait.get("several", [wait]), *steps)


def _when(slots: Slots, context: ParseContext) -> Json:
    """As `once` for what happens; "when the page shows …" may as well mean `if`."""
    with suppress(NotUnderstood):
        if "expression" in read_condition(slots["condition"], copy(context), []):
            return several(*read_inner(f"if {slots['condition']}, {slots['steps']}", context))
    if not _HAPPENS.search(slots["condition"]):
        raise NotUnderstood(slots["condition"], "say `once …` to wait for it, or `if …`")
    return _once(slots, context)


_HAPPENS: Final = re.compile(
    r"\b(?:appears?|appeared|loads?|loaded|opens|opened|(?:pops|shows|comes) up|finished loading|ready"
    r"|becomes? [a-z]+)$"
)
_ENDS_NAME: Final = re.compile(rf"(?:\b(?:button|link|tab|menu|field|checkbox|dropdown|icon|page)|{TOKEN})$")
_PURPOSE: Final = re.compile(r"[a-z]+(?: [\w'-]+){0,12}")


def _captcha(slots: Slots, context: ParseContext) -> Json:
    wait = context.vocabulary.block(WAITING_FOR_CAPTCHA, {})
    return several(wait, *(read_inner(slots["steps"], context) if slots["steps"] else ()))


def _for_purpose(slots: Slots, context: ParseContext) -> Json:
    """What the steps are for says nothing about them, unless it limits them."""
    purpose = slots["purpose"]
    refuse_negation(purpose)
    # "… to see the report and print it" has another step in it
    if (
        limits_steps(purpose)
        or not _PURPOSE.fullmatch(purpose)
        or re.match(r"(?:the|an?|my|this|that)\b", purpose)
    ):
        raise NotUnderstood(purpose, "say only the steps, or what they are for in a sentence of its own")
    refuse_vague_words(re.sub(r"\b(?:all|my|our|your|me|us)\b", "", purpose), subjective=False)
    return several(*read_inner(slots["steps"], context))


_VERB: Final = (
    r"(?:is|are|was|were|has|have|had|needs?|wants?|asks?|expects?|will|would|must|can|could|do|does|did|"
    r"likes?|shows?|changes?|requires?)"
)
# "as shipped.csv", "as the status requested": what has no subject of its own may be a value
_WHO: Final = "i|we|you|they|he|she|it|there"
_SAYS_WHY: Final = re.compile(
    rf"(?:{_WHO})\b.* (?:{_VERB}|[a-z]+ed)\b|(?:{_WHO}|this|that) {_VERB}\b"
    rf"|(?:the|our|my|your|their|an?|this|that|all) .+ {_VERB}\b",
    re.IGNORECASE,
)
_NO_REASON: Final = re.compile(
    r"\b(?:then|but|only|unless|if|until|before|except|without|instead|or|otherwise)\b|[,;:]", re.IGNORECASE
)


def _for_reason(slots: Slots, context: ParseContext) -> Json:
    """Why a step is done says nothing about it; "as the zip code" and "since Monday" are no reasons."""
    reason = slots["reason"]
    refuse_negation(reason)
    has_step = context.vocabulary.has_another_step(tokenize(reason))
    is_reason = slots["who"] or _SAYS_WHY.match(reason)
    if has_step or _NO_REASON.search(reason) or not is_reason:
        raise OtherFrame("say only the steps, or what they are for in a sentence of its own")
    return several(*read_inner(slots["steps"], context))


def _by_doing(slots: Slots, context: ParseContext) -> Json:
    """What the steps are for says nothing about them: "accept the terms by ticking I agree"."""
    if slots["purpose"]:
        refuse_vague_words(
            re.sub(r"\b(?:it|this|that|all|your|our)\b", "", slots["purpose"]), subjective=False
        )
        if not re.fullmatch(r"[a-z]+(?: [a-z-]+){0,5}", slots["purpose"], re.IGNORECASE):
            raise OtherFrame("say only what to do")
    return several(*read_inner(as_steps(slots["steps"], context), context))


def _with_purpose(slots: Slots, context: ParseContext) -> Json:
    """What follows the kind of an element, or a quoted name, cannot be part of its name."""
    if not _ENDS_NAME.search(slots["steps"]):
        raise NotUnderstood(slots["purpose"], "put the name in quotes, or say it in a sentence of its own")
    return _for_purpose(slots, context)


def _on_page(slots: Slots, context: ParseContext) -> Json:
    """Where the steps before lead; the page of a name cannot be checked from its name."""
    refuse_unclear(slots["page"])
    if len(slots["page"].split()) > 4:  # noqa: PLR2004 - a name, and not a sentence
        raise NotUnderstood(slots["page"], "say the page's name")
    return several(*read_inner(slots["steps"], context))


_NAMED_PLACE: Final = re.compile(rf"\b(?:{AREA})s?\b|[A-Z\d]|{TOKEN}")
_SAME_PLACE: Final = re.compile(
    r"\b(?:its?|their|there|same|(?:that|this) (?:row|line|card|entry))\b", re.IGNORECASE
)
_FIELD_PLACE: Final = re.compile(r"(?:in|into|from|under|for|at) (?P<field>.+)", re.IGNORECASE | re.DOTALL)


def _in_place(slots: Slots, context: ParseContext) -> Json:
    """Steps on what stands in one place, or a value for the field that is named first."""
    if not context.vocabulary.starts_step(tokenize(slots["steps"])):
        raise OtherFrame(_PLACE_HINT)
    if re.match(r"\w+ (?:every|each|all)\b", slots["place"], re.IGNORECASE):
        raise OtherFrame(_EACH_HINT)
    if (blocks := _in_field(slots, context)) is not None:
        return several(*blocks)
    place = f"{slots['place'][:1].lower()}{slots['place'][1:]}"
    if re.search(r"\b(?:page|screen|site|website|portal)$", place):
        raise OtherFrame("say `on the … page, …`")
    if not (is_placed(f"X {place}", context) and _NAMED_PLACE.search(place)):
        raise NotUnderstood(place, _PLACE_HINT)
    inside = replace(context, place=read_place(f"X {place}", context).removeprefix("X "))
    there, later = _until_then(slots["steps"], context)
    blocks = read_inner(there, inside)
    # a wait or a mail has no place: what was said of it would be lost
    is_bare = re.fullmatch(r"(?:in|on) the (?:table|list|grid)", inside.place)
    if not _uses(" in the row of " if is_bare else inside.place, blocks) and not _uses(inside.place, blocks):
        raise NotUnderstood(place, "say what is clicked or filled in there")
    return several(*blocks, *(read_inner(later, context) if later else ()))


def _until_then(steps: str, context: ParseContext) -> tuple[str, str]:
    """The steps in the place, and those after "then": "…, then click Save all" has left it."""
    found = re.search(r",? (?:and )?then ", steps, re.IGNORECASE)
    later = steps[found.end() :] if found else ""
    # "its checkbox" is still that of the row
    if not found or _SAME_PLACE.search(later) or not context.vocabulary.starts_step(tokenize(later)):
        return steps, ""
    return steps[: found.start()], later


def _uses(place: str, blocks: Sequence[Json]) -> bool:
    return json.dumps(place)[1:-1] in json.dumps(list(blocks))


def _in_field(slots: Slots, context: ParseContext) -> list[Json] | None:
    """As in "in the Country dropdown choose Norway"; None when the place is no field, or not filled in."""
    named = _FIELD_PLACE.fullmatch(slots["place"])
    if named is None:
        return None
    inside = copy(context)
    first, later = _until_then(slots["steps"], context)
    if _CHOOSE_LIST.fullmatch(first) and not named[0].lower().startswith("under"):
        blocks = read_inner(f"{first} in {named['field']}", inside, one=True)
        context.adopt(inside)
        return [*blocks, *(read_inner(later, context) if later else ())]
    try:
        field = read_element(named["field"], inside, "field")
        verb = tokenize(slots["steps"])[0].text
        noun = field.noun or ("picker" if verb in _CHOOSE else "field" if verb in _TYPE else "")
        # "under Reports choose Monthly" may be a menu
        is_menu = verb in _CHOOSE and named[0].lower().startswith("under")
        is_bare = not field.noun and field.locator is None and not is_menu
        field = replace(field, noun=noun) if is_bare and named["field"][:1].isupper() else field
        if kind_of(field) not in ("field", "choice"):
            return None
        inside.last_element, inside.menu_is_open = field, True
        blocks = read_inner(slots["steps"], inside)
    except NotUnderstood:
        if re.search(rf"\b(?:{AREA})\b", named["field"], re.IGNORECASE):
            return None
        raise
    is_filled = bool(blocks) and blocks[0].get("data", {}).get("key") == field.name
    if not is_filled and not re.search(rf"\b(?:{AREA})\b", named["field"], re.IGNORECASE):
        raise NotUnderstood(slots["place"], "say which value it gets: `type …`, `choose …`")
    if is_filled:
        context.adopt(inside)
    return blocks if is_filled else None


_CHOOSE_LIST: Final = re.compile(rf"(?:{VERBS['choose']}) (?:{OPTIONS})", re.DOTALL)
_CHOOSE: Final = frozenset(VERBS["choose"].split("|"))
_TYPE: Final = frozenset(phrase.split()[0] for phrase in VERBS["type"].split("|"))
_EACH_HINT: Final = (
    "say `for each … in the parameters, …`, or `on every page, …; the next page is behind the Next link`"
)
_PLACE_HINT: Final = (
    "say the place by its words on the page, then the step: `in the row of ACME-17, click Edit`"
)


def _in_row_found(slots: Slots, context: ParseContext) -> Json:
    """As in "find the row with ACME-17 and click its Edit button"."""
    return _in_place(Slots(slots, place=f"in the {slots['area']} of {slots['name']}"), context)


_IN_LIST: Final = re.compile(r" (?:in|on) the (?:list|table|results|menu)$", re.IGNORECASE)


def _found(slots: Slots, context: ParseContext) -> Json:
    """What is found is what the steps after it call `it`."""
    if not re.search(r"\b(?:it|that one)\b", slots["steps"]) or re.match(
        r"the (?:row|line|card)\b", slots["element"]
    ):
        raise OtherFrame("say what to do with it: `find … and click it`")
    # what is looked for in a field is typed there, and found elsewhere
    if re.search(r"\b(?:field|box|bar|search)$", slots["element"], re.IGNORECASE):
        raise NotUnderstood(slots["element"], "say `type … into …`, then what to open")
    read_element(_IN_LIST.sub("", slots["element"]), context)
    return several(*read_inner(slots["steps"], context))


_PLACES: Final = "in|into|on|under|from|for|next to|beside|within|inside|below|above|near|at"
_REASONS: Final = "because|since|as|now that|given that|seeing that"
_BE: Final = (
    "{be:is|are|is to be|are to be|gets|has been|have been|should be|should get|shall be|must be|needs to be"
    "|has to be|is then|should then be}"
)
ORDERING: Final = Sentences(
    HEADING,
    (
        *NAMING,
        Frame(f"{{what}} {_BE} {{done:<done>}} [{{rest}}]", _passive, ("The Save button is clicked",)),
        Frame("{value} (goes|go|should go|is to go|belongs) (into|in|under) {field}", _goes_into),
        Frame(
            "(copy|transfer|carry over|take over) {what:the {value}} [over] [(from|on) (the|this)"
            " [current] page]"
            " (into|to|in|over to|over into) {field:the {name} (field|box|input|text box|text field)}",
            _copy_over,
            ("Copy the permit fee into the Amount field",),
        ),
        Frame("{field} {be:should be|shall be|is to be|should read|should say|is} {value}", _should_be),
        Frame(
            "after {first} , {steps}",
            _in_order,
            ("After ticking Terms, click Submit",),
            "rest",
            "say `after clicking …, …`",
        ),
        Frame("before {last} , {steps}", _in_order, ("Before clicking Submit, tick Terms",), "rest"),
        Frame("{steps} [,] after {first}", _in_order, ("Click Submit after ticking Terms",), "sentence"),
        Frame("{steps} [,] before {last}", _in_order, ("Tick Terms before clicking Submit",), "sentence"),
        Frame("(once|as soon as|after|when) {first} , {steps}", _in_order, scope="rest"),
        Frame(
            "(once|as soon as|after) {condition} , {steps}",
            _once,
            ('Once "Done" appears, click Close',),
            "rest",
            "say `once … is shown, …`",
        ),
        Frame(
            "(when|if|once|as soon as) (the|a|any) captcha (appears|comes up|shows up|pops up|is shown) [,]"
            " [then] ((@wait) (for|until|till) [(somebody|someone|a person|a colleague)]"
            " (it is solved|to solve it|solves it|has solved it)"
            "|let (somebody|someone|a person|a colleague) solve it)"
            " [(,|and|, and|and then|, then|then) {steps}]",
            _captcha,
            scope="rest",
        ),
        Frame("when {condition} , {steps}", _when, ("When the page has loaded, click Start",), "rest"),
        Frame(
            "{steps} [,] (once|as soon as|only after|only once) {condition}",
            _once,
            ('Click Close once "Done" appears',),
            "clause",
        ),
        Frame(
            "(to|in order to) {purpose} (,|:) {steps}",
            _for_purpose,
            ("To see the invoices, open the Billing tab",),
            "rest",
        ),
        Frame(
            "{steps} [,] (to|in order to) {purpose}",
            _with_purpose,
            ("Open the Billing tab to see the invoices",),
            "sentence",
        ),
        Frame(
            f"({_REASONS}) {{reason}} (,|:) {{steps}}",
            _for_reason,
            ("As we need the new data, click Refresh",),
            "rest",
        ),
        Frame(
            f"{{steps}} [,] ({_REASONS}|so that|so [that] {{who:i|we|you|it|they}}) {{reason}}",
            _for_reason,
            ("Click Refresh because the list is old",),
        ),
        Frame(
            "(start|begin|finish|end) (by|with) {steps}"
            f"| {{purpose:({PURPOSES}|accept|agree|go on|make|release) [{{rest}}]}} by {{steps}}",
            _by_doing,
            ("Start by opening https://example.com", "Submit the form by clicking Send"),
        ),
        Frame(
            "on the {page} (page|screen) [,] {steps}", _on_page, ("On the Orders page, click Export",), "rest"
        ),
        Frame(
            f"{{place:({_PLACES}) {{name}}}} [,|:] {{steps:<verb> [{{rest}}]}}",
            _in_place,
            (
                "In the row of ACME-17, click Edit",
                "Under Documents, click Upload",
                "In the Country dropdown choose Norway",
                "In the Name field type Ada",
            ),
            "rest",
            _PLACE_HINT,
            is_place=True,
        ),
        Frame(
            "(@find) {element} (and|, and|, then|and then|,) {steps}",
            _found,
            ('Find "Invoice 4711" in the list and open it',),
            "rest",
        ),
        Frame(
            "(@find) the {area:row|line|card} (of|for|with|containing) {name}"
            " (and|, and|, then|and then|, and then|then|,) {steps}",
            _in_row_found,
            ("Find the row with ACME-17 and click its Edit button",),
            "rest",
        ),
        Frame(
            "(do the following|the steps|steps|follow these steps|do this|here are the steps) [:] {steps}",
            lambda slots, context: several(*read_inner(slots["steps"], context)),
            ("Do the following:\n- click Account\n- click Billing",),
            "rest",
        ),
    ),
)
"""Of no kind: what they build are the steps in them, in the order that is meant."""
