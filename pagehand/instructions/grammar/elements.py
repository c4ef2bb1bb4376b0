"""Which element is meant: "the Save button", "the field labelled Email", "it", "the second result"."""

import re
from dataclasses import replace
from typing import Final

from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import check_name, is_declaration
from pagehand.instructions.grammar.places import COUNTED, ORDINAL, drop_same_place, is_placed, read_place
from pagehand.instructions.grammar.politeness import strip_polite_tail
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.values import read_item
from pagehand.instructions.grammar.vocabulary import Element, ParseContext
from pagehand.page.phrases import TargetKind
from pagehand.page.phrases.typos import correct_typo
from pagehand.records import Json
from pagehand.workflow.words import by_word

_NOUNS: Final = by_word(
    {
        "button": "button",
        "link": "hyperlink|link",
        "tab": "tab",
        "words": "icon|column",
        "menuitem": "menu item|menu entry",
        "checkbox": "check box|checkbox|tick box|tickbox",
        "radio": "radio button|radio",
        "option": "option",
        "switch": "switch|toggle",
        "field": "input field|text field|text box|text area|textbox|textarea|field|input|box",
        "choice": "drop-down list|dropdown list|dropdown menu|drop-down menu|dropdown|drop-down|drop down|"
        "select box|combo box|combobox|selector|picker|list|select",
        "cell": "cell",
        "row": "row",
        "heading": "heading|headline|title",
        "table": "table",
        "img": "image|picture|logo",
        "": "menu|section|area|panel|text|words|message|notice|label|entry|item|element|spinner|card|alert|"
        "notification|hint|banner|warning|error|note|line|phrase|word",
    }
)
"""The role or kind that a noun means; "" for no certain one, `words` where it depends on the page."""

_OFTEN_IN_LABELS: Final = frozenset(("", "heading", "img", "table"))
_NOUN: Final = "|".join(sorted((re.escape(noun) for noun in _NOUNS), key=len, reverse=True))
_CALLED: Final = (
    r"(?:called|named|labell?ed|titled|with the (?:text|label|name|title)|that (?:says|reads)|saying)"
)
_ARTICLE: Final = re.compile(r"^(?:[Tt]he|an?) (?!and\b)")
_ARTICLE_TYPO: Final = re.compile(r"^(?:teh|hte|th|thr|tge|tje|tthe|thhe|thee) ", re.IGNORECASE)
_NOUN_FIRST: Final = re.compile(
    rf"(?:(?:confirmation|error|success|warning|status|info|spinner|loading|green|red) )?(?P<noun>{_NOUN})"
    rf" (?:{_CALLED} (?P<name>.+)|(?P<token>{TOKEN}))",
    re.IGNORECASE,
)
# "the tab Documents", "in field MRN": only what is clicked or filled in is named like this
_NOUN_AND_NAME: Final = re.compile(
    r"(?P<noun>button|link|tab|field|text field|input field|box|text box|checkbox|check box|radio button|"
    r"option|dropdown|drop-down|drop down|dropdown list|drop-down list|select box|combo box|cell|"
    r"heading|column"
    # "the button I showed you": what a person does is no name
    r"|list|menu item|menu entry|menu|icon|switch|toggle) (?P<name>(?!(?:I|We|You|They|He|She)"
    r" )[A-Z][\w'&/.-]*(?: [\w'&/.-]+){0,5})"
)
# "the customer {{params.customer}}": what it is, then what the page calls it
_CALLED_SO: Final = re.compile(rf"(?P<what>[a-z]+(?: [a-z]+){{0,2}}) (?P<value>{TOKEN})")
_NOUN_LAST: Final = re.compile(rf"(?P<name>.+?) (?P<noun>{_NOUN})", re.IGNORECASE)
_NOUN_INSIDE: Final = re.compile(r"(?<= )(?:button|link|checkbox|dropdown|field|tab) [a-z]+$")
_OFTEN_MISTYPED: Final = frozenset(("button", "link", "field", "checkbox", "dropdown", "textbox", "heading"))
_PLURAL: Final = re.compile(rf"(?:.* )?(?:{_NOUN})(?:s|es)", re.IGNORECASE)
_JOINED: Final = re.compile(r"\b(?:and|or|then|but|not)\b|[,&:;]", re.IGNORECASE)
_AND: Final = re.compile(r" (?:and|then|but) ", re.IGNORECASE)
_AND_MORE: Final = re.compile(r" (?:then|but) | and .*\b(?:the|a|an)\b| and (?:.* ){3}", re.IGNORECASE)
_ROW: Final = re.compile(r"\b(?:row|line|card)\b", re.IGNORECASE)
_ON_THE_PAGE: Final = re.compile(r" (?:on|in|of) (?:the|this) (?:current )?(?:page|screen)$", re.IGNORECASE)


def read_element(text: str, context: ParseContext, target: TargetKind = "control") -> Element:
    """The element that the words refer to: by its name, or by words that are looked up at every run."""
    # every element is "on the page"
    words = _ON_THE_PAGE.sub("", strip_polite_tail(text))
    if re.fullmatch(r"it|that (?:button|link|field|element|one)", words, re.IGNORECASE):
        if context.last_element is None:
            raise NotUnderstood(words, "nothing was named before that this could refer to")
        return context.last_element
    words = _correct_noun(_ARTICLE_TYPO.sub("the ", words))
    if target != "field" and (item := _item_shown(words, context)) is not None:
        context.last_element = item
        return item
    words = re.sub(r"^its (?=\w)", "the ", drop_same_place(words, context), flags=re.IGNORECASE)
    # a row in a table is in both places; a dialog is not in the row that opened it
    is_within = not _ROW.search(context.place) and (_ROW.search(words) or COUNTED.match(words))
    if (
        is_within
        and _ROW.search(words)
        and re.fullmatch(r"(?:in|on) the (?:table|list|grid|page)", context.place)
    ):
        is_within = False  # every row is in a table
    if context.place and (is_within or not is_placed(words, context)):
        words = f"{words} {context.place}"
    if (whole := _whole_on_page(words, context, target)) is not None:
        context.last_element = whole
        return whole
    _refuse_item_as_name(words, context)
    if is_placed(words, context):
        named = Element(
            _ARTICLE.sub("", context.literals.unmask(words)), locator={"words": read_place(words, context)}
        )
    else:
        named = _by_name(words, context, target)
    found = _look_up(words, named, context, target)
    # what was filled in is a field when `it` refers to it
    context.last_element = replace(found, noun="field") if target == "field" and not found.noun else found
    return found


def _item_shown(words: str, context: ParseContext) -> Element | None:
    """What shows the loop's item or a part of it: the same words mean the same when they are typed."""
    if not context.loop_item or re.fullmatch(rf".+ (?:{_NOUN})", words, re.IGNORECASE):
        return None
    value = read_item(words, context)
    return Element(value, locator={"text": value}) if value is not None else None


def _whole_on_page(words: str, context: ParseContext, target: TargetKind) -> Element | None:
    """An element that a visited page calls exactly so, where the words alone could be several things."""
    if not context.pages or not _JOINED.search(words):
        return None
    locator = context.pages.find(context.literals.as_written(words), target)
    bare = _ARTICLE.sub("", words)
    noun = _NOUN_LAST.fullmatch(bare)
    for name in (bare, noun["name"] if noun else bare):
        if locator is not None and locator.get("text", "").casefold() == name.casefold():
            return Element(name, locator=locator)
    return None


def _refuse_item_as_name(words: str, context: ParseContext) -> None:
    """Within `for each order …`, "the order link" may be a link of that name or the item of this round."""
    if context.loop_item and re.fullmatch(
        rf"the {re.escape(context.loop_item)}(?:(?:'s .+)? (?:{_NOUN}))?", words, re.IGNORECASE
    ):
        raise NotUnderstood(
            words,
            "it could be the item of this round or something called so; "
            "write `{{item}}` for the item, or put the name in quotes",
        )


def _correct_noun(words: str) -> str:
    """The words with a typo in the last one corrected, if that is the noun for a kind of element."""
    head, _, last = words.rpartition(" ")
    if _ARTICLE.match(head + " ") and (noun := correct_typo(last, _OFTEN_MISTYPED)) is not None:
        return f"{head} {noun}"
    return words


def _by_name(words: str, context: ParseContext, target: TargetKind) -> Element:
    """The element by its name."""
    bare = _ARTICLE.sub("", words)
    has_article = bare != words
    if (first := _NOUN_FIRST.fullmatch(bare)) is None and (named := _NOUN_AND_NAME.fullmatch(bare)):
        bare_name = named["name"] if named["noun"] == "icon" else words
        looked_up = {"words": bare_name} if _NOUNS[named["noun"]] == "words" else None
        return Element(_name(named["name"], context, has_article=False), named["noun"], looked_up)
    if first is not None:
        name, noun = _name(first["name"] or first["token"], context, has_article=False), first["noun"].lower()
        # which kind of element a column or an icon is depends on the page
        looked_up = {"words": context.literals.as_written(words)} if _NOUNS[noun] == "words" else None
        return Element(name, noun, looked_up)
    last = _NOUN_LAST.fullmatch(bare)
    # nobody fills in a note or a title: the noun belongs to the name of a field, as in "the Job title"
    if last is not None and (target != "field" or _NOUNS[last["noun"].lower()] not in _OFTEN_IN_LABELS):
        return _by_name_and_noun(bare, last, context, target, has_article=has_article)
    if target == "control" and (called := _CALLED_SO.fullmatch(bare)) is not None:
        check_name(called["what"], has_article=True)
        return Element(_name(called["value"], context, has_article=False))
    if re.fullmatch(ORDINAL, bare, re.IGNORECASE):
        raise NotUnderstood(words, "say what is counted: `the second Edit button`")
    if _NOUNS.get(bare.lower()) is not None and (has_article or bare.islower() or target != "field"):
        raise NotUnderstood(words, f"say which {bare.lower()}, in the words that stand on it")
    if (_AND.search(words) and not is_declaration(words)) or (
        _PLURAL.fullmatch(bare) and (has_article or bare[:1].islower())
    ):
        raise _could_be_several(bare)
    if has_article and (inside := _NOUN_INSIDE.search(bare)):
        raise NotUnderstood(inside[0], "a name seems to end before it; put the name in quotes")
    name = _name(bare, context, has_article=has_article)
    if has_article and context.literals.token(bare) is None and bare[:1].islower() and target != "field":
        return _by_description(words, name, target)
    return Element(name)


def _by_name_and_noun(
    bare: str, last: re.Match[str], context: ParseContext, target: TargetKind, *, has_article: bool
) -> Element:
    """A name and a noun; without an article the noun may belong to the name: `Add row`."""
    if _AND_MORE.search(f"{last['name']} "):
        raise _could_be_several(bare)
    name, noun = _name(last["name"], context, has_article=has_article), last["noun"].lower()
    is_kind = has_article or context.literals.token(last["name"]) is not None
    # "the user menu" describes it, and "the Settings menu" names it
    is_described = has_article and not _NOUNS[noun] and name.islower() and target == "control"
    if is_kind and not is_described and _NOUNS[noun] != "words":
        return Element(name, noun)
    words = f"the {bare}" if has_article else bare
    return Element(name if is_kind else bare, noun, {"words": context.literals.as_written(words)})


def _by_description(words: str, name: str, target: TargetKind) -> Element:
    """Words in small letters after an article describe the element; they are not its label."""
    if target == "anything":
        raise NotUnderstood(words, "say the words that the page shows, in quotes")
    return Element(name, locator={"words": words})


def _could_be_several(bare: str) -> NotUnderstood:
    return NotUnderstood(bare, "it could be one thing or several; put names in quotes")


def _look_up(words: str, named: Element, context: ParseContext, target: TargetKind) -> Element:
    """The element on the visited pages; data on a page never becomes its name."""
    written = context.literals.as_written(words)
    locator = context.pages.find(written, target) if context.pages is not None else None
    if locator is not None:
        has_name = locator.get("text", "").casefold() == named.name.casefold()
        return replace(named, locator=locator if has_name else {"words": written})
    # quotes, or an article and a noun, say where a name ends; a condition may be about what is not there
    is_certain = context.literals.has_quotes(words) or bool(named.noun) or target == "anything"
    # only a page can resolve words
    needs_page = context.pages is not None if named.locator is not None else not is_certain
    if needs_page and (context.pages or named.locator is not None):
        raise NotUnderstood(
            written,
            "nothing on the pages that execution saw fits these words; put the name in quotes "
            "if it is on another page",
        )
    return named


def _name(text: str, context: ParseContext, *, has_article: bool) -> str:
    token = context.literals.token(text)
    if token is None:
        check_name(text, has_article=has_article)
        return context.literals.unmask(text).strip()
    if not token.value.strip():
        raise NotUnderstood(token.written, "an empty name finds nothing")
    return token.value


def ends_with_noun(words: str) -> bool:
    """True when the last word says what kind of element it is, so that no name goes on after it."""
    return re.search(rf" (?:{_NOUN})$", words, re.IGNORECASE) is not None


def kind_of(element: Element) -> str:
    """`field`, `choice`, a role, or "" for an element without a noun."""
    return _NOUNS.get(element.noun, "")


def locator_of(element: Element) -> Json:
    """The locator of the element, which has to be the only one: the page may have several by then."""
    locator = dict(element.locator) if element.locator is not None else _named(element)
    return locator if "words" in locator else {**locator, "strict": True}


def _named(element: Element) -> Json:
    match kind_of(element):
        case "":
            return {"text": element.name}
        case "field" | "choice":
            return {"label": element.name}
        case "img":
            return {"altText": element.name}
        case role:
            return {"role": role, "text": element.name}


def on_element(element: Element, data: Json | None = None) -> Json:
    """What a rule builds for a block that acts on the element."""
    return {"locator": locator_of(element), "data": data or {}}
