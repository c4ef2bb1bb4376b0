"""Which element is meant: "the Save button", "the field labelled Email", "it", "the second result"."""

import re
from dataclasses import replace
from typing import Final

from pagehand.ai.grammar.names import check_name, refuse_open_words
from pagehand.ai.grammar.refusal import NotUnderstood
from pagehand.ai.grammar.scene import Element, Scene, Wanted
from pagehand.ai.grammar.wording import ATOM
from pagehand.records import Json

_NOUNS: Final = {
    "button": "button",
    "hyperlink": "link",
    "link": "link",
    "tab": "tab",
    "menu item": "menuitem",
    "menu entry": "menuitem",
    "menu": "",
    "check box": "checkbox",
    "checkbox": "checkbox",
    "tick box": "checkbox",
    "tickbox": "checkbox",
    "radio button": "radio",
    "radio": "radio",
    "option": "option",
    "switch": "switch",
    "toggle": "switch",
    "input field": "field",
    "text field": "field",
    "text box": "field",
    "text area": "field",
    "textbox": "field",
    "textarea": "field",
    "field": "field",
    "input": "field",
    "box": "field",
    "drop-down list": "choice",
    "dropdown list": "choice",
    "dropdown menu": "choice",
    "drop-down menu": "choice",
    "dropdown": "choice",
    "drop-down": "choice",
    "drop down": "choice",
    "select box": "choice",
    "combo box": "choice",
    "combobox": "choice",
    "selector": "choice",
    "picker": "choice",
    "list": "choice",
    "select": "choice",
    "cell": "cell",
    "row": "row",
    "heading": "heading",
    "headline": "heading",
    "table": "table",
    "image": "img",
    "picture": "img",
    "logo": "img",
    "section": "",
    "area": "",
    "panel": "",
    "text": "",
    "words": "",
    "message": "",
    "notice": "",
    "label": "",
    "entry": "",
    "item": "",
    "element": "",
    "spinner": "",
}
"""What people call elements, and what that says about where to look; "" for nothing certain."""

_NOUN: Final = "|".join(sorted((re.escape(noun) for noun in _NOUNS), key=len, reverse=True))
_CALLED: Final = (
    r"(?:called|named|labell?ed|titled|with the (?:text|label|name|title)|that (?:says|reads)|saying)"
)
_ARTICLE: Final = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_NOUN_FIRST: Final = re.compile(
    rf"(?P<noun>{_NOUN})\s+(?:{_CALLED}\s+(?P<name>.+)|(?P<atom>{ATOM}))", re.IGNORECASE
)
_NOUN_LAST: Final = re.compile(rf"(?P<name>.+?)\s+(?P<noun>{_NOUN})", re.IGNORECASE)
_ORDINAL: Final = re.compile(
    r"\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d+(?:st|nd|rd|th))\b"
)
_PLURAL: Final = re.compile(rf"(?:.*\s)?(?:{_NOUN})(?:s|es)", re.IGNORECASE)
_AND: Final = re.compile(r"\s(?:and|then|but)\s", re.IGNORECASE)
_AND_MORE: Final = re.compile(r"\s(?:then|but)\s|\sand\s.*\b(?:the|a|an)\b|\sand\s(?:.*\s){3}", re.IGNORECASE)
_ON_THE_PAGE: Final = re.compile(
    r"\s+(?:on|in|of)\s+(?:the|this)\s+(?:current\s+)?(?:page|screen)$", re.IGNORECASE
)

NEEDS_PAGES: Final = (
    "which element that is can only be told from a page: give `instructorExecutionId` of a test execution "
    "that saw it, or say the element's own words in quotes"
)


def read_element(text: str, scene: Scene, wanted: Wanted = "control") -> Element:
    """The element that some words mean: as it was seen on a page, else by its name."""
    words = _ON_THE_PAGE.sub("", text.strip())
    if re.fullmatch(r"it|that (?:button|link|field|element|one)", words, re.IGNORECASE):
        if scene.last is None:
            raise NotUnderstood(words, "nothing was named before that this could mean")
        return scene.last
    bare = _ARTICLE.sub("", words)
    try:
        named = _by_name(bare, scene, described=bare != words)
    except NotUnderstood:
        # words that are no name may say where it is: "the Edit button in the row of Ada"
        if scene.pages is None or (locator := scene.pages.find(scene.wording.written(words), wanted)) is None:
            raise
        scene.last = Element(scene.wording.plain(bare), locator=locator)
        return scene.last
    found = _on_page(words, named, scene, wanted)
    # what was filled in is a field when it is spoken of again
    scene.last = replace(found, noun="field") if wanted == "field" and not found.noun else found
    return found


def _by_name(bare: str, scene: Scene, *, described: bool) -> Element | None:
    """The element by the words it carries; None when it is described by its place instead."""
    if (first := _NOUN_FIRST.fullmatch(bare)) is not None:
        return Element(_name(first["name"] or first["atom"], scene, described=False), first["noun"].lower())
    if (last := _NOUN_LAST.fullmatch(bare)) is not None:
        if _is_place(last["name"], scene):
            return None
        if _AND_MORE.search(f"{last['name']} "):
            raise _could_be_several(bare, scene)
        return Element(_name(last["name"], scene, described=described), last["noun"].lower())
    if _NOUNS.get(bare.lower()) is not None or _is_place(bare, scene):
        return None
    if described and scene.wording.atom(bare) is None and not bare[:1].isupper() and not bare[:1].isdigit():
        return None
    if _AND.search(bare) or _PLURAL.fullmatch(bare):
        raise _could_be_several(bare, scene)
    return Element(_name(bare, scene, described=described))


def _could_be_several(bare: str, scene: Scene) -> NotUnderstood:
    return NotUnderstood(scene.wording.written(bare), "it could be one thing or several; put names in quotes")


def _is_place(name: str, scene: Scene) -> bool:
    return scene.wording.atom(name) is None and _ORDINAL.match(name) is not None


def _on_page(words: str, named: Element | None, scene: Scene, wanted: Wanted) -> Element:
    """The element where it was seen; one that has a name may do without."""
    written = scene.wording.written(words)
    if named is None:
        refuse_open_words(words)
    locator = scene.pages.find(written, wanted) if scene.pages is not None else None
    if locator is not None:
        name = named.name if named else _ARTICLE.sub("", scene.wording.plain(words))
        return Element(name, named.noun if named else "", locator)
    if named is None:
        why = (
            NEEDS_PAGES if scene.pages is None else "nothing on the pages that execution saw fits these words"
        )
        raise NotUnderstood(written, why)
    return named


def _name(text: str, scene: Scene, *, described: bool) -> str:
    atom = scene.wording.atom(text)
    if atom is None:
        check_name(text, described=described)
        return scene.wording.plain(text).strip().rstrip(".!")
    if not atom.value.strip():
        raise NotUnderstood(atom.written, "an empty name finds nothing")
    return atom.value


def kind_of(element: Element) -> str:
    """field, choice, a role, or "" where nothing was said."""
    return _NOUNS.get(element.noun, "")


def locator_of(element: Element) -> Json:
    """Where to look for it."""
    if element.locator is not None:
        return dict(element.locator)
    match kind_of(element):
        case "":
            return {"text": element.name}
        case "field" | "choice":
            return {"label": element.name}
        case "img":
            return {"altText": element.name}
        case role:
            return {"role": role, "text": element.name}


def block_on(kind: str, element: Element, data: Json | None = None) -> Json:
    """A block that acts on the element."""
    return {"type": kind, "locator": locator_of(element), "data": data or {}}


def input_into(element: Element, input_type: str, value: str, **more: object) -> Json:
    """An Input block: by the field's name, or by where it was seen."""
    block: Json = {
        "type": "Input",
        "data": {"key": element.name, "inputType": input_type, "value": value, **more},
    }
    return {**block, "locator": dict(element.locator)} if element.locator is not None else block
