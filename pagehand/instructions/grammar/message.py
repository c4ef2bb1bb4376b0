"""A whole message, sentence by sentence."""

import contextlib
import re
from collections.abc import Sequence
from copy import copy
from typing import Final

from pagehand.instructions.grammar.clauses import (
    STARTS_FLOW,
    correct_typos,
    merge_steps,
    read_clauses,
    step_names,
)
from pagehand.instructions.grammar.closing import drop_popup_conditions
from pagehand.instructions.grammar.filling import ENTER, FILLING
from pagehand.instructions.grammar.flow import is_loop, read_flow
from pagehand.instructions.grammar.outputs import fill_in_outputs
from pagehand.instructions.grammar.refusal import BudgetExceededError, NotUnderstood
from pagehand.instructions.grammar.sentences import Sentence, continues_previous, split_sentences
from pagehand.instructions.grammar.vocabulary import ParseContext
from pagehand.records import Json

EXAMPLES: Final = (
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
_MAX_LENGTH: Final = 4000
AFTER_LOOP: Final = (
    "it is not clear whether this belongs to the loop; put the loop's steps in a list below it, "
    "or begin with `After the loop`"
)
"""Why "then …" after a loop is refused."""


def read_message(text: str, context: ParseContext) -> list[Json]:
    """The blocks of a whole message; `NotUnderstood` when any word of it is not clear."""
    try:
        return _read_text(mask_message(text, context), context)
    except BudgetExceededError as error:
        raise NotUnderstood(text[:40], str(error)) from error


def mask_message(text: str, context: ParseContext) -> str:
    """The message with its literals masked; `NotUnderstood` when it cannot be read at all."""
    if "\x00" in text:  # it would end up in a block, which then cannot be stored
        raise NotUnderstood("", "it holds a NUL character; take it out.")
    if len(text) > _MAX_LENGTH:
        raise NotUnderstood(
            f"{text[:40]}…", f"it is longer than {_MAX_LENGTH} letters; ask for a part at a time"
        )
    masked = context.literals.mask(text)
    if (quote := context.literals.unpaired_quote(masked)) is not None:
        raise NotUnderstood(quote, "this quotation mark has no partner; close it or leave it out")
    return masked


def _read_text(masked: str, context: ParseContext) -> list[Json]:
    try:
        return _read_masked(masked, context)
    except NotUnderstood as refusal:
        # only after a refusal: a word that is understood as written is never corrected
        corrected = correct_typos(masked, context.vocabulary.first_words)
        with contextlib.suppress(NotUnderstood):
            if corrected != masked:
                return _read_masked(corrected, context)
        # the first refusal is about the user's own words
        raise refusal.as_written(context.literals.as_written) from refusal


def _read_masked(text: str, context: ParseContext) -> list[Json]:
    blocks = focused_key_blocks(read_sentences(sentences_of(text), copy(context)), context)
    fill_in_outputs(blocks, context)
    return blocks


def sentences_of(text: str) -> list[Sentence]:
    """The sentences of a masked message."""
    sentences = _join_continued(split_sentences(drop_popup_conditions(text)))
    if not sentences:
        raise NotUnderstood(text, "it has no step; begin with a verb: `click …`, `type … into …`, `open …`")
    return sentences


def _join_continued(sentences: Sequence[Sentence]) -> list[Sentence]:
    """A sentence that continues the one before becomes part of it."""
    found: list[Sentence] = []
    for sentence in sentences:
        if found and continues_previous(sentence) and not found[-1].nested:
            found[-1].text += f"; {sentence.text}"
            found[-1].nested = sentence.nested
        else:
            found.append(sentence)
    return found


def read_sentences(sentences: Sequence[Sentence], context: ParseContext) -> list[Json]:
    """The blocks of several sentences."""
    blocks: list[Json] = []
    before: Sentence | None = None
    for sentence in sentences:
        if sentence.nested and not STARTS_FLOW.match(sentence.text):
            blocks += read_sentences(sentence.nested, context)  # a heading: "Do the following:"
            _check_heading(sentence.text, context)
            continue
        if before is not None and sentence.starts_with_then and is_loop(before.text) and not before.nested:
            raise context.not_understood(sentence.text, AFTER_LOOP)
        try:
            more = read_sentence(sentence, context)
        except NotUnderstood as refusal:
            raise refusal.after(step_names(blocks)) from refusal
        blocks, before = merge_steps(blocks, more, context), sentence
    return blocks


def read_sentence(sentence: Sentence, context: ParseContext) -> list[Json]:
    """The blocks of one sentence and of those nested in it."""
    body = read_flow(sentence.text, sentence.nested, context, read_sentences)
    return body if body is not None else read_clauses(sentence.text, context, read_sentences)


def _check_heading(text: str, context: ParseContext) -> None:
    if not re.fullmatch(
        r"(?:do the following|the steps|steps|follow these steps|do this|here are the steps) ?:?",
        text,
        re.IGNORECASE,
    ):
        raise context.not_understood(text, "what stands above a list should say `if …` or `for each …`")


def focused_key_blocks(blocks: Sequence[Json], context: ParseContext) -> list[Json]:
    """The blocks, with a block for every key press that follows no typing."""
    return [_focused(block, context) if "keys" in block else _with_nested(block, context) for block in blocks]


def _with_nested(block: Json, context: ParseContext) -> Json:
    if "sequenceData" not in block:
        return block
    sequences = {name: focused_key_blocks(nested, context) for name, nested in block["sequenceData"].items()}
    return {**block, "sequenceData": sequences}


def _focused(block: Json, context: ParseContext) -> Json:
    [key] = block["keys"]
    if key != ENTER:
        raise NotUnderstood(f"press {key}", f"say in which field: `type … into … and press {key}`")
    # nothing is typed, and the text in the field stays
    data: Json = {"key": "the focused field", "inputType": "TextInput", "value": "", "clearFirst": False}
    return context.vocabulary.block(
        FILLING, {**data, "pressEnter": True}, name="Press Enter", locator={"css": ":focus", "strict": True}
    )
