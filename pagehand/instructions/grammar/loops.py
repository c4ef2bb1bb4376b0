"""Loops: over items, pages, rounds, and while something holds."""

import re
from dataclasses import replace
from typing import Final

from pagehand.instructions.grammar.acting import CLICK, POINTING
from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.elements import locator_of, read_element
from pagehand.instructions.grammar.flow import (
    HEADING,
    LEAVING_LOOP,
    as_steps,
    body,
    negate,
    read_inner,
    several,
)
from pagehand.instructions.grammar.frames import tokenize
from pagehand.instructions.grammar.lexicon import verb_pattern
from pagehand.instructions.grammar.names import refuse_unclear, refuse_vague_words
from pagehand.instructions.grammar.refusal import NotUnderstood, OtherFrame
from pagehand.instructions.grammar.values import read_duration, read_items, read_named_items, read_times
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.instructions.grammar.waiting import TIME, WAITING
from pagehand.records import Json

_ITEM: Final = re.compile(r"[A-Za-z][\w-]*(?: [\w-]+)?")
_NEXT: Final = {"words": "Next"}
"""Leads to the next page where the sentence does not say: looked up at run time, refused if ambiguous."""
_LEADS_ON: Final = re.compile(r"\b(?:next|older|newer|more|forward)\b|[>»→]", re.IGNORECASE)
# an element that does not exist is neither enabled nor disabled, so "until it is enabled" has no opposite
_REPEATABLE: Final = frozenset(("hidden", "visible", "disabled"))
_DEFAULT_MAX_ITERATIONS: Final = 1000
"""Rounds that a loop makes at most unless it says otherwise."""


def _loop(over: Json, sequence: list[Json], slots: Slots, context: ParseContext) -> Json:
    """A loop over items, pages or rounds; "at most 20 times" bounds it."""
    data: Json = {"over": over}
    if over.get("times", 0) > _DEFAULT_MAX_ITERATIONS:
        # without it the loop would end early, and the run would still count as completed
        data["maxIterations"] = over["times"]
    if slots["most"]:
        data["maxIterations"] = read_times(slots["most"])
    return several(context.vocabulary.block(LOOPING, data, sequenceData={"sequence": sequence}))


def _rounds(text: str, context: ParseContext, item: str = "", items: str = "") -> list[Json]:
    parts = context.read_values.parts.get(items, frozenset())
    inside = replace(context, is_in_loop=True, loop_item=item or context.loop_item, item_parts=parts)
    blocks = body(text, inside, "loop")
    context.last_element = inside.last_element
    return blocks


def _over(items: str, item: str, slots: Slots, context: ParseContext) -> Json:
    return _loop({"items": items}, _rounds(slots["steps"], context, item, items), slots, context)


def _each(slots: Slots, context: ParseContext) -> Json:
    """Over a list that is named, or over what is called so in the parameters or was read before."""
    item = _item(slots["item"])
    listed = slots["items"]
    try:
        items = read_items(listed, item, context) if listed else read_named_items(item, context)
    except NotUnderstood:
        if not (_ON_PAGE if listed else _READING).fullmatch(listed or slots["steps"]):
            raise
        return _read_each(item, slots, context)
    return _over(items, item, slots, context)


def _read_each(item: str, slots: Slots, context: ParseContext) -> Json:
    """What is only read of each thing on the page is one reading: no loop can go over them before that."""
    steps = re.sub(rf"\b(?:the {re.escape(item)}'s|its|their) ", "the ", slots["steps"], flags=re.IGNORECASE)
    found = _READING.fullmatch(steps)
    if found is None:
        raise NotUnderstood(
            f"each {item}", f"read them first: `read the name of every {item}. For each {item}, …`"
        )
    where = f" {slots['in']} {slots['items']}" if slots["items"] else ""
    return several(*read_inner(f"{found[0]} of each {item}{where}", context, one=True))


def _each_without_comma(slots: Slots, context: ParseContext) -> Json:
    if not context.vocabulary.starts_step(tokenize(slots["steps"])):
        raise NotUnderstood(slots["item"], _EACH_HINT)
    return _each(slots, context)


def _through_items(slots: Slots, context: ParseContext) -> Json:
    """Over a list that is named as a whole; what it calls one of them is its own name in the singular."""
    if re.match(r"(?:all |every |each |of |the )*\bpages?\b", slots["items"], re.IGNORECASE):
        raise OtherFrame(_THROUGH_HINT)
    last = re.split(r"[. ]", context.literals.unmask(slots["items"]).strip("{} "))[-1]
    item = last.removesuffix("s") or "item"
    return _over(read_items(slots["items"], item, context), item, slots, context)


def _each_of_them(slots: Slots, context: ParseContext) -> Json:
    """Over what was read just before."""
    row = context.read_values.row
    if not row:
        raise NotUnderstood(
            "each of them", "no step before has read a list; say what of: `for each customer, …`"
        )
    item = row if _ITEM.fullmatch(row) else "row"
    return _over(context.read_values.lists["row"], item, slots, context)


def _on_all_pages(slots: Slots, context: ParseContext) -> Json:
    """Trailing: "… on all pages"."""
    if _LEADS_ON.search(context.literals.unmask(slots["steps"])):
        raise NotUnderstood(slots["steps"], _PAGES_HINT)
    steps = read_inner(slots["steps"], replace(context, is_in_loop=True), one=True)
    return _loop({"pages": _next_page(slots, context)}, steps, slots, context)


def _item(text: str) -> str:
    if not _ITEM.fullmatch(text):
        raise NotUnderstood(text, _EACH_HINT)
    refuse_vague_words(text)
    return text


def _pages(slots: Slots, context: ParseContext) -> Json:
    refuse_unclear(slots["of"])
    leads_on = slots["lead"] or _LEADS_ON.search(context.literals.unmask(slots["next"]))
    if (slots["click"] and not leads_on) or re.search(r"\bnext (?:page|one)$", slots["next"]):
        raise NotUnderstood(slots["next"], _PAGES_HINT)
    steps = _rounds(slots["steps"], context)
    return _loop({"pages": _next_page(slots, context)}, steps, slots, context)


def _next_page(slots: Slots, context: ParseContext) -> Json:
    return locator_of(read_element(slots["next"], context)) if slots["next"] else dict(_NEXT)


def _through(slots: Slots, context: ParseContext) -> Json:
    if len(slots["kind"].split()) > 1:
        raise NotUnderstood(slots["kind"], _THROUGH_HINT)
    if not slots["steps"]:
        raise NotUnderstood("go through", _THROUGH_HINT)
    return _pages(slots, context)


def _times(slots: Slots, context: ParseContext) -> Json:
    steps = _rounds(slots["steps"], context)
    return _loop({"times": read_times(slots["count"])}, steps, slots, context)


def _times_after(slots: Slots, context: ParseContext) -> Json:
    """Trailing: "… 3 times", with a pause between the rounds or until something is there."""
    steps = read_inner(slots["steps"], replace(context, is_in_loop=True), one=True)
    if slots["time"]:
        pause = {"durationMs": read_duration(slots["time"], slots["unit"])}
        steps = [*steps, context.vocabulary.block(WAITING, pause)]
    if slots["condition"]:
        leave = {"condition": read_condition(slots["condition"], context)}
        steps = [*steps, context.vocabulary.block(LEAVING_LOOP, leave)]
    return _loop({"times": read_times(slots["count"])}, steps, slots, context)


def _while(slots: Slots, context: ParseContext) -> Json:
    condition = (_not_yet if slots["until"] else read_condition)(slots["condition"], context)
    return _loop({"while": condition}, _rounds(slots["steps"], context), slots, context)


def _keep_until(slots: Slots, context: ParseContext) -> Json:
    """Several steps again and again: "keep clicking Next and waiting 1 second until …"."""
    steps = _rounds(as_steps(slots["steps"], context), context)
    if slots["count"]:
        pause = {"durationMs": read_duration(slots["count"], slots["unit"])}
        steps = [*steps, context.vocabulary.block(WAITING, pause)]
    return _loop({"while": _not_yet(slots["condition"], context)}, steps, slots, context)


def _every_until(slots: Slots, context: ParseContext) -> Json:
    steps = read_inner(slots["steps"], replace(context, is_in_loop=True), one=True)
    pause = context.vocabulary.block(WAITING, {"durationMs": read_duration(slots["count"], slots["unit"])})
    return _loop({"while": _not_yet(slots["condition"], context)}, [*steps, pause], slots, context)


def _not_yet(words: str, context: ParseContext) -> Json:
    """What holds until the condition does."""
    reached = read_condition(words, context)
    opposite = negate(reached) if "expression" in reached or reached.get("state") in _REPEATABLE else None
    if opposite is None:
        raise NotUnderstood(words, "say until what `is shown`, `disappears` or `is disabled`")
    return opposite


def _click_repeatedly(slots: Slots, context: ParseContext) -> Json:
    """A click again and again, while or until something holds."""
    element = read_element(slots["element"], context)
    click = context.vocabulary.block(POINTING, CLICK, locator=locator_of(element))
    read = _not_yet if slots["until"] else read_condition
    return _loop({"while": read(slots["condition"], context)}, [click], slots, context)["several"][0]


_ON_PAGE: Final = re.compile(
    r"(?:the|this) (?:[\w-]+ )?(?:table|list|page|results?|grid|overview|screen)", re.IGNORECASE
)
_READING: Final = re.compile(
    rf"(?:{verb_pattern('read', 'read_the')}|take|pull) (?!it\b|them\b)[\w' ,-]+", re.IGNORECASE
)
_EACH_HINT: Final = "say `for each customer in the parameters, …`"
_REPEAT: Final = ("", "repeat ", "repeat this ", "repeat the following ", "do this ", "do the following ")
_FOR_EACH: Final = "|".join(f"{word}for {each}" for word in _REPEAT for each in ("each", "every", "all"))
_PAGES_HINT: Final = "say `on every page, …; the next page is behind the Next link`"
_THROUGH_HINT: Final = "say `go through all pages using the Next link and extract …`"
_KEEP: Final = "keep clicking on|keep clicking|keep pressing|keep hitting|keep tapping"
_WHILE: Final = "while|as long as|so long as|for as long as"
_ON_PAGES: Final = (
    "(on every|on each|on all|do this on each|do this on every|do the following on each"
    "|do the following on every) [of the] (page|pages) [of [the] {of}] (,|:) {steps}"
)
_MOST: Final = (
    "[[,|;] [but] (at most|up to|no more than|not more than|a maximum of|max.|max|maximum) {most:<number>}"
    " (times|clicks|rounds|tries)]"
)
_AND: Final = "(,|;|and|, and|; and|, then|and then|, and then|; then)"
LOOPING: Final = Sentences(
    HEADING,
    (
        Frame(
            f"({_FOR_EACH}) [of] [the] {{item}} {{in:in|from|of|on}} {{items}} (,|:) [do] [{{steps}}]",
            _each,
            (
                (
                    "For each customer in the parameters, type the customer's name into the Search box "
                    "and click Find"
                ),
                "For each order in {{params.orders}}:\n- type the order into the Number field\n- click Add",
            ),
            "rest",
            _EACH_HINT,
        ),
        Frame(f"({_FOR_EACH}) [of] [the] {{item}} (,|:) [do] [{{steps}}]", _each, scope="rest"),
        Frame(
            "(for each|for every) {item} {steps}"
            "| (for each|for every) [of the] {item} (in|from|of) {items:<literal>} {steps}",
            _each_without_comma,
            scope="rest",
        ),
        Frame(
            "((for each|for every|for all) (one|of them|of these|of those|one of them|them) [,|:]"
            "|for each (,|:)) {steps:<verb> [{rest}]}",
            _each_of_them,
            (
                (
                    "Read the name of every supplier. For each of them, type the name into the Search box "
                    "and click Go"
                ),
            ),
            "rest",
        ),
        Frame(
            "{steps} [,|;] [and] [do this|do that|repeat this|do so]"
            " ((on|for|across|over|from) (all|every|each) [of] [the] (page|pages)|page by page)"
            " [[,] (using|with|via|by clicking [on]|clicking [on]) {next}"
            " [to (get|go|move|turn) to the next (page|one)|for the next (page|one)]]",
            _on_all_pages,
            ("Read the number and the date of every invoice on all pages",),
            "sentence",
        ),
        Frame(
            "(loop over|loop through|go through|run through|iterate over) [all|each of|every] [the] {items}"
            " (,|:|and) [do] [for each [one|of them|item] [,|:]] {steps}"
            "| (for each|for every) [one] of [the] {items:<literal>} (,|:) [do] {steps}",
            _through_items,
            ("Go through {{params.orders}} and type the item into the Number field",),
            "rest",
        ),
        Frame(
            "{steps} [,] (for each|for every) {item} (in|from|of) {items}",
            _each,
            ("Type the order into the Number field for each order in {{params.orders}}",),
            "sentence",
        ),
        Frame(
            f"{_ON_PAGES} (,|;|, and|; and) [the] next page is"
            " (behind|reached by|reached with|reached through|opened by|opened with) {next}"
            f"| {_ON_PAGES} {_AND} {{click:using|clicking|by clicking|with|via|click|press}} {{next}}"
            " [{lead:(for|to get to|to go to|to reach|to turn to|to open) the next (page|one)}]"
            f"| {_ON_PAGES} {_AND} (go|move|turn|continue) to the next page",
            _pages,
            (
                (
                    "On every page, extract the title and the price of each book; "
                    "the next page is behind the Next link"
                ),
            ),
            "rest",
            _PAGES_HINT,
        ),
        Frame(
            "(go through|page through) ((all|every|each|the) [of] [the] [{kind}] (page|pages) [of [the] {of}]"
            "|[all] [the] (results|search results|result pages))"
            " [[,] (using|with|via|by clicking [on]|clicking [on]) {next}]"
            " (,|:|;|, and|: and|; and|and) {steps}",
            _through,
            ("Go through all pages using the Next link and extract the title and the price of each book",),
            "rest",
            _THROUGH_HINT,
        ),
        Frame(
            "((repeat|repeat this|repeat the following|do this|do the following)"
            " [up to|at most] {count:<number>} [times]"
            "|(up to|at most|no more than) {count:<number>} times) (,|:) [{steps}]",
            _times,
            ("Repeat 3 times: click More, then wait 1 second",),
            "rest",
            "say `repeat 3 times: …`",
        ),
        Frame(
            f"(repeat while|repeat as long as|{_WHILE}) {{condition}} (,|:) [{{steps}}]",
            _while,
            ("While the Load more button is shown, click it",),
            "rest",
            "say `while … is shown, …`",
        ),
        Frame(
            "{until:until|repeat until|repeat this until|repeat the following until} {condition} (,|:)"
            " {steps}",
            _while,
            ('Repeat until "End of list" is shown: click More, then wait 1 second',),
            "rest",
            "say `repeat until … is shown: …`",
        ),
        Frame(
            f"keep {{steps}} [[,] (with|waiting|pausing) [for] [a pause of] {TIME} [in between|between]"
            " [each|the|them|every] [click|clicks|time|times|rounds|try|tries]] [,] (until|till)"
            f" {{condition}} {_MOST}",
            _keep_until,
            ("Keep clicking More and waiting 1 second until it disappears",),
            "sentence",
        ),
        Frame(
            f"({_KEEP}|@click|@press) {{element}} [repeatedly|again and again|over and over] [,]"
            f" {{until:until|till}} {{condition}} {_MOST}"
            f"| ({_KEEP}|@click|@press) {{element}} [,] ({_WHILE}) {{condition}}",
            _click_repeatedly,
            (
                "Keep clicking Load more until it disappears",
                'Click Next until "End of list" is shown',
                "Keep clicking Load more while it is shown",
            ),
        ),
        Frame(
            f"{{steps}} every {TIME} (until|till) {{condition}}",
            _every_until,
            ('Click Refresh every 10 seconds until "Completed" is shown',),
            "sentence",
        ),
        Frame(
            "{steps} ({count:<number>} times|{count:twice})"
            f" [[,] waiting {TIME.replace('count', 'time')} "
            " (each time|[in] between [each|the|them] [click|clicks|time|times|rounds])]",
            _times_after,
            ("Click Load more 3 times", "Click Refresh five times, waiting 2 seconds between clicks"),
            "clause",
        ),
        Frame(
            "{steps} [up to|at most] {count:<number>} times (,|;|and|, and|; and|, but|but) [then]"
            " (stop|exit|leave|quit|break) [the loop] (as soon as|once|when|if) {condition}",
            _times_after,
            ('Click Retry up to 3 times; stop as soon as "Online" is shown',),
            "sentence",
        ),
    ),
)
