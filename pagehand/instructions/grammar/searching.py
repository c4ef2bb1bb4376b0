"""Steps that search: on the page that is open, or on the web."""

import re
from typing import Final

from pagehand.instructions.grammar.elements import on_element, read_element
from pagehand.instructions.grammar.filling import ENTER
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import read_last_value
from pagehand.instructions.grammar.vocabulary import ParseContext, Rule, Sentences, Slots
from pagehand.records import Json
from pagehand.workflow.ordinals import ORDINAL_WORDS

_ENGINE: Final = re.compile(r"^(?:the )?(?:google|bing|duckduckgo|yahoo|web|internet)$", re.IGNORECASE)
_ELSEWHERE: Final = re.compile(r"\b(?:on|at|in the|on the|using|with|via) \S+$", re.IGNORECASE)
_FIRST_FIVE: Final = "|".join(ORDINAL_WORDS[:5])
_RESULT: Final = re.compile(rf"the (?P<which>{_FIRST_FIVE})(?: search)? result", re.IGNORECASE)


def _search(slots: Slots, context: ParseContext) -> Json:
    if found := _ELSEWHERE.search(slots["query"]) or _ENGINE.search(slots.get("field", "")):
        raise NotUnderstood(
            found[0],
            "a search is made on the page that is open; put the words in quotes, or open another first",
        )
    data: Json = {"query": read_last_value(slots["query"], context)}
    if slots.get("field"):
        return on_element(read_element(slots["field"], context, "field"), data)
    return {"data": data}


def _search_web(slots: Slots, context: ParseContext) -> Json:
    return {"data": {"query": read_last_value(slots["query"], context)}}


def _merge_enter(search: Json, step: Json) -> Json | None:
    """A search presses Enter anyway."""
    return search if step.get("keys") == [ENTER] else None


def _merge_pick(search: Json, click: Json) -> Json | None:
    """A web search that opens the result which is clicked next; None for other steps."""
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


_HEADING: Final = "Waiting, searching, closing, mail"

SEARCHING: Final = Sentences(
    _HEADING,
    (
        Rule("search for", r" {query}", _search, ("Search for wireless headphones",)),
        Rule(
            "search",
            rf" (?P<field>the .+? (?:field|box|bar|input)|{TOKEN}) for {{query}}",
            _search,
            ('Search the "Products" field for lamps',),
        ),
    ),
    merge_next=_merge_enter,
)

SEARCHING_WEB: Final = Sentences(
    _HEADING,
    (
        Rule(
            "search the web for|search web for|search the internet for",
            r" {query}",
            _search_web,
            ("Search the web for Ada Lovelace and open the second result",),
        ),
    ),
    merge_next=_merge_pick,
)
