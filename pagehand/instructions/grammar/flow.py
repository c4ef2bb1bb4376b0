"""Conditions with the steps in them, and failing; what loops and orders of steps share with them."""

import re
from collections.abc import Mapping
from typing import Final

from pagehand.instructions.grammar.chart import MAX_NAME_LENGTH
from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.frames import tokenize
from pagehand.instructions.grammar.lexicon import PARTICIPLES
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.refusal import NotUnderstood, OtherFrame
from pagehand.instructions.grammar.values import read_value
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.instructions.grammar.waiting import WAITING_FOR
from pagehand.records import Json

HEADING: Final = "Several steps, conditions, loops"
"""Where the documentation lists frames with steps in them."""
_ELSE: Final = re.compile(
    r" ?[,;]? ?\b(?:otherwise|or else|else|if (?:it |that |this )?(?:is |does )?not|if (?:it|that|there) "
    r"(?:isn't|doesn't))\b ?,? ?",
    re.IGNORECASE,
)
_STOP: Final = re.compile(
    r"(?:please )?(?:stop|abort|give up|quit|fail|end)(?: (?:here|there|everything|(?:the|this) "
    r"(?:run|workflow|process)))?"
    rf"(?: with (?:an error|(?:the |an? )?(?:error |message |error message )?(?P<message>{TOKEN})))?",
    re.IGNORECASE,
)
_SKIP: Final = re.compile(
    r"skip (?:it|them|this one|this|that one|(?:to )?(?:the|this|that) (?:rest|row|item|entry|round|next one|"
    r"next|[a-z]+))|"
    r"(?:go on|continue|move on|go|proceed) (?:to|with) the next(?: one| row| item| entry| [a-z]+)?",
    re.IGNORECASE,
)
_LEAVE: Final = re.compile(
    r"(?:leave|exit|stop|end|quit|break|break out of|get out of) (?:the|this) loop(?:ing)?|break(?: out)?",
    re.IGNORECASE,
)
# "just continue" says to do nothing; "continue" alone may be a button
_NOTHING: Final = re.compile(
    r"(?:just |simply )?(?:go on|carry on|move on|do nothing)|(?:just|simply) (?:continue|proceed)",
    re.IGNORECASE,
)
_OPEN_END: Final = re.compile(
    r"[,;] ?(?:and )?then |(?:and|[,;]) if\b|[,;] (?:(?!\band\b|[,;] ).)*+$", re.IGNORECASE
)
_OPPOSITE: Final = {
    state: opposite
    for pair in (("hidden", "visible"), ("disabled", "enabled"), ("checked", "unchecked"))
    for state, opposite in (pair, pair[::-1])
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
        raise NotUnderstood(
            inner, "it is not clear whether all of it depends on the condition; begin a new sentence"
        )
    if not inner:
        raise NotUnderstood(text, f"it is not clear what belongs to the {what}")
    read_before = context.read_values
    blocks = read_inner(inner, context)
    context.read_values = read_before
    return blocks


def _condition(slots: Slots, context: ParseContext) -> tuple[Json, list[Json]]:
    """The condition, and the blocks that have to read something for it first."""
    reads: list[Json] = []
    return read_condition(slots["condition"], context, reads), reads


def _if(slots: Slots, context: ParseContext) -> Json:
    condition, reads = _condition(slots, context)
    yes, *no = _ELSE.split(slots["steps"])
    if len(no) > 1:
        raise NotUnderstood(slots["steps"], "a condition has not more than one `otherwise`")
    if _NOTHING.fullmatch(yes.strip(" ,;")) and no:
        return several(*reads, _unless_block(condition, body(no[0], context, "condition"), context))
    no = [] if no and _NOTHING.fullmatch(no[0].strip(" ,;")) else no
    # in both branches `it` refers to what was named before them; the first may name something else
    antecedent = context.last_element
    if (ending := _ending(yes.strip(" ,;"), condition, context)) is not None:
        rest = read_inner(no[0].strip(" ,;:"), context) if no else ()
        return several(*reads, ending, *rest)
    branches = {"trueSequence": body(yes, context, "condition")}
    named, context.last_element = context.last_element, antecedent
    branches["falseSequence"] = body(no[0], context, "condition") if no else []
    context.forget_unless(named)
    return several(*reads, _if_block(condition, branches, context, slots["condition"]))


def _ending(words: str, condition: Json, context: ParseContext) -> Json | None:
    """The block that ends the run or the round if the condition holds; None for other words."""
    if stop := _STOP.fullmatch(words):
        return _stop(condition, stop["message"], context)
    if context.is_in_loop and _SKIP.fullmatch(words):
        return context.vocabulary.block(SKIPPING, {"condition": condition})
    if context.is_in_loop and _LEAVE.fullmatch(words):
        return context.vocabulary.block(LEAVING_LOOP, {"condition": condition})
    return None


def _stop(condition: Json, message: str | None, context: ParseContext) -> Json:
    if context.is_in_loop:
        raise NotUnderstood("stop", "say `leave the loop when …` or `stop with an error if …`")
    said = {"message": read_value(message, context)} if message else {}
    return context.vocabulary.block(FAILING, {"condition": condition, **said})


_SHOULD: Final = (
    (re.compile(r"^there be ", re.IGNORECASE), "there is "),
    (re.compile(r" be ", re.IGNORECASE), " is "),
    (re.compile(r" (appear|disappear|exist|show up|pop up|come up)$", re.IGNORECASE), r" is shown"),
)


def _should(slots: Slots, context: ParseContext) -> Json:
    """As in "should the total be empty, …"."""
    condition = slots["condition"]
    for pattern, plain in _SHOULD[: 2 if condition.lower().endswith("disappear") else 3]:
        condition = pattern.sub(plain, condition)
    return _if(Slots(slots, condition=condition), context)


def _if_without_comma(slots: Slots, context: ParseContext) -> Json:
    is_step = context.vocabulary.starts_step(tokenize(slots["steps"]))
    if not is_step and _NOTHING.match(slots["steps"]) is None:
        raise NotUnderstood(f"if {slots['condition']} {slots['steps']}", _IF_HINT)
    return _if(slots, context)


def _if_after(slots: Slots, context: ParseContext) -> Json:
    # "it" in the condition refers to what the step names
    if stop := _STOP.fullmatch(slots["steps"].strip(" ,;")):
        condition, reads = _condition(slots, context)
        return several(*reads, _stop(condition, stop["message"], context))
    steps = read_inner(slots["steps"], context, one=True)
    condition, reads = _condition(slots, context)
    return several(*reads, _if_block(condition, {"trueSequence": steps, "falseSequence": []}, context))


def _unless(slots: Slots, context: ParseContext) -> Json:
    condition, reads = _condition(slots, context)
    return several(*reads, _unless_block(condition, body(slots["steps"], context, "condition"), context))


def _unless_after(slots: Slots, context: ParseContext) -> Json:
    steps = read_inner(slots["steps"], context, one=True)
    condition, reads = _condition(slots, context)
    return several(*reads, _unless_block(condition, steps, context))


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
    named = {"name": f"If {context.literals.as_written(words)}"[:MAX_NAME_LENGTH]} if words else {}
    return context.vocabulary.block(BRANCHING, {"condition": condition}, **named, sequenceData=branches)


_IF: Final = (
    "if|only if|in case|in case that|in the case that|in the event that|provided|provided that|only when"
    "|assuming|assuming that"
)
_IF_HINT: Final = "say `if …, then …`"
_THEN: Final = "(, [then]|then|: [then])"
BRANCHING: Final = Sentences(
    HEADING,
    (
        Frame(
            f"({_IF}) {{condition}} {_THEN} [{{steps}}]",
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
        Frame("if {condition} {steps}", _if_without_comma, scope="rest"),
        Frame(
            f"should {{condition}} {_THEN} {{steps}}",
            _should,
            ("Should Continue be shown, click it",),
            "rest",
        ),
        Frame(
            f"unless {{condition}} {_THEN} {{steps}}",
            _unless,
            ("Unless the Terms checkbox is ticked, tick it",),
            "rest",
            "say `unless … is shown, …`",
        ),
        Frame(
            "{steps} [,] (if|but only if|only if|only when|but only when|in case|provided that) {condition}",
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
    condition, reads = _condition(slots, context)
    data: Json = {"condition": condition}
    if slots["message"]:
        data["message"] = read_value(slots["message"], context)
    return several(*reads, {"data": data}) if reads else {"data": data}


def _verify(slots: Slots, context: ParseContext) -> Json:
    """What must hold: compared at once, or waited for on the page, which may still be changing."""
    condition, reads = _condition(slots, context)
    if slots["sure"] and condition.get("state") in ("checked", "unchecked"):
        raise NotUnderstood(slots["condition"], "say `tick …` or `verify that … is ticked`")
    if "expression" in condition:
        opposite = {"condition": {"expression": f"not ({condition['expression']})"}}
        return several(*reads, context.vocabulary.block(FAILING, opposite))
    return several(context.vocabulary.block(WAITING_FOR, {"condition": condition}))


def _verify_or(slots: Slots, context: ParseContext) -> Json:
    """What must hold, and what to do if it does not; to stop then is what a check does anyway."""
    stop = _STOP.fullmatch(slots["steps"].strip(" ,;"))
    if stop and not stop["message"]:
        return _verify(slots, context)
    condition, reads = _condition(slots, context)
    if stop and (opposite := negate(condition)) is not None:
        return several(*reads, _stop(opposite, stop["message"], context))
    if stop:
        raise NotUnderstood(slots["condition"], "say `stop with the message … if …`")
    return several(*reads, _unless_block(condition, body(slots["steps"], context, "condition"), context))


_MUST: Final = re.compile(r"^(be|say|show|contain|display|read|appear|have)\b", re.IGNORECASE)


def _must(slots: Slots, context: ParseContext) -> Json:
    """As in "the page must say Paid; otherwise stop"."""
    verb = _MUST.match(slots["rest"])
    if verb is None:
        raise OtherFrame("say `check that …`")
    said = {"be": "is", "have": "has"}.get(verb[1].lower(), f"{verb[1].lower()}s")
    condition = f"{slots['what'][:1].lower()}{slots['what'][1:]} {said}{slots['rest'][verb.end() :]}"
    new = Slots(slots, condition=condition)
    return _verify_or(new, context) if slots["steps"] else _verify(new, context)


_CHECK: Final = (
    "check that|verify that|verify|assert that|confirm that|validate that"
    "|{sure:make sure that|make sure|ensure that|ensure|see to it that|take care that}"
)
_NOT_SO: Final = (
    "(if not|otherwise|else|if it is not|if it isn't|if that isn't|if it does not|if it doesn't"
    "|if this is not the case|if that is not the case|if that's not the case|or else)"
)
_MESSAGE: Final = "the (message|error) {message:<literal>}"
_WHEN: Final = "(if|when|in case) {condition}"
_MISC: Final = "Waiting, searching, closing, mail"
FAILING: Final = Sentences(
    _MISC,
    (
        Frame(
            f"(fail|abort) [the run|the workflow] [with (an error|{_MESSAGE})] {_WHEN}"
            f"| (fail|abort|stop) [the run|the workflow] {_WHEN} [,] with {_MESSAGE}"
            f"| (stop|give up|end) [the run|the workflow] (with (an error|{_MESSAGE})|as failed) {_WHEN}",
            _fail,
            (
                'Fail if the page shows "Out of stock"',
                'Stop with the message "Sold out" if the page shows "Out of stock"',
            ),
        ),
        Frame(
            f"({_CHECK}) {{condition}}",
            _verify,
            ('Check that the page shows "Paid"', "Verify that the total is at most 500"),
        ),
        Frame(
            f"({_CHECK}|check if|check whether|see if) {{condition}} [;|,|and|; and|, and] {_NOT_SO} "
            f"[,] [then] {{steps}}",
            _verify_or,
            ('Check that the page shows "Paid"; if not, click Pay',),
            may_negate=True,
        ),
        Frame(
            f"{{what}} (must|has to|needs to) {{rest}} [(;|,|; and|, and) {_NOT_SO} [,] [then] {{steps}}]",
            _must,
            ('The page must say "Paid"; otherwise stop',),
            "sentence",
            may_negate=True,
        ),
    ),
    may_negate=True,
)


def _skip(slots: Slots, context: ParseContext) -> Json:
    if not context.is_in_loop:
        raise NotUnderstood("skip", "say it within a loop: `for each …: skip it if …`")
    return {"data": {"condition": read_condition(slots["condition"], context)}}


SKIPPING: Final = Sentences(
    _MISC,
    (
        Frame(
            "(skip [it|this one|that one|the rest|this round|to the next (one|item|round)]"
            "|(go on|continue|move on|go) (with|to) the next (one|item|round)) (if|when) {condition}",
            _skip,
        ),
    ),
    may_negate=True,
)


def _leave_loop(slots: Slots, context: ParseContext) -> Json:
    if not (context.is_in_loop or slots["loop"]):
        raise OtherFrame("say it within a loop: `repeat 5 times: …, and leave the loop if …`")
    return {"data": {"condition": read_condition(slots["condition"], context)}}


LEAVING_LOOP: Final = Sentences(
    _MISC,
    (
        Frame(
            "(leave|exit|stop|break|break out of|get out of|end|quit|leave) [the|this] [{loop:loop|looping}] "
            "(if|when|once|as soon as) {condition}",
            _leave_loop,
            ('Leave the loop when "No more results" is shown',),
        ),
    ),
    may_negate=True,
)


_PERFECT: Final = re.compile(
    r"(?:you|we|i)(?:'ve| have|'re| are)(?: (?:done|finished|already|just))? |having ", re.IGNORECASE
)


def as_steps(text: str, context: ParseContext) -> str:
    """`click Save and wait 1 second` for "clicking Save and waiting 1 second" and "you've clicked Save"."""
    perfect, words = _PERFECT.match(text), tokenize(text)
    is_doing = perfect is not None or words[0].text in context.vocabulary.gerunds
    if not is_doing and context.vocabulary.declares(words):
        return text
    if perfect is None and (after_you := re.match(r"(?:you|we) (?=[a-z]+ )", text)):
        return text[after_you.end() :]
    text = text[perfect.end() :] if perfect else text
    verbs, parts, end = {**context.vocabulary.gerunds, **(PARTICIPLES if perfect else {})}, list[str](), 0
    for at, word in enumerate(words := tokenize(text)):
        if word.text in verbs and (at == 0 or words[at - 1].text in ("and", "then", ",")):
            parts += [text[end : word.start], verbs[word.text]]
            end = word.end
    if not parts or parts[0]:
        raise NotUnderstood(text, "say it as steps: `click …, then …`")
    return "".join(parts) + text[end:]
