"""Data embedded for search engines becomes sources with named columns."""

from typing import Any

import pytest

from pagehand.page.extraction.linked_data import linked_sources
from pagehand.page.extraction.snapshot import Source
from pagehand.page.extraction.tables import descriptive_names

PRODUCT = {
    "@type": "Product",
    "name": "Brass engine",
    "image": "https://x.test/a.png",
    "url": "https://x.test/a",
    "brand": {"@type": "Brand", "name": "ACME"},
    "offers": {"@type": "Offer", "price": 12.5, "availability": "https://schema.org/InStock"},
}


def sources(*data: Any) -> list[Source]:
    return list(linked_sources(list(data)))


def columns(source: Source) -> dict[str, list[list[str]]]:
    """By label, the first of that name: for each row the texts of its cells."""
    found: dict[str, list[list[str]]] = {}
    for at, column in enumerate(source.columns):
        found.setdefault(column.label, [[cell.text for cell in cells] for cells in source.cells(at)])
    return found


def test_values_inside_another_thing_are_known_by_both_names() -> None:
    (source,) = sources(PRODUCT)
    found = columns(source)
    assert source.caption == "Product"
    assert found["name"][0][0] == "Brass engine"
    assert found["offers price"] == found["price"] == [["12.5"]]
    assert found["brand"] == [["ACME"]]
    assert found["offers availability"] == [["InStock"]]


def test_addresses_are_links_and_pictures() -> None:
    (source,) = sources(PRODUCT)
    by_label = {column.label: source.cells(at)[0][0] for at, column in enumerate(source.columns)}
    assert by_label["image"].images == ("https://x.test/a.png",)
    assert by_label["url"].links == ("https://x.test/a",)


@pytest.mark.parametrize(
    "data", [[PRODUCT, PRODUCT], [[PRODUCT], [[PRODUCT]]], [{"@graph": [PRODUCT, PRODUCT]}]]
)
def test_things_alike_are_the_rows_of_one_source(data: list[Any]) -> None:
    together, *alone = sources(*data)
    assert (len(together.rows), [len(source.rows) for source in alone]) == (2, [1, 1])


def test_an_array_inside_a_thing_is_a_source_of_its_own() -> None:
    listing = {
        "@type": "ItemList",
        "itemListElement": [
            {"@type": "ListItem", "position": 1, "item": {"name": "Oil", "price": 4}},
            {"@type": "ListItem", "position": 2, "item": {"name": "Tin", "price": 2}},
        ],
    }
    source = sources(listing)[-1]
    assert source.caption == "ItemList itemListElement"
    assert columns(source)["name"] == [["Oil"], ["Tin"]]
    assert columns(source)["position"] == [["1"], ["2"]]


def test_yes_and_no_are_words_and_what_is_not_a_value_is_left_out() -> None:
    (source,) = sources({"@type": "X", "isFree": True, "none": None, "tags": ["a", None, "b"]})
    assert columns(source) == {"isFree": [["true"]], "tags": [["a", "b"]]}


def test_things_nested_without_end_are_read_to_a_depth() -> None:
    thing: dict[str, Any] = {"leaf": "deep"}
    for _ in range(50):
        thing = {"inner": thing, "here": "x"}
    (source,) = sources(thing)
    assert "leaf" not in columns(source)
    assert "here" in columns(source)


@pytest.mark.parametrize("data", [[], [None], ["text"], [1], [[]], [{}]])
def test_what_describes_nothing_has_no_columns(data: list[Any]) -> None:
    assert all(source.columns == () for source in sources(*data))


@pytest.mark.parametrize(
    ("given", "caption"),
    [
        (["Product", "Vehicle"], "Product Vehicle"),
        (["Product", 7, None], "Product 7 None"),
        (7, "7"),
        (None, "None"),
    ],
)
def test_a_type_of_any_shape_is_a_caption(given: Any, caption: str) -> None:
    (source,) = sources({"@type": given, "name": "Mug"})
    assert source.caption == caption


def test_things_nested_deeper_than_pages_nest_them_are_left_out() -> None:
    deep: Any = [PRODUCT]
    for _ in range(5000):
        deep = [deep]
    graphs: Any = PRODUCT
    for _ in range(5000):
        graphs = {"@graph": graphs}
    assert sources(deep, graphs) == []
    (source,) = sources([{"@graph": [[PRODUCT]]}])
    assert source.caption == "Product"


def test_things_of_one_type_are_one_source_beside_those_of_others() -> None:
    others = [{"@type": f"T{number}", "name": "x"} for number in range(3000)]
    found = sources(PRODUCT, *others, {**PRODUCT, "name": "Tin engine"})
    several = [source for source in found if len(source.rows) > 1]
    assert [(source.caption, len(source.rows)) for source in several] == [("Product", 2)]


@pytest.mark.parametrize("mark", ["price", "product-name", "item-price", "list-title", "orderNumber", "sku"])
def test_marks_that_name_something_are_kept(mark: str) -> None:
    assert descriptive_names([mark]) == [mark]


@pytest.mark.parametrize(
    "mark",
    ["mt-4", "text-bold", "col", "btn-primary", "p", "ab", "css-1x2y3z", "card-body", "md:flex", "fa-user"],
)
def test_marks_that_only_say_how_it_looks_are_not(mark: str) -> None:
    assert descriptive_names([mark]) == []
