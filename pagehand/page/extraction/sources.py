"""What the reader in the page answered as a snapshot: every structure of the page becomes sources."""

import re
from collections.abc import Iterator
from dataclasses import replace

from msgspec.structs import replace as with_fields

from pagehand.page.extraction.linked import linked_sources
from pagehand.page.extraction.marks import telling_marks
from pagehand.page.extraction.reader_answer import (
    ReadGroup,
    ReadItem,
    ReadPage,
    ReadPair,
    ReadPart,
    read_answer,
)
from pagehand.page.extraction.snapshot import Cell, Column, Snapshot, Source, source_of_parts
from pagehand.page.extraction.tables import table_sources
from pagehand.page.extraction.words import meanings, words_of

_Named = tuple[Column, Cell]

_MARKED, _TAGGED, _GUESSED = 0.92, 0.8, 0.7
# a main heading is what the page is called; a document's title mostly has the site's name in it
_HEADING, _DOCUMENT = 0.58, 0.64
_TELLING = frozenset(("email", "phone", "date", "address"))
_PARTS_TRUST = 0.88
_LONGEST_TITLE = 80
_LONGEST_PRICE = 40
_PRICE = re.compile(
    r"(?:[$€£¥]|\b(?:USD|EUR|GBP|CHF)\b)\s?[-\d.,' ]*\d|\d[\d.,' ]*\s?(?:[$€£¥]|\b(?:USD|EUR|GBP|CHF)\b)"
)
_DATA_METAS = re.compile(r"(?:product|article|music|video|book|profile):")
"""Prefixes of meta tags that describe a thing; the others describe the page."""


_GENERAL = frozenset(
    re.findall(
        r"\w+",
        """contact us about home welcome login sign account my your profile overview detail result search
        order invoice receipt statement claim product item page list job hotel cart checkout shop all new
        number setting help the of for and dashboard summary transaction payment booking reservation
        customer user information""",
    )
)


def read_snapshot(answer: str) -> Snapshot:
    """What the script answered, ready to be searched."""
    page = read_answer(answer)
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
    """A piece of the page and the names its markup gives it."""

    def __init__(self, read: ReadPart) -> None:
        self.cell = with_fields(read.cell, acts=read.acts)
        self.marks = [mark for mark in telling_marks(read.marks) if not self._says_what_it_does(mark)]
        self.tags = read.tags
        self.is_grouped = read.grouped
        self.is_around = read.around
        self.is_struck = read.marks == ["struck"]

    def _says_what_it_does(self, mark: str) -> bool:
        """True for a link "Change my address" that is marked as `address`: its text is not an address."""
        text = self.cell.text
        return self.cell.acts and len(text) <= _LONGEST_TITLE and meanings(mark) <= meanings(text)

    def named(self, tags: frozenset[str] | None = None) -> Iterator[_Named]:
        """Under all its names; of those from its tag only `tags`, if given."""
        for mark in () if self.is_around else self.marks:
            yield Column(mark, _MARKED, kind="mark"), self.cell
        for tag in self.tags:
            if tags is None or tag in tags:
                yield Column(tag, _TAGGED, kind="tag"), self.cell


def _pair(read: ReadPair) -> list[_Named]:
    column = Column(read.label, group=read.group)
    return [(column, cell) for cell in read.cells] or [(column, Cell(""))]


def _group_sources(
    group: ReadGroup, number: int, parts: list[_Part], pairs: list[list[_Named]]
) -> Iterator[Source]:
    """Look-alike siblings as cards, and as a plain list where they are no more than texts."""
    items = [_card(item, parts, pairs) for item in group.items]
    cards = source_of_parts("cards", group.caption, items, trust=_PARTS_TRUST, around=group.around)
    yield replace(cards, number=number, inside=frozenset(group.inside))
    if group.is_list:
        cells = tuple(((item.cell,),) for item in group.items)
        name = group.label or group.caption or group.mark
        # links side by side are a list only for want of a better one
        column = Column(name) if group.is_marked else Column(name, _TAGGED, kind="guess")
        yield Source("list", name, (column,), cells, around=group.around)


def _card(item: ReadItem, parts: list[_Part], pairs: list[list[_Named]]) -> list[_Named]:
    own = [parts[index] for index in item.parts]
    labelled = [(Column(column.label), pair) for index in item.pairs for column, pair in pairs[index]]
    return [*labelled, *(named for part in own for named in part.named()), *_guesses(own)]


def _is_price(text: str) -> bool:
    return len(text) <= _LONGEST_PRICE and _PRICE.fullmatch(text) is not None


def _guesses(own: list[_Part]) -> Iterator[_Named]:
    """Names for what has none in a card: its only amount of money is a price, the text of its link a name."""
    money = [part.cell for part in own if not part.is_struck and _is_price(part.cell.text)]
    # two amounts may be a price and a saving: neither is guessed
    if len({item.text for item in money}) == 1:
        yield Column("price", _GUESSED, kind="guess"), money[0]
    linked = [part.cell for part in own if "link" in part.tags and part.cell.text]
    if linked and not any("title" in part.tags for part in own):
        yield Column("name", _GUESSED, kind="guess"), linked[0]
        yield Column("title", _GUESSED, kind="guess"), linked[0]


def _pair_sources(pairs: list[list[_Named]]) -> Iterator[Source]:
    """Pairs by the heading they stand under."""
    groups: dict[str, list[_Named]] = {}
    for pair in pairs:
        groups.setdefault(pair[0][0].group, []).extend(pair)
    for caption, named in groups.items():
        yield source_of_parts("pairs", caption, [named])


def _page_parts(parts: list[_Part]) -> Source:
    """What stands on the page once; in look-alike siblings only if nothing else is called the same."""
    alone = [named for part in parts if not part.is_grouped for named in part.named(_TELLING)]
    taken = {column.label.casefold() for column, _ in alone}
    inside = [named for part in parts if part.is_grouped for named in part.named(_TELLING)]
    # a price on the page itself is the product's; those in cards are of other products
    more = [(column, item) for column, item in inside if column.label.casefold() not in taken]
    return source_of_parts("parts", "", [[*alone, *more]], trust=_PARTS_TRUST)


def _page_facts(page: ReadPage) -> Source:
    """Main heading, title, address and meta tags."""
    named: list[_Named] = []
    for text in page.headings[:1]:
        main = Cell(text)
        named.append((Column("title", _HEADING, kind="guess"), main))
        # `Order 4711` is the title of a page, and not a name
        if not _is_general(text):
            named.append((Column("name", _HEADING, kind="guess"), main))
    named.append((Column("page title", _DOCUMENT, kind="fact"), Cell(page.title)))
    named.append((Column("page url", _DOCUMENT, kind="fact"), Cell(page.url, (page.url,))))
    named += [_meta(name, text) for name, text in page.metas]
    return source_of_parts("page", "", [named], trust=_PARTS_TRUST)


def _meta(name: str, text: str) -> _Named:
    """What a meta tag says: of a thing, or only of the page."""
    is_data = bool(_DATA_METAS.match(name))
    label = re.sub(r"^\w+:", "", name).replace(":", " ")
    links, pictures = ((text,) if label == "url" else ()), ((text,) if "image" in label else ())
    column = Column(label, _MARKED, kind="mark") if is_data else Column(f"page {label}", _MARKED, kind="fact")
    return column, Cell(text, links, pictures)


def _is_general(heading: str) -> bool:
    """True for a heading that says what kind of page it is, and not what the page is about."""
    words = set(words_of(heading).literal)
    return bool(re.search(r"[\d#]", heading)) or words <= _GENERAL
