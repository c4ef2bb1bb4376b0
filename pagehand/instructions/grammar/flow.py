"""Conditions with the steps in them, and failing; what loops and orders of steps share with them."""

import re
from collections.abc import Mapping
from typing import Final

from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.frames import tokenize
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import read_value
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.records import Json

HEADING: Final = "Several steps, conditions, loops"
"""Where the documentation lists frames with steps in them."""
_MAX_NAME_LENGTH: Final = 120
_ELSE: Final = re.compile(r" ?[,;]? ?\b(?:otherwise|or else|else|if not)\b ?,? ?", re.IGNORECASE)
_STOP: Final = re.compile(
    r"(?:stop|abort|give up|quit|fail)(?: (?:here|there|the (?:run|workflow|process)|with an error))?",
    re.IGNORECASE,
)
_OPEN_END: Final = re.compile(
    r"[,;] ?(?:and )?then |(?:and|[,;]) if\b|[,;] (?:(?!\band\b|[,;] ).)*+$", re.IGNORECASE
)
_OPPOSITE: Final = {
    "hidden": "visible",
    "visible": "hidden",
    "disabled": "enabled",
    "enabled": "disabled",
    "checked": "unchecked",
    "unchecked": "checked",
}


def several(*blocks: Json) -> Json:
    """What a frame builds that is more than one block, or whole blocks of other kinds."""
    return {"several": list(blocks)}


def read_inner(text: str, context: ParseContext, *, one: bool = False) -> list[Json]:
    """Steps within others; `one` where a second would be ambiguous."""
    assert context.read is not None  # noqa: S101 - set for every message
    with context.budget.nested():
        return context.read(text, context, one=one)


def body(text: str, context: ParseContext, what: str) -> list[Json]:
    """The steps in a condition or a loop; what they read is not there outside of it."""
    inner = text.strip().strip(",;:").strip()
    if what == "condition" and _OPEN_END.search(inner):
        raise context.not_understood(
            inner, "it is not clear whether all of it depends on the condition; begin a new sentence"
        )
    if not inner:
        raise context.not_understood(text, f"it is not clear what belongs to the {what}")
    read_before = context.read_values
    blocks = read_inner(inner, context)
    context.read_values = read_before
    return blocks


def _if(slots: Slots, context: ParseContext) -> Json:
    condition = read_condition(slots["condition"], context)
    yes, *no = _ELSE.split(slots["steps"])
    if len(no) > 1:
        raise context.not_understood(slots["steps"], "a condition has not more than one `otherwise`")
    # in both branches `it` refers to what was named before them; the first may name something else
    antecedent = context.last_element
    if _STOP.fullmatch(yes.strip(" ,;")):
        stop = _stop(condition, context)
        return several(stop, *(read_inner(no[0].strip(" ,;:"), context) if no else ()))
    branches = {"trueSequence": body(yes, context, "condition")}
    context.last_element = antecedent
    branches["falseSequence"] = body(no[0], context, "condition") if no else []
    return several(_if_block(condition, branches, context, slots["condition"]))


def _stop(condition: Json, context: ParseContext) -> Json:
    if context.is_in_loop:
        raise NotUnderstood("stop", "say `leave the loop when …` or `stop with an error if …`")
    return context.vocabulary.block(FAILING, {"condition": condition})


def _if_without_comma(slots: Slots, context: ParseContext) -> Json:
    if not context.vocabulary.starts_step(tokenize(slots["steps"])):
        raise context.not_understood(f"if {slots['condition']} {slots['steps']}", _IF_HINT)
    return _if(slots, context)


def _if_after(slots: Slots, context: ParseContext) -> Json:
    # "it" in the condition refers to what the step names
    steps = read_inner(slots["steps"], context, one=True)
    condition = read_condition(slots["condition"], context)
    return several(_if_block(condition, {"trueSequence": steps, "falseSequence": []}, context))


def _unless(slots: Slots, context: ParseContext) -> Json:
    condition = read_condition(slots["condition"], context)
    return several(_unless_block(condition, body(slots["steps"], context, "condition"), context))


def _unless_after(slots: Slots, context: ParseContext) -> Json:
    steps = read_inner(slots["steps"], context, one=True)
    return several(_unless_block(read_condition(slots["condition"], context), steps, context))


def _unless_block(condition: Json, steps: list[Json], context: ParseContext) -> Json:
    opposite = negate(condition)
    if opposite is None:
        return _if_block(condition, {"trueSequence": [], "falseSequence": steps}, context)
    return _if_block(opposite, {"trueSequence": steps, "falseSequence": []}, context)


def negate(condition: Json) -> Json | None:
    """The opposite of a condition; None where no condition says it."""
    if "expression" in condition:
        return {"expression": f"not ({condition['expression']})"}
    state = _OPPOSITE.get(condition.get("state", ""))
    return {**condition, "state": state} if state else None


def _if_block(
    condition: Json, branches: Mapping[str, list[Json]], context: ParseContext, words: str = ""
) -> Json:
    named = {"name": f"If {context.literals.as_written(words)}"[:_MAX_NAME_LENGTH]} if words else {}
    return context.vocabulary.block(BRANCHING, {"condition": condition}, **named, sequenceData=branches)


_IF_HINT: Final = "say `if …, then …`"
_THEN: Final = "(, [then]|then|: [then])"
BRANCHING: Final = Sentences(
    HEADING,
    (
        Frame(
            f"if {{condition}} {_THEN} [{{steps}}]",
            _if,
            (
                'If "Accept cookies" is shown, click it',
                "If the Next button is disabled then save the page as PDF, otherwise click Next",
                "If the amount from the parameters is more than 100, tick Insurance",
                'If the page says "Sold out", stop',
            ),
            "rest",
            _IF_HINT,
        ),
        Frame("if {condition} {steps}", _if_without_comma, (), "rest"),
        Frame(
            f"unless {{condition}} {_THEN} {{steps}}",
            _unless,
            ("Unless the Terms checkbox is ticked, tick it",),
            "rest",
            "say `unless … is shown, …`",
        ),
        Frame(
            "{steps} [,] [but only|only] if {condition}",
            _if_after,
            ('Click "Accept" if it is shown',),
            "sentence",
        ),
        Frame(
            "{steps} [,] unless {condition}", _unless_after, ("Click Save unless it is disabled",), "sentence"
        ),
    ),
)


def _fail(slots: Slots, context: ParseContext) -> Json:
    data: Json = {"condition": read_condition(slots["condition"], context)}
    if slots["message"]:
        data["message"] = read_value(slots["message"], context)
    return {"data": data}


_MESSAGE: Final = "the (message|error) {message:<literal>}"
_WHEN: Final = "(if|when|in case) {condition}"
_MISC: Final = "Waiting, searching, closing, mail"
FAILING: Final = Sentences(
    _MISC,
    (
        Frame(
            f"(fail|abort) [the run|the workflow] [with (an error|{_MESSAGE})] {_WHEN}",
            _fail,
            ('Fail if the page shows "Out of stock"',),
        ),
        Frame(
            f"(stop|give up|end) [the run|the workflow] (with (an error|{_MESSAGE})|as failed) {_WHEN}",
            _fail,
            ('Stop with the message "Sold out" if the page shows "Out of stock"',),
        ),
    ),
    may_negate=True,
)


def as_steps(text: str, context: ParseContext) -> str:
    """`click Save and wait 1 second` for "clicking Save and waiting 1 second"."""
    verbs, parts, end = context.vocabulary.gerunds, list[str](), 0
    for at, word in enumerate(words := tokenize(text)):
        if word.text in verbs and (at == 0 or words[at - 1].text in ("and", "then", ",")):
            parts += [text[end : word.start], verbs[word.text]]
            end = word.end
    if not parts or parts[0]:
        raise context.not_understood(text, "say it as steps: `click …, then …`")
    return "".join(parts) + text[end:]
