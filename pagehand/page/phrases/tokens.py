"""Tokens: words in one spelling, without stop words, with one word for all synonyms."""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pagehand.page.phrases.plurals import singular

Tokens = tuple[str, ...]


def word_set(words: str) -> frozenset[str]:
    """The words of a line as a set."""
    return frozenset(words.split())


ARTICLES: Final = word_set(
    "the a an this that der die das den dem ein eine einen einem einer le la les un une"
)
_POSSESSIVES: Final = frozenset(("your", "my", "our", "please"))
_LINKING: Final = frozenset(("of", "for", "by", "to", "in", "on", "with", "and", "or", "the", "a", "an", "i"))
_SILENT: Final = ARTICLES | _POSSESSIVES | _LINKING
_PROMPT_VERBS: Final = frozenset(("enter", "type", "select", "choose", "pick", "provide"))
_FIELD_NOTES: Final = frozenset(("required", "optional", "mandatory"))
_WORD: Final = re.compile(r"[^\W_]+", re.UNICODE)
_ELISION: Final = re.compile(r"\b[ld]'(?=\w)")
_MAY_HAVE_MARKS: Final = re.compile(r"[^\w\s\x00-\x7f]")
_SYMBOLS: Final = {
    "×": "close",  # noqa: RUF001 - the symbols themselves, here and below
    "✕": "close",
    "✖": "close",
    "✗": "close",
    "⨯": "close",  # noqa: RUF001
    "+": "add",
    "＋": "add",  # noqa: RUF001
    "⋮": "more",
    "…": "more",
    "⋯": "more",
    "☰": "menu",
    "›": "next",  # noqa: RUF001
    "»": "next",
    "→": "next",
    "‹": "previous",  # noqa: RUF001
    "«": "previous",
    "←": "previous",
    "🔍": "search",
    "🗑": "delete",
    "✎": "edit",
    "✏": "edit",
}

# spellings of the same word; the first is the normal one
_SPELLINGS: Final = (
    (
        "email",
        "e mail",
        "email address",
        "e mail address",
        "mail address",
        "mail",
        "courriel",
        "e mail adresse",
        "mailadresse",
        "adresse e mail",
        "adresse email",
    ),
    ("login", "log in", "log on", "logon"),
    ("signin", "sign in", "sign on"),
    ("logout", "log out", "log off", "logoff"),
    ("signout", "sign out", "sign off"),
    ("signup", "sign up"),
    ("checkout", "check out"),
    ("username", "user name"),
    ("password", "pass word"),
    ("firstname", "first name"),
    ("lastname", "last name"),
    ("postcode", "post code"),
    ("zip", "zip code", "zipcode"),
    ("phone", "phone number", "telephone", "telephone number", "phone no", "tel"),
    ("ok", "okay"),
    ("color", "colour"),
    ("organization", "organisation"),
    ("dropdown", "drop down"),
    ("quantity", "qty"),
    ("number", "nr", "num"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("birthdate", "birth date", "date of birth", "dob", "birthday"),
    *((f"birthdate {part}", f"birth {part}", f"{part} of birth") for part in ("year", "month", "day")),
    ("website", "web site"),
    ("prev", "previous"),
    ("catalog", "catalogue"),
    ("center", "centre"),
    ("license", "licence"),
    ("gray", "grey"),
    ("trash", "trash can", "trash bin", "dustbin", "papierkorb", "corbeille"),
    ("magnifier", "magnifying glass", "lupe", "loupe"),
)
# synonyms; a literal match on the page is always preferred
_SYNONYMS: Final = (
    ("login", "signin"),
    ("logout", "signout"),
    ("signup", "register", "create account", "create an account"),
    ("search", "find", "look up", "lookup", "suche", "suchen", "suchbegriff", "rechercher", "recherche"),
    ("delete", "remove", "erase"),
    ("submit", "send"),
    ("settings", "preferences"),
    ("cart", "basket", "shopping cart", "shopping bag", "shopping basket"),
    ("buy", "purchase"),
    ("price", "cost"),
    ("edit", "modify"),
    ("new", "create", "add"),
    ("more", "three dots", "3 dots", "dots", "ellipsis", "more actions", "more options"),
    ("firstname", "given name", "forename"),
    ("lastname", "surname", "family name"),
    ("postcode", "zip", "postal code"),
    ("mobile", "mobile phone", "cell phone", "cellphone", "mobile number"),
    ("street", "street address", "address line 1"),
    ("city", "town"),
    ("state", "province"),
    ("company", "organization", "company name", "organization name"),
    ("username", "user id", "login name"),
    ("upload", "attach"),
    ("close", "dismiss"),
    ("profile", "my profile"),
    ("next", "next page"),
    ("prev", "prev page"),
    ("first", "first page"),
    ("last", "last page"),
)


def _replacements(groups: tuple[tuple[str, ...], ...]) -> dict[Tokens, Tokens]:
    return {
        tuple(form.split()): tuple(group[0].split()) for group in groups for form in group if form != group[0]
    }


_SPELLING_TABLE: Final = _replacements(_SPELLINGS)
_SYNONYM_TABLE: Final = _replacements(_SYNONYMS)
_MAX_WORDS: Final = 3


def tokenize(text: str) -> Tokens:
    """The words of a text in lower case; a text of symbols alone gives their names."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").replace("i\u0307", "i")
    # `Ann's orders` and `Ann orders` are the same words
    # and `l'adresse` is `adresse`
    folded = _ELISION.sub("", re.sub(r"'s\b", "", folded))
    found = tuple(split_words(folded))
    # a symbol beside words, as in `→ Next`, is decoration
    if found:
        return found
    return tuple(_SYMBOLS[symbol] for symbol in text.strip() if symbol in _SYMBOLS)


def split_words(folded: str) -> list[str]:
    """The runs of letters and digits in a text, with the combining marks of the letters."""
    if _MAY_HAVE_MARKS.search(folded) is None:
        return _WORD.findall(folded)
    # `\w` leaves out combining marks, which are the vowels of Hindi and Thai: ปิด and ปัด would be one word
    kept = (char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in folded)
    return "".join(kept).split()


@lru_cache(maxsize=8192)
def strip_stop_words(words: Tokens) -> Tokens:
    """Words without articles, and without what asks to fill in a field."""
    kept = _without_prompt(words)
    kept = tuple(
        word
        for at, word in enumerate(kept)
        if not ((word in ARTICLES and at + 1 < len(kept)) or (word in _POSSESSIVES and len(kept) > 1))
    )
    # a label's `(required)` is not part of its name, unless it is all there is
    while len(kept) > 1 and kept[-1] in _FIELD_NOTES:
        kept = kept[:-1]
    return kept


@lru_cache(maxsize=8192)
def normalize(words: Tokens) -> Tokens:
    """The same in one spelling."""
    kept = strip_stop_words(words)
    if kept[1:] and kept[-1] == "no":
        # `Order no.`
        kept = (*kept[:-1], "number")
    return _replace(kept, _SPELLING_TABLE)


@lru_cache(maxsize=8192)
def canonicalize(words: Tokens) -> Tokens:
    """The same with one word for all synonyms."""
    spelled = normalize(words)
    found = _replace(spelled, _SYNONYM_TABLE)
    # `create a new order` is `new order`
    if any(one == other for one, other in pairwise(spelled)):
        return found
    return tuple(word for at, word in enumerate(found) if not at or word != found[at - 1])


def _without_prompt(words: Tokens) -> Tokens:
    """`Enter your e-mail` is the field `e-mail`."""
    at = 1 if words[:1] == ("please",) and len(words) > 1 else 0
    rest = words[at:]
    if len(rest) > 2 and rest[0] in _PROMPT_VERBS and rest[1] in (*ARTICLES, *_POSSESSIVES):  # noqa: PLR2004 - verb, article, word
        return rest[2:]
    return rest


def _replace(words: Tokens, table: dict[Tokens, Tokens]) -> Tokens:
    out: list[str] = []
    at = 0
    while at < len(words):
        # the longest first: `e mail address` before `mail`
        for length in range(min(_MAX_WORDS, len(words) - at), 0, -1):
            known = table.get(words[at : at + length])
            if known is not None:
                out.extend(known)
                at += length
                break
        else:
            out.append(words[at])
            at += 1
    return tuple(out)


@lru_cache(maxsize=8192)
def key_words(words: Tokens) -> Tokens:
    """The words that carry the meaning, in the singular: `Filter by roles` is filter, role."""
    kept = tuple(singular(word) for word in normalize(words) if word not in _LINKING and not word.isdecimal())
    return kept or words


@lru_cache(maxsize=65536)
def content_words(words: Tokens) -> Tokens:
    """The words without those that only link others, with one word for all synonyms."""
    return tuple(word for word in canonicalize(words) if word not in _SILENT)


@lru_cache(maxsize=65536)
def said_words(words: Tokens) -> Tokens:
    """The same in the singular."""
    return tuple(singular(word) for word in content_words(words))


def covers_words(whole: Tokens, part: Tokens) -> bool:
    """True when `whole` has all words of `part` in any order; two may be written as one."""
    there = set(key_words(whole))
    there |= {first + second for first, second in pairwise(normalize(whole))}
    at = 0
    while at < len(part):
        if part[at] in there:
            at += 1
        elif "".join(part[at : at + 2]) in there and at + 1 < len(part):
            at += 2
        else:
            return False
    return True


def contains_tokens(whole: Tokens, part: Tokens) -> bool:
    """True when `whole` contains the words of `part` one after the other."""
    size = len(part)
    # by far most texts lack the first word already
    if not 0 < size <= len(whole) or part[0] not in whole:
        return False
    return any(whole[at : at + size] == part for at in range(len(whole) - size + 1))
