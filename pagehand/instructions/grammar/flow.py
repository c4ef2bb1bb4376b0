"""Conditions and loops, and what is done within them."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pagehand.instructions.grammar.conditions import read_condition
from pagehand.instructions.grammar.courtesy import without_lead
from pagehand.instructions.grammar.elements import locator_of, read_element
from pagehand.instructions.grammar.names import refuse_negation, refuse_open_words
from pagehand.instructions.grammar.other_steps import read_times
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.repeating import loop
from pagehand.instructions.grammar.rules import Sentences
from pagehand.instructions.grammar.scene import Scene
from pagehand.instructions.grammar.sentences import Sentence
from pagehand.instructions.grammar.values import COUNT, read_items, read_named_items
from pagehand.records import Json

Read = Callable[[Sequence[Sentence], Scene], list[Json]]
"""Reads the sentences of a body."""

BRANCHING: Final = Sentences("Several steps, conditions, loops")
"""Conditions are read here, as steps stand in them."""
LONGEST_NAME: Final = 120
"""How long the name of a block may become."""

_LOOP: Final = re.compile(
    r"(?:for (?:each|every|all)|on (?:every|each)|(?:go|page) through|repeat|while|as long as)\b",
    re.IGNORECASE,
)
_IF: Final = re.compile(
    r"if\s+(?P<condition>.+?)(?:\s*,\s*(?:then\s+)?|\s+then\s+|\s*:\s*)(?P<body>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ELSE: Final = re.compile(r"\s*[,;]?\s*\b(?:otherwise|or else|else|if not)\b\s*,?\s*", re.IGNORECASE)
_EACH: Final = re.compile(
    r"for (?:each|every|all)(?: of)?(?: the)? (?P<item>[A-Za-z][\w-]*(?: [\w-]+)?) (?:in|from|"
    r"of)(?: the list(?! of))? (?P<items>.+?)(?:\s*[,:]\s*(?:do )?)(?P<body>.*)",
    re.IGNORECASE,
)
_PAGES: Final = re.compile(
    r"on (?:every|each|all)(?: of the)? pages?(?: of (?:the )?(?P<of>[\w ]+?))?\s*[,:]\s*(?P<body>.+?)"
    r"\s*[,;]\s*(?:and )?(?:(?:the )?next page is (?:behind|reached (?:by|with|through)|opened"
    r" (?:by|with))|(?:using|clicking|by clicking|with|via|click))"
    r"\s+(?P<next>.+?)(?:\s+(?:for|to (?:get to|go to|reach|turn to|open)) the next (?:page|one))?",
    re.IGNORECASE,
)
_THROUGH: Final = re.compile(
    r"(?:go|page) through (?:all|every|each)(?: of)?(?: the)?(?: [\w-]+)? pages?"
    r"(?: of (?:the )?(?P<of>[\w -]+?))?"
    r"(?:,? (?:using|with|via|by clicking(?: on)?|clicking(?: on)?) (?P<next>.+?))?"
    r"(?:\s*[,:;]\s*(?:and )?| and )(?P<body>.*)",
    re.IGNORECASE,
)
_NEXT: Final = {"words": "Next"}
"""What leads to the next page where nobody says: looked up when it runs, and refused when it is not clear."""
_EACH_ALONE: Final = re.compile(
    r"for (?:each|every|all)(?: of)?(?: the)? (?P<item>[A-Za-z][\w-]*(?: [\w-]+)?)"
    r"(?:\s*[,:]\s*(?:do )?)(?P<body>.*)",
    re.IGNORECASE,
)
_TIMES: Final = re.compile(
    rf"repeat (?:this |the following )?(?P<count>{COUNT}|twice) ?(?:times)?\s*[,:]\s*(?P<body>.*)",
    re.IGNORECASE,
)
_WHILE: Final = re.compile(
    r"(?:repeat )?(?:while|as long as)\s+(?P<condition>.+?)\s*[,:]\s*(?P<body>.*)", re.IGNORECASE
)


def read_flow(text: str, below: Sequence[Sentence], scene: Scene, read: Read) -> list[Json] | None:
    """A sentence that begins with a condition or a loop; None for any other."""
    for begins, reader in _READERS:
        if begins.match(text):
            return [reader(text, below, scene, read)]
    return None


def _read_if(text: str, below: Sequence[Sentence], scene: Scene, read: Read) -> Json:
    found = _IF.fullmatch(text)
    if found is None:
        raise NotUnderstood(scene.wording.written(text), "say `if …, then …`")
    condition = read_condition(found["condition"], scene)
    yes, *no = _ELSE.split(found["body"])
    if len(no) > 1:
        raise NotUnderstood(scene.wording.written(found["body"]), "there is more than one `otherwise`")
    # both branches speak of what was named before them, and the first may name something else
    antecedent = scene.last
    branches = {"trueSequence": _body(yes, below, scene, read, what="condition")}
    scene.last = antecedent
    branches["falseSequence"] = _body(no[0], (), scene, read, what="condition") if no else []
    name = f"If {scene.wording.written(found['condition'])}"[:LONGEST_NAME]
    return branch(condition, branches, scene, name=name)


def branch(condition: Json, branches: Mapping[str, list[Json]], scene: Scene, **more: str) -> Json:
    """A block that does what a condition decides."""
    return scene.vocabulary.block(BRANCHING, {"condition": condition}, **more, sequenceData=branches)


def _body(text: str, below: Sequence[Sentence], scene: Scene, read: Read, *, what: str) -> list[Json]:
    """What is done within a condition or a loop."""
    inner = text.strip().strip(",;:").strip()
    if what == "condition" and re.search(
        r"[,;]\s*(?:and\s+)?then\s|(?:and|[,;])\s+if\b|[,;]\s+(?!and\b)(?!.*\band\b)", inner, re.IGNORECASE
    ):
        raise NotUnderstood(
            scene.wording.written(inner),
            "it is not clear whether all of it depends on the condition; begin a new sentence",
        )
    # exactly one of the two: steps behind the comma, or a list below the line
    if bool(inner) == bool(below):
        raise NotUnderstood(scene.wording.written(text), f"it is not clear what belongs to the {what}")
    return read(below or [Sentence(without_lead(inner))], scene)


def _read_each(text: str, below: Sequence[Sentence], scene: Scene, read: Read) -> Json:
    whole = text if not below or text.endswith(":") else f"{text}:"
    found = _EACH.fullmatch(whole)
    alone = _EACH_ALONE.fullmatch(whole)
    if alone is not None:  # no list is named before the first comma or colon
        found = alone
    if found is None:
        raise NotUnderstood(scene.wording.written(text), "say `for each customer in the parameters, …`")
    item = found["item"].strip()
    refuse_open_words(item)
    items = read_named_items(item, scene) if alone else read_items(found["items"], item, scene)
    body = _body(found["body"], below, scene.inside(item), read, what="loop")
    return loop({"items": items}, body, scene)


def _read_pages(text: str, below: Sequence[Sentence], scene: Scene, read: Read) -> Json:
    found = _PAGES.fullmatch(text)
    if found is None:
        raise NotUnderstood(
            scene.wording.written(text), "say `on every page, …; the next page is behind the Next link`"
        )
    refuse_open_words(found["of"] or "")
    refuse_negation(found["of"] or "")
    sequence = _body(found["body"], below, scene, read, what="loop")
    return loop({"pages": locator_of(read_element(found["next"], scene))}, sequence, scene)


def _read_through(text: str, below: Sequence[Sentence], scene: Scene, read: Read) -> Json:
    found = _THROUGH.fullmatch(text if not below or text.endswith(":") else f"{text}:")
    if found is None:
        raise NotUnderstood(
            scene.wording.written(text), "say `go through all pages using the Next link and extract …`"
        )
    refuse_open_words(found["of"] or "")
    refuse_negation(found["of"] or "")
    sequence = _body(found["body"], below, scene, read, what="loop")
    locator = locator_of(read_element(found["next"], scene)) if found["next"] else dict(_NEXT)
    return loop({"pages": locator}, sequence, scene)


def _read_times(text: str, below: Sequence[Sentence], scene: Scene, read: Read) -> Json:
    found = _TIMES.fullmatch(text)
    if found is None:
        raise NotUnderstood(scene.wording.written(text), "say `repeat 3 times: …`")
    body = _body(found["body"], below, scene, read, what="loop")
    return loop({"times": read_times(found["count"])}, body, scene)


def _read_while(text: str, below: Sequence[Sentence], scene: Scene, read: Read) -> Json:
    found = _WHILE.fullmatch(text)
    if found is None:
        raise NotUnderstood(scene.wording.written(text), "say `while … is shown, …`")
    condition = read_condition(found["condition"], scene)
    return loop({"while": condition}, _body(found["body"], below, scene, read, what="loop"), scene)


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
