"""Elements by their place: "the Delete button in the row of ACME-17", "the second Edit button"."""

import re
from typing import Final

from pagehand.instructions.grammar.frames import tokenize
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import (
    check_name,
    refuse_appearance,
    refuse_step_inside,
    refuse_times,
    refuse_vague_words,
)
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import read_reference
from pagehand.instructions.grammar.vocabulary import ParseContext
from pagehand.workflow.words import ORDINAL

_STRONG: Final = (
    r"under(?:neath)?|below|beneath|above|beside|near|next to|close to|(?:to the )?(?:left|right) of"
)
_WEAK: Final = r"in|on|of|for|from|at|inside|within|with|containing"
AREA: Final = (
    r"row|line|record|entry|item|card|column|section|area|part|panel|group|table|list|form|dialog|popup|"
    r"modal|menu|toolbar|sidebar|header|footer|navigation|heading|box|tab|block"
)
# weak words such as "in" belong to many names: `Sign in with Google`; what follows decides
_RELATION: Final = re.compile(
    rf" (?:(?:{_STRONG})|(?:{_WEAK})(?= (?:the|this|a|an) | (?:{AREA})\b| \S*\d\S*(?:$| )|"
    rf" (?:{TOKEN}|(?-i:[A-Z\d])\S*) (?:{AREA})\b)|(?:of|for)(?= (?:[a-z]+ )?(?:{TOKEN}|\S*\d\S*)$)) ",
    re.IGNORECASE,
)
COUNTED: Final = re.compile(rf"(?:the )?{ORDINAL} (?!name\b)\S", re.IGNORECASE)
"""Matches words that say which of several it is."""
_AREA_FIRST: Final = re.compile(
    rf"(?:{AREA}) (?:(?:of|for|with|containing|called|named|titled|labell?ed) )?(?=\S)", re.IGNORECASE
)
_AREA_LAST: Final = re.compile(rf" (?:{AREA})$", re.IGNORECASE)
_AREA_ALONE: Final = re.compile(rf"(?:the |this |an? )?(?:{AREA})", re.IGNORECASE)
_NAMING: Final = re.compile(r"of|for|with|containing", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"^(?:the|this|a|an) ", re.IGNORECASE)
_UNKNOWN_ROW: Final = re.compile(r"(?:the|this|that|an?) [a-z][a-z' -]*")
_DESCRIBED: Final = re.compile(rf"(?P<what>[a-z][a-z' -]*) (?P<value>{TOKEN}|(?=\S*?\d)\S++)")
_SEVERAL: Final = re.compile(
    r"(?:the )?(?:first|last|next|top) (?:\d+|two|three|four|five|six|seven|eight|nine|ten) ", re.IGNORECASE
)
_OF_THAT: Final = re.compile(
    r" (?:in|of|from|on) (?:its|that|this|the same|their|his|her) (?:row|line|card|entry)$| there$",
    re.IGNORECASE,
)
_ANOTHER: Final = re.compile(r" (?:then|but) | and (?:the|a|an)\b", re.IGNORECASE)
_SURNAME_FIRST: Final = re.compile(r"^([A-Z][\w.'-]*), ([A-Z][\w.'-]*)$")
_ROW: Final = re.compile(r"\b(?:row|line|card) (?:of|for|with|containing)\b", re.IGNORECASE)
_MAX_WORDS: Final = 24


def drop_same_place(words: str, context: ParseContext) -> str:
    """The words without "in its row", or with that row where the element named last is in it."""
    if (found := _OF_THAT.search(words)) is None:
        return words
    if context.place:
        return words[: found.start()]
    last = context.last_element
    named_in = last.locator.get("words", "") if last is not None and last.locator is not None else ""
    if (place := _RELATION.search(named_in)) is not None:
        return f"{words[: found.start()]}{named_in[place.start() :]}"
    # "open Documents and click Upload there": on the page that is open by then
    if found[0].lower() != " there" or not context.is_on_page:
        raise NotUnderstood(found[0].strip(), "say which row, in the words that stand in it")
    return words[: found.start()]


def is_placed(words: str, context: ParseContext) -> bool:
    """True when the words say where the element is or which of several it is."""
    if context.literals.token(words) is not None:
        return False
    return COUNTED.match(words) is not None or _RELATION.search(words) is not None


def read_place(words: str, context: ParseContext) -> str:
    """The words as they are to be looked up at every run; refuses those that leave something open."""
    if len(words.split()) > _MAX_WORDS or _ANOTHER.search(words):
        raise NotUnderstood(words, "it could be one thing or several; put names in quotes")
    if len(_ROW.findall(words)) > 1:
        raise NotUnderstood(words, "say one row; begin another step for the other")
    if found := _SEVERAL.match(words):
        raise NotUnderstood(found[0], "a step is about one element; say which")
    refuse_times(words)
    # "post … to https://…" has the shape of an element in a place
    if any(token.kind in ("url", "email") for token in context.literals.tokens_in(words)):
        raise NotUnderstood(words, "an address is not an element on the page")
    head, relations, tails = _parts(words)
    # "Export and wait for the file" is two steps, "the Save and close button" one name
    is_name = _ARTICLE.match(head) is not None
    joined = [part for part in tails if context.vocabulary.has_another_step(tokenize(part))]
    if joined or (not is_name and re.search(r" (?:and|then|but) [^A-Z]", head)):
        raise NotUnderstood((joined or [head])[0], "it could be one thing or several; put names in quotes")
    _check_head(head)
    places = [_read_tail(tail, context) for tail in tails]
    return context.literals.as_written(head + "".join(map("".join, zip(relations, places, strict=True))))


def _parts(words: str) -> tuple[str, list[str], list[str]]:
    """What is meant, then each relation and the place after it; "the row of Ada" is one place."""
    head, *tails = _RELATION.split(words)
    found: list[tuple[str, str]] = []
    for relation, tail in zip(_RELATION.findall(words), tails, strict=True):
        # "in the row of Ada": the second relation names the row and is not another place
        if found and _AREA_ALONE.fullmatch(found[-1][1]) and _NAMING.fullmatch(relation.strip()):
            found[-1] = (found[-1][0], f"{found[-1][1]}{relation}{tail}")
        else:
            found.append((relation, tail))
    return head, [relation for relation, _ in found], [tail for _, tail in found]


def _check_head(head: str) -> None:
    counted = re.sub(rf"^{ORDINAL} ", "", _ARTICLE.sub("", head), flags=re.IGNORECASE)
    refuse_appearance(counted)
    # 'the link "Privacy"': the name itself is in quotes
    quoted = re.fullmatch(rf"(?P<before>(?:[a-z]+ ){{0,2}}){TOKEN}(?P<after>(?: [a-z]+){{0,2}})", counted)
    check_name((quoted["before"] + quoted["after"]).strip() or "X" if quoted else counted, has_article=False)
    # "Export wait for the file": the verb of another step at the end is no part of a name
    refuse_step_inside(f"{counted} ")


def _as_name(value: str, context: ParseContext) -> str:
    token = context.literals.token(value)
    return f'"{token.value}"' if token is not None and token.kind != "quoted" else value


def _read_tail(tail: str, context: ParseContext) -> str:
    """A place's own words; what the loop or the parameters give is filled in when it runs."""
    bare = _ARTICLE.sub("", tail)
    first = _AREA_FIRST.match(bare)
    of_row = bare[first.end() :] if first else tail
    # in quotes, so that a value with words such as "in" or "of" is taken as one name
    if (value := read_reference(of_row, context)) is not None:
        return f'{tail[: len(tail) - len(of_row)]}"{value}"'
    if first and (unknown := _UNKNOWN_ROW.fullmatch(of_row)):
        raise NotUnderstood(unknown[0], "say which one, in the words of its row")
    name = _AREA_LAST.sub("", _ARTICLE.sub("", of_row))
    # "the row with invoice number 4711": the row is known by the number itself
    if described := _DESCRIBED.fullmatch(name):
        check_name(described["what"], has_article=False)
        return f"{tail[: len(tail) - len(of_row)]}{_as_name(described['value'], context)}"
    refuse_appearance(name)
    refuse_vague_words(name)
    if context.literals.token(name) is None:
        plain = re.sub(rf"^{ORDINAL}$", "First", name, flags=re.IGNORECASE)
        # a row is known by "Miller, Anna" as well
        check_name(_SURNAME_FIRST.sub(r"\1 \2", plain) if first else plain, has_article=False)
    return tail
