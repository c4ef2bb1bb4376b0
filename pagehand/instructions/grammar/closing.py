"""Steps that close: pop-ups, banners, tabs."""

import re
from typing import Final

from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.vocabulary import Frame, ParseContext, Sentences, Slots
from pagehand.records import Json

_POPUPS: Final = (
    ("cookieBanner", r"cookie (?:banner|notice|message|dialog|popup|pop-up|bar)s?|cookies?"),
    ("dialog", r"dialog(?:ue)?s?(?: box(?:es)?)?"),
    ("modal", r"modals?|overlays?"),
    ("window", r"pop-?up windows?"),
)
_POPUP: Final = (
    r"(?:cookie )?(?:banner|notice|bar|popup|pop-up|dialog|dialogue|modal|overlay)s?"
    r"(?: windows?| box(?:es)?)?|cookies?|cookie (?:message|dialog|popup|pop-up)"
)
_CLOSE: Final = "close|dismiss|get rid of|reject|decline"
_APPEARS: Final = (
    r"(?:appears?|shows up|pops up|comes up|opens|is (?:shown|displayed|there|present|visible|open))"
)
_IF_POPUP: Final = re.compile(
    rf"\b(?:if|when) (?:(?:there is|there's|there are|you see|you get) (?:an? |any |the )?(?P<there>{_POPUP})"
    rf"(?: {_APPEARS})?|(?:an? |any |the )?(?P<appears>{_POPUP}) {_APPEARS})"
    rf" ?,?\s?(?:then )?(?P<close>{_CLOSE}) (?:it|them|that)\b",
    re.IGNORECASE,
)
_CLOSE_IF: Final = re.compile(
    rf"\b(?P<step>(?:{_CLOSE}) (?:the |any |an? |all )?(?:{_POPUP})),? if (?:there is (?:one|any)|"
    rf"there are any|(?:it|one|any) {_APPEARS}|present|shown|any)\b",
    re.IGNORECASE,
)


def _close_popup(slots: Slots, context: ParseContext) -> Json:  # noqa: ARG001 - every frame takes the context
    what = re.sub(
        r" (?:that|which) (?:is|are|gets|appears?|shows?|pops?|may|might|comes?)\b[\w' ]*$",
        "",
        slots["what"].lower(),
    )
    if not re.fullmatch(_POPUP, what):
        raise NotUnderstood(what, "say which pop-up: a dialog, a banner, a tab")
    kinds = [kind for kind, pattern in _POPUPS if re.fullmatch(pattern, what)]
    return {"data": {"kinds": kinds} if kinds else {}}


def _close_page(slots: Slots, context: ParseContext) -> Json:  # noqa: ARG001 - every frame takes the context
    which = {"other": "others", "last": "last", "newest": "last"}.get(slots["which"].lower(), "current")
    return {"data": {"which": which}}


def drop_popup_conditions(text: str) -> str:
    """The text without conditions on pop-ups: closing one that is not there does nothing anyway."""
    # before anything else is read: "it" in "close it" would have to be an element with a name
    closed = _IF_POPUP.sub(lambda found: f"{found['close']} the {found['there'] or found['appears']}", text)
    return _CLOSE_IF.sub(lambda found: found["step"], closed)


_HEADING: Final = "Waiting, searching, closing, mail"

CLOSING_POPUPS: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(close|dismiss|get rid of|reject|decline|remove) [the|any|all|all the|a|an] {what}",
            _close_popup,
            ("Close the popup", "Dismiss the cookie banner"),
        ),
    ),
)

CLOSING_TABS: Final = Sentences(
    _HEADING,
    (
        Frame(
            "close [the|this|that|all|all the] ({which:other} (tabs|pages|windows)"
            "|[{which:current|last|newest|new}] (tab|page|window)) [again]",
            _close_page,
            ("Close the tab", "Close the other tabs"),
        ),
    ),
)
