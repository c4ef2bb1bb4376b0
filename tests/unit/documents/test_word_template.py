"""A Word template takes values wherever `{{name}}` stands, and rows for lists."""

from typing import Any

import docx
import pytest

from pagehand.documents import word_template
from pagehand.errors import BlockFailed
from support import documents
from support.documents import done, text_of_word

Json = dict[str, Any]


def template(*runs: str) -> bytes:
    """A file with one paragraph, in pieces as Word cuts them."""
    document = docx.Document()
    paragraph = document.add_paragraph()
    for run in runs:
        paragraph.add_run(run)
    return documents.saved_word(document)


def filled(content: bytes, values: Json) -> tuple[Json, str]:
    answer, files = done(word_template.fill, content, values=values)
    return answer, text_of_word(files[""])


@pytest.mark.parametrize(
    ("runs", "values", "text"),
    [
        (["Dear {{name}},"], {"name": "Ada"}, "Dear Ada,"),
        (["Dear {{ name }},"], {"name": "Ada"}, "Dear Ada,"),
        (["{{a}}{{b}}{{a}}"], {"a": "1", "b": "2"}, "121"),
        (["{", "{na", "me}", "} ok"], {"name": "Ada"}, "Ada ok"),
        (["{{a", "}} and {", "{b}}"], {"a": "one", "b": "two"}, "one and two"),
        (["{{a}}"], {"a": None}, ""),
        (["{{a}}"], {"a": 12.5}, "12.5"),
        (["{{a}}"], {"a": True}, "true"),
        (["{{a}}"], {"a": ["x", 1, None]}, "x, 1, "),
        (["{{a.b.c}}"], {"a": {"b": {"c": "deep"}}}, "deep"),
        (["{{a}}"], {"a": "{{a}}"}, "{{a}}"),
        (["{{a}}!"], {"a": "x\ny"}, "x\ny!"),
        (["{{a}}!"], {"a": "x\r\ny"}, "x\ny!"),
        (["{{a}} {{b}}"], {"a": "1\n2", "b": "3\n4"}, "1\n2 3\n4"),
        (["{{Größe}} {{first name}}"], {"Größe": "XL", "first name": "Ada"}, "XL Ada"),
        (["{{a}}"], {"a": "<b>&amp; 日本 \u202eRTL"}, "<b>&amp; 日本 \u202eRTL"),
    ],
)
def test_values_stand_where_their_names_stood(runs: list[str], values: Json, text: str) -> None:
    assert filled(template(*runs), values)[1].strip() == text.strip()


def test_names_without_a_value_are_left_and_listed() -> None:
    answer, text = filled(template("{{a}} {{b}} {{c.d}}"), {"a": 1})
    assert (answer["filled"], sorted(answer["left"])) == (["a"], ["b", "c.d"])
    assert text.strip() == "1 {{b}} {{c.d}}"


def test_a_row_repeats_for_each_item_and_what_is_around_it_does_not() -> None:
    rows = [{"item": "Oil", "price": 4.5}, {"item": "Brass", "price": 9}]
    values = {"number": 7, "customer": {"name": "Ada"}, "valid": "May", "rows": rows, "total": 13.5}
    answer, text = filled(documents.offer_template(), values)
    assert text.splitlines()[-8:] == ["Item", "Price", "Oil", "4.5 EUR", "Brass", "9 EUR", "Sum", "13.5"]
    assert answer["left"] == []


def test_an_empty_list_takes_its_row_away() -> None:
    content = documents.offer_template_of("Items of {{name}}", "{{rows.item}}")
    assert filled(content, {"name": "Ada", "rows": []})[1].strip() == "Items of Ada"


def test_a_row_can_name_values_outside_its_list() -> None:
    content = documents.offer_template_of("x", "{{currency}}", "{{rows.price}}")
    values = {"currency": "EUR", "rows": [{"price": 1}, {"price": 2}]}
    assert filled(content, values)[1].split() == ["x", "EUR", "1", "EUR", "2"]


def test_a_row_over_two_lists_is_refused() -> None:
    content = documents.offer_template_of("x", "{{a.x}}", "{{b.y}}")
    with pytest.raises(BlockFailed, match="speaks of `a` and `b`; it can repeat over one list only"):
        filled(content, {"a": [{"x": 1}], "b": [{"y": 2}]})


def test_a_list_below_another_name_repeats_too() -> None:
    content = documents.offer_template_of("x", "{{order.lines.item}}")
    assert filled(content, {"order": {"lines": [{"item": "Oil"}, {"item": "Tin"}]}})[1].split() == [
        "x",
        "Oil",
        "Tin",
    ]


@pytest.mark.parametrize(
    ("words", "values", "reason"),
    [
        ("{{name}}", {"nmae": 1}, "`values`: `nmae` is not a field of the template, which has `name`"),
        ("no names", {"a": 1}, "which has no placeholders such as `{{name}}`"),
        ("{{name.first}}", {"first": 1}, "`first` is not a field of the template, which has `name.first`"),
        ("{{a}} {{b}}", {"a": "x\x00y"}, "The value for `a` has control characters"),
        ("{{a}} {{b}}", {"b": "\x0b"}, "The value for `b` has control characters"),
        ("{{a}}", {"a": "\ud800"}, "The value for `a` has control characters"),
    ],
)
def test_what_cannot_be_filled_in_is_named(words: str, values: Json, reason: str) -> None:
    with pytest.raises(BlockFailed) as failure:
        filled(template(words), values)
    assert reason in str(failure.value)
