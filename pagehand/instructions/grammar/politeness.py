"""Words around an instruction: greetings, thanks, what the workflow is for."""

import re
from typing import Final

from pagehand.instructions.grammar.literals import TOKEN

_GREETING: Final = re.compile(
    r"^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))"
    r"(?: (?:there|all|team|everyone|everybody|folks|pagehand|assistant|(?-i:[A-Z][a-z]+)(?=,)))?"
    r" ?(?:[,!.:]+ ?|$)",
    re.IGNORECASE,
)
_LEAD_IN: Final = re.compile(
    r"^(?:(?:please to|please|pls|plz|kindly|ok(?:ay)?|now|just|also|so|first(?:ly)?|"
    r"second(?:ly)?|third(?:ly)?|next|then|"
    r"after (?:that|this)|afterwards|when (?:done|finished|(?:that|it) is done|you are (?:done|"
    r"finished)|you're (?:done|finished))|once (?:done|that is "
    r"done)|to (?:start|begin)(?: with)?|"
    r"as a (?:first|second|third|next|last) step|at the end|finally|lastly|after the loop|and "
    r"then|and|go ahead and|let's|"
    r"i want you to|i'd like you to|i would like you to|i need you to|i(?:'d like| want| need) to|"
    r"we (?:want|need|have) to|(?:could|can|would|will) you|you (?:should|must|need to|have to|"
    r"can)|we (?:must|should)|"
    r"(?:be|make) sure to|(?:don't forget|do not forget|remember) to|you)\b[,:]? (?=[\w" + TOKEN[1:] + r"))+",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r" ?(?:, ?(?:please|pls|thanks|thank you|thx|ok|okay)|,? many thanks|"
    r",? thanks in advance) ?$",
    re.IGNORECASE,
)
_THANKS: Final = re.compile(
    r"(?:many |much |best |kind |warm |with kind )?(?:thanks|thank you|thx|cheers|regards|best|"
    r"please)(?:,? (?-i:[A-Z])\w+)?"
    r"(?: (?:a lot|so much|very much|in advance|again|for your help|for the help|everyone|all|you))*",
    re.IGNORECASE,
)
_BACKGROUND: Final = re.compile(
    r"(?:(?:this|it)(?: is|'s) (?:for|part of|used (?:for|by)|needed (?:for|by)|meant for|"
    r"an? (?:test|demo|trial|example|daily|weekly|monthly))\b"
    r"|(?:we|i|our team|my team) (?:run|use|do|need) (?:this|it)\b"
    r"|(?:i am|i'm|we are|we're) (?:testing|trying out|building|automating|working on|setting up|new to)\b"
    r"|the (?:workflow|automation) (?:runs|is run|is for|is used)\b)[\w '-]*",
    re.IGNORECASE,
)
# words that could tie the sentence to a step, or forbid one
_RESTRICTIVE: Final = re.compile(
    r"\b(?:and|so|then|but|only|not|never|no|must|should|always|before|after|until|unless|if|when|while|"
    r"except|without|instead|first|last|sure|otherwise|because|or|n't|cannot|can't|don't)\b",
    re.IGNORECASE,
)
_NAME_TAIL: Final = re.compile(
    r" ?,? (?:please|pls|for me(?:,? please)?|thanks|thank you)$|(?<![?!.,])[?!.,]+$", re.IGNORECASE
)


def strip_lead_in(text: str) -> str:
    """The sentence without the polite words and connectives around it."""
    bare = _TAIL.sub("", _GREETING.sub("", text.strip()))
    return _LEAD_IN.sub("", bare).strip()


def limits_steps(text: str) -> bool:
    """True for words that order, limit or forbid steps, or that may go on with another one."""
    return _RESTRICTIVE.search(text) is not None


def is_filler(sentence: str) -> bool:
    """True for thanks, and for what only says what the workflow is for."""
    if not sentence or _THANKS.fullmatch(sentence):
        return True
    # a sentence that limits or orders steps is never passed over as background
    return _BACKGROUND.fullmatch(sentence) is not None and not limits_steps(sentence)


def strip_polite_tail(name: str) -> str:
    """A name without the polite words or the question mark that end the sentence."""
    bare = name.strip()
    while (shorter := _NAME_TAIL.sub("", bare).strip()) != bare and shorter:
        bare = shorter
    return bare


def ends_with_polite_words(value: str) -> bool:
    """True when it is not clear whether the last word is part of the value."""
    return re.search(r"\b(?:please|pls|thanks|thank you|for me)[?!.,]*$", value, re.IGNORECASE) is not None
