"""The answer of the script as a snapshot: every structure of the page becomes sources."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from itertools import takewhile

from msgspec.structs import replace as with_fields

from pagehand.page.extraction.label_matching import canonical_words, heading_names, tokenize_label
from pagehand.page.extraction.linked_data import linked_sources
from pagehand.page.extraction.raw_page import (
    RawGroup,
    RawItem,
    RawPage,
    RawPair,
    RawPart,
    decode_answer,
)
from pagehand.page.extraction.sentences import (
    HAVE_SUBJECT,
    named_values,
    rate_in_label,
    record_in_heading,
    without_the_next,
)
from pagehand.page.extraction.shapes import CARD_NUMBER, CardLook, names_by_shape
from pagehand.page.extraction.snapshot import Cell, Column, Snapshot, Source, source_of_parts
from pagehand.page.extraction.tables import descriptive_names, table_sources
from pagehand.page.extraction.values import CURRENCY, to_date

_Named = tuple[Column, Cell]

_MARKUP_WEIGHT, _TAG_WEIGHT, _GUESS_WEIGHT = 0.92, 0.8, 0.7
# the main heading names the page; a document's title mostly contains the site's name
_HEADING_WEIGHT, _DOCUMENT_WEIGHT = 0.62, 0.64
_NEAR_WEIGHT = 0.8
_SPECIFIC_TAGS = frozenset(("email", "phone", "date", "address"))
_PARTS_TRUST = 0.88
_MAX_TITLE_LENGTH = 80
_MAX_PRICE_LENGTH = 40
_PRICE = re.compile(rf"{CURRENCY}\.?\s?[-\d.,' ]*\d(?:[.,]-)?|\d[\d.,' ]*\s?{CURRENCY}")
_NUMBERED_TITLE = re.compile(
    r"#(?P<number>[A-Z]{0,4}-?\d[\w-]*+)[:.]?(?: [-\u2013\u2014])? (?P<title>[^\W\d_].*)"
)
_NUMBER_NAMES = ("number", "id", *(f"{thing} number" for thing in sorted(HAVE_SUBJECT)))
_BADGE = re.compile(r"(?<![^-])(?:badge|pill|tag|chip)(?![^-])", re.IGNORECASE)
_SENTENCE = re.compile(r"(?!(?:[^.:]*:|.*\bby [A-Z]))[^\W\d_]\S*(?: \S+)+[.!?]")
_DESCRIPTIONS = tuple(
    Column(name, _GUESS_WEIGHT, kind="guess")
    for name in ("description", "summary", "snippet", "excerpt", "text")
)
_DESCRIBED = _DESCRIPTIONS[0]
_REACHED = frozenset(("email", "phone", "extension", "ext"))
_PRODUCT_NAMES = ("product", "product name", "item")
_PRICE_NAMES = ("price", "current price", "amount", "value")
_OLD_PRICE_NAMES = ("previous price", "original price", "old price", "regular price")
_MIN_SUBJECT_WORDS = 4
_PAIR = 2
_FACTS = frozenset(("number", "id", "status", "category", "name"))
_ASPECTS = frozenset(
    re.findall(
        r"\w+", "status priority history overview summary detail list result number date category price"
    )
)
_PARTIES = frozenset(("customer", "client", "user", "vendor", "supplier", "recipient", "sender", "account"))
"""Whom a page may mention without being about them."""
_NAME_OF_THING = re.compile(
    r"[^\W\d_a-z][\w.&'\u2019-]*+(?: (?:&|and|of|the|de|[^\W\d_a-z][\w.&'\u2019-]*+)){0,6}"
)
_CARD_TEXTS = 2
_BELOW_HEADING = 14
"""How many parts after the main heading may be the price of what it names."""
_THING_METAS = re.compile(r"(?:product|article|music|video|book|profile):")
"""Prefixes of meta tags that describe a thing; the others describe the page."""


_GENERAL_WORDS = frozenset(
    re.findall(
        r"\w+",
        """contact us about home welcome login sign account my your profile overview detail result search
        order invoice receipt statement claim product item page list job hotel cart checkout shop all new
        number setting help the of for and dashboard summary transaction payment booking reservation
        customer user information report note form record file chart confirmation certificate thank you hello
        good morning afternoon evening document application registration request review""",
    )
)


def read_snapshot(answer: str) -> Snapshot:
    """The snapshot in an answer of the script."""
    page = decode_answer(answer)
    parts = [_Part(part) for part in page.parts]
    pairs = [_pair(pair) for pair in page.pairs]
    near = [_near(pair) for pair in page.near]
    sources = [source for table in page.tables for source in table_sources(table)]
    for number, group in enumerate(page.groups):
        sources += _group_sources(group, number, parts, pairs, near)
    sources += _pair_sources(pairs)
    sources += _near_sources(near)
    sources += linked_sources([*page.items, *page.linked])
    sources.append(_page_parts(parts, {cell.text for pair in pairs for _, cell in pair}))
    sources.append(_page_facts(page, [pair.label for pair in page.pairs]))
    filled = tuple(source for source in sources if source.columns)
    return Snapshot(page.title, tuple(page.headings), filled)


class _Depth(Enum):
    """What a part is a part of."""

    PAGE = 0
    CARDS = 1
    TABLE = 2


class _Part:
    """A text, picture or field with its names."""

    def __init__(self, raw: RawPart) -> None:
        self.cell = with_fields(raw.cell, is_action=raw.is_action)
        self.markup_names = [
            name for name in descriptive_names(raw.markup_names) if not self._is_action_name(name)
        ]
        self.tag_names = raw.tag_names
        self.depth = _Depth.TABLE if raw.is_in_table else _Depth.CARDS if raw.is_grouped else _Depth.PAGE
        self.is_navigation = raw.is_navigation
        self.is_badge = any(map(_BADGE.search, raw.markup_names)) and not re.search(r"\d", raw.cell.text)
        self.is_struck = raw.markup_names == ["struck"]

    def _is_action_name(self, name: str) -> bool:
        """True for `address` on a link "Change my address": its text is not an address."""
        text = self.cell.text
        is_short_action = self.cell.is_action and len(text) <= _MAX_TITLE_LENGTH
        return is_short_action and canonical_words(name) <= canonical_words(text)

    def columns(self, tag_names: frozenset[str] | None = None) -> Iterator[_Named]:
        """Its cell under all names; of those from its tag only `tag_names`, if given."""
        for name in () if self.is_navigation else self.markup_names:
            yield Column(name, _MARKUP_WEIGHT, kind="mark"), self.cell
        for name in self.tag_names:
            if tag_names is None or name in tag_names:
                yield Column(name, _TAG_WEIGHT, kind="tag"), self.cell
        for name, value in () if self.cell.is_action else named_values(self.cell.text):
            yield Column(name, _GUESS_WEIGHT, kind="guess"), Cell(value)


def _pair(raw: RawPair) -> list[_Named]:
    column = Column(raw.label, group=raw.group)
    cells = [with_fields(cell, text=without_the_next(cell.text)) for cell in raw.cells]
    return [(column, cell) for cell in cells] or [(column, Cell(""))]


def _near(raw: RawPair) -> _Named:
    return Column(raw.label, _NEAR_WEIGHT, raw.group, "near"), raw.cells[0]


def _group_sources(
    group: RawGroup, number: int, parts: list[_Part], pairs: list[list[_Named]], near: list[_Named]
) -> Iterator[Source]:
    """Similar siblings as cards, and as a list where they are only texts."""
    titles, numbers = _numbered(
        _titles(group, parts, pairs),
        [parts[one.first].cell if one.first >= 0 else None for one in group.items],
    )
    items = [
        [*_card(item, parts, pairs, near, group.caption, title), *number]
        for item, title, number in zip(group.items, titles, numbers, strict=True)
    ]
    # the same sentence in several cards describes none of them
    said = Counter(cell.text for item in items for column, cell in item if column == _DESCRIBED)
    items = [
        [(column, cell) for column, cell in item if column not in _DESCRIPTIONS or said[cell.text] == 1]
        for item in items
    ]
    looks = [_look(item, parts, pairs, title) for item, title in zip(group.items, titles, strict=True)]
    items = [
        [*item, *((Column(name, _GUESS_WEIGHT, kind="guess"), Cell(value)) for name, value in more)]
        for item, more in zip(items, names_by_shape(group.caption, looks), strict=True)
    ]
    cards = source_of_parts(
        "cards", group.caption, items, trust=_PARTS_TRUST, is_navigation=group.is_navigation
    )
    outer = frozenset(group.outer_groups)
    yield replace(cards, group=number, outer_groups=outer, is_container=group.is_container)
    if group.is_list:
        cells = tuple(((item.cell,),) for item in group.items)
        name = group.label or group.caption or group.markup_name
        # links side by side count as a list only if there is no better one
        column = Column(name) if group.is_list_element else Column(name, _TAG_WEIGHT, kind="guess")
        yield Source("list", name, (column,), cells, is_navigation=group.is_navigation)


def _card(
    item: RawItem,
    parts: list[_Part],
    pairs: list[list[_Named]],
    near: list[_Named],
    caption: str,
    title: Cell | None,
) -> list[_Named]:
    own = [parts[index] for index in item.parts]
    # below "Clubs" each card has the name of a club
    guessed = list(_guessed_names(own))
    # what has a price is a product
    more = _PRODUCT_NAMES if any(column.label == "price" for column, _ in guessed) else ()
    # below "System status" there are no statuses
    things = () if tokenize_label(caption).head in _ASPECTS else heading_names(caption)
    names = () if title is None else ("name", "title", *things, *more)
    titled = [(Column(name, _GUESS_WEIGHT, kind="guess"), title) for name in names if title]
    labelled = [(replace(column, group=""), pair) for index in item.pairs for column, pair in pairs[index]]
    known = {column.label for column, _ in labelled}
    labelled += [
        (replace(near[at][0], group=""), near[at][1]) for at in item.near if near[at][0].label not in known
    ]
    others = [*labelled, *(named for part in own for named in part.columns()), *guessed]
    return [*(named for named in others if not _is_title(named[0], title, names)), *titled]


def _look(item: RawItem, parts: list[_Part], pairs: list[list[_Named]], title: Cell | None) -> CardLook:
    own = [parts[index] for index in item.parts]
    links = frozenset(part.cell.text for part in own if "link" in part.tag_names)
    styled = frozenset(part.cell.text for part in own if part.markup_names or part.is_badge)
    labelled = {cell.text: column.label for at in item.pairs for column, cell in pairs[at]}
    texts = tuple(part.cell.text for part in own if part.cell.text)
    return CardLook(texts, styled, links, labelled, title.text if title else "")


def _numbered(
    titles: Sequence[Cell | None], firsts: Sequence[Cell | None]
) -> tuple[Sequence[Cell | None], list[list[_Named]]]:
    """The titles without the numbers before them, "#4711 Toner low", and those; only where all have one."""
    found = [_NUMBERED_TITLE.fullmatch(cell.text) if cell else None for cell in firsts]
    if not all(found):
        return titles, [[] for _ in titles]
    names = ("number", "id")
    numbers = [
        [(Column(name, _GUESS_WEIGHT, kind="guess"), Cell(one["number"])) for name in names]
        for one in found
        if one
    ]
    return [Cell(one["title"]) for one in found if one], numbers


def _is_title(column: Column, title: Cell | None, names: Sequence[str]) -> bool:
    """True where the title was taken for the label of what follows it, or for a number, as in "Ward 7"."""
    is_label = title is not None and column.kind == "label" and column.label == title.text
    return is_label or (column.kind == "guess" and column.label.casefold() in names)


def _titles(group: RawGroup, parts: list[_Part], pairs: list[list[_Named]]) -> Sequence[Cell | None]:
    """What names each card: its heading, link, only bold text or first text, if these differ."""
    for find in (_heading, _link, _only_bold):
        found = [find([parts[index] for index in item.parts]) for item in group.items]
        texts = [cell.text for cell in found if cell is not None]
        if texts and (len(set(texts)) > 1 or len(group.items) == 1):
            return found
    return _opening_texts(group, parts, pairs)


def _heading(own: list[_Part]) -> Cell | None:
    return next((part.cell for part in own if "title" in part.tag_names), None)


def _link(own: list[_Part]) -> Cell | None:
    links = [part.cell for part in own if "link" in part.tag_names and part.cell.text]
    # a link around all of the card is the card
    inner = [part.cell.text for part in own if part.cell.text and links and part.cell.text != links[0].text]
    is_card = sum(text in links[0].text for text in inner) >= _CARD_TEXTS
    return links[0] if links and not is_card else None


def _only_bold(own: list[_Part]) -> Cell | None:
    bold = [part.cell for part in own if "bold" in part.tag_names and not part.cell.text.endswith(":")]
    return bold[0] if len(bold) == 1 and _is_name(bold[0].text) else None


def _opening_texts(group: RawGroup, parts: list[_Part], pairs: list[list[_Named]]) -> Sequence[Cell | None]:
    """The first texts of cards, if they are short, all different, and neither labels nor values."""
    firsts = [parts[item.first].cell for item in group.items if item.first >= 0]
    texts = {cell.text for cell in firsts}
    named = [named for item in group.items for at in item.pairs for named in pairs[at]]
    labels = Counter(column.label for column, _ in named)
    is_short = all(len(parts[at].cell.text) <= _MAX_TITLE_LENGTH for item in group.items for at in item.parts)
    is_labelled = any(
        (labels[column.label] > 1 and column.label in texts) or cell.text in texts for column, cell in named
    )
    are_names = all(text[:1].isalpha() and to_date(text) is None for text in texts)
    is_title = is_short and are_names and not is_labelled and len(texts) == len(group.items) > 1
    return firsts if is_title else [None] * len(group.items)


def _is_name(text: str) -> bool:
    """True for a text that is no price, and no figure."""
    return not _is_price(text) and re.search(r"[^\W\d_]{2}", text) is not None


def _is_price(text: str) -> bool:
    return len(text) <= _MAX_PRICE_LENGTH and _PRICE.fullmatch(text) is not None


def _guessed_names(own: list[_Part]) -> Iterator[_Named]:
    """Names for parts: the only amount of money is a price, the badge a status, the sentence describes."""
    yield from _prices(own)
    sentences = {part.cell.text: part.cell for part in own if _SENTENCE.fullmatch(part.cell.text)}
    for cell in sentences.values() if len(sentences) == 1 else ():
        yield from ((column, cell) for column in _DESCRIPTIONS)
    badges = [part.cell for part in own if part.is_badge]
    if len(badges) == 1:
        yield Column("status", _GUESS_WEIGHT, kind="guess"), badges[0]
    yield from ((Column("badges", _GUESS_WEIGHT, kind="guess"), badge) for badge in badges)


def _prices(own: list[_Part]) -> Iterator[_Named]:
    """The only amount of money is a price, and the one that is struck out the price before."""
    for is_struck, names in ((False, _PRICE_NAMES), (True, _OLD_PRICE_NAMES)):
        money = [part.cell for part in own if part.is_struck == is_struck and _is_price(part.cell.text)]
        # two amounts may be a price and a saving: neither is guessed
        if len({item.text for item in money}) == 1:
            for name in names:
                yield Column(name, _GUESS_WEIGHT, kind="guess"), money[0]


def _pair_sources(pairs: list[list[_Named]]) -> Iterator[Source]:
    """Pairs by the heading above them."""
    groups: dict[str, list[_Named]] = {}
    for pair in pairs:
        groups.setdefault(pair[0][0].group, []).extend(pair)
    for caption, named in groups.items():
        ways = [found for column, cell in named for found in _ways_to_reach(column.label, cell)]
        rates = [
            (Column(name, _GUESS_WEIGHT, caption, "guess"), Cell(rate))
            for label in dict.fromkeys(column.label for column, _ in named)
            for name, rate in rate_in_label(label)
        ]
        yield source_of_parts("pairs", caption, [[*named, *ways, *rates]])
        for column, cell in named:
            if reached := [(Column(name, _GUESS_WEIGHT, kind="guess"), item) for name, item in _lines(cell)]:
                yield replace(source_of_parts("pairs", column.label, [reached]), is_detail=True)


def _near_sources(near: list[_Named]) -> Iterator[Source]:
    """Texts beside one another by the heading above them."""
    groups: dict[str, list[_Named]] = {}
    for column, cell in near:
        groups.setdefault(column.group, []).append((column, cell))
    for caption, named in groups.items():
        yield source_of_parts("parts", caption, [named])


def _ways_to_reach(label: str, cell: Cell) -> Iterator[_Named]:
    """The lines of whom a label names: the requester's name and mail address."""
    for name, item in _lines(cell):
        yield Column(f"{label} {name}", _GUESS_WEIGHT, kind="guess"), item


def _lines(cell: Cell) -> Iterator[tuple[str, Cell]]:
    """The lines of an address, where one of them says how to reach whom it names: each by what it is."""
    found: list[tuple[str, Cell]] = []
    for line in cell.lines[1:]:
        label, colon, value = line.partition(": ")
        named = (
            [(label, value)]
            if colon
            else [(name, value) for name, value in named_values(line) if name in _REACHED]
        )
        found += [(name, Cell(value)) for name, value in named]
    if found and not re.search(r"[\d@:]", cell.lines[0]):
        yield "name", Cell(cell.lines[0])
        yield from found


def _page_parts(parts: list[_Part], labelled: Collection[str]) -> Source:
    """Parts outside groups; those in groups only under names that no other part has."""
    named: list[_Named] = []
    # a price outside cards is the product's; those in cards and tables belong to other products
    for depth in _Depth:
        taken = {column.label.casefold() for column, _ in named}
        inside = [one for part in parts if part.depth is depth for one in part.columns(_SPECIFIC_TAGS)]
        named += [(column, item) for column, item in inside if column.label.casefold() not in taken]
    heading = next((at for at, part in enumerate(parts) if "title" in part.tag_names), len(parts))
    below = list(
        takewhile(lambda part: "title" not in part.tag_names, parts[heading + 1 : heading + _BELOW_HEADING])
    )
    # an amount with a label is what the label says
    prices = list(_prices([part for part in below if part.cell.text not in labelled]))
    if prices:
        named += _product_facts(parts[heading], below)
    cards = {part.cell.text: part.cell for part in parts if CARD_NUMBER.fullmatch(part.cell.text)}
    if len(cards) == 1 and not cards.keys() & set(labelled):
        named += [(Column("card number", _GUESS_WEIGHT, kind="guess"), cell) for cell in cards.values()]
    badges = [part.cell for part in below if part.is_badge]
    if len(badges) == 1:
        named.append((Column("status", _GUESS_WEIGHT, kind="guess"), badges[0]))
    return source_of_parts("parts", "", [[*named, *prices]], trust=_PARTS_TRUST)


def _product_facts(heading: _Part, below: list[_Part]) -> Iterator[_Named]:
    """What has a price below it is a product, and who it is by made it."""
    # neither "Order 4711" nor "Invoice" is for sale
    if not _is_general(re.sub(r"\b\d\w*", "", heading.cell.text)):
        for name in ("name", "title", *_PRODUCT_NAMES):
            yield Column(name, _GUESS_WEIGHT, kind="guess"), heading.cell
    for part in below:
        for column, cell in part.columns():
            if column.label == "by":
                yield Column("brand", _GUESS_WEIGHT, kind="guess"), cell


def _page_facts(page: RawPage, labels: Sequence[str]) -> Source:
    """Main heading, title, address and meta tags."""
    named: list[_Named] = []
    for text in page.headings[:1]:
        # below a title "Job" the heading is the title of the job; its own words explain nothing
        about = page.title if page.title != text else ""
        main = Cell(text)
        named.append((Column("title", _HEADING_WEIGHT, about, "guess"), main))
        record = list(record_in_heading(text))
        if found := _NUMBERED_TITLE.fullmatch(text):
            record = [(name, found["number"]) for name in _NUMBER_NAMES]
            record += [(name, found["title"]) for name in ("subject", "headline", "summary")]
        named += [(Column(name, _HEADING_WEIGHT, kind="guess"), Cell(value)) for name, value in record]
        # `Order 4711` is the title of a page, and not a name
        if not _is_general(text):
            named.append((Column("name", _HEADING_WEIGHT, kind="guess"), main))
        if _NAME_OF_THING.fullmatch(text) and not _GENERAL_WORDS & set(tokenize_label(text).literal):
            named += [
                (Column(f"{thing} name", _HEADING_WEIGHT, kind="guess"), main) for thing in _things_in(labels)
            ]
        if not record and len(re.findall(r"[^\W\d_]{2,}", text)) >= _MIN_SUBJECT_WORDS:
            named += [(Column(name, _HEADING_WEIGHT, kind="guess"), main) for name in ("subject", "headline")]
    named.append((Column("page title", _DOCUMENT_WEIGHT, kind="fact"), Cell(page.title)))
    named.append((Column("page url", _DOCUMENT_WEIGHT, kind="fact"), Cell(page.url, (page.url,))))
    named += [_meta(name, text) for name, text in page.metas]
    return source_of_parts("page", "", [named], trust=_PARTS_TRUST)


def _things_in(labels: Sequence[str]) -> list[str]:
    """What several labels say that the page is about: "Company number" and "Company type"."""
    split = [tokenize_label(label) for label in dict.fromkeys(labels)]
    about = Counter(
        tokens.literal[0] for tokens in split if len(tokens.literal) == _PAIR and tokens.head in _FACTS
    )
    return [thing for thing, count in about.items() if count >= _PAIR and thing not in _PARTIES]


def _meta(name: str, text: str) -> _Named:
    """A meta tag, which describes a thing or only the page."""
    is_thing = bool(_THING_METAS.match(name))
    label = re.sub(r"^\w+:", "", name).replace(":", " ")
    links, pictures = ((text,) if label == "url" else ()), ((text,) if "image" in label else ())
    name, kind = (label, "mark") if is_thing else (f"page {label}", "fact")
    return Column(name, _MARKUP_WEIGHT, kind=kind), Cell(text, links, pictures)


def _is_general(heading: str) -> bool:
    """True for a heading that names the kind of page and not its subject."""
    words = set(tokenize_label(heading).literal)
    return bool(re.search(r"[\d#]", heading)) or words <= _GENERAL_WORDS
