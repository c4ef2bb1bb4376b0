"""Steps one after the other, and steps inside conditions and loops."""

import re
from collections.abc import Sequence
from copy import copy
from typing import Final

from pagehand.ai.grammar.acting import ACTING
from pagehand.ai.grammar.conditions import read_condition
from pagehand.ai.grammar.elements import locator_of, read_element
from pagehand.ai.grammar.names import refuse_negation, refuse_open_words
from pagehand.ai.grammar.other_steps import OTHER, read_times
from pagehand.ai.grammar.reading import READING
from pagehand.ai.grammar.refusal import NotUnderstood
from pagehand.ai.grammar.rules import Rule, read_step
from pagehand.ai.grammar.scene import Scene
from pagehand.ai.grammar.sentences import Sentence, belongs_to_the_one_before, split_sentences, without_lead
from pagehand.ai.grammar.values import COUNT, read_items
from pagehand.ai.grammar.wording import ATOM
from pagehand.records import Json

STEPS: Final[tuple[Rule, ...]] = (*ACTING, *READING, *OTHER)
TOGETHER: Final = (
    "Go to https://example.com, type Ada into the Name field and press Enter, then wait 2 seconds",
    "Click Account, then Billing, then Invoices",
    "1. Open https://example.com\n2. Click Start",
    'If "Accept cookies" is shown, click it',
    "If the Next button is disabled then save the page as PDF, otherwise click Next",
    "If the amount from the parameters is more than 100, tick Insurance",
    'Click "Accept" if it is shown',
    "For each customer in the parameters, type the customer's name into the Search box and click Find",
    "For each order in {{params.orders}}:\n- type the order into the Number field\n- click Add",
    "On every page, extract the title and the price of each book; the next page is behind the Next link",
    "While the Load more button is shown, click it",
    "Repeat 3 times: click More, then wait 1 second",
    "Click Load more 3 times",
)
"""Sentences of several steps, conditions and loops, for the documentation and the tests."""

_FLOW: Final = r"(?:if|for each|for every|for all|on every|on each|repeat|while|as long as)"
_VERBS: Final = "|".join(
    sorted(
        {verb for rule in STEPS for verb in rule.verbs.replace(" ", r"\s+").split("|")}, key=len, reverse=True
    )
)
_BETWEEN: Final = re.compile(
    r"(?:\s*[,;]\s*(?:and\s+)?(?:then\s+|after that,?\s+|finally,?\s+)?|\s+and\s+(?:then\s+|"
    r"finally\s+)?|\s+then\s+)"
    rf"(?=(?:{_VERBS}|{_FLOW})\b)|\s*[,;]?\s*(?:and\s+)?\bthen\s+",
    re.IGNORECASE,
)
_VERB: Final = re.compile(rf"(?:{_VERBS}|{_FLOW})\b", re.IGNORECASE)
_STARTS_FLOW: Final = re.compile(rf"{_FLOW}\b", re.IGNORECASE)
_ANOTHER_STEP: Final = re.compile(rf"(?:\band|\bthen|,)\s+(?:{_VERBS}|{_FLOW})\b")
_MOST_JOINED: Final = 4
_MOST_LETTERS: Final = 4000
_LONGEST_NAME: Final = 120

_IF: Final = re.compile(
    r"if\s+(?P<condition>.+?)(?:\s*,\s*(?:then\s+)?|\s+then\s+|\s*:\s*)(?P<body>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ELSE: Final = re.compile(r"\s*[,;]?\s*\b(?:otherwise|or else|else|if not)\b\s*,?\s*", re.IGNORECASE)
_STEP_IF: Final = re.compile(r"(?P<body>.+?)\s*,?\s+(?:but only )?if\s+(?P<condition>.+)", re.IGNORECASE)
_EACH: Final = re.compile(
    r"for (?:each|every|all)(?: of)?(?: the)? (?P<item>[A-Za-z][\w-]*(?: [\w-]+)?) (?:in|from|"
    r"of)(?: the list)? (?P<items>.+?)(?:\s*[,:]\s*(?:do )?)(?P<body>.*)",
    re.IGNORECASE,
)
_PAGES: Final = re.compile(
    r"on (?:every|each|all)(?: of the)? pages?(?: of (?:the )?[\w ]+?)?\s*[,:]\s*(?P<body>.+?)"
    r"\s*[,;]\s*(?:and )?(?:(?:the )?next page is (?:behind|reached (?:by|with|through)|opened"
    r" (?:by|with))|(?:using|clicking|by clicking|with|via|click))"
    r"\s+(?P<next>.+?)(?:\s+(?:for|to (?:get to|go to|reach|turn to|open)) the next (?:page|one))?",
    re.IGNORECASE,
)
_TIMES: Final = re.compile(
    rf"(?:repeat (?:this |the following )?(?P<count>{COUNT}|twice) ?(?:times)?\s*[,:]\s*(?P<body>.*))"
    rf"|(?:(?P<step>.+?)\s+(?P<often>(?:{COUNT}) times|twice|once))",
    re.IGNORECASE,
)
_WHILE: Final = re.compile(
    r"(?:repeat )?(?:while|as long as)\s+(?P<condition>.+?)\s*[,:]\s*(?P<body>.*)", re.IGNORECASE
)


def read_message(text: str, scene: Scene) -> list[Json]:
    """The blocks of a whole message; `NotUnderstood` when any word of it is not."""
    if len(text) > _MOST_LETTERS:
        raise NotUnderstood(
            f"{text[:40]}…", f"it is longer than {_MOST_LETTERS} letters; ask for a part at a time"
        )
    scene.another_step = _ANOTHER_STEP
    sentences = _joined(split_sentences(scene.wording.shield(text)))
    if not sentences:
        raise NotUnderstood(text, "it says no step")
    return read_sentences(sentences, scene)


def _joined(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Sentences that go on with the one before become part of it."""
    found: list[Sentence] = []
    for one in sentences:
        if found and belongs_to_the_one_before(one) and not found[-1].below:
            found[-1].text += f"; {one.text}"
            found[-1].below = one.below
        else:
            found.append(one)
    return found


def read_sentences(sentences: Sequence[Sentence], scene: Scene) -> list[Json]:
    """The blocks of several sentences."""
    blocks: list[Json] = []
    for sentence in sentences:
        if sentence.below and not _STARTS_FLOW.match(sentence.text):
            blocks += read_sentences(sentence.below, scene)  # a heading: "Do the following:"
            _check_heading(sentence.text, scene)
            continue
        body = read_flow(sentence.text, sentence.below, scene)
        blocks = _with_keys(blocks, body if body is not None else _read_clauses(sentence.text, scene))
    return blocks


def _check_heading(text: str, scene: Scene) -> None:
    if not re.fullmatch(
        r"(?:do the following|the steps|steps|follow these steps|do this|here are the steps)\s*:?",
        text,
        re.IGNORECASE,
    ):
        raise NotUnderstood(
            scene.wording.written(text), "what stands above a list should say `if …` or `for each …`"
        )


def read_flow(text: str, below: Sequence[Sentence], scene: Scene) -> list[Json] | None:
    """A sentence that begins with a condition or a loop; None for any other."""
    if re.match(r"if\b", text, re.IGNORECASE):
        return [_read_if(text, below, scene)]
    if re.match(r"for (?:each|every|all)\b", text, re.IGNORECASE):
        return [_read_each(text, below, scene)]
    if re.match(r"on (?:every|each|all)\b", text, re.IGNORECASE):
        return [_read_pages(text, scene)]
    if re.match(r"(?:repeat )?(?:while|as long as)\b", text, re.IGNORECASE):
        return [_read_while(text, below, scene)]
    if re.match(r"repeat\b", text, re.IGNORECASE):
        return [_read_times(text, below, scene)]
    return None


def _read_if(text: str, below: Sequence[Sentence], scene: Scene) -> Json:
    found = _IF.fullmatch(text)
    if found is None:
        raise NotUnderstood(scene.wording.written(text), "say `if …, then …`")
    condition = read_condition(found["condition"], scene)
    yes, *no = _ELSE.split(found["body"])
    if len(no) > 1:
        raise NotUnderstood(scene.wording.written(found["body"]), "there is more than one `otherwise`")
    antecedent = scene.last
    branches = {"trueSequence": _body(yes, below, scene, what="condition")}
    scene.last = antecedent
    branches["falseSequence"] = _body(no[0], (), scene, what="condition") if no else []
    name = f"If {scene.wording.written(found['condition'])}"[:_LONGEST_NAME]
    return {"type": "If", "name": name, "data": {"condition": condition}, "sequenceData": branches}


def _body(text: str, below: Sequence[Sentence], scene: Scene, *, what: str) -> list[Json]:
    """What is done within a condition or a loop."""
    inner = text.strip().strip(",;:").strip()
    if what == "condition" and re.search(
        r"[,;]\s*(?:and\s+)?then\s|(?:and|[,;])\s+if\b", inner, re.IGNORECASE
    ):
        raise NotUnderstood(
            scene.wording.written(inner),
            "it is not clear whether all of it depends on the condition; begin a new sentence",
        )
    if bool(inner) == bool(below):
        raise NotUnderstood(scene.wording.written(text), f"it is not clear what belongs to the {what}")
    return read_sentences(below or [Sentence(without_lead(inner))], scene)


def _loop(over: Json, sequence: list[Json]) -> Json:
    return {"type": "LoopV2", "data": {"over": over}, "sequenceData": {"sequence": sequence}}


def _read_each(text: str, below: Sequence[Sentence], scene: Scene) -> Json:
    found = _EACH.fullmatch(text if not below or text.endswith(":") else f"{text}:")
    if found is None:
        raise NotUnderstood(scene.wording.written(text), "say `for each customer in the parameters, …`")
    item = found["item"].strip()
    refuse_open_words(item)
    items = read_items(found["items"], item, scene)
    return _loop({"items": items}, _body(found["body"], below, scene.inside(item), what="loop"))


def _read_pages(text: str, scene: Scene) -> Json:
    found = _PAGES.fullmatch(text)
    if found is None:
        raise NotUnderstood(
            scene.wording.written(text), "say `on every page, …; the next page is behind the Next link`"
        )
    sequence = _body(found["body"], (), scene, what="loop")
    return _loop({"pages": locator_of(read_element(found["next"], scene))}, sequence)


def _read_times(text: str, below: Sequence[Sentence], scene: Scene) -> Json:
    found = _TIMES.fullmatch(text)
    if found is None or not found["count"]:
        raise NotUnderstood(scene.wording.written(text), "say `repeat 3 times: …`")
    return _loop({"times": read_times(found["count"])}, _body(found["body"], below, scene, what="loop"))


def _read_while(text: str, below: Sequence[Sentence], scene: Scene) -> Json:
    found = _WHILE.fullmatch(text)
    if found is None:
        raise NotUnderstood(scene.wording.written(text), "say `while … is shown, …`")
    condition = read_condition(found["condition"], scene)
    return _loop({"while": condition}, _body(found["body"], below, scene, what="loop"))


def _read_clauses(text: str, scene: Scene) -> list[Json]:
    """The steps of one sentence, split where another step begins."""
    return _Clauses(text).read(0, scene)


class _Clauses:
    """A sentence as pieces that may be steps; they are joined again where one alone makes no sense."""

    def __init__(self, text: str) -> None:
        self._starts, self._ends = [0], list[int]()
        for found in _BETWEEN.finditer(text):
            if found.start() > self._starts[-1]:
                self._ends.append(found.start())
                self._starts.append(found.end())
        self._ends.append(len(text))
        self._text = text
        self._hopeless: dict[int, NotUnderstood] = {}

    def read(self, first: int, scene: Scene) -> list[Json]:
        """The blocks from piece number `first` on."""
        if first == len(self._starts):
            return []
        if first in self._hopeless:
            raise self._hopeless[first]
        refusal: NotUnderstood | None = None
        for last in self._choices(first):
            attempt = copy(scene)
            try:
                blocks = self._one(first, last, attempt)
                rest = self.read(last + 1, attempt)
            except NotUnderstood as problem:
                refusal = refusal or problem
                continue
            self._refuse_second_reading(last, scene)
            scene.last = attempt.last
            return _with_keys(blocks, rest)
        self._hopeless[first] = refusal or NotUnderstood(self._text, "it says no step")
        raise self._hopeless[first]

    def _choices(self, first: int) -> Sequence[int]:
        """Where the step that begins at a piece may end: conditions and loops take all that follows."""
        if _STARTS_FLOW.match(self._text, self._starts[first]):
            return [len(self._starts) - 1]
        return range(first, min(first + _MOST_JOINED, len(self._starts)))

    def _piece(self, first: int, last: int) -> str:
        return self._text[self._starts[first] : self._ends[last]].strip()

    def _one(self, first: int, last: int, scene: Scene) -> list[Json]:
        text = self._piece(first, last)
        if not _VERB.match(text) and first > 0:
            text = self._with_verb(text, first)
        is_alone = first == 0 and last == len(self._starts) - 1
        return _read_clause(text, scene, is_alone=is_alone)

    def _with_verb(self, text: str, first: int) -> str:
        """As in "Click Account, then Billing": the verb of the step before is meant again."""
        for before in reversed(range(first)):
            if found := _VERB.match(self._text, self._starts[before]):
                return f"{found[0]} {text}"
        return text

    def _refuse_second_reading(self, last: int, scene: Scene) -> None:
        """A capital letter after "and" may go on with a name: "Click Save and Download report"."""
        if last + 1 == len(self._starts) or not self._text[self._starts[last + 1]].isupper():
            return
        before, between = (
            self._text[: self._ends[last]],
            self._text[self._ends[last] : self._starts[last + 1]],
        )
        if between.strip().lower() == "and" and not re.search(rf"{ATOM}$", before):
            raise NotUnderstood(
                scene.wording.written(self._text), "it could be one step or two; put names in quotes"
            )


def _read_clause(text: str, scene: Scene, *, is_alone: bool) -> list[Json]:
    """One step, or one that depends on a condition or is done several times.

    Among several steps it is not clear how many of them a trailing "if …" or "3 times" speaks of.
    """
    flow = read_flow(text, (), scene)
    if flow is not None:
        return flow
    attempt = copy(scene)
    try:
        block = _read_single(text, attempt)
    except NotUnderstood as refusal:
        if not is_alone:
            raise
        return [_read_trailing(text, scene, refusal)]
    scene.last = attempt.last
    return block.get("several", [block])


def _read_single(text: str, scene: Scene) -> Json:
    block = read_step(text, STEPS, scene)
    if block.get("type") not in ("WaitForCondition", "FailOnCondition", "ExitFromLoop"):
        refuse_negation(text)
    if "several" in block or "keys" in block:
        return block
    return {"name": _step_name(text, block, scene), **block}


def _read_trailing(text: str, scene: Scene, refusal: NotUnderstood) -> Json:
    """A step followed by "if …" or "… times"; the refusal when there is neither."""
    if (found := _TIMES.fullmatch(text)) and found["step"]:
        often = found["often"].lower().removesuffix("times").strip()
        return _loop({"times": read_times(often)}, _read_clause(found["step"], scene, is_alone=True))
    if found := _STEP_IF.fullmatch(text):
        # what the step names is what "it" means in the condition
        steps = _read_clause(found["body"], scene, is_alone=True)
        condition = read_condition(found["condition"], scene)
        branches = {"trueSequence": steps, "falseSequence": list[Json]()}
        return {"type": "If", "data": {"condition": condition}, "sequenceData": branches}
    raise refusal


def _step_name(text: str, block: Json, scene: Scene) -> str:
    """What the user called the step; without what must stay secret."""
    if block["data"].get("inputType") == "SensitiveTextInput":
        return f"Fill in {block['data']['key']}"
    written = scene.wording.written(text)
    return (written[:1].upper() + written[1:])[:_LONGEST_NAME]


def _with_keys(blocks: list[Json], more: list[Json]) -> list[Json]:
    """Keys pressed after typing belong to the field that was typed into."""
    result = list(blocks)
    for block in more:
        if "keys" not in block:
            result.append(block)
        elif (
            result
            and result[-1].get("type") == "Input"
            and result[-1]["data"]["inputType"].endswith("TextInput")
        ):
            before = result[-1]
            data = {**before["data"], **_pressed(block["keys"])}
            result[-1] = {**before, "data": data}
        elif not result:
            result.append(block)
        else:
            raise NotUnderstood(
                f"press {block['keys'][0]}", "keys are pressed in a field that was just typed into"
            )
    return result


def _pressed(keys: list[str]) -> Json:
    return {"pressEnter": True} if keys == ["Enter"] else {"pressKeys": keys}
