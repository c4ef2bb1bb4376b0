"""A whole message, sentence by sentence."""

import contextlib
import re
from collections.abc import Sequence
from copy import copy
from itertools import zip_longest
from typing import Final

from pagehand.instructions.grammar.chart import merge_steps, read_clause, read_steps, step_names
from pagehand.instructions.grammar.closing import drop_popup_conditions
from pagehand.instructions.grammar.filling import ENTER, FILLING
from pagehand.instructions.grammar.frames import tokenize
from pagehand.instructions.grammar.lexicon import verb_pattern
from pagehand.instructions.grammar.outputs import fill_in_outputs
from pagehand.instructions.grammar.politeness import strip_lead_in
from pagehand.instructions.grammar.refusal import BudgetExceededError, NotUnderstood
from pagehand.instructions.grammar.sentences import Sentence, continues_previous, split_sentences
from pagehand.instructions.grammar.vocabulary import ParseContext
from pagehand.page.phrases.typos import correct_typo
from pagehand.records import Json

EXAMPLES: Final = (
    "Go to https://example.com, type Ada into the Name field and press Enter, then wait 2 seconds",
    "Click Account, then Billing, then Invoices",
    "1. Open https://example.com\n2. Click Start",
    "If there is a cookie banner, close it. Click Orders.",
    "Hi, please click Orders and press Export. Thanks!",
    "1. Open https://example.com 2. Click Start 3. Press Enter",
)
"""Sentences of several steps, for the documentation and the tests."""
_MAX_LENGTH: Final = 4000
AFTER_LOOP: Final = (
    "it is not clear whether this belongs to the loop; put the loop's steps in a list below it, "
    "or begin with `After the loop`"
)
"""Why "then …" after a loop is refused."""
_STEP_STARTS: Final = re.compile(
    r"(?P<before>^[ \t]*(?:(?:[-*•]|\(?\d{1,3}[.)]) )?|[.!?;:,]\s|\b(?:and|then|please|you)\s)"
    r"(?P<word>[a-z]+)",
    re.IGNORECASE | re.MULTILINE,
)
_LOOP: Final = re.compile(
    r"(?:for (?:each|every|all)|on (?:every|each)|(?:go|page) through|repeat|while|as long as)\b",
    re.IGNORECASE,
)
_CLICKS_IT: Final = re.compile(
    rf"(?:while|as long as|so long as) [^,]+, (?:{verb_pattern('click', 'press')}) it(?: again)?",
    re.IGNORECASE,
)
# too short for `correct_typo`, and words of no language that names are in
_FUNCTION_WORDS: Final = {"teh": "the", "hte": "the", "adn": "and", "nad": "and", "thne": "then"}
_MISSPELLED: Final = re.compile(r"\b(?:teh|hte|adn|nad|thne)\b")
_ABOVE_LIST: Final = "what stands above a list should say `if …` or `for each …`"
_ASKED: Final = re.compile(r"(?:check|see|look|find out) (?:if|whether) (?P<condition>.+)", re.IGNORECASE)
_IF_SO: Final = re.compile(
    r"if (?:so|yes|it is|it does|that is the case|there is|there are) ?,? ?", re.IGNORECASE
)
_COMPLETING: Final = {
    "file_name": ("", "step that makes the file"),
    "kept": ("", "step that unpacks an archive"),
    "commit": ("never", "click that must not be repeated"),
    "dialog": ("dialog", "click that opens it: `click … and accept the dialog`"),
}
"""Steps that only complete the one before them: what they say, and where they are to be said."""
_LOG_INTO: Final = re.compile(r"\b(log|sign) ?(?:in|on)to\b", re.IGNORECASE)
# which one it is says nothing more: "in the dialog that opens"
_THAT_OPENS: Final = re.compile(
    r"\b(dialog|window|pop-?up|menu|page|list|form|panel|field|box|screen|modal|banner|message|tab) "
    r"(?:that|which) "
    r"(?:then |now )?(?:opens|appears|pops up|comes up|shows up|is shown|is displayed|has opened|follows)\b",
    re.IGNORECASE,
)
# a remark set apart: "(this may take up to 3 minutes)", "- at most 20 seconds -"
_BRACKETS: Final = re.compile(
    r",? \(((?:(?:this|it|that) (?:can|may|might) take|give it|allow|wait|at most|up to|max)\b[^()]*)\)",
    re.IGNORECASE,
)
_DASH: Final = re.compile(
    r" [-\u2013\u2014]+ (?=(?:and|then|give|as|which|this|it|wait|at|up|but|allow|max)\b)|"
    r"(?<= as follows) [-\u2013\u2014]+ | [-\u2013\u2014]+$"
)
_CONTRACTION: Final = re.compile(r"\b(it|there|that)'s\b(?= (?:not |no )?\w)", re.IGNORECASE)


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


def correct_typos(text: str, known: frozenset[str]) -> str:
    """The text with typos in its verbs corrected, where only one known verb fits."""
    return _STEP_STARTS.sub(
        lambda found: found["before"] + (correct_typo(found["word"], known) or found["word"]), text
    )


def _read_masked(text: str, context: ParseContext) -> list[Json]:
    blocks = complete_steps(_read_sentences(sentences_of(text, context), reading(context)), context)
    if not blocks:
        raise NotUnderstood(text, "every block waits for the page by itself; say what is to be done then")
    fill_in_outputs(blocks, context)
    return blocks


def sentences_of(text: str, context: ParseContext) -> list[Sentence]:
    """The sentences of a masked message; a list below a sentence is masked in it."""
    text = re.sub(r"(?<= )w/ ?(?=\S)", "with ", text)
    spelled = _MISSPELLED.sub(lambda found: _FUNCTION_WORDS[found[0]], text)
    plain = _CONTRACTION.sub(r"\1 is", _LOG_INTO.sub(r"\1 in to", drop_popup_conditions(spelled)))
    plain = re.sub(r" \((a[345]|letter|legal)\)", r" \1", plain, flags=re.IGNORECASE)
    plain = _BRACKETS.sub(r", \1", _DASH.sub(", ", _THAT_OPENS.sub(r"\1", plain)))
    sentences = _join_continued(split_sentences(plain), context)
    if not sentences:
        raise NotUnderstood(text, "it has no step; begin with a verb: `click …`, `type … into …`, `open …`")
    return sentences


def reading(context: ParseContext) -> ParseContext:
    """A context of its own for one reading of the message."""
    fresh = copy(context)
    fresh.read = _read_within
    return fresh


def _read_within(text: str, context: ParseContext, *, one: bool) -> list[Json]:
    """The steps within a condition or a loop: some words, or a list below the line."""
    token = context.literals.token(text)
    if token is not None and token.kind == "steps":
        return _read_sentences(token.below, context)
    inner = strip_lead_in(text)
    return read_clause(inner, context) if one else read_steps(inner, context)


def _join_continued(sentences: Sequence[Sentence], context: ParseContext) -> list[Sentence]:
    """A sentence that continues the one before becomes part of it; a list below one is masked in it."""
    found: list[Sentence] = []
    for sentence in sentences:
        text = sentence.text
        if sentence.nested:
            nested = _join_continued(sentence.nested, context)
            text = (
                f"{text.rstrip(':')}: {context.literals.mask_steps(nested, [item.text for item in nested])}"
            )
        # "Check whether … is shown. If so, …" is one condition
        asked = _ASKED.fullmatch(found[-1].text) if found else None
        if asked and (so := _IF_SO.match(text)) is not None:
            found[-1].text = f"if {asked['condition']}, {text[so.end() :]}"
        elif found and continues_previous(sentence):
            found[-1].text += f"; {text}"
        else:
            found.append(Sentence(text, may_be_in_loop=sentence.may_be_in_loop))
    return found


def _read_sentences(sentences: Sequence[Sentence], context: ParseContext) -> list[Json]:
    """The blocks of several sentences."""
    blocks: list[Json] = []
    before = ""
    for sentence in sentences:
        if sentence.may_be_in_loop and ends_in_loop(before, context):
            raise NotUnderstood(sentence.text, AFTER_LOOP)
        try:
            more = read_sentence(sentence.text, context)
        except NotUnderstood as refusal:
            raise refusal.after(step_names(blocks)) from refusal
        blocks, before = merge_steps(blocks, more, context), sentence.text
    return blocks


def read_sentence(text: str, context: ParseContext) -> list[Json]:
    """The blocks of one sentence and of the list below it."""
    try:
        return read_steps(text, context)
    except NotUnderstood as refusal:
        if has_list(text, context) and not context.vocabulary.starts_rest(tokenize(text)):
            raise NotUnderstood(text, _ABOVE_LIST) from refusal
        raise


def ends_in_loop(text: str, context: ParseContext) -> bool:
    """True for a loop whose steps are in its own sentence: those of the next may belong to it too."""
    # "as long as More is shown, click it" is complete: each round may be the last
    is_open = _LOOP.match(text) is not None and _CLICKS_IT.fullmatch(text) is None
    return is_open and not has_list(text, context)


def has_list(text: str, context: ParseContext) -> bool:
    """True when a list stands below the sentence."""
    return any(token.kind == "steps" for token in context.literals.tokens_in(text))


def complete_steps(blocks: Sequence[Json], context: ParseContext, *, is_all: bool = True) -> list[Json]:
    """The blocks: one for a key press that follows no typing, none for a wait that the next one makes."""
    found: list[Json] = []
    _refuse_contradiction(blocks)
    for block, following in zip_longest(blocks, blocks[1:]):
        if "awaited" in block:
            if is_all and not _waits_for_content(following):
                raise NotUnderstood(
                    block["awaited"], "say `wait until … is shown`, with words the page shows"
                )
            continue
        for mark, (words, reason) in _COMPLETING.items():
            if mark in block:
                raise NotUnderstood(words or block[mark], f"say it right after the {reason}")
        found.append(_focused(block, context) if "keys" in block else _with_nested(block, context))
    return found


def _refuse_contradiction(blocks: Sequence[Json]) -> None:
    """Refuse two values for one field, unless a step between them may have used the first."""
    filled: dict[str, str] = {}
    for block in blocks:
        data: Json = block.get("data", {})
        if "inputType" not in data:
            filled = {}
        elif filled.setdefault(repr((data["key"], block.get("locator"))), data["value"]) != data["value"]:
            raise NotUnderstood(data["key"], "it gets two different values; say one of them")


def _waits_for_content(block: Json | None) -> bool:
    """True for a block on an element or a reading: both wait until it is there."""
    return block is not None and (
        "locator" in block or bool({"key", "schema"} & block.get("data", {}).keys())
    )


def _with_nested(block: Json, context: ParseContext) -> Json:
    if "sequenceData" not in block:
        return block
    sequences = {name: complete_steps(nested, context) for name, nested in block["sequenceData"].items()}
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
