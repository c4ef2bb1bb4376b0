"""Steps that close: pop-ups, banners, tabs."""

import re
from typing import Final

from pagehand.instructions.grammar.rules import Rule, Sentences, Words
from pagehand.instructions.grammar.scene import Scene
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
_IS_THERE: Final = (
    r"(?:appears?|shows up|pops up|comes up|opens|is (?:shown|displayed|there|present|visible|open))"
)
_IF_POPUP: Final = re.compile(
    rf"\b(?:if|when) (?:(?:there is|there's|there are|you see|you get) (?:an? |any |the )?(?P<there>{_POPUP})"
    rf"(?: {_IS_THERE})?|(?:an? |any |the )?(?P<appears>{_POPUP}) {_IS_THERE})"
    rf"\s*,?\s*(?:then )?(?P<close>{_CLOSE}) (?:it|them|that)\b",
    re.IGNORECASE,
)
_CLOSE_IF: Final = re.compile(
    rf"\b(?P<step>(?:{_CLOSE}) (?:the |any |an? |all )?(?:{_POPUP})),? if (?:there is (?:one|any)|"
    rf"there are any|(?:it|one|any) {_IS_THERE}|present|shown|any)\b",
    re.IGNORECASE,
)


def _close_popup(words: Words, scene: Scene) -> Json:  # noqa: ARG001 - as above
    what = words["what"].lower()
    kinds = [kind for kind, pattern in _POPUPS if re.fullmatch(pattern, what)]
    return {"data": {"kinds": kinds} if kinds else {}}


def _close_page(words: Words, scene: Scene) -> Json:  # noqa: ARG001 - as above
    which = {"other": "others", "last": "last", "newest": "last"}.get(
        (words["which"] or words["one"]).strip().lower(), "current"
    )
    return {"data": {"which": which}}


def without_needless_if(text: str) -> str:
    """The text without conditions on pop-ups: to close one that is not there does nothing."""
    # before anything is read: "it" in "close it" would else have to be an element with a name
    closed = _IF_POPUP.sub(lambda found: f"{found['close']} the {found['there'] or found['appears']}", text)
    return _CLOSE_IF.sub(lambda found: found["step"], closed)


_ABOUT: Final = "Waiting, searching, closing, mail"

CLOSING_POPUPS: Final = Sentences(
    _ABOUT,
    (
        Rule(
            f"{_CLOSE}|remove",
            rf" (?:the |any |all |all the |an? )?(?P<what>{_POPUP})",
            _close_popup,
            ("Close the popup", "Dismiss the cookie banner"),
        ),
    ),
)

CLOSING_TABS: Final = Sentences(
    _ABOUT,
    (
        Rule(
            "close",
            r" (?:the |this |all )?(?:(?P<which>other )(?:tab|page|window)s|(?P<one>current |last |newest |)"
            r"(?:tab|page|window))",
            _close_page,
            ("Close the tab", "Close the other tabs"),
        ),
    ),
)
