"""Values for fields, mails and searches: literal words, a parameter, the item of a loop."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from pagehand.instructions.grammar.frames import NUMBERS, tokenize
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import (
    camel,
    match_parameter,
    plural,
    refuse_next_clause,
    refuse_unclear,
    refuse_vague_words,
)
from pagehand.instructions.grammar.politeness import ends_with_polite_words
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.vocabulary import ParseContext, Slots
from pagehand.records import Json
from pagehand.workflow.dates import MONTH_NUMBERS, days_meant
from pagehand.workflow.words import by_word

_PLACED: Final = re.compile(
    r" (?:in|for|of|on) the (?:[\w-]+ )?(?:row|line|card|record|table|section|column|spreadsheet|"
    r"sheet|file|database|folder)\b",
    re.IGNORECASE,
)
_FROM_PARAMETERS: Final = re.compile(
    r"(?:the )?(?P<name>[\w' -]+?) (?:(?:from|in|of|given in) (?:the )?(?:parameters|params)|parameter|"
    r"that (?:was|is) (?:given|passed))",
    re.IGNORECASE,
)
_NAMED_PARAMETER: Final = re.compile(
    r"(?:the )?(?:(?:value|file|document|text|list) (?:of|in|from|given as|given in) )?(?:the )?(?:input )?"
    r"param(?:eter)? (?:called |named )?(?P<name>[\w-]+)"
    r"|(?:the )?[\w' -]+ \((?:from |see )?(?:the )?(?:input )?param(?:eter)?s?:? (?P<given>[\w-]+)\)",
    re.IGNORECASE,
)
# "the policy number 4711": what it is called, and then the value itself
_NAMED_VALUE: Final = re.compile(
    rf"(?:the|a|an) [a-z][a-z'. -]* (?P<value>{TOKEN}|(?=\S*?\d)\S++)|[a-z]+ (?:number|no\.|code|id) "
    rf"(?P<template>{TOKEN})"
)
_DESCRIBED: Final = re.compile(rf"[a-z][a-z. -]* {TOKEN}")
_REFERS: Final = re.compile(r"(?:the|an?|this|that|each|every|what|whatever|which) ", re.IGNORECASE)
# the words contain another value's field
_ANOTHER_FIELD: Final = re.compile(
    r".*?\binto\b|(?>.*?\b(?:field|box|dropdown|input|textbox|checkbox)\b).*\band\b|"
    r"(?>.*?\b(?:from|in|out of)\b).*\b(?:field|box|dropdown|input|textbox|list|select|menu)\b",
    re.IGNORECASE | re.DOTALL,
)
_PARAMETERS: Final = (
    r"(?:the )?(?:list of )?(?P<name>[\w' -]+?) (?:from|in|of) (?:the )?(?:parameters|params)"
)
_LIST_OF: Final = re.compile(r"^(?:the )?(?:list of )?(?:the )?", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"(?:[\w-]+\.)+[A-Za-z]{2,}(?::\d+)?(?:/\S*)?|localhost(?::\d+)?(?:/\S*)?")
_DATE: Final = re.compile(r"(?P<first>\d{1,2})(?P<mark>[/.-])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4})")
_MONTH: Final = "|".join(MONTH_NUMBERS)
_IN_WORDS: Final = re.compile(
    rf"(?:(?P<month>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?"
    rf"|(?P<date>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?(?P<named>{_MONTH})\.?,?) (?P<year>\d{{4}})",
    re.IGNORECASE,
)
RELATIVE_DATE: Final = re.compile(r"(?P<day>today|tomorrow|yesterday)(?:'s date)?", re.IGNORECASE)
"""Days that depend on when it runs."""
_DAY_TO_COME: Final = re.compile(
    r"(?:(?:next|this|last|coming|the coming) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|in (?:a|one|two|three|four|five|\d+) (?:day|week|month|year)s?"
    r"|(?:a|one|two|three|four|five|\d+) (?:day|week|month|year)s? (?:from (?:now|today)|ago|later)"
    r"|(?:the )?day (?:after tomorrow|before yesterday)",
    re.IGNORECASE,
)
_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHORT: Final = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2}|\d{1,2}/\d{1,2}")


def read_last_value(text: str, context: ParseContext) -> str:
    """A value at the end of a sentence: what follows an "and" might be another step, so it needs quotes."""
    is_open = re.search(r"\b(?:and|then|but)\b|[,;]", text) is not None or ends_with_polite_words(text)
    if context.literals.token(text) is None and is_open:
        raise NotUnderstood(text, "it is not clear where the value ends; put it in quotes")
    return read_value(text, context)


def read_value(text: str, context: ParseContext) -> str:
    """A value as a template or literally; words that refer to something unknown are refused."""
    words = text.strip()
    if (token := context.literals.token(words)) is not None:
        return token.value
    if (reference := read_reference(words, context)) is not None:
        return reference
    if named := _NAMED_VALUE.fullmatch(words):
        return context.literals.unmask(named["value"] or named["template"])
    if RELATIVE_DATE.fullmatch(words):
        return words
    _check_literal(words, context)
    return context.literals.unmask(words)


def _check_literal(words: str, context: ParseContext) -> None:
    """Refuse what may be more or less than a value, or refers to one."""
    if _REFERS.match(words):
        raise NotUnderstood(
            words,
            "it is not clear where this value comes from; put it in quotes if it is to be used as it stands, "
            "or say `the … from the parameters`",
        )
    refuse_next_clause(words)
    # values may be `best` or `same`; names may not
    refuse_vague_words(words, subjective=False)
    if context.literals.has_quotes(words):
        raise NotUnderstood(words, "put all of the value in quotes, or none of it")
    # "type amount 1,250": with the word before it, or without?
    if _DESCRIBED.fullmatch(words):
        raise NotUnderstood(words, "put all of the value in quotes, or say only the value")
    # "{{params.code}} in capitals": how it is typed, or more of it?
    if re.search(rf"{TOKEN} [a-z]", words):
        raise NotUnderstood(words, "put all of the value in quotes, or say only the value")
    if _PLACED.search(words):
        raise NotUnderstood(words, "put the value in quotes, or say the place after the field")
    if context.vocabulary.has_another_step(tokenize(words)) or _ANOTHER_FIELD.match(words):
        raise NotUnderstood(words, "put the value in quotes")


_BY_YOU: Final = (
    r"(?:(?:that |which )?(?:you|i|we)(?:'ve| have)?|that was)(?: just)? (?:read|noted|copied|found|got"
    r"|extracted|recorded|collected|written down|noted down)(?: before| above| earlier)?"
)
_JUST_READ: Final = re.compile(
    rf"it|that|they|(?:this|that|the) (?:value|number|text|result|code|amount|name)(?: {_BY_YOU})?|what "
    rf"{_BY_YOU}",
    re.IGNORECASE,
)


def read_extracted(words: str, context: ParseContext) -> str | None:
    """What a step before read: "it", "the order number", "that total"."""
    read = context.read_values
    if read.last and _JUST_READ.fullmatch(words):
        return read.last
    found = re.fullmatch(rf"(?:the|this|that) (?P<name>[\w' -]+?)(?: {_BY_YOU})?", words, re.IGNORECASE)
    return read.values.get(camel(found["name"])) if found else None


def read_reference(words: str, context: ParseContext) -> str | None:
    """The template for the loop's item, a part of it, or a parameter; None for other words."""
    if (item := read_item(words, context)) is not None:
        return item
    return _parameter(words, context) or _declared(words, context) or read_extracted(words, context)


def _declared(words: str, context: ParseContext) -> str | None:
    """A parameter called by its name alone: "the customer number" where there is a `customerNumber`."""
    if words in context.parameters:
        return f"{{{{params.{words}}}}}"
    found = re.fullmatch(r"(?:the|this|that) (?P<name>[\w' -]+)", words, re.IGNORECASE)
    if found is None:
        return None
    wanted = camel(found["name"]).lower()
    for name in context.parameters:
        if re.sub(r"[\W_]", "", name).lower() == wanted:
            return f"{{{{params.{name}}}}}"
    return None


def read_item(words: str, context: ParseContext) -> str | None:
    """The loop's item, or a part of it: "the customer", "the customer's name"."""
    if not context.loop_item:
        return None
    if re.fullmatch(
        rf"it|(?:the|this|that|each) (?:item|{re.escape(context.loop_item)})|its value|them",
        words,
        re.IGNORECASE,
    ):
        return "{{item}}"
    part = re.fullmatch(
        rf"(?:(?:the|this|that|each) {re.escape(context.loop_item)}'s |its |their |his |her |"
        rf"{re.escape(context.loop_item)}\.)(?P<part>[\w -]+)",
        words,
        re.IGNORECASE,
    )
    known = re.fullmatch(r"the (?P<part>[\w -]+)", words, re.IGNORECASE)
    if part is None and known and camel(known["part"]) in context.item_parts:
        part = known
    if part is None:
        return None
    refuse_vague_words(part["part"])
    return f"{{{{item.{camel(part['part'])}}}}}"


def _parameter(words: str, context: ParseContext) -> str | None:
    found = _NAMED_PARAMETER.fullmatch(words) or _FROM_PARAMETERS.fullmatch(words)
    if found is None:
        return None
    written = found["name"] or found["given"]
    refuse_unclear(written)
    name = match_parameter(camel(written), context.parameters, written=words)
    return f"{{{{params.{name}}}}}"


def read_file(text: str, context: ParseContext) -> str:
    """A file, which only a template can refer to."""
    return read_template(text, context, "a file comes from a parameter or a block, such as `{{params.file}}`")


def read_template(text: str, context: ParseContext, hint: str) -> str:
    """A value that is one template; `hint` is the reason of the refusal otherwise."""
    value = read_value(text, context)
    if not re.fullmatch(r"\{\{[^{}]+\}\}", value):
        raise NotUnderstood(text, hint)
    return value


def read_items(text: str, item: str, context: ParseContext) -> str:
    """What a loop goes over: a template, or a parameter called by the plural of its item."""
    words = re.sub(r"^the list (?!of\b)", "", text.strip(), flags=re.IGNORECASE)
    if (token := context.literals.token(words)) is not None and token.kind == "template":
        return token.value
    if re.fullmatch(r"(?:the )?(?:parameters|params)", words, re.IGNORECASE):
        # "for all orders" already has the plural
        is_plural = _declared(f"the {item}", context) or (
            not context.parameters and re.search(r"[^su]s$", item)
        )
        name = match_parameter(camel(item if is_plural else plural(item)), context.parameters, written=item)
        return f"{{{{params.{name}}}}}"
    if found := re.fullmatch(_PARAMETERS, words, re.IGNORECASE):
        return f"{{{{params.{match_parameter(camel(found['name']), context.parameters, written=words)}}}}}"
    if (declared := _declared(f"the {_LIST_OF.sub('', words)}", context)) is not None:
        return declared
    if re.fullmatch(r"(?:the )?(?:list|results?|data)", words, re.IGNORECASE):
        return read_named_items(item, context)
    raise NotUnderstood(words, "say `in the parameters`, or name a list such as `{{params.orders}}`")


def read_named_items(item: str, context: ParseContext) -> str:
    """What a loop over things called `item` goes over when no list was named: the parameter of that name."""
    for name in (plural(item), item, f"{item} list"):
        if (declared := _declared(f"the {name}", context)) is not None:
            return declared
        if name in context.read_values.lists:
            return context.read_values.lists[name]
    raise NotUnderstood(
        f"each {item}",
        f"say where they come from: `for each {item} in the parameters`, or declare a parameter for them",
    )


def read_address(text: str, context: ParseContext) -> str:
    """An address to open: a link, a host, a path or a template, and nothing beside it."""
    if (reference := read_reference(text.strip(), context)) is not None:
        return reference  # a parameter may be called `site` itself
    words = re.sub(
        r"^(?:the )?(?:page|site|website|address|url) (?:at )?", "", text.strip(), flags=re.IGNORECASE
    )
    if (reference := read_reference(words, context)) is not None:
        return reference
    token = context.literals.token(words)
    if token is None and " " in words:
        raise NotUnderstood(text, "an address was expected, such as `https://example.com`")
    address = token.value if token is not None else context.literals.unmask(words)
    has_template = re.match(r"\{\{[^{}]+\}\}", address) is not None
    if re.match(r"https?://\S+$", address) or has_template or re.match(r"/\S*$", address):
        return address
    if token is None and _ADDRESS.fullmatch(words):
        return f"https://{words}"
    raise NotUnderstood(text, "an address was expected, such as `https://example.com`")


def read_mail_addresses(text: str, context: ParseContext) -> list[str]:
    """One or several addresses, written out or as templates."""
    parts = [part for part in re.split(r" ?(?:,|\band\b|&) ?", text.strip()) if part]
    return [_mail_address(part, context) for part in parts]


def _mail_address(text: str, context: ParseContext) -> str:
    value = read_value(text, context)
    if not re.fullmatch(r"[^\s@]++@[^\s@]++|\{\{[^{}]++\}\}", value):
        raise NotUnderstood(text, "a mail address was expected")
    return value


def read_named(slots: Slots, context: ParseContext) -> Json:
    """The name that a new file gets, if the sentence says one."""
    return {"fileName": read_file_name(slots["name"], context)} if slots["name"] else {}


def read_file_name(text: str, context: ParseContext) -> str:
    """A file's name: in quotes, a template, or one word with its ending."""
    token = context.literals.token(text)
    if token is not None:
        return token.value
    refuse_vague_words(text)
    written = context.literals.unmask(text.strip())
    if " " in text.strip() or (re.search(TOKEN, text) and not re.search(r"\{\{", written)):
        raise NotUnderstood(text, "put the file's name in quotes")
    return written


_UNITS: Final = by_word({1: "millisecond|ms", 1000: "second|sec|s", 60_000: "minute|min"})
COUNT: Final = rf"(?:\d+(?:\.\d+)?|{'|'.join(NUMBERS)}|half an?)"
"""A pattern for a number in digits or words."""


def read_count(text: str) -> float:
    """A number in digits or words."""
    folded = " ".join(text.lower().split())
    if folded.startswith("half"):
        return 0.5
    return float(NUMBERS[folded]) if folded in NUMBERS else float(folded)


def read_duration(count: str, unit: str) -> int:
    """Milliseconds."""
    if not unit:  # "250ms"
        digits = count.rstrip("abcdefghijklmnopqrstuvwxyz")
        count, unit = digits, count[len(digits) :]
    singular = unit.lower() if unit.lower() in _UNITS else unit.lower().removesuffix("s")
    return round(read_count(count) * _UNITS[singular])


def read_times(text: str) -> int:
    """How often: "3 times", "twice"."""
    count = read_count(text)
    if count < 1 or not count.is_integer():
        raise NotUnderstood(f"{text} times", "say how often in whole numbers, at least once")
    return int(count)


def read_date(value: str) -> str:
    """ISO for a date in digits; other values as they are. `03/04/2026` could be two days and is refused."""
    if relative := RELATIVE_DATE.fullmatch(value):
        return relative["day"].lower()
    if _SHORT.fullmatch(value.strip()):
        raise NotUnderstood(value, "write the date with its year, such as `2026-04-03`")
    if (in_words := _IN_WORDS.fullmatch(value.strip())) is not None:
        month = MONTH_NUMBERS[(in_words["month"] or in_words["named"]).casefold()]
        day = in_words["day"] or in_words["date"]
        return _one_day(days_meant(int(day), ".", month, int(in_words["year"])), value)
    found = _DATE.fullmatch(value.strip())
    if found is None:
        return value
    days = days_meant(int(found["first"]), found["mark"], int(found["second"]), int(found["year"]))
    return _one_day(days, value)


def is_date(value: str) -> bool:
    """True for a day in figures or words."""
    is_relative = RELATIVE_DATE.fullmatch(value) is not None
    return is_relative or any(form.fullmatch(value.strip()) for form in (_ISO, _DATE, _IN_WORDS))


def says_day(value: str, *, may_be_weekday: bool) -> bool:
    """True for a date, also one that is counted from the day it runs; a weekday alone may be an option."""
    return is_date(value) or ((may_be_weekday or " " in value) and _DAY_TO_COME.fullmatch(value) is not None)


def is_one_day(value: str) -> bool:
    """True for a date that can be one day only."""
    try:
        return is_date(value) and bool(read_date(value))
    except NotUnderstood:
        return False


def _one_day(days: Sequence[date], value: str) -> str:
    if len(days) != 1:
        reason = "it could be two different days" if days else "there is no such day"
        raise NotUnderstood(value, f"{reason}; write it as year-month-day, such as `2026-04-03`")
    return days[0].isoformat()
