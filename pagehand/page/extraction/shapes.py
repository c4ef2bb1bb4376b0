"""What the texts of cards without labels must be: the only date of each, the only code, the only amount.

A name is given only where every card of a group has exactly one such text.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pagehand.page.extraction.label_matching import LOOKS_OF_WORDS, heading_names
from pagehand.page.extraction.values import CURRENCY, to_date
from pagehand.workflow.dates import MONTH_NUMBERS

_FEWEST = 2
_LONGEST_DAY = 40
_DAY_WORDS = frozenset(
    [
        *MONTH_NUMBERS,
        *re.findall(r"\w+", "at on am pm st nd rd th utc gmt cet cest mon tue wed thu fri sat sun"),
    ]
    + [f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")]
)
_TIME = re.compile(r"\d{1,2}[./]\d{1,2}[./]\d{2}|\b\d{1,2}:\d\d\b")
_CLOCK = re.compile(
    r"\d{1,2}(?::\d\d(?: ?[ap]\.?m\.?)?|[:.]?\d{0,2} ?[ap]\.?m\.?)"
    r"(?: ?[\u2013-] ?\d{1,2}:\d\d(?: ?[ap]\.?m\.?)?)?",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    rf"(?:[-+\u2212\u2013] ?)?(?:{CURRENCY}\.? ?[-\u2212]?\d[\d.,']{{0,20}}|\d[\d.,']{{0,20}} ?{CURRENCY})"
)
_ACCOUNT = re.compile(
    r"(?<![\w*•])(?:[A-Z]{2}\d\d(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?|(?:[\d*•]{4}[ -]){3}\d{4})(?![\w*•])"
)
"""The number of a bank account, or of a card, where all but the last digits may be hidden."""
_IBAN = re.compile(r"[A-Z]{2}\d\d")
CARD_NUMBER = re.compile(r"[3-6]\d{3}(?: \d{4}){3}")
_CODE = re.compile(r"#[A-Z]{0,5}-?\d[\w/-]{1,15}|[A-Z]{2,5}-?\d{3}[\w/-]{0,15}")
"""With three digits or more: `B17` may be a room."""
_CODE_NAMES = ("number", "id", "key", "code", "reference")
_REVIEWED = frozenset(("review", "comment", "testimonial", "customer review"))
_PIECES = re.compile(r" [|\u00b7\u2022\u2013\u2014] |, (?=\d)")
_PERSON = re.compile(
    r"[A-Z][a-z'\u2019-]{1,20} (?:[A-Z]\.|[A-Z][a-z'\u2019-]{1,20})(?: [A-Z][a-z'\u2019-]{1,20})?"
)
_TOLD = re.compile(r"(?:.* )?(?:history|timeline|log|activity)", re.IGNORECASE)
_PAID = re.compile(r"(?:.* )?(?:transactions?|bookings?|payments?)(?:'s)?", re.IGNORECASE)
_ONE_AMOUNT = {"balance": {"account"}, "total": {"order", "invoice", "bill", "receipt"}}
_JOINS = " ,;:|\u00b7\u2022\u2013\u2014-"
_SEPARATED = re.compile(r" [|\u00b7\u2022\u2013\u2014] |:\s")
_IN_SENTENCE = re.compile(
    r"(?:[^\n]*\b(?:by|to|from|of|with|for|in|on|at|as|the|an?|and) \n|\n [a-z]{2,})(?:[^\w\n][^\n]*)?"
)
"""Words of a sentence at the line break: after a preposition, or before the verb."""
_Names = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class CardLook:
    """What one of several similar boxes shows."""

    texts: tuple[str, ...]
    styled: frozenset[str]
    """Those of elements that have a class, and so may be values of their own."""
    links: frozenset[str]
    """Those of links, which may say what is done: "Open"."""
    labelled: dict[str, str]
    """The label of each text that has one."""
    title: str

    @property
    def unlabelled(self) -> list[str]:
        """The texts of which only their look says what they are; what has a label is what the label says."""
        return [
            text
            for text in self.texts
            if text not in self.labelled or _is_label_of_card(self.labelled[text], self)
        ]


def names_by_shape(caption: str, cards: Sequence[CardLook]) -> list[_Names]:
    """For each card names and values."""
    found: list[_Names] = [[] for _ in cards]
    if len(cards) < _FEWEST:
        return found

    def name(values: Sequence[str | None], *names: str) -> None:
        for named, value in zip(found, values, strict=True):
            named += [(each, value) for each in names if value]

    days = [_only(filter(_is_day, card.texts)) for card in cards]
    if all(day and _is_only_day(day, card) for day, card in zip(days, cards, strict=True)):
        name(days, "date")
    _name_codes(caption, cards, name)
    _name_states(cards, name)
    _name_amounts(caption, cards, days, name)
    if _REVIEWED & set(heading_names(caption)):
        people = [_only(_people(card)) for card in cards]
        if None not in people:
            name(people, "author", "reviewer")
    told = [_beside_day(card, day) for card, day in zip(cards, days, strict=True)]
    if _TOLD.fullmatch(caption) and all(told):
        name(told, "event", "activity")
    return found


def _name_codes(caption: str, cards: Sequence[CardLook], name: Callable[..., None]) -> None:
    """The only code of each card numbers the record, if no other card has it."""
    codes = [_only(code for text in card.unlabelled for code in _codes(text, card.title)) for card in cards]
    if None not in codes and len(set(codes)) == len(codes):
        name(codes, *_CODE_NAMES, *(f"{thing} number" for thing in heading_names(caption)))
    if all(code and _IBAN.match(code) for code in codes):
        name(codes, "iban")
        # what has one is an account
        name([card.title for card in cards], "account", "account name")


def _name_states(cards: Sequence[CardLook], name: Callable[..., None]) -> None:
    """The only state of each card, the only priority, the only time of day."""
    for word in ("status", "priority"):
        states = [_only(_states(card, word)) for card in cards]
        if None not in states:
            name(states, word)
    times = [_only(filter(_CLOCK.fullmatch, card.unlabelled)) for card in cards]
    if None not in times:
        name(times, "time")


def _people(card: CardLook) -> Iterator[str]:
    """Who wrote it: the pieces of lines that look like somebody's name."""
    pieces = (piece for text in card.unlabelled if text != card.title for piece in _PIECES.split(text))
    return (piece for piece in pieces if _PERSON.fullmatch(piece))


def _states(card: CardLook, word: str) -> Iterator[str]:
    """Its texts that look like this word, besides its title and what is done to it."""
    others = (text for text in card.unlabelled if text != card.title and text not in card.links)
    return filter(LOOKS_OF_WORDS[word].fullmatch, others)


def _name_amounts(
    caption: str, cards: Sequence[CardLook], days: Sequence[str | None], name: Callable[..., None]
) -> None:
    """The only amount of an account is its balance; one with a sign is paid for what the title says."""
    money = [_only(text for text in card.texts if _AMOUNT.fullmatch(text)) for card in cards]
    # an amount with a label is what the label says
    if not all(_is_label_of_card(label, card) for card in cards for label in card.labelled.values()):
        return
    things = set(heading_names(caption))
    if all(any(_ACCOUNT.fullmatch(text) for text in card.texts) for card in cards):
        things.add("account")
    if None not in money:
        name(money, *(word for word, owners in _ONE_AMOUNT.items() if things & owners))
    if any(sum_ and sum_.startswith(("-", "+", "\u2212", "\u2013")) for sum_ in money):
        name(money, "amount")
        is_all = all(
            day and card.title and _is_all(card, (card.title, day, sum_ or ""))
            for card, day, sum_ in zip(cards, days, money, strict=True)
        )
        if is_all and _PAID.fullmatch(caption):
            # whether it says with whom or for what, its look does not tell
            name([card.title for card in cards], "description")


def _is_label_of_card(label: str, card: CardLook) -> bool:
    """True for what heads the card, which was taken for the label of the text below it."""
    return bool(card.title and label.startswith(card.title)) or _CODE.fullmatch(label) is not None


def _only(texts: Iterable[str]) -> str | None:
    several = set(texts)
    return several.pop() if len(several) == 1 else None


def _is_day(text: str) -> bool:
    """True for a day, with or without a time, and nothing else."""
    if len(text) > _LONGEST_DAY or not any(map(str.isdigit, text)):
        return False
    is_plain = all(word in _DAY_WORDS for word in re.findall(r"[^\W\d_]+", text.casefold()))
    return is_plain and (to_date(text) is not None or _TIME.search(text) is not None)


def _is_only_day(day: str, card: CardLook) -> bool:
    """True where no other text of the card has another day in it."""
    others = (to_date(text.replace(day, " ")) for text in card.texts)
    return to_date(day) is not None and not any(others)


def _codes(text: str, title: str) -> list[str]:
    """A bank account in a text, or a text that is a code."""
    is_code = _CODE.fullmatch(text) and not _AMOUNT.fullmatch(text)
    # a title that is a code has a mark in it: a "GTX1080" is called so
    is_code = is_code and (text != title or re.search("[#-]", text))
    return _ACCOUNT.findall(text) or ([text] if is_code else [])


def _is_all(card: CardLook, known: Iterable[str]) -> bool:
    """True where the card has nothing else to say, but perhaps in which state it is."""
    for text in card.texts:
        for one in known:
            text = text.replace(one, " ", 1) if one else text  # noqa: PLW2901 - what is left of it
        if re.search(r"\w", text) and not LOOKS_OF_WORDS["status"].fullmatch(text.strip(_JOINS)):
            return False
    return True


def _beside_day(card: CardLook, day: str | None) -> str | None:
    """The only text beside the day: "Order received"."""
    if day is None:
        return None
    rest = {text: text.removeprefix(day).removesuffix(day).strip(_JOINS) for text in card.texts}
    longest = max(rest.values(), key=len, default="")
    # what stands in an element of its own may be who did it, or where, but not in "approved by <i>Ada</i>"
    inner = (text for text, left in rest.items() if left and left != longest)
    is_one = all(
        text not in card.styled and _IN_SENTENCE.fullmatch(longest.replace(rest[text], "\n", 1))
        for text in inner
    )
    return longest if longest and is_one and not _SEPARATED.search(longest) else None
