"""Clicks repeated until a condition holds, and stopping: "keep clicking Load more until it disappears"."""

from typing import Final

from pagehand.instructions.grammar.acting import CLICK, POINTING
from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.elements import locator_of, read_element
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import refuse_vague_words
from pagehand.instructions.grammar.values import read_value
from pagehand.instructions.grammar.vocabulary import Element, ParseContext, Rule, Sentences, Slots
from pagehand.records import Json

# what holds until the state is reached; an element that does not exist is neither enabled nor disabled
_OPPOSITE: Final = {"hidden": "visible", "visible": "hidden", "disabled": "enabled"}
_DEFAULT_MAX_ITERATIONS: Final = 1000
"""Rounds that a loop makes at most unless it says otherwise."""
_HEADING: Final = "Waiting, searching, closing, mail"


def _click_until(slots: Slots, context: ParseContext) -> Json:
    element = read_element(slots["element"], context)
    reached = read_condition(slots["condition"], context)
    # other states have no opposite that says "not yet"
    if reached.get("state") not in _OPPOSITE:
        raise context.not_understood(
            slots["condition"],
            "say until what `is shown`, `disappears` or `is disabled`",
        )
    return _click_loop({**reached, "state": _OPPOSITE[reached["state"]]}, element, context)


def _click_while(slots: Slots, context: ParseContext) -> Json:
    element = read_element(slots["element"], context)
    return _click_loop(read_condition(slots["condition"], context), element, context)


def _click_loop(condition: Json, element: Element, context: ParseContext) -> Json:
    click = context.vocabulary.block(POINTING, CLICK, locator=locator_of(element))
    return {"data": {"over": {"while": condition}}, "sequenceData": {"sequence": [click]}}


def loop_block(over: Json, sequence: list[Json], context: ParseContext) -> Json:
    """A loop over items, pages or rounds."""
    data: Json = {"over": over}
    if over.get("times", 0) > _DEFAULT_MAX_ITERATIONS:
        # without it the loop would end early, and the run would still count as completed
        data["maxIterations"] = over["times"]
    return context.vocabulary.block(LOOPING, data, sequenceData={"sequence": sequence})


_KEEP: Final = "keep clicking on|keep clicking|keep pressing|keep hitting|keep tapping"
LOOPING: Final = Sentences(
    "Several steps, conditions, loops",
    (
        Rule(
            f"{_KEEP}|click on|click|press|tap|hit",
            r" {element},? (?:until|till) {condition}",
            _click_until,
            ("Keep clicking Load more until it disappears", 'Click Next until "End of list" is shown'),
        ),
        Rule(
            _KEEP,
            r" {element},? (?:while|as long as) {condition}",
            _click_while,
            ("Keep clicking Load more while it is shown",),
        ),
    ),
)


def _fail(slots: Slots, context: ParseContext) -> Json:
    data: Json = {"condition": read_condition(slots["condition"], context)}
    if slots["message"]:
        data["message"] = read_value(slots["message"], context)
    return {"data": data}


def _leave_loop(slots: Slots, context: ParseContext) -> Json:
    refuse_vague_words(slots["condition"])
    return {"data": {"condition": read_condition(slots["condition"], context)}}


FAILING: Final = Sentences(
    _HEADING,
    (
        Rule(
            "fail|abort",
            r"(?: the run| the workflow)?(?: with (?:an error|the (?:message|"
            rf"error) (?P<message>{TOKEN})))? (?:if|when|in case) {{condition}}",
            _fail,
            ('Fail if the page shows "Out of stock"',),
        ),
        Rule(
            "stop|give up|end",
            r"(?: the run| the workflow)? (?:with (?:an error|the (?:message|"
            rf"error) (?P<message>{TOKEN}))|as failed) (?:if|when|in case) {{condition}}",
            _fail,
            ('Stop with the message "Sold out" if the page shows "Out of stock"',),
        ),
    ),
    may_negate=True,
)
LEAVING_LOOP: Final = Sentences(
    _HEADING,
    (
        Rule(
            "leave the loop|exit the loop|stop the loop|break",
            r" (?:if|when|once|as soon as) {condition}",
            _leave_loop,
            ('Leave the loop when "No more results" is shown',),
        ),
    ),
    may_negate=True,
)
