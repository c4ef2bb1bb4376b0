"""Words made comparable: one spelling, no articles, and which words mean the same."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

Tokens = tuple[str, ...]


def word_set(words: str) -> frozenset[str]:
    """The words of a line, to look others up in."""
    return frozenset(words.split())


ARTICLES: Final = frozenset(("the", "a", "an", "this", "that"))
_POSSESSIVES: Final = frozenset(("your", "my", "our", "please"))
_INVITATIONS: Final = frozenset(("enter", "type", "select", "choose", "pick", "provide"))
_ENDINGS: Final = frozenset(("required", "optional", "mandatory"))
_WORD: Final = re.compile(r"[^\W_]+", re.UNICODE)
_MAY_HOLD_MARKS: Final = re.compile(r"[^\w\s\x00-\x7f]")
_SIGNS: Final = {
    "×": "close",  # noqa: RUF001 - the signs themselves, here and below
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

# the same word written differently; the first is ours
_SPELLINGS: Final = (
    ("email", "e mail", "email address", "e mail address", "mail address", "mail"),
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
    ("birthdate", "birth date", "date of birth", "dob", "birthday"),
    ("website", "web site"),
    ("prev", "previous"),
    ("catalog", "catalogue"),
    ("center", "centre"),
    ("license", "licence"),
    ("gray", "grey"),
)
# different words for the same thing; one that stands on the page literally is always preferred
_SYNONYMS: Final = (
    ("login", "signin"),
    ("logout", "signout"),
    ("signup", "register", "create account", "create an account"),
    ("search", "find", "look up", "lookup"),
    ("delete", "remove", "erase"),
    ("submit", "send"),
    ("settings", "preferences"),
    ("cart", "basket", "shopping cart", "shopping bag", "shopping basket"),
    ("buy", "purchase"),
    ("edit", "modify"),
    ("new", "create"),
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
)


def _table(groups: tuple[tuple[str, ...], ...]) -> dict[Tokens, Tokens]:
    return {
        tuple(form.split()): tuple(group[0].split()) for group in groups for form in group if form != group[0]
    }


_SPELLING_TABLE: Final = _table(_SPELLINGS)
_SYNONYM_TABLE: Final = _table(_SYNONYMS)
_LONGEST: Final = 3


def words_in(text: str) -> Tokens:
    """The bare words of a text; a text of signs alone gives what the signs stand for."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").replace("i\u0307", "i")
    # `Ann's orders` and `Ann orders` are the same words
    folded = re.sub(r"'s\b", "", folded)
    found = tuple(split_words(folded))
    # a sign beside words, as in `→ Next`, is decoration
    if found:
        return found
    return tuple(_SIGNS[sign] for sign in text.strip() if sign in _SIGNS)


def split_words(folded: str) -> list[str]:
    """The runs of letters and digits in a text, with the marks that belong to the letters."""
    if _MAY_HOLD_MARKS.search(folded) is None:
        return _WORD.findall(folded)
    # `\w` leaves out combining marks, which are the vowels of Hindi and Thai: ปิด and ปัด would be one word
    kept = (sign if sign.isalnum() or unicodedata.category(sign)[0] == "M" else " " for sign in folded)
    return "".join(kept).split()


@lru_cache(maxsize=8192)
def plain(words: Tokens) -> Tokens:
    """Words as they were written, without articles and what invites to fill in."""
    kept = _without_invitation(words)
    kept = tuple(
        word
        for at, word in enumerate(kept)
        if not ((word in ARTICLES and at + 1 < len(kept)) or (word in _POSSESSIVES and len(kept) > 1))
    )
    # a label's `(required)` is not part of its name, unless it is all there is
    while len(kept) > 1 and kept[-1] in _ENDINGS:
        kept = kept[:-1]
    return kept


@lru_cache(maxsize=8192)
def spelled(words: Tokens) -> Tokens:
    """The same in our spelling."""
    return _replaced(plain(words), _SPELLING_TABLE)


@lru_cache(maxsize=8192)
def meant(words: Tokens) -> Tokens:
    """Words as their meaning: those that say the same become the same."""
    return _replaced(spelled(words), _SYNONYM_TABLE)


def _without_invitation(words: Tokens) -> Tokens:
    """`Enter your e-mail` is the field `e-mail`."""
    at = 1 if words[:1] == ("please",) and len(words) > 1 else 0
    rest = words[at:]
    if len(rest) > 2 and rest[0] in _INVITATIONS and rest[1] in (*ARTICLES, *_POSSESSIVES):  # noqa: PLR2004 - verb, article, word
        return rest[2:]
    return rest


def _replaced(words: Tokens, table: dict[Tokens, Tokens]) -> Tokens:
    out: list[str] = []
    at = 0
    while at < len(words):
        # the longest first: `e mail address` before `mail`
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            known = table.get(words[at : at + length])
            if known is not None:
                out.extend(known)
                at += length
                break
        else:
            out.append(words[at])
            at += 1
    return tuple(out)


def holds(whole: Tokens, part: Tokens) -> bool:
    """True when `part` stands in `whole`, word by word and together."""
    size = len(part)
    return 0 < size <= len(whole) and any(
        whole[at : at + size] == part for at in range(len(whole) - size + 1)
    )
