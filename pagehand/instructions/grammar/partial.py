"""What of a message is understood when not all of it is, clause by clause, and other ways to say the rest."""

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from pagehand.instructions.grammar.chart import merge_steps, recover_clauses
from pagehand.instructions.grammar.frames import tokenize
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.message import (
    AFTER_LOOP,
    complete_steps,
    correct_typos,
    ends_in_loop,
    has_list,
    mask_message,
    read_sentence,
    reading,
    sentences_of,
)
from pagehand.instructions.grammar.names import refuse_negation, refuse_vague_words
from pagehand.instructions.grammar.outputs import fill_in_outputs, is_marked
from pagehand.instructions.grammar.refusal import BudgetExceededError, NotUnderstood
from pagehand.instructions.grammar.sentences import Sentence
from pagehand.instructions.grammar.vocabulary import ParseContext, ReadValues, Vocabulary
from pagehand.records import Json

_OFFERED: Final = 2
_TRIED: Final = 24
_ALIKE: Final = 0.6
"""From this on a first word may be a mistyped verb."""
_NAME: Final = re.compile(
    r"(?: the)? (?P<name>.+?)(?: (?P<noun>button|link|tab|menu|field|box|checkbox|dropdown|list))?",
    re.IGNORECASE,
)

_SMALL_WORDS: Final = frozenset(("a", "an", "and", "for", "from", "in", "into", "of", "on", "the", "to"))
_PRESSED: Final = re.compile(r" (?:button|link|tab)$", re.IGNORECASE)


def suggest(text: str, vocabulary: Vocabulary, is_understood: Callable[[str], bool]) -> list[str]:
    """The two nearest; none for what must not be done, because no step says that."""
    try:
        refuse_negation(text)
    except NotUnderstood:
        return []
    candidates = dict.fromkeys((*_repairs(text, vocabulary), *_examples(text, vocabulary)))
    fitting = (way for way in islice(candidates, _TRIED) if way != text and is_understood(way))
    return list(islice(fitting, _OFFERED))


def _repairs(text: str, vocabulary: Vocabulary) -> Iterator[str]:
    """The clause itself with its name in quotes, its steps apart, or its verb spelled right."""
    words = tokenize(text)
    if length := vocabulary.starts_step(words):
        end = words[length - 1].end
        yield from _quoted(text[:end], text[end:])
        first, _, second = text.partition(" and ")
        if second:
            yield f"{first}. {second[:1].upper()}{second[1:]}"
    else:
        first, _, rest = text.partition(" ")
        if _PRESSED.search(rest):
            yield f"Click {rest}"
        for meant in difflib.get_close_matches(first.lower(), vocabulary.first_words, _OFFERED, _ALIKE):
            yield f"{meant.capitalize()} {rest}"


def _quoted(verb: str, rest: str) -> Iterator[str]:
    found = _NAME.fullmatch(rest)
    if found is None or re.search(rf"{TOKEN}|[\"“”«»]", rest):
        return
    try:
        refuse_vague_words(found["name"])
    except NotUnderstood:
        return  # quotes would make a name of "it" or "the other one"
    noun = f" {found['noun']}" if found["noun"] else ""
    yield f'{verb} {"the " if noun else ""}"{found["name"]}"{noun}'


def _examples(text: str, vocabulary: Vocabulary) -> list[str]:
    """The examples of all steps, those most like the clause first."""
    words = _words(text)

    def likeness(example: str) -> float:
        shared = len(words & _words(example)) / max(1, len(words))
        return shared + difflib.SequenceMatcher(None, text.lower(), example.lower()).quick_ratio() / 10

    examples = (example for listed in vocabulary.examples.values() for example in listed)
    return sorted(examples, key=likeness, reverse=True)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower())) - _SMALL_WORDS


# what these words apply to may reach beyond their own clause
_REACHES_ON: Final = re.compile(
    r"\b(?:not|never|\w+n't|cannot|without|except|unless|avoid|instead|neither|nor|or|if|until|till|when|while|"
    r"before|after|once|otherwise|else|only|(?:for|on) (?:each|every|all))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of the message: its blocks, or why it has none."""

    text: str
    blocks: Sequence[Json] = ()
    reason: str = ""
    """Why it was not understood; empty when it was."""
    position: int = 0
    """Where it begins in the message, in characters."""
    suggestions: Sequence[str] = field(default=())
    """Other ways to say it, which are understood."""


def read_clauses_of(message: str, context: ParseContext) -> list[Clause]:
    """The clauses of a message in order, each as far as it is understood alone."""
    try:
        sentences = sentences_of(mask_message(message, context), context)
        found = list(_read(sentences, reading(context)))
    except NotUnderstood as problem:
        return [Clause(message.strip(), reason=problem.reason)]
    except BudgetExceededError as problem:
        return [Clause(message.strip(), reason=str(problem))]
    return _with_places(_with_outputs(_joined(found, context), context), message, context)


def _read(sentences: Sequence[Sentence], context: ParseContext) -> Iterator[Clause]:
    before = ""
    for sentence in sentences:
        if sentence.may_be_in_loop and ends_in_loop(before, context):
            yield Clause(sentence.text, reason=AFTER_LOOP)
        else:
            yield from _read_sentence(sentence.text, context)
        before = sentence.text


def _read_sentence(sentence: str, context: ParseContext) -> Iterator[Clause]:
    corrected = correct_typos(sentence, context.vocabulary.first_words)
    refusal: NotUnderstood | None = None
    for text in dict.fromkeys((sentence, corrected)):
        attempt = copy(context)
        try:
            blocks = read_sentence(text, attempt)
        except NotUnderstood as problem:
            refusal = refusal or problem
        else:
            context.adopt(attempt)
            yield Clause(sentence, blocks)
            return
    is_flow = has_list(sentence, context) or context.vocabulary.starts_rest(tokenize(sentence))
    if is_flow or _REACHES_ON.search(sentence):
        context.last_element, context.read_values = None, ReadValues()
        yield _refused(sentence, refusal)
        return
    for text, outcome in recover_clauses(sentence, context):
        is_refused = isinstance(outcome, NotUnderstood)
        yield _refused(text, outcome) if is_refused else Clause(text, outcome)


def _refused(text: str, refusal: NotUnderstood | None) -> Clause:
    if refusal is None:
        return Clause(text, reason="it was not understood")
    is_all = not refusal.words or refusal.words == text
    return Clause(text, reason=refusal.reason if is_all else f"`{refusal.words}`: {refusal.reason}")


def _joined(clauses: Sequence[Clause], context: ParseContext) -> list[Clause]:
    """A step that only completes the one before becomes part of it, unless something open is between."""
    found: list[Clause] = []
    for clause in clauses:
        before = found[-1] if found else None
        if before is None or before.reason or clause.reason:
            found.append(clause)
            continue
        merged = merge_steps(before.blocks, clause.blocks, context)
        if len(merged) < len(before.blocks) + len(clause.blocks):
            found[-1] = Clause(f"{before.text} {clause.text}", merged)
        else:
            found.append(clause)
    return [_with_focus(clause, context) for clause in found]


def _with_focus(clause: Clause, context: ParseContext) -> Clause:
    try:
        return replace(clause, blocks=complete_steps(clause.blocks, context, is_all=False))
    except NotUnderstood as refusal:
        return _refused(clause.text, refusal)


def _with_outputs(clauses: Sequence[Clause], context: ParseContext) -> list[Clause]:
    """What refers to an output is open when that could be the output of an open clause."""
    found: list[Clause] = []
    blocks: list[Json] = []
    for clause in clauses:
        now = clause
        try:
            fill_in_outputs(deepcopy([*blocks, *clause.blocks]), context)
        except NotUnderstood as refusal:
            now = _refused(clause.text, refusal)
        if any(map(_uses_output, clause.blocks)) and any(before.reason for before in found):
            now = Clause(clause.text, reason="what it refers to may be in the part that was not understood")
        blocks.extend(now.blocks)
        found.append(now)
    fill_in_outputs(blocks, context)
    return found


def _uses_output(block: Json) -> bool:
    nested = (inner for sequence in block.get("sequenceData", {}).values() for inner in sequence)
    return "uses" in block or is_marked(block) or any(map(_uses_output, nested))


def _with_places(clauses: Sequence[Clause], message: str, context: ParseContext) -> list[Clause]:
    """Each clause as it stands in the message, and where."""
    found: list[Clause] = []
    start = 0
    for clause in clauses:
        written = context.literals.as_written(clause.text)
        place = _find(written, message, start)
        text = message[place[0] : place[1]] if place is not None else written
        position = place[0] if place is not None else start
        reason = context.literals.as_written(clause.reason)
        found.append(replace(clause, text=text, position=position, reason=reason))
        start = place[1] if place is not None else start
    return found


def _find(written: str, message: str, start: int) -> tuple[int, int] | None:
    """Where the words stand in the message, whatever marks and blanks are between them there."""
    parts = re.split(r"(\w+)", written)
    last = len(parts) - 1
    pattern = "".join(
        re.escape(part) if number in (0, last) or re.match(r"\w", part) else r"\W+?"
        for number, part in enumerate(parts)
    )
    found = re.compile(pattern).search(message, start)
    return found.span() if found else None
