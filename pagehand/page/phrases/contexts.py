"""Contexts in a phrase: `in the row of ACME-17`, `next to Search`, `under Billing`."""

from itertools import product
from typing import Final, Literal

from pagehand.page.phrases.interpretation import Context, ContextKind, Word
from pagehand.page.phrases.roles import ROLE_NOUNS
from pagehand.page.phrases.tokens import ARTICLES, Tokens, word_set
from pagehand.workflow.words import position_of

RelationKind = ContextKind | Literal["name"]
"""`name` for words such as `labelled`, after which the element's own name follows."""

_MAX_DIGITS: Final = 4
"""Digits in the number of a row; Python refuses to convert texts of thousands of digits."""
_NAMING: Final = (
    ("with", "label"),
    ("with", "text"),
    ("with", "name"),
    ("with", "placeholder"),
    ("that", "says"),
    ("which", "says"),
    ("labelled",),
    ("labeled",),
    ("called",),
    ("named",),
    ("titled",),
    ("marked",),
    ("saying",),
    ("for",),
    ("to",),
    ("für",),
    ("pour",),
)
_RELATIONS: Final[dict[Tokens, ContextKind]] = {
    ("to", "right", "of"): "right",
    ("right", "of"): "right",
    ("to", "left", "of"): "left",
    ("left", "of"): "left",
    ("next", "to"): "near",
    ("close", "to"): "near",
    ("beside",): "near",
    ("neben",): "near",
    ("à", "côté", "de"): "near",
    ("à", "côté", "du"): "near",
    ("near",): "near",
    ("by",): "near",
    ("below",): "below",
    ("under",): "below",
    ("underneath",): "below",
    ("beneath",): "below",
    ("above",): "above",
    ("in",): "any",
    ("on",): "any",
    ("of",): "any",
    ("for",): "any",
    ("from",): "any",
    ("within",): "any",
    ("inside",): "any",
    ("at",): "any",
    ("with",): "any",
    ("containing",): "any",
    **{(word,): "any" for word in ("about", "against", "regarding", "concerning")},
    **dict.fromkeys(product(("ending", "starting"), ("in", "with")), "any"),
    ("rechts", "von"): "right",
    ("links", "von"): "left",
    ("à", "droite", "de"): "right",
    ("à", "gauche", "de"): "left",
    **dict.fromkeys((("unter",), ("unterhalb",), ("sous",)), "below"),
    **dict.fromkeys((("über",), ("oberhalb",)), "above"),
    **{
        (word,): "any"
        for word in word_set(
            "im am vom beim zum zur von bei für auf aus mit des dans sur de du pour chez au aux avec à"
        )
    },
}
_NOUNS: Final[dict[str, ContextKind]] = {
    **dict.fromkeys(("row", "line", "record", "entry", "item", "zeile", "ligne"), "row"),
    **dict.fromkeys(("card", "tile", "box", "panel", "karte", "kachel", "carte"), "card"),
    **dict.fromkeys(
        word_set(
            "section area part block group fieldset heading title region form dialog popup modal "
            "window table list tab menu toolbar sidebar frame iframe page tree board "
            "bereich abschnitt gruppe fenster tabelle liste reiter rubrique bloc tableau fenêtre onglet"
        ),
        "section",
    ),
    **dict.fromkeys(("column", "lane", "spalte", "colonne"), "column"),
}
CONTAINERS: Final = frozenset(_NOUNS)
"""Nouns that only say that what they are with is a place."""
_NOUN_LINKS: Final = frozenset(
    (
        "of",
        "for",
        "with",
        "containing",
        "called",
        "named",
        "titled",
        "labelled",
        "labeled",
        "saying",
        "von",
        "mit",
        "für",
        "de",
        "des",
        "du",
        "pour",
        "avec",
    )
)
_LANDMARKS: Final = {
    **{word: word for word in ("header", "footer", "navigation", "sidebar", "toolbar", "dialog", "form")},
    "nav": "navigation",
    **dict.fromkeys(("notification", "toast", "alert", "banner", "message"), "notification"),
    "popup": "dialog",
    "modal": "dialog",
    "table": "table",
    "list": "list",
    "tree": "tree",
    "menu": "menu",
    "menü": "menu",
    **dict.fromkeys(("top", "oben"), "top"),
    **dict.fromkeys(("bottom", "unten"), "bottom"),
    **{word: word for word in ("left", "right", "page")},
}
_CORNERS: Final = word_set("top bottom left right corner upper lower")


_GENITIVE: Final = Word("der")


def relation_at(words: list[Word], start: int) -> tuple[int, tuple[RelationKind, ...]]:
    """How many words from `start` on are a relation such as `next to`, and which; 0 for none."""
    # an article, and `of the` in `die Straße der Lieferanschrift`
    if start and words[start] == _GENITIVE:
        return 1, ("any",)
    for size in (4, 3, 2, 1):
        part = words[start : start + size]
        if len(part) < size or any(word.is_quoted for word in part):
            continue
        texts = tuple(word.text for word in part if word.text not in ARTICLES or word.text == "that")
        # an article within, such as `to the right of`
        if part[-1].text in ARTICLES or (len(texts) != size and part[0].text in ARTICLES):
            continue
        kinds: list[RelationKind] = []
        if texts in _NAMING:
            kinds.append("name")
        if texts in _RELATIONS:
            kinds.append(_RELATIONS[texts])
        if kinds:
            return size, tuple(kinds)
    return 0, ()


def read_contexts(kind: ContextKind, tail: list[Word]) -> list[Context]:
    """The contexts that the words after a relation may describe: with a noun for the place, and without."""
    words = [word for word in tail if word.is_quoted or word.text not in ARTICLES]
    if not words:
        return []
    # `next to the row` is measured on the page; only within and below can a noun name a place
    if kind not in ("any", "below"):
        # `text` may be the kind of what is named, or the first word of its name: `Text messages`
        return [Context(kind, texts) for texts in dict.fromkeys((texts_of(words), _without_role_noun(words)))]
    first, last = words[0], words[-1]
    if len(words) == 1 and not first.is_quoted and first.text in _LANDMARKS:
        return [Context("landmark", (_LANDMARKS[first.text],)), Context(kind, texts_of(words))]
    if not any(word.is_quoted or word.text not in _CORNERS for word in words):
        return [
            Context(
                "landmark",
                tuple(_LANDMARKS.get(word.text, word.text) for word in words if word.text != "corner"),
            )
        ]
    found: list[Context] = []
    if words[1:] and not first.is_quoted and (position := position_of(first.text)) is not None:
        found.append(Context("row", texts_of(words), position, texts_of(words[1:])))
    if words[1:] and not last.is_quoted and last.text in _NOUNS:
        found.append(_with_noun(last.text, words[:-1], kind))
    if words[1:] and not first.is_quoted and first.text in _NOUNS:
        if words[2:] and words[1].text in _NOUN_LINKS and not words[1].is_quoted:
            # `row 2` is a position, but `the row of 2` names what the row holds
            found.append(_with_noun(first.text, words[2:], kind, may_be_position=False))
        else:
            found.append(_with_noun(first.text, words[1:], kind))
    return [*found, Context(kind, texts_of(words))]


def texts_of(words: list[Word]) -> Tokens:
    """The words as plain tokens."""
    return tuple(word.text for word in words)


def _with_noun(noun: str, words: list[Word], kind: ContextKind, *, may_be_position: bool = True) -> Context:
    found = _NOUNS[noun]
    if kind == "below" and found not in ("section", "card"):
        return Context("below", texts_of(words))
    if may_be_position and found in ("row", "card") and len(words) == 1 and not words[0].is_quoted:
        return Context(found, texts_of(words), _position(noun, words[0].text))
    return Context(found, texts_of(words))


def _position(noun: str, word: str) -> int | None:
    # `isdecimal`: there are digits, such as Ethiopic ones, that `int` does not convert
    if noun in ("row", "zeile", "ligne") and word.isdecimal() and len(word) <= _MAX_DIGITS and int(word) > 0:
        return int(word) - 1
    return position_of(word)


def _without_role_noun(words: list[Word]) -> Tokens:
    """`the Search field`, next to which something is, is found by `Search`."""
    if words[1:] and not words[-1].is_quoted and (words[-1].text,) in ROLE_NOUNS:
        return texts_of(words[:-1])
    if words[1:] and not words[0].is_quoted and words[0].text in ("text", "label", "heading"):
        return texts_of(words[1:])
    return texts_of(words)
