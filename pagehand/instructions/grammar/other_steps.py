"""Steps beside acting and reading: waiting, searching, sending mail, giving up."""

import re
from typing import Final

from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.elements import on_element, read_element
from pagehand.instructions.grammar.filling import ENTER
from pagehand.instructions.grammar.names import refuse_open_words
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.rules import Rule, Sentences, Words
from pagehand.instructions.grammar.scene import Scene
from pagehand.instructions.grammar.values import (
    COUNT,
    UNIT,
    read_count,
    read_duration,
    read_last_value,
    read_mail_addresses,
    read_value,
)
from pagehand.instructions.grammar.wording import ATOM
from pagehand.records import Json
from pagehand.workflow.ordinals import ORDINAL_WORDS


def _wait(words: Words, scene: Scene) -> Json:  # noqa: ARG001 - every rule takes the scene
    return {"data": {"durationMs": read_duration(words["count"], words["unit"])}}


def _wait_until(words: Words, scene: Scene) -> Json:
    return _waiting(read_condition(words["condition"], scene), words)


def _wait_for(words: Words, scene: Scene) -> Json:
    """Wait for an element: to appear unless another state is said."""
    # "wait for 3 parsecs" must not become a wait for an element called so
    if re.fullmatch(rf"(?:{COUNT})(?:\s.*)?|.*\b(?:{UNIT})", words["element"], re.IGNORECASE):
        raise NotUnderstood(words["element"], "this is a time, not an element")
    if not words["state"] and (found := _DOES.search(words["element"])):
        raise NotUnderstood(found[0], "say `wait for … to appear` or `wait for … to disappear`")
    state = words["state"] or "appear"
    shown = {"appear": "is shown", "load": "is shown", "show up": "is shown", "be shown": "is shown"}.get(
        state.lower()
    )
    clause = shown or re.sub(
        r"^be(?:come)?\b", "is", re.sub(r"^(disappear|vanish)$", r"is gone", state, flags=re.IGNORECASE)
    )
    clause = "is gone" if clause == "go away" else clause
    return _waiting(read_condition(f"{words['element']} {clause}", scene), words)


def _wait_up_to(words: Words, scene: Scene) -> Json:
    return _wait_until(words, scene) if words["condition"] else _wait_for(words, scene)


def _waiting(condition: Json, words: Words) -> Json:
    data: Json = {"condition": condition}
    if words.get("count"):
        data["timeoutMs"] = read_duration(words["count"], words["unit"])
    return {"data": data}


def _search(words: Words, scene: Scene) -> Json:
    if found := _ELSEWHERE.search(words["query"]) or _ENGINE.search(words.get("field", "")):
        raise NotUnderstood(
            found[0],
            "a search is made on the page that is open; put the words in quotes, or open another first",
        )
    data: Json = {"query": read_last_value(words["query"], scene)}
    if words.get("field"):
        return on_element(read_element(words["field"], scene, "field"), data)
    return {"data": data}


def _search_web(words: Words, scene: Scene) -> Json:
    return {"data": {"query": read_last_value(words["query"], scene)}}


def _sent(search: Json, step: Json) -> Json | None:
    """A search is sent with Enter as it is."""
    return search if step.get("keys") == [ENTER] else None


def _with_pick(search: Json, click: Json) -> Json | None:
    """A search on the web that opens the result which is clicked next; None for other steps."""
    locator: Json = click.get("locator") or {}
    words = str(locator.get("words", ""))
    if "pick" in search["data"] or not words.endswith("result"):
        return None
    if (found := _RESULT.fullmatch(words)) is None:
        raise NotUnderstood(words, "say which of the results: `the first result`")
    return {
        **search,
        "data": {**search["data"], "pick": {"index": ORDINAL_WORDS.index(found["which"].lower())}},
    }


_ENGINE: Final = re.compile(r"^(?:the )?(?:google|bing|duckduckgo|yahoo|web|internet)$", re.IGNORECASE)
_ELSEWHERE: Final = re.compile(r"\b(?:on|at|in the|on the|using|with|via)\s+\S+$", re.IGNORECASE)
_FIRST_FIVE: Final = "|".join(ORDINAL_WORDS[:5])
_RESULT: Final = re.compile(rf"the (?P<which>{_FIRST_FIVE})(?: search)? result", re.IGNORECASE)


def _send_mail(words: Words, scene: Scene) -> Json:
    data: Json = {"toAddresses": read_mail_addresses(words["to"], scene)}
    for field, part in (("ccAddresses", "cc"), ("bccAddresses", "bcc")):
        if words[part]:
            data[field] = read_mail_addresses(words[part], scene)
    data["subject"] = read_last_value(words["subject"], scene)
    if words["body"]:
        data["body"] = read_last_value(words["body"], scene)
    if words["file"]:
        data["attachments"] = [_attachment(words["file"], scene)]
    return {"data": data}


def _attachment(text: str, scene: Scene) -> str:
    value = read_value(text, scene)
    if not value.startswith("{{"):
        raise NotUnderstood(
            scene.wording.written(text), "a file comes from a parameter or a block: `{{params.file}}`"
        )
    return value


def _fail(words: Words, scene: Scene) -> Json:
    data: Json = {"condition": read_condition(words["condition"], scene)}
    if words["message"]:
        data["message"] = read_value(words["message"], scene)
    return {"data": data}


def _leave_loop(words: Words, scene: Scene) -> Json:
    refuse_open_words(words["condition"])
    return {"data": {"condition": read_condition(words["condition"], scene)}}


_STATES: Final = (
    "appear|disappear|vanish|go away|load|show up|be shown|be visible|be hidden|be enabled|be disabled|"
    "become enabled"
)
_DOES: Final = re.compile(
    r"\bto\b.*|\b(?:appear|disappear|vanish|load|go|be|become)(?:s|es|ed|ing)?(?:\s|$)", re.IGNORECASE
)
_PATIENCE: Final = rf"(?:,? (?:for )?(?:at most|up to|no longer than) (?P<count>{COUNT}) (?P<unit>{UNIT}))?"
_TIME: Final = rf"(?P<count>{COUNT})[ -]?(?P<unit>{UNIT})"

_ABOUT: Final = "Waiting, searching, closing, mail"

WAITING: Final = Sentences(
    _ABOUT,
    (
        Rule(
            "wait for|wait|pause for|pause|sleep for|sleep",
            " " + _TIME.replace("[ -]?", r"\s*"),
            _wait,
            ("Wait 3 seconds", "Pause for half a minute"),
        ),
    ),
)

WAITING_FOR: Final = Sentences(
    _ABOUT,
    (
        Rule(
            "wait until|wait till",
            r" {condition}" + _PATIENCE,
            _wait_until,
            (
                'Wait until "Payment received" is shown',
                "Wait until the Save button is enabled, at most 20 seconds",
            ),
        ),
        Rule(
            "wait for",
            r" {element}(?: to (?P<state>" + _STATES + "))?" + _PATIENCE,
            _wait_for,
            ('Wait for the "Loading" text to disappear', "Wait for the Results heading"),
        ),
        Rule(
            "wait",
            r" (?:up to|at most|a maximum of|no longer than) "
            + _TIME.replace("[ -]?", r"\s*")
            + r" (?:for {element}(?: to (?P<state>"
            + _STATES
            + r"))?|until {condition})",
            _wait_up_to,
            ('Wait up to 30 seconds for "Done" to appear',),
        ),
    ),
    may_negate=True,
)

SEARCHING: Final = Sentences(
    _ABOUT,
    (
        Rule("search for", r" {query}", _search, ("Search for wireless headphones",)),
        Rule(
            "search",
            rf" (?P<field>the .+? (?:field|box|bar|input)|{ATOM}) for {{query}}",
            _search,
            ('Search the "Products" field for lamps',),
        ),
    ),
    complete=_sent,
)

SEARCHING_WEB: Final = Sentences(
    _ABOUT,
    (
        Rule(
            "search the web for|search web for|search the internet for",
            r" {query}",
            _search_web,
            ("Search the web for Ada Lovelace and open the second result",),
        ),
    ),
    complete=_with_pick,
)

MAILING: Final = Sentences(
    _ABOUT,
    (
        Rule(
            "send|write",
            r" (?:an? |the )?(?:e-?mail|mail|message) to {to}(?:,? (?:with )?cc(?: to)? {cc})?(?:,?"
            r" (?:with )?bcc(?: to)? {bcc})?,? (?:with|and) (?:the |a )?subject {subject}(?:,? (?:and|"
            r"with|and with)?\s*(?:the |a )?(?:text|body|message|content) {body})?(?:,? (?:and|with|"
            r"and with) (?:the )?(?:attachment|file|attach) {file})?",
            _send_mail,
            ('Send an email to ops@example.com with the subject "Done" and the text "All orders are in."',),
        ),
    ),
)

FAILING: Final = Sentences(
    _ABOUT,
    (
        Rule(
            "fail|abort",
            r"(?: the run| the workflow)?(?: with (?:an error|the (?:message|"
            rf"error) (?P<message>{ATOM})))? (?:if|when|in case) {{condition}}",
            _fail,
            ('Fail if the page shows "Out of stock"',),
        ),
        Rule(
            "stop|give up|end",
            r"(?: the run| the workflow)? (?:with (?:an error|the (?:message|"
            rf"error) (?P<message>{ATOM}))|as failed) (?:if|when|in case) {{condition}}",
            _fail,
            ('Stop with the message "Sold out" if the page shows "Out of stock"',),
        ),
    ),
    may_negate=True,
)

LEAVING_LOOP: Final = Sentences(
    _ABOUT,
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


def read_times(text: str) -> int:
    """How often: "3 times", "twice"."""
    count = read_count(text)
    if count < 1 or not count.is_integer():
        raise NotUnderstood(f"{text} times", "say how often in whole numbers, at least once")
    return int(count)
