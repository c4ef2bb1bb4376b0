"""The words for what steps do; every frame takes its verbs from here, so that a synonym works in all."""

import re
from typing import Final


def _phrases(verbs: str, things: str) -> str:
    """Every verb with every thing in place of its star: `put a tick in`, `put a check mark in`."""
    return "|".join(verb.replace("*", thing) for verb in verbs.split("|") for thing in things.split("|"))


_MARK: Final = "a tick|a check mark|a checkmark|the tick|the check mark|the checkmark|a check"
_WISH: Final = (
    "need|want|would like|need to know|want to know|want to have|would like to have|would like to know"
)
VERBS: Final = {
    "open": "go to|open|navigate to|head to|head over to|go over to|access|call up|bring up|go back to|"
    "jump to|proceed to|move on to|pull up|surf to",
    "visit": "visit|browse to|load|goto",
    "click": "click on|click|tap on|tap|follow|left-click on|left-click|make a click on|do a click on",
    "press": "press on|press|push|hit",
    "type": "type|type in|enter|write|put|put in|insert|input|key in|key|paste|paste in",
    "set": "set|change|update|switch|adjust|modify|amend",
    "fill": "fill in|fill|fill out",
    "choose": "choose|select|pick",
    "tick": "check|tick|mark|enable|activate|switch on|turn on|check off|"
    + _phrases(
        "put * in|put * into|put * next to|put * at|put * on|put * beside|put * against|place * in|place * "
        "against",
        _MARK,
    )
    + "|"
    + _phrases("set * in|set * for|set * at", _MARK),
    "untick": "uncheck|untick|unmark|disable|deactivate|clear the checkbox|switch off|turn off|deselect"
    "|unselect|"
    + _phrases(
        "remove * from|take * out of|clear * from|remove * at|remove * in|take * off|take * from", _MARK
    ),
    "read": "extract|read|get|collect|scrape|grab|fetch|read out|read off|note down|capture|write down|copy|"
    "copy out|jot down|make a note of|take note of|take a note of|take down|retrieve|gather|pull out",
    # they are nouns too, as in "the name and record number": only an article makes a step of them
    "read_the": "note|record|remember|report|save the value of",
    "ask": "give me|get me|tell me|show me|list|find out|let me know|i'd like|we'd like|i'd like to have|"
    "we'd like to have|" + _phrases("i *|we *", _WISH),
    "hover": "hover over|hover on|hover|mouse over|move over|point at|"
    + _phrases(
        "move the * to|move the * over|move the * onto|put the * over|hold the * over|point the * at",
        "mouse|cursor|pointer|mouse pointer",
    ),
    "wait": "wait|pause|sleep|hold|hold on|hold off|hang on",
    "find": "find|locate|look for",
    "log_in": "log in|log on|sign in|login|sign on|logon|authenticate|"
    + _phrases("log * in|sign * in", "yourself|me|us|it")
    + "|log back in|sign back in",
    "mail": "send|write|compose",
    "download": "download|"
    + _phrases("* the file behind|* the file at|* the file from|* the file", "get|fetch|grab|retrieve|save"),
}
"""Verbs by what they ask for; of several that fit, the longest is meant."""
_NOUN_LIKE: Final = (
    "access|call|check|copy|download|e-mail|email|end|finish|hold|input|list|load|mail|mark|name|note|post|print|"
    "record|remember|report|search|start|switch|upload"
)
NOUN_LIKE: Final = frozenset(_NOUN_LIKE.split("|"))
"""Verbs that may as well begin the name of a field."""
_OTHERS: Final = (
    "answer|attach|clear|close|collapse|confirm|double-click|drag|empty|expand|for|hover|if|make|post"
    "|right-click|save|scroll|search|submit|take|upload|use|verify"
)
FIRST_WORDS: Final = frozenset(_OTHERS.split("|")) | {
    phrase.split()[0] for phrases in VERBS.values() for phrase in phrases.split("|")
}
"""What the steps after a place begin with."""


def _inflect(verb: str, ending: str) -> str:
    """As in clicking and clicked; a final consonant is doubled after one short vowel."""
    if verb.endswith("e") and not (verb.endswith("ee") and ending == "ing"):
        return f"{verb[:-1]}{ending}"
    if ending == "ed" and verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    # "log" becomes "logging", "read" becomes "reading"
    return re.sub(r"^([^aeiou]{1,2}[aeiou])([bdgpt])$", r"\1\2\2", verb) + ending


def gerund(verb: str) -> str:
    """`clicking` for "click"."""
    return _inflect(verb, "ing")


def participle(verb: str) -> str:
    """`clicked` for "click"."""
    return _IRREGULAR.get(verb) or _inflect(verb, "ed")


_IRREGULAR: Final = {
    "choose": "chosen", "find": "found", "get": "got", "give": "given", "go": "gone", "hit": "hit",
    "hold": "held",
    "keep": "kept", "let": "let", "make": "made", "put": "put", "read": "read", "send": "sent", "set": "set",
    "take": "taken", "write": "written",
}  # fmt: skip
PARTICIPLES: Final = {
    participle(verb): verb for verb in sorted(FIRST_WORDS - {"i", "we", "i'd", "we'd", "for", "if", "let"})
}
"""`click` for "clicked"."""


def expand_verbs(frame: str) -> str:
    """The text of a frame with the verbs in place of their names: `(@type|use)`."""
    for name in sorted(VERBS, key=len, reverse=True):
        frame = frame.replace(f"@{name}", VERBS[name])
    return frame


def verb_pattern(*names: str) -> str:
    """A regular expression for one of these verbs, the longest first."""
    phrases = [phrase for name in names for phrase in VERBS[name].split("|")]
    return "|".join(sorted(phrases, key=len, reverse=True))
