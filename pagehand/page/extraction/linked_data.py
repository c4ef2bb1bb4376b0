"""Embedded data for search engines (JSON-LD, microdata, RDFa) as sources."""

from collections.abc import Iterator
from typing import Any

from pagehand.page.extraction.snapshot import Cell, Column, Source, source_of_parts
from pagehand.records import Json, is_array, is_object

_TRUST = 0.9
_MAX_DEPTH = 4
_NESTED_WEIGHT = 0.9
_ADDRESS_NAMES = frozenset(("url", "sameas", "image", "logo", "thumbnailurl", "contenturl"))


def linked_sources(data: list[Any]) -> Iterator[Source]:
    """One source per described thing, and one per array of things."""
    things = _things(data)
    by_type: dict[str, list[Json]] = {}
    for thing in things:
        by_type.setdefault(_type(thing), []).append(thing)
    for caption, same_type in by_type.items():
        if len(same_type) > 1:
            items = [_named_values(thing) for thing in same_type]
            yield source_of_parts("linkedData", caption, items, trust=_TRUST)
    for thing in things:
        caption = _type(thing)
        yield source_of_parts("linkedData", caption, [_named_values(thing)], trust=_TRUST)
        for name, value in thing.items():
            if len(rows := _objects(value)) > 1 or name == "itemListElement":
                items = [_named_values(_inner(row)) for row in rows]
                yield source_of_parts("linkedData", f"{caption} {name}", items, trust=_TRUST)


def _things(data: Any, depth: int = 0) -> list[Json]:
    """The described things, whether alone, in an array or in a `@graph`."""
    # a page can nest arrays a thousand deep, more than Python's stack takes
    if depth > _MAX_DEPTH:
        return []
    found: list[Json] = []
    for item in _as_list(data):
        if is_array(item):
            found += _things(item, depth + 1)
        elif is_object(item):
            found += _things(item["@graph"], depth + 1) if "@graph" in item else [item]
    return found


def _named_values(thing: Json, path: str = "", depth: int = 0) -> list[tuple[Column, Cell]]:
    """Every value under its name; one of a nested thing also under both names."""
    found: list[tuple[Column, Cell]] = []
    for name, value in thing.items():
        if name.startswith("@"):
            continue
        nested = _objects(value)
        for text in _texts(value):
            one = _cell(name, text)
            found.append((Column(f"{path} {name}".strip(), group=_type(thing)), one))
            # `offers price` and plain `price`: schemas ask for either
            if path:
                found.append((Column(name, _NESTED_WEIGHT, _type(thing)), one))
        if len(nested) == 1 and depth < _MAX_DEPTH:
            found += _named_values(nested[0], name, depth + 1)
            # a brand is called by its name
            found += [
                (Column(name, group=_type(thing)), _cell("name", text))
                for text in _texts(nested[0].get("name"))
            ]
    return found


def _inner(row: Json) -> Json:
    """The thing that a list element wraps."""
    item = row.get("item")
    if not is_object(item):
        return row
    return {**{name: value for name, value in row.items() if name != "item"}, **item}


def _objects(value: Any) -> list[Json]:
    return [item for item in _as_list(value) if is_object(item)]


def _texts(value: Any) -> list[str]:
    plain = [item for item in _as_list(value) if isinstance(item, str | int | float)]
    return [str(item).lower() if isinstance(item, bool) else str(item) for item in plain]


def _as_list(value: Any) -> list[Any]:
    return value if is_array(value) else [value]


def _cell(name: str, text: str) -> Cell:
    plain = text.removeprefix("https://schema.org/").removeprefix("http://schema.org/").strip()
    if name.casefold() not in _ADDRESS_NAMES:
        return Cell(plain)
    is_picture = "image" in name.casefold() or name.casefold() in ("logo", "thumbnailurl", "contenturl")
    return Cell(plain, images=(plain,)) if is_picture else Cell(plain, links=(plain,))


def _type(thing: Json) -> str:
    named = thing.get("@type", "")
    # free-form: a list may hold numbers or objects as well
    return " ".join(map(str, named)) if is_array(named) else str(named)
