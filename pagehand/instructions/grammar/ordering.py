"""The order of steps and where they are done: before, after, once, to what end, in which row."""

import re
from dataclasses import replace
from typing import Final

from pagehand.instructions.grammar.elements import read_element
from pagehand.instructions.grammar.flow import HEADING, as_steps, read_inner, several
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import refuse_negation, refuse_vague_words
from pagehand.instructions.grammar.places import read_place
from pagehand.instructions.grammar.politeness import limits_steps
from pagehand.instructions.grammar.refusal import OtherFrame
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.instructions.grammar.waiting import WAITING_FOR, wait_until
from pagehand.records import Json


def _after(slots: Slots, context: ParseContext) -> Json:
    return several(
        *read_inner(as_steps(slots["first"], context), context), *read_inner(slots["steps"], context)
    )


def _before(slots: Slots, context: ParseContext) -> Json:
    return several(
        *read_inner(slots["steps"], context), *read_inner(as_steps(slots["last"], context), context)
    )


def _once(slots: Slots, context: ParseContext) -> Json:
    wait = wait_until(slots["condition"], Slots(), context)
    if "data" in wait:
        wait = context.vocabulary.block(WAITING_FOR, wait["data"])
    return several(*wait.get("several", [wait]), *read_inner(slots["steps"], context))


def _when(slots: Slots, context: ParseContext) -> Json:
    """As `once` for what happens; "when the page shows …" may as well mean `if`."""
    if not _HAPPENS.search(slots["condition"]):
        raise context.not_understood(slots["condition"], "say `once …` to wait for it, or `if …`")
    return _once(slots, context)


_HAPPENS: Final = re.compile(
    r"\b(?:appears?|appeared|loads?|loaded|opens|opened|(?:pops|shows|comes) up|finished loading|ready)$"
)
_ENDS_NAME: Final = re.compile(rf"(?:\b(?:button|link|tab|menu|field|checkbox|dropdown|icon|page)|{TOKEN})$")
_PURPOSE: Final = re.compile(r"[a-z]+(?: [\w'-]+){0,12}")


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
        raise context.not_understood(
            purpose, "say only the steps, or what they are for in a sentence of its own"
        )
    refuse_vague_words(re.sub(r"\b(?:all|my|our|your|me|us)\b", "", purpose), subjective=False)
    return several(*read_inner(slots["steps"], context))


def _with_purpose(slots: Slots, context: ParseContext) -> Json:
    """What follows the kind of an element, or a quoted name, cannot be part of its name."""
    if not _ENDS_NAME.search(slots["steps"]):
        raise context.not_understood(
            slots["purpose"], "put the name in quotes, or say it in a sentence of its own"
        )
    return _for_purpose(slots, context)


def _on_page(slots: Slots, context: ParseContext) -> Json:
    """Where the steps before lead; the page of a name cannot be checked from its name."""
    refuse_vague_words(slots["page"])
    refuse_negation(slots["page"])
    if len(slots["page"].split()) > 4:  # noqa: PLR2004 - a name, and not a sentence
        raise context.not_understood(slots["page"], "say the page's name")
    return several(*read_inner(slots["steps"], context))


def _in_place(slots: Slots, context: ParseContext) -> Json:
    """Steps on what stands in one place: "in the row of ACME-17, click Edit and tick Paid"."""
    if context.place:
        raise context.not_understood(slots["place"], "say one place")
    place = read_place(f"X {slots['place'][:1].lower()}{slots['place'][1:]}", context).removeprefix("X ")
    inside = replace(context, place=place)
    return several(*read_inner(slots["steps"], inside))


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
    read_element(_IN_LIST.sub("", slots["element"]), context)
    return several(*read_inner(slots["steps"], context))


def _heading(slots: Slots, context: ParseContext) -> Json:
    return several(*read_inner(slots["steps"], context))


ORDERING: Final = Sentences(
    HEADING,
    (
        Frame(
            "after {first} , {steps}",
            _after,
            ("After ticking Terms, click Submit",),
            "rest",
            "say `after clicking …, …`",
        ),
        Frame("before {last} , {steps}", _before, ("Before clicking Submit, tick Terms",), "rest"),
        Frame("{steps} [,] after {first}", _after, ("Click Submit after ticking Terms",), "sentence"),
        Frame("{steps} [,] before {last}", _before, ("Tick Terms before clicking Submit",), "sentence"),
        Frame(
            "(once|as soon as|after) {condition} , {steps}",
            _once,
            ('Once "Done" appears, click Close',),
            "rest",
            "say `once … is shown, …`",
        ),
        Frame("when {condition} , {steps}", _when, ("When the page has loaded, click Start",), "rest"),
        Frame(
            "(to|in order to) {purpose} , {steps}",
            _for_purpose,
            ("To see the invoices, open the Billing tab",),
            "rest",
        ),
        Frame(
            "{steps} [,] (to|in order to|so that) {purpose}",
            _with_purpose,
            ("Open the Billing tab to see the invoices",),
            "sentence",
        ),
        Frame(
            "on the {page} (page|screen) [,] {steps}", _on_page, ("On the Orders page, click Export",), "rest"
        ),
        Frame(
            "{place:(in the row|in the line|in the card|in the section|for the row)"
            " [of|for|with|containing] {name}} , {steps}",
            _in_place,
            ("In the row of ACME-17, click Edit",),
            "rest",
        ),
        Frame(
            "{place:(under|next to|beside) {name}} , {steps}",
            _in_place,
            ("Under Documents, click Upload",),
            "rest",
        ),
        Frame("{place:(under|next to|beside) <literal>} {steps}", _in_place, (), "rest"),
        Frame(
            "{place:in the {name} (section|area|panel|dialog|window|card|form|menu|header|"
            "sidebar|toolbar)} [,] {steps}",
            _in_place,
            ("In the Documents section click Upload",),
            "sentence",
        ),
        Frame(
            "(find|locate|look for) {element} (and|, and|, then|and then|,) {steps}",
            _found,
            ('Find "Invoice 4711" in the list and open it',),
            "rest",
        ),
        Frame(
            "(find|locate|look for) the {area:row|line|card} (of|for|with|containing) {name}"
            " (and|, and|, then|and then|, and then|then|,) {steps}",
            _in_row_found,
            ("Find the row with ACME-17 and click its Edit button",),
            "rest",
        ),
        Frame(
            "(do the following|the steps|steps|follow these steps|do this|here are the steps) [:] {steps}",
            _heading,
            ("Do the following:\n- click Account\n- click Billing",),
            "rest",
        ),
    ),
)
"""Of no kind: what they build are the steps in them, in the order that is meant."""
