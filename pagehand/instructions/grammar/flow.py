"""Conditions and loops with the steps in them."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.elements import locator_of, read_element
from pagehand.instructions.grammar.names import refuse_negation, refuse_vague_words
from pagehand.instructions.grammar.politeness import strip_lead_in
from pagehand.instructions.grammar.repeating import loop_block
from pagehand.instructions.grammar.sentences import Sentence
from pagehand.instructions.grammar.values import COUNT, read_items, read_named_items, read_times
from pagehand.instructions.grammar.vocabulary import ParseContext, Sentences
from pagehand.records import Json

ReadSentences = Callable[[Sequence[Sentence], ParseContext], list[Json]]
"""Reads the sentences of a body."""

BRANCHING: Final = Sentences("Several steps, conditions, loops")
"""Without rules: conditions are read here, because they contain steps."""
MAX_NAME_LENGTH: Final = 120
"""Of a block, in characters."""

_FLAGS: Final = re.IGNORECASE | re.DOTALL
"""A slot at the end matches whatever is left; else a text would be tried from each of its words."""
_LOOP: Final = re.compile(
    r"(?:for (?:each|every|all)|on (?:every|each)|(?:go|page) through|repeat|while|as long as)\b",
    re.IGNORECASE,
)
_IF: Final = re.compile(
    r"if (?P<condition>.+?)(?: ?, ?(?:then )?| then | ?: ?)(?P<body>.*)",
    _FLAGS,
)
_ELSE: Final = re.compile(r" ?[,;]? ?\b(?:otherwise|or else|else|if not)\b ?,? ?", re.IGNORECASE)
_EACH: Final = re.compile(
    r"for (?:each|every|all)(?: of)?(?: the)? (?P<item>[A-Za-z][\w-]*(?: [\w-]+)?) (?:in|from|"
    r"of)(?: the list(?! of))? (?P<items>.+?)(?: ?[,:] ?(?:do )?)(?P<body>.*)",
    _FLAGS,
)
_PAGES: Final = re.compile(
    r"on (?:every|each|all)(?: of the)? pages?(?: of (?:the )?(?P<of>[\w ]+?))? ?[,:] ?(?P<body>.+?)"
    r" ?[,;] ?(?:and )?(?:(?:the )?next page is (?:behind|reached (?:by|with|through)|opened"
    r" (?:by|with))|(?:using|clicking|by clicking|with|via|click))"
    r" (?P<next>.+?)(?: (?:for|to (?:get to|go to|reach|turn to|open)) the next (?:page|one))?",
    _FLAGS,
)
_THROUGH: Final = re.compile(
    r"(?:go|page) through (?:all|every|each)(?: of)?(?: the)?(?: [\w-]+)? pages?"
    r"(?: of (?:the )?(?P<of>[\w-]+(?: [\w-]+){0,7}?))?"
    r"(?:,? (?:using|with|via|by clicking(?: on)?|clicking(?: on)?) (?P<next>.+?))?"
    r"(?: ?[,:;] ?(?:and )?| and )(?P<body>.*)",
    _FLAGS,
)
_NEXT: Final = {"words": "Next"}
"""Leads to the next page where the sentence does not say: looked up at run time, refused if ambiguous."""
_EACH_WITHOUT_LIST: Final = re.compile(
    r"for (?:each|every|all)(?: of)?(?: the)? (?P<item>[A-Za-z][\w-]*(?: [\w-]+)?)"
    r"(?: ?[,:] ?(?:do )?)(?P<body>.*)",
    _FLAGS,
)
_TIMES: Final = re.compile(
    rf"repeat (?:this |the following )?(?P<count>{COUNT}|twice) ?(?:times)? ?[,:] ?(?P<body>.*)",
    _FLAGS,
)
_WHILE: Final = re.compile(r"(?:repeat )?(?:while|as long as) (?P<condition>.+?) ?[,:] ?(?P<body>.*)", _FLAGS)


def read_flow(
    text: str, nested: Sequence[Sentence], context: ParseContext, read: ReadSentences
) -> list[Json] | None:
    """A sentence that begins with a condition or a loop; None for any other."""
    for begins, reader in _READERS:
        if begins.match(text):
            return [reader(text, nested, context, read)]
    return None


def _read_if(text: str, nested: Sequence[Sentence], context: ParseContext, read: ReadSentences) -> Json:
    found = _IF.fullmatch(text)
    if found is None:
        raise context.not_understood(text, "say `if …, then …`")
    condition = read_condition(found["condition"], context)
    yes, *no = _ELSE.split(found["body"])
    if len(no) > 1:
        raise context.not_understood(found["body"], "there is more than one `otherwise`")
    # in both branches `it` refers to what was named before them; the first may name something else
    antecedent = context.last_element
    branches = {"trueSequence": _body(yes, nested, context, read, what="condition")}
    context.last_element = antecedent
    branches["falseSequence"] = _body(no[0], (), context, read, what="condition") if no else []
    name = f"If {context.literals.as_written(found['condition'])}"[:MAX_NAME_LENGTH]
    return if_block(condition, branches, context, name=name)


def if_block(condition: Json, branches: Mapping[str, list[Json]], context: ParseContext, **more: str) -> Json:
    """A block with the branches of a condition."""
    return context.vocabulary.block(BRANCHING, {"condition": condition}, **more, sequenceData=branches)


def _body(
    text: str, nested: Sequence[Sentence], context: ParseContext, read: ReadSentences, *, what: str
) -> list[Json]:
    """The steps in a condition or a loop."""
    inner = text.strip().strip(",;:").strip()
    if what == "condition" and re.search(
        r"[,;] ?(?:and )?then |(?:and|[,;]) if\b|[,;] (?:(?!\band\b|[,;] ).)*+$", inner, re.IGNORECASE
    ):
        raise context.not_understood(
            inner,
            "it is not clear whether all of it depends on the condition; begin a new sentence",
        )
    # exactly one of the two: steps behind the comma, or a list below the line
    if bool(inner) == bool(nested):
        raise context.not_understood(text, f"it is not clear what belongs to the {what}")
    with context.budget.nested():
        return read(nested or [Sentence(strip_lead_in(inner))], context)


def _read_each(text: str, nested: Sequence[Sentence], context: ParseContext, read: ReadSentences) -> Json:
    whole = text if not nested or text.endswith(":") else f"{text}:"
    found = _EACH.fullmatch(whole)
    alone = _EACH_WITHOUT_LIST.fullmatch(whole)
    if alone is not None:  # no list is named before the first comma or colon
        found = alone
    if found is None:
        raise context.not_understood(text, "say `for each customer in the parameters, …`")
    item = found["item"].strip()
    refuse_vague_words(item)
    items = read_named_items(item, context) if alone else read_items(found["items"], item, context)
    body = _body(found["body"], nested, context.in_loop(item), read, what="loop")
    return loop_block({"items": items}, body, context)


def _read_pages(text: str, nested: Sequence[Sentence], context: ParseContext, read: ReadSentences) -> Json:
    found = _PAGES.fullmatch(text)
    if found is None:
        raise context.not_understood(text, "say `on every page, …; the next page is behind the Next link`")
    refuse_vague_words(found["of"] or "")
    refuse_negation(found["of"] or "")
    sequence = _body(found["body"], nested, context, read, what="loop")
    return loop_block({"pages": locator_of(read_element(found["next"], context))}, sequence, context)


def _read_through(text: str, nested: Sequence[Sentence], context: ParseContext, read: ReadSentences) -> Json:
    found = _THROUGH.fullmatch(text if not nested or text.endswith(":") else f"{text}:")
    if found is None:
        raise context.not_understood(text, "say `go through all pages using the Next link and extract …`")
    refuse_vague_words(found["of"] or "")
    refuse_negation(found["of"] or "")
    sequence = _body(found["body"], nested, context, read, what="loop")
    locator = locator_of(read_element(found["next"], context)) if found["next"] else dict(_NEXT)
    return loop_block({"pages": locator}, sequence, context)


def _read_times(text: str, nested: Sequence[Sentence], context: ParseContext, read: ReadSentences) -> Json:
    found = _TIMES.fullmatch(text)
    if found is None:
        raise context.not_understood(text, "say `repeat 3 times: …`")
    body = _body(found["body"], nested, context, read, what="loop")
    return loop_block({"times": read_times(found["count"])}, body, context)


def _read_while(text: str, nested: Sequence[Sentence], context: ParseContext, read: ReadSentences) -> Json:
    found = _WHILE.fullmatch(text)
    if found is None:
        raise context.not_understood(text, "say `while … is shown, …`")
    condition = read_condition(found["condition"], context)
    return loop_block({"while": condition}, _body(found["body"], nested, context, read, what="loop"), context)


def is_loop(text: str) -> bool:
    """True when a sentence begins a loop."""
    return _LOOP.match(text) is not None


_READERS: Final = tuple(
    (re.compile(rf"{begins}\b", re.IGNORECASE), reader)
    for begins, reader in (
        ("if", _read_if),
        ("for (?:each|every|all)", _read_each),
        ("on (?:every|each|all)", _read_pages),
        ("(?:go|page) through", _read_through),
        ("(?:repeat )?(?:while|as long as)", _read_while),
        ("repeat", _read_times),
    )
)
"""In the order they are tried."""
