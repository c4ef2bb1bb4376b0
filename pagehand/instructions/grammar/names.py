"""Checks of names: words that leave open what is meant are refused."""

import re
from collections.abc import Sequence
from typing import Final

from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.workflow.words import word_set

_VAGUE: Final = word_set(
    "it them this that these those thing things something anything everything someone one ones other another "
    "some any whatever whichever whoever stuff my your our his her their me us maybe perhaps probably "
    "possibly either somehow somewhere etc all each every both quickly slowly carefully here there "
    "only also too even already later soon yesterday tomorrow tonight immediately daily weekly"
    " monthly nobody nothing"
)
# `Remember me`, `Accept all`: labels that begin with a capital letter
_USUAL_IN_LABELS: Final = word_set("me my us our your all soon other daily weekly monthly here")
# what a person declares by a tick is a whole sentence: `I confirm that this is correct`
_DECLARED: Final = re.compile(
    r"I (?:agree|accept|confirm|declare|have|am|understand|consent|certify|acknowledge|hereby|wish|would "
    r"like)\b(?:(?!\bthen\b).)*"
)
_SUBJECTIVE: Final = word_set(
    "best better nicest nice cheapest cheap newest latest oldest nearest fastest biggest largest smallest "
    "highest lowest good right correct appropriate proper suitable sensible reasonable relevant needed "
    "necessary required same similar usual interesting important random"
)
_APPEARANCE: Final = word_set(
    "red blue green yellow orange purple pink black white grey gray brown big large small little tiny top "
    "bottom left upper lower middle main primary round bright dark corner"
)
# a capital letter makes it a part of a name, such as the button `Not now`
_NEGATION: Final = re.compile(
    r"\b(not|NOT|never|NEVER|don'?t|DON'?T|doesn'?t|won'?t|can'?t|cannot|isn'?t|aren'?t|"
    r"without|except|unless|avoid|instead|neither|nor|rather than)\b"
)
_ALTERNATIVE: Final = re.compile(r"\bor\b", re.IGNORECASE)
_LOCATED: Final = re.compile(
    r"\b(in|on|of|at|from|under|for|with|near|inside|below|above|beside|behind|next to|into) "
    r"(the|this|that|each|every|my|all|a|an)\b",
    re.IGNORECASE,
)
# what goes on after a name, rather than in it
_AFTER_NAME: Final = re.compile(
    r"\b(until|till|when|while|after|before|because|so|if|is|are|was|were|which|who|afterwards|via|using"
    r"|whenever|first|later on|over and over|(?:straight|right) ?away|at once|as (?:often as )?(?:needed"
    r"|necessary|usual)|[a-z]+(?:edly|ously|ually|antly|ently|ively|ingly|fully|ately|ially|ably|ibly"
    r"|ically))\b|\bsince (?=\w)|\bas (?:we|i|it|they|you|this)\b|\b(?:at most|at least|up to"
    r"|no more than)(?: \d|$)|(?:^| )(?:[-=]?>|→|») |(?<![Tt]ry )\bagain\b|\b(?:\d+ times|times|once"
    r"|twice)$|\bto (?:get|see|open|continue|finish|complete|send|confirm|submit|proceed|reach|view|show"
    r"|load|save|make|go|do|download|appear|arrive|start|close|change|be)\b"
)
_TIMED: Final = re.compile(
    r"\b\d+(?:\.\d+)? (?:ms|seconds?|secs?|minutes?|mins?|hours?)\b|"
    r"\b(?:at|in|after|for|by|every) \d+(?::\d+)? ?(?:am|pm|o'clock|ms|s|seconds?|secs?|minutes?|mins?|"
    r"hours?|days?|weeks?|months?|times)\b|\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    re.IGNORECASE,
)
# a name that begins or ends in the middle of something
_INCOMPLETE: Final = re.compile(
    r"^(?:and|then|but|or|to|of|from|as|into|onto|over|in|on|at|by|with|via|is|the|an?)(?: |$)"
    r"|^[a-z]+ (?:the|an?) |\b(?:[Aa]fter|[Bb]efore) the\b|^Otherwise\b"
    r"|(?:^| )(?:and|then|or|to|of|from|as|into|the|an?)$"
)
# verbs that begin another clause after "and": a name in small letters ends before them
_NEXT_CLAUSE: Final = re.compile(
    r"(?: and(?: then)?| then| but|,) (?:wait|click|press|tap|type|enter|fill|choose|select|pick|tick"
    r"|untick|open|close|go|visit|scroll|hover|drag|drop|download|upload|save|export|import|send|email"
    r"|mail|forward|post|submit|confirm|check|verify|make|ensure|see|look|watch|read|extract|get|fetch"
    r"|collect|note|write|copy|paste|record|remember|report|tell|show|print|return|repeat|continue"
    r"|proceed|finish|stop|start|search|find|delete|remove|add|log|sign|move|put|set|let|call|ask|keep"
    r"|leave|store|attach|compare|count|rename)(?= |$)"
)
_RELATIVE: Final = re.compile(
    r"\b(?:I|we|you|they|he|she) (?:[a-z]+ed|saw|see|made|did|told|had|chose|found|put|use|need|want)\b"
)
_STEP_INSIDE: Final = re.compile(
    r" (?:click|choose|press|scroll|hover|wait|navigate|extract|tick|untick|visit|go to) |(?:^"
    r"| )(?i:click|press|choose|type|tick|wait for|scroll to) the | (?i:select|download|open|save"
    r"|close) the | (?i:press enter)\b| (?:clicking|pressing|ticking|unticking|typing|entering|selecting"
    r"|choosing|opening|waiting|uploading|downloading|scrolling|hovering|checking|filling) "
)
_MAX_WORDS: Final = 8
_MAX_LENGTH: Final = 200


def refuse_negation(text: str) -> None:
    """Refuse what must not be done: no step does that."""
    if found := _NEGATION.search(text):
        raise NotUnderstood(
            found[0],
            "a workflow says what to do, and this says what not to do or what to leave out; "
            "put it in quotes if it is part of a name",
        )


def refuse_vague_words(text: str, *, subjective: bool = True) -> None:
    """Refuse words that leave open what is meant; capitalised ones may belong to a name."""
    if found := _ALTERNATIVE.search(text):
        raise NotUnderstood(found[0], "say which one; put it in quotes if it is part of a name")
    words = re.findall(r"[\w'-]+", text)
    # `Remember me` is a label; `me` alone, or in "click me", is not
    is_label = len(words) > 1 and text[:1].isupper()
    for word in words:
        if is_label and word in _USUAL_IN_LABELS:
            continue
        if word in _VAGUE or (subjective and word in _SUBJECTIVE and not (is_label and word != words[0])):
            raise NotUnderstood(word, "say exactly what is meant, in the words the page uses")


def refuse_unclear(text: str) -> None:
    """Refuse what leaves open what is meant, and what must not be done."""
    refuse_vague_words(text)
    refuse_negation(text)


def refuse_appearance(text: str) -> None:
    """Refuse colours, sizes and corners: elements are found by name."""
    if looks := [word for word in text.split() if word in _APPEARANCE]:
        raise NotUnderstood(looks[0], "elements are found by their names, not by how they look")


def refuse_times(text: str) -> None:
    """Refuse times of day and durations: they are not part of a name, and no step waits for a clock."""
    if found := _TIMED.search(text):
        raise NotUnderstood(found[0], "a step has no time of its own; say `wait 5 seconds` before it")


def refuse_next_clause(text: str) -> None:
    """Refuse a name or a value that goes on with what seems to be another step."""
    if found := _NEXT_CLAUSE.search(text):
        raise NotUnderstood(
            found[0].strip(" ,"), "it seems to begin another step; put it in quotes if it is part of the name"
        )


def refuse_step_inside(name: str) -> None:
    """Refuse a name that begins or ends within something else, or that has the verb of another step in it."""
    if found := _INCOMPLETE.search(name) or _STEP_INSIDE.search(name):
        raise NotUnderstood(found[0].strip(), "a word seems to be missing; put names in quotes")


def is_declaration(name: str) -> bool:
    """True for what a person declares by a tick: "I have read and accept the terms"."""
    is_whole = _DECLARED.fullmatch(name) is not None and not _NEXT_CLAUSE.search(name)
    return is_whole and len(name) <= _MAX_LENGTH


def check_name(name: str, *, has_article: bool) -> None:
    """Refuse words that cannot be taken for a name; `has_article` when an article precedes them."""
    if is_declaration(name):
        return
    refuse_unclear(name)
    refuse_times(name)
    words = name.split()
    if not words:
        raise NotUnderstood(name, "it has no name")
    # "the Save and close button": an article and a noun say where the name ends
    if not has_article:
        refuse_next_clause(name)
    refuse_step_inside(name)
    # "button I showed you" describes it; `Items you viewed` is a name
    if name[:1].islower() and (clause := _RELATIVE.search(name)):
        raise NotUnderstood(clause[0], "say the words that stand on it")
    if found := _LOCATED.search(name) or re.search(r"[,;:]", name) or _AFTER_NAME.search(name):
        raise NotUnderstood(found[0], f"put the name in quotes if it is all of `{name}`")
    # with a capital letter it may be a name: `Red Cross`
    if has_article and name.islower():
        refuse_appearance(name)
    if len(words) > _MAX_WORDS or len(name) > _MAX_LENGTH:
        raise NotUnderstood(name, "put the name in quotes")
    if len(words) > 1 and re.search(TOKEN, name):
        raise NotUnderstood(name, "a name stands either in quotes or without")


def camel(words: str) -> str:
    """`orderNumber` for "the order number"."""
    parts = re.findall(r"[A-Za-z0-9]+", re.sub(r"'s\b", "", words))
    if not parts:
        raise NotUnderstood(words, "a name needs letters")
    first, *rest = parts
    # a word written as an identifier keeps its own capitals
    head = first if not rest and not first.isupper() and not first.istitle() else first.lower()
    return head + "".join(part[:1].upper() + part[1:].lower() for part in rest)


def plural(word: str) -> str:
    """More than one of it."""
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(s|x|z|ch|sh)$", word) else f"{word}s"


def match_parameter(name: str, declared: Sequence[str], *, written: str) -> str:
    """The declared parameter of that name, or the name itself where none are declared."""
    # a workflow that declares nothing takes any parameter, so the name is taken as it was written
    if not declared:
        return name
    folded = {re.sub(r"[\W_]", "", parameter).lower(): parameter for parameter in declared}
    for wanted in (name, plural(name)):
        if (found := folded.get(wanted.lower())) is not None:
            return found
    raise NotUnderstood(
        written,
        f"the workflow has no such parameter; it has {', '.join(f'`{parameter}`' for parameter in declared)}",
    )
