"""Datasette: a table browsed, filtered, sorted, asked in SQL, paged through and exported by blocks."""

import csv
import io
import json

from applications.conftest import Workplace

from support.blocks import click, click_at, extract, field, form, go_to, navigate, pages, rows_of
from support.service import Json

TABLE = "/rivers/rivers"
RIVERS = rows_of(id="integer", name="string", country="string", length="integer")
NEXT: Json = {"css": "p a", "text": "Next page"}


def test_a_table_is_filtered_by_its_form_and_sorted_by_a_column(datasette: Workplace) -> None:
    ended = datasette.run(
        navigate(datasette.url + TABLE),
        {"type": "Dropdown", "locator": {"css": "select[name=_filter_column]"}, "data": {"value": "country"}},
        {"type": "Dropdown", "locator": {"css": "select[name=_filter_op]"}, "data": {"value": "="}},
        form(field("_filter_value", "Chad"), submit=True),
        click("link", "length", expect="navigation"),
        click("link", "length", expect="navigation"),
        extract("rivers", RIVERS),
    )
    longest = datasette.rows("select * from rivers where country = 'Chad' order by length desc limit 50")
    assert [tuple(river.values()) for river in ended["rivers"]] == longest


def test_a_column_menu_facets_and_a_facet_narrows(datasette: Workplace) -> None:
    ended = datasette.run(
        navigate(datasette.url + TABLE),
        {"type": "Hover", "locator": {"role": "columnheader", "text": "country"}},
        click_at("th[data-column=country] .dropdown-menu-icon"),
        click("link", "Facet by this", expect="navigation"),
        click("link", "Denmark", expect="navigation"),
        extract("rivers", RIVERS),
    )
    assert len(ended["rivers"]) == 50
    assert {river["country"] for river in ended["rivers"]} == {"Denmark"}


def test_all_pages_are_read(datasette: Workplace) -> None:
    ended = datasette.run(
        navigate(datasette.url + TABLE),
        pages({"role": "link", "text": "Next page"}, [extract("rivers", RIVERS)]),
    )
    rounds = [page["rivers"] for page in ended["pages"]]
    assert [len(item) for item in rounds] == [50, 50, 50, 50, 40]
    assert [tuple(river.values()) for rivers in rounds for river in rivers] == datasette.rows(
        "select * from rivers"
    )


def test_sql_is_written_into_the_editor_and_answered(datasette: Workplace) -> None:
    query = "select country,\n  count(*) as rivers from rivers\nwhere length > :least group by country"
    ended = datasette.run(
        navigate(datasette.url + "/rivers"),
        {
            "type": "Input",
            "locator": {"css": ".CodeMirror"},
            "data": {"key": "sql", "inputType": "TextInput", "value": query},
        },
        click("button", "Run SQL", expect="navigation"),
        form(field("least", "1500"), submit=True),
        extract("counts", rows_of(country="string", rivers="integer")),
    )
    assert [tuple(count.values()) for count in ended["counts"]] == datasette.rows(query, 1500)


def test_a_table_is_exported_as_csv_and_json(datasette: Workplace) -> None:
    ended = datasette.run(
        go_to(datasette.url + TABLE + "?country=Brazil"),
        {
            "type": "DownloadFile",
            "blockReferenceId": "json",
            "locator": {"css": ".export-links a", "text": "json"},
            "data": {"fileName": "rivers.json"},
        },
        go_to(datasette.url + TABLE + "?country=Brazil"),
        {
            "type": "Input",
            "locator": {"label": "download file"},
            "data": {"key": "download", "inputType": "Checkbox", "value": "true"},
        },
        {
            "type": "DownloadFile",
            "blockReferenceId": "csv",
            "locator": {"css": "#export input[type=submit]"},
            "data": {},
        },
    )
    rivers = datasette.rows("select * from rivers where country = 'Brazil'")
    table = list(csv.reader(io.StringIO(datasette.content(ended["csv"]).decode())))
    assert table == [["id", "name", "country", "length"], *([str(v) for v in river] for river in rivers)]
    assert len(json.loads(datasette.content(ended["json"]))["rows"]) == 50
