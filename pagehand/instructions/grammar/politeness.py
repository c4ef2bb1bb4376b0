"""Words around an instruction: greetings, thanks, what the workflow is for."""

import re
from typing import Final

from pagehand.instructions.grammar.lexicon import FIRST_WORDS
from pagehand.instructions.grammar.literals import TOKEN

_GREETING: Final = re.compile(
    r"^(?:hi|hiya|hello|hey|dear|(?:good )?(?:morning|afternoon|evening|day)|greetings|oh)(?: (?:there"
    r"|bot|robot|all|team|everyone|everybody|folks|colleagues?|pagehand|assistant"
    r"|(?-i:[A-Z][a-z]+)(?: (?-i:[A-Z][a-z]+))?(?= ?[,!-])))? ?(?:[,!.:-]+ ?|$)",
    re.IGNORECASE,
)
# what it is for: these words name no element and no row
_FOR: Final = (
    r"(?-i:(?:the|our|my|their|this|an?) (?:[a-z]+(?:-[a-z]+)? )?(?:audits?|auditors?|records|reporting"
    r"|meeting|closing|year-end|month-end|documentation|bookkeeping|controlling|compliance|presentation"
    r"|reconciliation|statistics|tax return))"
)
_FOR_FIRST: Final = re.compile(
    rf"^for {_FOR}(?:,| (?=please\b)| (?=i (?:need|want)|we need)) ?", re.IGNORECASE
)
_FOR_LAST: Final = re.compile(rf",? for {_FOR}$", re.IGNORECASE)
_REQUEST: Final = (
    r"please to|please|pls|plz|kindly|go ahead and|let's|let us|(?:i|we)(?:'d| would)? (?:want|like|need"
    r"|ask|love) you to|i(?:'d like| want| need| would like) to|we (?:want|need|have|would like) to"
    r"|we'd like to|(?:could|can|would|will) (?:you|i ask you to|we)(?: (?:please|kindly|possibly|maybe"
    r"|quickly|just))*|(?:do|would) you mind|(?:(?:i|we)(?:'d| would)? (?:want|need|like|expect) )?(?:the"
    r"|this|our|your) (?:bot|robot|workflow|automation|script|agent|assistant|macro|process|program|tool"
    r"|run|system|job)(?: (?:to|should|shall|must|has to|needs to|will|is to|is supposed to"
    r"|is expected to|ought to|can|then))+|it (?:should|must|has to|needs to)(?: then)?|(?:kindly "
    r"|please )?do the (?:needful|following)(?=:)|the idea is to|the (?:goal|aim|plan) is to|(?:here is"
    r"|here's|this is) what (?:i|we) need(?: you to do)?(?=:)|what (?:i|we)(?:'d| would)? (?:need|want"
    r"|like) is(?: for you)?(?: to)?|what needs to (?:be done|happen)(?: is)?(?=:)|(?:task|job|to-?do"
    r"|request|goal|instructions?|steps|workflow|procedure|process|quick one|small favou?r|favou?r"
    r"|summary|description|brief)(?=:)|(?:i|we) (?:just |then |always |usually )*(?=(?:go|open|click"
    r"|press|type|enter|choose|select|log|sign|note|copy|download|tick|save|fill|search)\b)|you (?:should"
    r"|must|need to|have to|can)|we (?:must|should)|(?:be|make) sure to|(?:don't forget|do not forget"
    r"|remember) to|(?:it would|it'd) be (?:great|nice|good|helpful|kind) if you (?:could|would)"
    r"|would it be possible to|(?:i|we)(?:'d| would) (?:appreciate it|be grateful"
    r"|be glad) if you (?:could|would)|(?:your|the) (?:task|job) is to|you|all you (?:need"
    r"|have) to do is(?: to)?"
)
_ORDER: Final = (
    r"ok(?:ay)?|now(?! that\b)|just|also|so(?! long as\b)|first(?! name)(?:ly)?(?: of all| off)?"
    r"|second(?:ly)?"
    r"|third(?:ly)?|next(?! to\b)|then|after (?:that|this|which)|afterwards|thereafter|subsequently"
    r"|once (?:done|finished|that is done|you are (?:done|finished))|when (?:done|finished|(?:that"
    r"|it) is done|you(?: are|'re) (?:done|finished))|to (?:start|begin)(?: with)?|as (?:a|the"
    r"|your) (?:first|second|third|next|last|final) step|at the end|in the end|before (?:you|we) (?:start"
    r"|begin)|before anything else|to get started|finally|lastly|last of all|after the loop|and then|and"
    r"|once you are there|from there|there|here|in (?:any|either|both) cases?|either way|regardless"
    r"|always|(?:when|once|after) (?:all|everything)(?: of (?:them|these|that"
    r"|it))?(?: the)?(?: [a-z]+){0,2} (?:is|are|has|have)(?: been)? (?:in|done|entered|processed|through"
    r"|added|saved|finished|complete|completed|filled in|handled)|only (?:then|after that)|when (?:it"
    r"|that)(?: is|'s) all (?:in|done|filled in)"
)
_LEAD_IN: Final = re.compile(rf"^(?:(?:{_ORDER}|{_REQUEST})\b[,:]? (?=[\w{TOKEN[1:]}))+", re.IGNORECASE)
_TAIL: Final = re.compile(
    r" ?(?:, ?(?:please|pls|thanks|thank you|thx|ok|okay|cheers|ta)|,? many thanks|"
    r",? thanks in advance|,? afterwards| at the end|,? (?:when|once) (?:(?:it|that|everything|all of (?:it|"
    r"that))(?: is|'s)(?: all)? )?(?:in|done|filled in|finished|complete|entered)|,? if you (?:don't|do not) "
    r"mind| in (?:turn|that order|this order)) ?$",
    re.IGNORECASE,
)
_THANKS: Final = re.compile(
    r"(?:many |much |best |kind |warm |with kind )?(?:thanks|thank you|thx|ty|ta|danke|merci|gracias"
    r"|cheers|regards|best|br|please|greetings|appreciated|appreciate it|(?:that's|that is"
    r"|this is) (?:all|it|everything)(?: for now| from me)?|(?:kindly |please )?(?:revert|advise)"
    r"|(?:could|can|would) you (?:please )?(?:do|automate|handle|take care of) (?:that|this"
    r"|it)(?: for (?:me|us))?(?: please)?|leave (?:everything|all|the rest"
    r"|all the rest)(?: else)? (?:as it is|unchanged|alone|empty))(?: (?:a lot|so much|very much"
    r"|in advance|again|for your help|for the help|everyone|all|you|a million|a bunch))*(?:(?:,| from"
    r"|) (?-i:[A-Z])[\w.]+){0,3}",
    re.IGNORECASE,
)
_DAY: Final = (
    r"(?:day|morning|afternoon|evening|week|month|quarter|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?"
)
# when or for whom it is done, and never how: "in PDF format" would be a part of what is to be done
_OCCASION: Final = (
    rf"(?:(?:every|each|once a|twice a|this|next|last) (?:[a-z]+ )?{_DAY}|(?:by|on|at|around) (?:the )?"
    rf"(?:start|beginning|end|first|last|\d+(?:st|nd|rd|th)|month-end|year-end|{_DAY}|tomorrow|noon|today)"
    rf"(?: of (?:the|each|every) {_DAY})?|today|tomorrow|daily|weekly|monthly|quarterly|yearly"
    r"|all the time|again and again|a lot|regularly|by hand|manually|urgently"
    r"|(?:for|at) (?:the|our|my|their) [a-z-]+(?: [a-z-]+)?)"
)
_PEOPLE: Final = (
    r"(?:i|we|they|he|she|people|someone|everybody|(?:our|my|the) (?:[a-z-]+ ){0,2}[a-z-]+)"
    r"(?: (?:always|usually|often|normally|currently|still|really))?"
)
# why it is done, without a word of what: "our treasurer wants this every month"
_REASON: Final = re.compile(
    rf"(?:{_OCCASION},? )?{_PEOPLE} (?:wants?|needs?|asks? for|asked for|uses?|requires?|requested|expects?"
    rf"|(?:am |are |is )?waiting for|does|do|did|runs?|gets?) (?:this|it|that)(?: {_OCCASION})*"
    r"|(?:this|it)(?:'s| is| has to be| must be| needs to be| gets| takes| happens)"
    rf"(?: (?:done|due|needed|ages|hours|too long|forever|a lot of time|long))?(?: {_OCCASION})*"
    rf"|{_PEOPLE} (?:wants?|needs?|gets?|receives?) (?:the|a|an) (?:new |latest |updated )?[a-z]+ {_OCCASION}"
    rf"|(?:it is|it's|today is) (?:already )?(?:month-end|year-end|payday|{_DAY}|the end of the {_DAY})"
    r"(?: again)?",
    re.IGNORECASE,
)
_BACKGROUND: Final = re.compile(
    r"(?:(?:this|it)(?: is|'s) (?:for|part of|used (?:for|by)|needed (?:for|by)|meant for|an? (?:test"
    r"|demo|trial|example|daily|weekly|monthly))\b|"
    r"(?:i am|i'm|we are|we're) (?:testing|trying out|building|automating|working on|setting up"
    r"|new to)\b|the (?:workflow|automation) (?:runs|is run|is for|is used)\b)[\w '-]*",
    re.IGNORECASE,
)
# words that could tie the sentence to a step, or forbid one
_RESTRICTIVE: Final = re.compile(
    r"\b(?:and|so|then|but|only|not|never|no|must|should|always|before|after|until|unless|if|when|while|"
    r"except|without|instead|first|last|sure|otherwise|because|or|n't|cannot|can't|don't)\b",
    re.IGNORECASE,
)
_TITLE: Final = re.compile(r"[A-Z]{2,}(?:[ &/-]+[A-Z\d]+){1,6}:?")
_NAME_TAIL: Final = re.compile(
    r" ?,? (?:please|pls|for me(?:,? please)?|thanks|thank you)$|(?<![?!.,])(?<! no)(?<! nr)(?<! ref)(?<! "
    r"tel)(?<! qty)[?!.,]+$",
    re.IGNORECASE,
)


_VERB: Final = rf"(?:{'|'.join(sorted(FIRST_WORDS - {'i', 'we', 'for', 'if'}))})"
# "we need the new prices, so open …": what follows says all that is to be done
_SO: Final = re.compile(
    rf"^(?:we|i|it|they|this|there|our|the)(?:'\w+)?(?: [\w'-]+){{2,12}}, so:? (?=[a-z]+ )"
    rf"|^(?:we|i|they|there)(?:'\w+)?(?: [\w'-]+){{2,12}}: (?={_VERB} )"
    r"|^every (?:day|morning|week|month|evening|friday|monday)(?: [\w'-]+){2,14}: (?=(?:i|we) )",
    re.IGNORECASE,
)


def strip_lead_in(text: str) -> str:
    """The sentence without the polite words and connectives around it."""
    bare = _FOR_LAST.sub("", _TAIL.sub("", _GREETING.sub("", text.strip())))
    if (reason := _SO.match(bare)) is not None and not limits_steps(
        re.sub(r", so:? $|\balways\b|\band (?=it\b)", "", reason[0])
    ):
        bare = bare[reason.end() :]
    return _LEAD_IN.sub("", _FOR_FIRST.sub("", _LEAD_IN.sub("", bare))).strip()


def limits_steps(text: str) -> bool:
    """True for words that order, limit or forbid steps, or that may go on with another one."""
    return _RESTRICTIVE.search(text) is not None


def is_filler(sentence: str) -> bool:
    """True for thanks, a title in capitals, and for what only says what the workflow is for."""
    if not sentence or _THANKS.fullmatch(sentence):
        return True
    if _TITLE.fullmatch(sentence) and sentence.split(maxsplit=1)[0].lower() not in FIRST_WORDS:
        return True
    # a sentence that limits or orders steps is never passed over as background
    if _REASON.fullmatch(sentence):
        return True
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
