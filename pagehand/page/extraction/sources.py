"""The answer of the script as a snapshot: every structure of the page becomes sources."""

import re
from collections.abc import Iterator
from dataclasses import replace

from msgspec.structs import replace as with_fields

from pagehand.page.extraction.label_matching import canonical_words, tokenize_label
from pagehand.page.extraction.linked_data import linked_sources
from pagehand.page.extraction.raw_page import (
    RawGroup,
    RawItem,
    RawPage,
    RawPair,
    RawPart,
    decode_answer,
)
from pagehand.page.extraction.sentences import named_values, without_the_next
from pagehand.page.extraction.snapshot import Cell, Column, Snapshot, Source, source_of_parts
from pagehand.page.extraction.tables import descriptive_names, table_sources
from pagehand.page.extraction.values import CURRENCY

_Named = tuple[Column, Cell]

_MARKUP_WEIGHT, _TAG_WEIGHT, _GUESS_WEIGHT = 0.92, 0.8, 0.7
# the main heading names the page; a document's title mostly contains the site's name
_HEADING_WEIGHT, _DOCUMENT_WEIGHT = 0.58, 0.64
_SPECIFIC_TAGS = frozenset(("email", "phone", "date", "address"))
_PARTS_TRUST = 0.88
_MAX_TITLE_LENGTH = 80
_MAX_PRICE_LENGTH = 40
_PRICE = re.compile(rf"{CURRENCY}\.?\s?[-\d.,' ]*\d(?:[.,]-)?|\d[\d.,' ]*\s?{CURRENCY}")
_ONE_WORD = re.compile(r"[^\W\d_]+")
_THING_METAS = re.compile(r"(?:product|article|music|video|book|profile):")
"""Prefixes of meta tags that describe a thing; the others describe the page."""


_GENERAL_WORDS = frozenset(
    re.findall(
        r"\w+",
        """contact us about home welcome login sign account my your profile overview detail result search
        order invoice receipt statement claim product item page list job hotel cart checkout shop all new
        number setting help the of for and dashboard summary transaction payment booking reservation
        customer user information""",
    )
)


def read_snapshot(answer: str) -> Snapshot:
    """The snapshot in an answer of the script."""
    page = decode_answer(answer)
    parts = [_Part(part) for part in page.parts]
    pairs = [_pair(pair) for pair in page.pairs]
    sources = [source for table in page.tables for source in table_sources(table)]
    for number, group in enumerate(page.groups):
        sources += _group_sources(group, number, parts, pairs)
    sources += _pair_sources(pairs)
    sources += linked_sources([*page.items, *page.linked])
    sources.append(_page_parts(parts))
    sources.append(_page_facts(page))
    filled = tuple(source for source in sources if source.columns)
    return Snapshot(page.title, tuple(page.headings), filled)


class _Part:
    """A text, picture or field with its names."""

    def __init__(self, raw: RawPart) -> None:
        self.cell = with_fields(raw.cell, is_action=raw.is_action)
        self.markup_names = [
            name for name in descriptive_names(raw.markup_names) if not self._is_action_name(name)
        ]
        self.tag_names = raw.tag_names
        self.is_grouped = raw.is_grouped
        self.is_navigation = raw.is_navigation
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


def _group_sources(
    group: RawGroup, number: int, parts: list[_Part], pairs: list[list[_Named]]
) -> Iterator[Source]:
    """Similar siblings as cards, and as a list where they are only texts."""
    items = [_card(item, parts, pairs, group.caption) for item in group.items]
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


def _card(item: RawItem, parts: list[_Part], pairs: list[list[_Named]], caption: str) -> list[_Named]:
    own = [parts[index] for index in item.parts]
    labelled = [(replace(column, group=""), pair) for index in item.pairs for column, pair in pairs[index]]
    return [*labelled, *(named for part in own for named in part.columns()), *_guessed_names(own, caption)]


def _is_price(text: str) -> bool:
    return len(text) <= _MAX_PRICE_LENGTH and _PRICE.fullmatch(text) is not None


def _guessed_names(own: list[_Part], caption: str) -> Iterator[_Named]:
    """Names for parts of a card: its only amount of money is a price, its link or only bold text a name."""
    money = [part.cell for part in own if not part.is_struck and _is_price(part.cell.text)]
    # two amounts may be a price and a saving: neither is guessed
    if len({item.text for item in money}) == 1:
        for name in ("price", "amount", "value"):
            yield Column(name, _GUESS_WEIGHT, kind="guess"), money[0]
    titles = [part.cell for part in own if "link" in part.tag_names and part.cell.text]
    if not titles:
        bold = [part.cell for part in own if "bold" in part.tag_names and not part.cell.text.endswith(":")]
        titles = bold if len(bold) == 1 and not _is_price(bold[0].text) else []
    headings = [part.cell for part in own if "title" in part.tag_names]
    # below "Clubs" each card has the name of a club
    names = () if headings else ("name", "title")
    for name in (*names, *([caption] if _ONE_WORD.fullmatch(caption) else [])):
        for cell in (headings or titles)[:1]:
            yield Column(name, _GUESS_WEIGHT, kind="guess"), cell


def _pair_sources(pairs: list[list[_Named]]) -> Iterator[Source]:
    """Pairs by the heading above them."""
    groups: dict[str, list[_Named]] = {}
    for pair in pairs:
        groups.setdefault(pair[0][0].group, []).extend(pair)
    for caption, named in groups.items():
        yield source_of_parts("pairs", caption, [named])


def _page_parts(parts: list[_Part]) -> Source:
    """Parts outside groups; those in groups only under names that no other part has."""
    alone = [named for part in parts if not part.is_grouped for named in part.columns(_SPECIFIC_TAGS)]
    taken = {column.label.casefold() for column, _ in alone}
    inside = [named for part in parts if part.is_grouped for named in part.columns(_SPECIFIC_TAGS)]
    # a price outside cards is the product's; those in cards belong to other products
    more = [(column, item) for column, item in inside if column.label.casefold() not in taken]
    return source_of_parts("parts", "", [[*alone, *more]], trust=_PARTS_TRUST)


def _page_facts(page: RawPage) -> Source:
    """Main heading, title, address and meta tags."""
    named: list[_Named] = []
    for text in page.headings[:1]:
        main = Cell(text)
        named.append((Column("title", _HEADING_WEIGHT, kind="guess"), main))
        # `Order 4711` is the title of a page, and not a name
        if not _is_general(text):
            named.append((Column("name", _HEADING_WEIGHT, kind="guess"), main))
    named.append((Column("page title", _DOCUMENT_WEIGHT, kind="fact"), Cell(page.title)))
    named.append((Column("page url", _DOCUMENT_WEIGHT, kind="fact"), Cell(page.url, (page.url,))))
    named += [_meta(name, text) for name, text in page.metas]
    return source_of_parts("page", "", [named], trust=_PARTS_TRUST)


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
