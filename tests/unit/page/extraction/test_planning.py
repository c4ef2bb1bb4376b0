"""A plan is made from a snapshot and a schema, and applied to a later snapshot of the same page."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from pagehand.errors import NotPresent, OurFault
from pagehand.page.extraction import apply_plan, make_plan, read_snapshot
from pagehand.page.extraction.plan import plan_to_store, stored_plan
from pagehand.page.extraction.snapshot import Snapshot

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def cell(text: str, *links: str) -> dict[str, Any]:
    return {"text": text, "links": list(links), "images": [], "value": None}


def line(*texts: str, wide: bool = False, foot: bool = False) -> dict[str, Any]:
    cells = [cell(text) for text in texts]
    shape: dict[str, Any] = {
        "cells": cells,
        "headerCells": [False] * len(cells),
        "isTitle": False,
        "hasWideCell": wide,
        "isFooter": foot,
    }
    shape["spannedCells"] = [False] * len(cells)
    return shape


def table(header: list[str] | None, *lines: dict[str, Any], caption: str = "") -> dict[str, Any]:
    return {"caption": caption, "header": header, "rows": list(lines), "isNavigation": False}


def page(**found: Any) -> Snapshot:
    empty: dict[str, Any] = {
        name: [] for name in ("headings", "tables", "groups", "pairs", "parts", "linked", "items")
    }
    return read_snapshot(json.dumps({"url": "http://x/", "title": "", "metas": [], **empty, **found}))


def pair(label: str, *texts: str, group: str = "") -> dict[str, Any]:
    return {"label": label, "group": group, "cells": [cell(text) for text in texts]}


def rows(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": record(required, **properties)}


def record(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


def read(snapshot: Snapshot, schema: dict[str, Any], prompt: str = "") -> Any:
    return apply_plan(make_plan(snapshot, schema, prompt), snapshot)


ORDERS = table(["Order", "Total"], line("A-1", "$5"), line("A-2", "$7"), caption="Orders")


def test_a_plan_reads_another_snapshot_of_the_same_page() -> None:
    plan = make_plan(page(tables=[ORDERS]), rows("total", orderNumber=TEXT, total=NUMBER))
    later = page(tables=[table(["Total", "Order"], line("$9", "A-3"), caption="Orders")])
    assert apply_plan(plan, later) == [{"orderNumber": "A-3", "total": 9}]


def test_a_plan_holds_names_and_no_data() -> None:
    plan = make_plan(page(tables=[ORDERS]), rows("total", orderNumber=TEXT, total=NUMBER))
    assert plan.describe() == {
        "shape": "rows",
        "source": "table",
        "caption": "Orders",
        "columns": {"orderNumber": "Order", "total": "Total"},
    }
    assert "A-1" not in str(asdict(plan))


AMOUNTS = [pair("Amount due", "$118.40"), pair("Amount paid", "$20")]


@pytest.mark.parametrize(
    ("schema", "prompt"),
    [
        ({"type": "number", "description": "The amount due, as a number"}, ""),
        ({"type": "number", "title": "Amount due"}, "the bill"),
        ({"type": "number"}, "the amount due"),
    ],
)
def test_a_single_value_is_called_as_its_schema_or_the_prompt_says(
    schema: dict[str, Any], prompt: str
) -> None:
    plan = make_plan(page(pairs=AMOUNTS), schema, prompt)
    assert apply_plan(plan, page(pairs=AMOUNTS)) == 118.4
    assert stored_plan(plan_to_store(plan)) == plan


@pytest.mark.parametrize("schema", [{"type": "number"}, {"type": "number", "description": "Discount"}])
def test_a_single_value_that_the_page_does_not_name_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(NotPresent):
        make_plan(page(pairs=AMOUNTS), schema)


def test_a_plan_whose_column_is_gone_is_refused() -> None:
    plan = make_plan(page(tables=[ORDERS]), rows("total", orderNumber=TEXT, total=NUMBER))
    with pytest.raises(NotPresent, match="`Order`"):
        apply_plan(plan, page(tables=[table(["Ref", "Total"], line("A-3", "$9"), caption="Orders")]))
    with pytest.raises(NotPresent, match="table `Orders`"):
        apply_plan(plan, page())


@pytest.mark.parametrize("later", [[], [("Bo", "Oslo"), ("Ada", "London")]])
def test_a_plan_for_one_record_is_refused_where_there_are_none_or_several(
    later: list[tuple[str, str]],
) -> None:
    plan = make_plan(page(tables=[PERSON]), record("name", name=TEXT, city=TEXT))
    assert apply_plan(plan, page(tables=[PERSON])) == {"name": "Ada", "city": "London"}
    lines = [line(*texts) for texts in later]
    with pytest.raises(NotPresent, match=f"The page has {len(later)} rows with `Name` where it had one"):
        apply_plan(plan, page(tables=[table(["Name", "City"], *lines, caption="Person")]))


def test_a_plan_survives_being_stored_and_one_of_another_shape_is_dropped() -> None:
    plan = make_plan(page(tables=[PERSON]), record("name", name=TEXT, address=record("city", city=TEXT)))
    assert stored_plan(json.loads(json.dumps(plan_to_store(plan)))) == plan
    assert plan.describe()["sources"] == {"name": "table"}
    assert stored_plan({"shape": "rows", "picks": 3}) is None
    assert stored_plan("nothing") is None


TITLE = {**line("Orders of May"), "isTitle": True}


@pytest.mark.parametrize(
    "only",
    [
        {**table(None, TITLE, TITLE), "hasBoldHeader": True},
        {**table(None, line("Total", "5", foot=True)), "hasBoldHeader": True},
        table([], line("a", "5")),
        table(None),
        table(["Order"]),
    ],
    ids=["titles alone", "totals alone", "a header without cells", "nothing", "a header alone"],
)
def test_a_table_without_rows_of_data_does_not_keep_others_from_being_read(only: dict[str, Any]) -> None:
    snapshot = page(tables=[only, ORDERS])
    assert read(snapshot, rows("total", order=TEXT, total=NUMBER), "orders")[0] == {
        "order": "A-1",
        "total": 5,
    }


def test_a_bold_title_does_not_make_the_first_row_of_data_a_header() -> None:
    titled = {**table(None, TITLE, line("ann@x.test", "ok"), line("bo@x.test", "ok")), "hasBoldHeader": True}
    assert read(page(tables=[titled]), rows("email", email={"type": "string", "format": "email"})) == [
        {"email": "ann@x.test"},
        {"email": "bo@x.test"},
    ]


@pytest.mark.parametrize(
    ("name", "kind", "values"),
    [
        ("date", {"type": "string", "format": "date"}, ["2026-03-04", "2026-03-05"]),
        ("amount", NUMBER, [5, 7.5]),
        ("email", {"type": "string", "format": "email"}, ["ann@x.test", "bo@x.test"]),
    ],
)
def test_the_only_column_of_a_type_needs_no_name(name: str, kind: dict[str, Any], values: list[Any]) -> None:
    plain = table(
        None,
        line("2026-03-04", "ann@x.test", "$5.00", "17", "x"),
        line("2026-03-05", "bo@x.test", "$7.50", "18", "y"),
    )
    assert read(page(tables=[plain]), rows(name, **{name: kind})) == [{name: value} for value in values]


def test_two_columns_of_a_type_are_not_guessed_between() -> None:
    plain = table(None, line("2026-03-04", "2026-04-04", "x"), line("2026-03-05", "2026-04-05", "y"))
    with pytest.raises(NotPresent, match="`date`"):
        make_plan(page(tables=[plain]), rows("date", date={"type": "string", "format": "date"}))


def test_columns_without_a_heading_are_known_by_their_markup() -> None:
    marked = {
        **table(None, line("a", "1"), line("b", "2"), line("c", "3")),
        "markupNames": [["sku"], ["stock-level", "text-right"]],
    }
    found = read(page(tables=[marked]), rows("sku", sku=TEXT, stockLevel=NUMBER))
    assert found[0] == {"sku": "a", "stockLevel": 1}


def test_a_prompt_decides_between_two_places_that_fit_alike() -> None:
    other = table(["Order", "Total"], line("B-1", "$1"), caption="Returns")
    both, schema = page(tables=[ORDERS, other]), rows("total", order=TEXT, total=NUMBER)
    with pytest.raises(NotPresent, match="Two places on the page fit the schema equally well") as refusal:
        make_plan(both, schema)
    assert "`Orders` and `Returns`" in refusal.value.message
    assert read(both, schema, "the returns") == [{"order": "B-1", "total": 1}]


def test_a_link_is_read_where_each_row_has_but_one() -> None:
    lines = [{**line("A", "x"), "cells": [cell("A", f"http://x/{n}"), cell("x")]} for n in (1, 2)]
    shops = table(["Shop", "Note"], *lines, caption="Shops")
    found = read(page(tables=[shops]), rows("shopUrl", shopUrl={"type": "string", "format": "uri"}))
    assert found == [{"shopUrl": "http://x/1"}, {"shopUrl": "http://x/2"}]


def test_a_row_with_two_links_does_not_say_which_is_meant() -> None:
    cells = [cell("A", "http://x/1"), cell("B", "http://x/2")]
    shops = table(["Left", "Right"], {**line("A", "B"), "cells": cells})
    with pytest.raises(NotPresent, match="`url`"):
        make_plan(page(tables=[shops]), rows("url", url={"type": "string", "format": "uri"}))


def test_nested_objects_of_rows_are_read_from_the_same_row() -> None:
    people = table(["Name", "City"], line("Ada", "London"), line("Bo", "Oslo"), caption="People")
    found = read(page(tables=[people]), rows("name", name=TEXT, address=record("city", city=TEXT)))
    assert found[1] == {"name": "Bo", "address": {"city": "Oslo"}}


def test_why_a_nested_property_was_left_out_is_kept_as_a_doubt() -> None:
    pairs = [pair("Status", "open")]
    schema = record("status", status=TEXT, orders=rows("total", total=NUMBER))
    plan = make_plan(page(pairs=pairs), schema)
    assert plan.describe()["doubts"] == ["Could not find `total` on the page without a model"]


@pytest.mark.parametrize(
    "line_given", ['[["pairs"],[{"label":"City","group":"","cells":[{"text":"Oslo"}]}]]']
)
def test_long_lists_come_in_lines_of_their_own(line_given: str) -> None:
    first = json.dumps({"url": "", "title": "", "headings": [], "metas": [], "linked": [], "items": []})
    snapshot = read_snapshot(f"{first}\n{line_given}")
    assert read(snapshot, record("city", city=TEXT)) == {"city": "Oslo"}


def test_rows_of_a_table_and_items_of_a_group_go_on_in_later_lines() -> None:
    group: dict[str, Any] = {
        "caption": "",
        "markupName": "",
        "isList": False,
        "isNavigation": False,
        "items": [],
    }
    first: dict[str, Any] = {
        "url": "", "title": "", "headings": [], "metas": [], "linked": [], "items": [],
        "tables": [table(["Order", "Total"], line("A-1", "$5"))], "groups": [group],
    }  # fmt: skip
    more: list[Any] = [
        [["tables", 0, "rows"], [line("A-2", "$7")]],
        [["groups", 0, "items"], []],
        [["parts"], []],
    ]
    snapshot = read_snapshot("\n".join(json.dumps(part) for part in (first, *more)))
    assert len(read(snapshot, rows("total", total=NUMBER))) == 2
    with pytest.raises(OurFault, match="unknown list"):
        read_snapshot("\n".join(json.dumps(part) for part in (first, [["tables", 0, "head"], []])))


PERSON = table(["Name", "City"], line("Ada", "London"), caption="Person")


def test_the_source_that_explains_the_most_is_taken() -> None:
    people = table(["Name", "City"], line("Ada", "London"), caption="People")
    cities = table(["City"], line("Paris"), caption="Cities")
    assert read(page(tables=[cities, people]), rows("", name=TEXT, city=TEXT)) == [
        {"name": "Ada", "city": "London"}
    ]


def test_two_places_with_the_same_data_are_no_tie() -> None:
    assert len(read(page(tables=[ORDERS, {**ORDERS, "caption": "Again"}]), rows("total", total=NUMBER))) == 2


def test_totals_are_not_rows_but_can_be_asked_for() -> None:
    sums = table(["Item", "Qty", "Price"], line("a", "1", "$5"), line("Total", "", "$5"))
    assert read(page(tables=[sums]), rows("item", item=TEXT, price=NUMBER)) == [{"item": "a", "price": 5}]
    assert read(page(tables=[sums]), record("total", total=NUMBER)) == {"total": 5}


def test_a_table_without_a_marked_header_may_begin_with_one() -> None:
    plain = table(None, line("Name", "Qty", "Price"), line("a", "1", "$5"), line("b", "2", "$6"))
    found = read(page(tables=[plain]), rows("name price", name=TEXT, price=NUMBER))
    assert found == [{"name": "a", "price": 5}, {"name": "b", "price": 6}]


def test_a_synonym_does_not_take_what_another_property_names_exactly() -> None:
    prices = table(["Name", "Price"], line("a", "$5"))
    assert read(page(tables=[prices]), rows("price", name=TEXT, price=NUMBER, total=NUMBER)) == [
        {"name": "a", "price": 5}
    ]


def test_pairs_under_two_headings_that_fit_alike_are_refused_and_distinguished_by_name() -> None:
    snapshot = page(pairs=[pair("Name", "Ada", group="Buyer"), pair("Name", "Bob", group="Seller")])
    with pytest.raises(NotPresent, match="fit equally well"):
        make_plan(snapshot, record("name", name=TEXT))
    people = record("buyer seller", buyer=record("name", name=TEXT), seller=record("name", name=TEXT))
    assert read(snapshot, people) == {"buyer": {"name": "Ada"}, "seller": {"name": "Bob"}}
    assert read(snapshot, record("sellerName", sellerName=TEXT)) == {"sellerName": "Bob"}


def test_several_values_of_one_label_are_an_array_and_never_one_value() -> None:
    snapshot = page(pairs=[pair("Authors", "Ada", "Bob")])
    assert read(snapshot, record("authors", authors={"type": "array", "items": TEXT})) == {
        "authors": ["Ada", "Bob"]
    }
    with pytest.raises(NotPresent, match="`author`"):
        make_plan(snapshot, record("author", author=TEXT))


def test_null_stands_only_where_the_schema_allows_it() -> None:
    schema = record("", status=TEXT, note={"anyOf": [TEXT, {"type": "null"}]}, other=TEXT)
    assert read(page(pairs=[pair("Status", "open")]), schema) == {"status": "open", "note": None}


def test_a_description_names_a_property_too() -> None:
    schema = record("ref", ref={"type": "string", "description": "The claim number"})
    assert read(page(pairs=[pair("Claim number", "C-1"), pair("Reference", "")]), schema) == {"ref": "C-1"}


def test_references_in_the_schema_are_followed() -> None:
    schema = {
        "$defs": {"order": record("total", total=NUMBER)},
        "type": "array",
        "items": {"$ref": "#/$defs/order"},
    }
    assert read(page(tables=[ORDERS]), schema) == [{"total": 5}, {"total": 7}]


@pytest.mark.parametrize("schema", [{}, {"type": "string"}, {"type": "object"}, {"type": "array"}])
def test_a_schema_that_names_nothing_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(NotPresent) as refusal:
        make_plan(page(tables=[ORDERS]), schema)
    assert "PAGEHAND_MODEL" in refusal.value.diagnosis.advice


def test_the_refusal_of_a_table_names_its_columns() -> None:
    with pytest.raises(NotPresent, match="`city`") as refusal:
        make_plan(page(tables=[ORDERS]), rows("city", city=TEXT, total=NUMBER))
    assert "table `Orders`: Order, Total" in refusal.value.diagnosis.found


def test_an_object_reads_the_part_of_the_page_that_carries_its_name() -> None:
    pairs = [pair("City", "Oslo", group="Shipping address"), pair("City", "Bergen", group="Billing address")]
    place = record("city", city=TEXT)
    schema = record("billingAddress", billingAddress=place, shippingAddress=place)
    assert read(page(pairs=pairs), schema) == {
        "billingAddress": {"city": "Bergen"},
        "shippingAddress": {"city": "Oslo"},
    }


def test_two_names_for_the_same_value_are_no_doubt() -> None:
    offer = {"@type": "Product", "offers": {"@type": "Offer", "price": "9.90"}}
    part = {
        "markupNames": ["price"],
        "tagNames": [],
        "cell": cell("9,90 EUR"),
        "heading": False,
        "isGrouped": False,
    }
    assert read(page(linked=[offer], parts=[part]), record("price", price=NUMBER)) == {"price": 9.9}


def test_a_comparison_with_labels_on_the_left_has_one_record_per_column() -> None:
    left = [
        {**line(*texts), "headerCells": [True, False, False]}
        for texts in (("Price", "$1", "$2"), ("Users", "1", "5"))
    ]
    found = read(page(tables=[table(["", "Basic", "Pro"], *left)]), rows("price", price=NUMBER, users=NUMBER))
    assert found == [{"price": 1, "users": 1}, {"price": 2, "users": 5}]


def test_cards_that_each_have_names_of_their_own_stay_small() -> None:
    count = 1500
    mark = {"tagNames": [], "isGrouped": True, "markupNames": ["price"]}
    group: dict[str, Any] = {"caption": "", "markupName": "", "isList": False, "isNavigation": False}
    items = [{"cell": cell(""), "parts": [n], "pairs": [n]} for n in range(count)]
    snapshot = page(
        parts=[{**mark, "cell": cell(f"${n}")} for n in range(count)],
        pairs=[pair(f"Mug {n}", f"${n}") for n in range(count)],
        groups=[{**group, "items": items}],
    )
    cards = next(source for source in snapshot.sources if source.kind == "cards")
    assert len(cards.columns) <= 200
    assert read(snapshot, rows("price", price=NUMBER))[-1] == {"price": count - 1}


def test_a_total_is_known_by_its_column() -> None:
    snapshot = page(
        tables=[
            table(
                ["Order", "Cases", "Value"],
                line("A", "4", "9.50"),
                line("B", "6", "1.00"),
                line("Total", "10", "10.50", foot=True),
            )
        ]
    )
    schema = record("totalCases totalValue", totalCases={"type": "integer"}, totalValue=NUMBER)
    assert read(snapshot, schema) == {"totalCases": 10, "totalValue": 10.5}


def test_a_heading_above_a_picture_and_a_name_is_that_of_both() -> None:
    snapshot = page(
        tables=[table(["Product", "Product", "Price"], line("", "Mixer", "9"), line("", "Pan", "8"))]
    )
    schema = rows("product price", product=TEXT, price=NUMBER)
    assert read(snapshot, schema) == [{"product": "Mixer", "price": 9}, {"product": "Pan", "price": 8}]


def test_a_unit_in_a_name_has_to_be_that_of_the_values() -> None:
    schema = rows("plate odometerKm", plate=TEXT, odometerKm=NUMBER)
    in_km = page(tables=[table(["Plate", "Odometer"], line("KR 1", "48,210 km"), line("KR 2", "9,318 km"))])
    assert [row["odometerKm"] for row in read(in_km, schema)] == [48210, 9318]
    in_miles = page(
        tables=[table(["Plate", "Odometer"], line("KR 1", "48,210 mi"), line("KR 2", "9,318 mi"))]
    )
    with pytest.raises(NotPresent, match="odometerKm"):
        read(in_miles, schema)


def test_a_line_below_with_a_label_is_a_column_of_its_own() -> None:
    first, second = line("Mixer SKU: K-20", "2"), line("Pan SKU: P-11", "5")
    first["cells"][0] |= {"main": "Mixer", "below": "SKU: K-20"}
    second["cells"][0] |= {"main": "Pan", "below": "SKU: P-11"}
    snapshot = page(tables=[table(["Product", "Qty"], first, second)])
    schema = rows("product sku", product=TEXT, sku=TEXT)
    assert read(snapshot, schema) == [{"product": "Mixer", "sku": "K-20"}, {"product": "Pan", "sku": "P-11"}]
