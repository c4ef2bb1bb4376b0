"""Steps that end a run or leave a loop when a condition holds."""

from typing import Final

from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import refuse_vague_words
from pagehand.instructions.grammar.values import read_value
from pagehand.instructions.grammar.vocabulary import ParseContext, Rule, Sentences, Slots
from pagehand.records import Json


def _fail(slots: Slots, context: ParseContext) -> Json:
    data: Json = {"condition": read_condition(slots["condition"], context)}
    if slots["message"]:
        data["message"] = read_value(slots["message"], context)
    return {"data": data}


def _leave_loop(slots: Slots, context: ParseContext) -> Json:
    refuse_vague_words(slots["condition"])
    return {"data": {"condition": read_condition(slots["condition"], context)}}


_HEADING: Final = "Waiting, searching, closing, mail"

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
