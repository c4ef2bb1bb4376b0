"""A whole message: its sentences, one after the other."""

import contextlib
import re
from collections.abc import Sequence
from copy import copy
from typing import Final

from pagehand.instructions.grammar.clauses import (
    STARTS_FLOW,
    mend_typos,
    read_clauses,
    step_names,
)
from pagehand.instructions.grammar.closing import without_needless_if
from pagehand.instructions.grammar.flow import is_loop, read_flow
from pagehand.instructions.grammar.keys import focused_keys, joined
from pagehand.instructions.grammar.outputs import fill_in_outputs
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.scene import Scene
from pagehand.instructions.grammar.sentences import Sentence, belongs_to_the_one_before, split_sentences
from pagehand.records import Json

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
    "Go through all pages using the Next link and extract the title and the price of each book",
    "If there is a cookie banner, close it. Click Orders.",
    "Hi, please click Orders and press Export. Thanks!",
    "1. Open https://example.com 2. Click Start 3. Press Enter",
)
"""Sentences of several steps, conditions and loops, for the documentation and the tests."""

_MOST_LETTERS: Final = 4000


def read_message(text: str, scene: Scene) -> list[Json]:
    """The blocks of a whole message; `NotUnderstood` when any word of it is not."""
    if len(text) > _MOST_LETTERS:
        raise NotUnderstood(
            f"{text[:40]}…", f"it is longer than {_MOST_LETTERS} letters; ask for a part at a time"
        )
    shielded = scene.wording.shield(text)
    if (quote := scene.wording.lone_quote(shielded)) is not None:
        raise NotUnderstood(quote, "this quotation mark has no partner; close it or leave it out")
    try:
        return _read_shielded(shielded, scene)
    except NotUnderstood as refusal:
        # only once it is refused: a word that is understood as written is never taken for a slip
        mended = mend_typos(shielded, scene.vocabulary.first_words)
        with contextlib.suppress(NotUnderstood):
            if mended != shielded:
                return _read_shielded(mended, scene)
        # the first refusal, about the user's own words rather than the mended ones
        raise refusal.written(scene.wording.written) from refusal


def _read_shielded(text: str, scene: Scene) -> list[Json]:
    sentences = _joined(split_sentences(without_needless_if(text)))
    if not sentences:
        raise NotUnderstood(text, "it says no step; begin with a verb: `click …`, `type … into …`, `open …`")
    blocks = focused_keys(read_sentences(sentences, copy(scene)), scene)
    fill_in_outputs(blocks, scene)
    return blocks


def _joined(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Sentences that go on with the one before become part of it."""
    found: list[Sentence] = []
    for sentence in sentences:
        if found and belongs_to_the_one_before(sentence) and not found[-1].below:
            found[-1].text += f"; {sentence.text}"
            found[-1].below = sentence.below
        else:
            found.append(sentence)
    return found


def read_sentences(sentences: Sequence[Sentence], scene: Scene) -> list[Json]:
    """The blocks of several sentences."""
    blocks: list[Json] = []
    before: Sentence | None = None
    for sentence in sentences:
        if sentence.below and not STARTS_FLOW.match(sentence.text):
            blocks += read_sentences(sentence.below, scene)  # a heading: "Do the following:"
            _check_heading(sentence.text, scene)
            continue
        if before is not None and sentence.is_sequel and is_loop(before.text) and not before.below:
            raise NotUnderstood(
                scene.wording.written(sentence.text),
                "it is not clear whether this belongs to the loop; put the loop's steps in a list below it, "
                "or begin with `After the loop`",
            )
        try:
            more = _read_sentence(sentence, scene)
        except NotUnderstood as refusal:
            raise refusal.after(step_names(blocks)) from refusal
        blocks, before = joined(blocks, more, scene), sentence
    return blocks


def _read_sentence(sentence: Sentence, scene: Scene) -> list[Json]:
    body = read_flow(sentence.text, sentence.below, scene, read_sentences)
    return body if body is not None else read_clauses(sentence.text, scene, read_sentences)


def _check_heading(text: str, scene: Scene) -> None:
    if not re.fullmatch(
        r"(?:do the following|the steps|steps|follow these steps|do this|here are the steps)\s*:?",
        text,
        re.IGNORECASE,
    ):
        raise NotUnderstood(
            scene.wording.written(text), "what stands above a list should say `if …` or `for each …`"
        )
