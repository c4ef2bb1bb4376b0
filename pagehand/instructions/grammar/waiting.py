"""Steps that wait: for some time, or until a condition holds."""

import re
from typing import Final

from pagehand.instructions.grammar.conditions import read_awaited, what_loads
from pagehand.instructions.grammar.frames import UNIT
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import COUNT, read_duration
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.records import Json

_STATE_VERB: Final = re.compile(
    r"\bto\b.*|\b(?:appear|disappear|vanish|load|go|be|become)(?:s|es|ed|ing)?(?: |$)", re.IGNORECASE
)
_LOADING: Final = "appear|load|show up|be shown|open|be loaded|finish loading|be ready|come up"
TIME: Final = "({count:<number>|half a|half an} {unit:<unit>}|{count:<time>})"
"""A frame for a time."""


def _wait(slots: Slots, context: ParseContext) -> Json:  # noqa: ARG001 - every frame takes the context
    return {"data": {"durationMs": read_duration(slots["count"], slots["unit"])}}


def _wait_until(slots: Slots, context: ParseContext) -> Json:
    return wait_until(slots["condition"], slots, context)


def wait_until(condition: str, slots: Slots, context: ParseContext) -> Json:
    """A wait; none for what every block waits for by itself."""
    if (loads := what_loads(condition)) and not slots["count"]:
        return {"several": []} if loads == "page" else {"awaited": context.literals.as_written(condition)}
    return _wait_block(read_awaited(condition, context), slots)


def _wait_for(slots: Slots, context: ParseContext) -> Json:
    """Wait for an element: to appear, unless the sentence names another state."""
    # "wait for 3 parsecs" must not become a wait for an element of that name
    if re.fullmatch(rf"(?:{COUNT})(?: .*)?|.*\b(?:{UNIT})", slots["element"], re.IGNORECASE):
        raise NotUnderstood(slots["element"], "this is a time, not an element")
    state = slots["state"] or "appear"
    if what_loads(f"{slots['element']} loads") and state in _LOADING.split("|"):
        return wait_until(f"{slots['element']} loads", slots, context)
    if not slots["state"] and re.search(r"'s [a-z]", slots["element"]):
        raise NotUnderstood(slots["element"], "say the words that the page shows, in quotes")
    if not slots["state"] and (found := _STATE_VERB.search(slots["element"])):
        raise NotUnderstood(found[0], "say `wait for … to appear` or `wait for … to disappear`")
    shown = "is shown" if state.lower() in _LOADING.split("|") else None
    clause = shown or re.sub(
        r"^be(?:come)?\b",
        "is",
        re.sub(r"^(disappear|vanish|be gone)$", r"is gone", state, flags=re.IGNORECASE),
    )
    clause = "is gone" if clause == "go away" else clause
    return _wait_block(read_awaited(f"{slots['element']} {clause}", context), slots)


def _wait_up_to(slots: Slots, context: ParseContext) -> Json:
    return _wait_until(slots, context) if slots["condition"] else _wait_for(slots, context)


def _wait_block(condition: Json, slots: Slots) -> Json:
    return {"data": {"condition": condition, **_limit(slots)}}


def _limit(slots: Slots) -> Json:
    return {"timeoutMs": read_duration(slots["count"], slots["unit"])} if slots["count"] else {}


_HEADING: Final = "Waiting, searching, closing, mail"
_STATE: Final = (
    f"to {{state:{_LOADING}|disappear|vanish|go away|be visible|be hidden|be gone|be enabled|be disabled|"
    "become enabled}"
)
_LIMIT: Final = (
    f"[(this|it|that) (can|may|might) take|give it|allow] (at most|up to|no longer than|not longer than"
    f"|a maximum of|max.|max|maximum|not more than|no more than) {TIME}"
)

WAITING: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"(@wait) [for] [another] {TIME} | (give it|give the page|allow) [another] {TIME}",
            _wait,
            ("Wait 3 seconds", "Pause for half a minute"),
        ),
    ),
)

WAITING_FOR: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(@wait|do nothing|don't do anything|do not do anything|don't continue|do not continue"
            f"|don't proceed|do not proceed) (until|till) {{condition}} [[,] [but] [for] {_LIMIT}]",
            _wait_until,
            (
                'Wait until "Payment received" is shown',
                "Wait until the Save button is enabled, at most 20 seconds",
            ),
        ),
        Frame(
            f"(@wait) for {{element}} [{_STATE}] [[,] [but] [for] {_LIMIT}]",
            _wait_for,
            ('Wait for the "Loading" text to disappear', "Wait for the Results heading"),
        ),
        Frame(
            "(@wait) [for|until|till] (page load|loading|loaded|it to load|it to finish|it to finish loading"
            "|everything to load)",
            lambda _, __: {"several": []},
        ),
        Frame(
            f"(@wait|give it|give the page|allow) [for] {_LIMIT}"
            f" (for {{element}} [{_STATE}]|until {{condition}})",
            _wait_up_to,
            ('Wait up to 30 seconds for "Done" to appear',),
        ),
    ),
    may_negate=True,
)


_CAPTCHA: Final = "(the|a|any|this) (captcha|recaptcha|hcaptcha)"
WAITING_FOR_CAPTCHA: Final = Sentences(
    _HEADING,
    (
        Frame(
            f"(@wait) (for {_CAPTCHA} [to be (solved|done|completed)|solution]"
            f"|(until|till) {_CAPTCHA} (is|has been|gets) (solved|done|completed)"
            f"|for (someone|somebody|a person|a colleague) to solve {_CAPTCHA}) [[,] [but] [for] {_LIMIT}]"
            f"| (solve|complete|pass) {_CAPTCHA}",
            lambda slots, _: {"data": _limit(slots)},
            ("Wait for the captcha to be solved",),
        ),
    ),
)
