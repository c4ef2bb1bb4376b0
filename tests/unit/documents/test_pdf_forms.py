"""The form of a PDF takes values by the names of its fields, as each kind of field wants them."""

import io
from functools import cache
from typing import Any, cast

import pytest
from pypdf import PdfReader
from reportlab.pdfgen import canvas

from pagehand.documents import pdf_changes
from pagehand.errors import BlockFailed
from support import documents
from support.documents import done


@cache
def tax_form() -> bytes:
    return documents.tax_form()


@cache
def listing_form() -> bytes:
    """A list that takes several, a field that takes its own words, one whose full name has two parts."""
    out = io.BytesIO()
    page = canvas.Canvas(out)
    form = cast("Any", page).acroForm
    page.drawString(72, 760, "Order")
    size = {"width": 120, "height": 40}
    form.listbox(
        name="colors",
        x=72,
        y=700,
        value="red",
        options=["red", "green", "blue"],
        fieldFlags="multiSelect",
        **size,
    )
    form.choice(
        name="city", x=72, y=600, value="Oslo", options=["Oslo", "Bergen"], fieldFlags="edit combo", **size
    )
    form.choice(
        name="size",
        x=72,
        y=500,
        value="S",
        options=[("Small", "S"), ("Large", "L")],
        fieldFlags="combo",
        **size,
    )
    page.save()
    return out.getvalue()


def filled(content: bytes, **values: Any) -> dict[str, Any]:
    """The value of every field, read back by another program."""
    _, files = done(pdf_changes.fill, content, values=values)
    fields = PdfReader(io.BytesIO(files[""])).get_fields() or {}
    return {name: field.get("/V") for name, field in fields.items()}


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("name", "Ada Lovelace", "Ada Lovelace"),
        ("name", "", ""),
        ("name", "Åse Müller", "Åse Müller"),
        ("income", 12.5, "12.5"),
        ("income", ["a", "b"], "a, b"),
        ("resident", True, "/Yes"),
        ("resident", "yes", "/Yes"),
        ("resident", "x", "/Yes"),
        ("resident", 1, "/Yes"),
        ("resident", False, "/Off"),
        ("resident", "", "/Off"),
        ("status", "married", "/married"),
        ("status", "MARRIED", "/married"),
        ("country", "Norway", "Norway"),
        ("country", "norway", "Norway"),
        ("country", ["Norway"], "Norway"),
        ("country", [], ""),
    ],
)
def test_a_field_takes_what_its_kind_can_show(name: str, value: Any, kept: str) -> None:
    assert filled(tax_form(), **{name: value})[name] == kept


def test_null_leaves_a_field_as_it_was() -> None:
    assert filled(tax_form(), country=None, status=None) | {"": ""} == filled(tax_form()) | {"": ""}


def test_a_field_is_known_by_its_name_for_people_and_by_the_end_of_its_name() -> None:
    assert filled(tax_form(), **{"Full name": "Ada"})["name"] == "Ada"
    nested = documents.form("address.city")
    assert filled(nested, address={"city": "Oslo"})["address.city"] == "Oslo"
    assert filled(nested, city="Oslo")["address.city"] == "Oslo"


def test_a_list_takes_several_only_where_it_says_so() -> None:
    assert filled(listing_form(), colors=["red", "blue"])["colors"] == ["red", "blue"]
    with pytest.raises(BlockFailed, match="`country` takes one choice, and its value has 2"):
        filled(tax_form(), country=["France", "Norway"])


def test_a_choice_is_known_by_what_it_shows_and_kept_as_what_it_is() -> None:
    assert filled(listing_form(), size="Large")["size"] == "L"
    assert filled(listing_form(), size="L")["size"] == "L"


def test_a_field_for_own_words_takes_a_choice_that_is_not_listed() -> None:
    assert filled(listing_form(), city="Tromsø")["city"] == "Tromsø"


def test_the_answer_says_what_was_filled_and_what_was_left() -> None:
    answer, _ = done(pdf_changes.fill, tax_form(), values={"name": "Ada", "place": "Oslo"})
    assert answer == {"filled": ["name", "place"], "left": ["income", "resident", "status", "country"]}


def test_a_flattened_form_shows_its_values_and_has_no_fields() -> None:
    _, files = done(pdf_changes.fill, tax_form(), values={"name": "Ada Lovelace"}, flatten=True)
    assert not PdfReader(io.BytesIO(files[""])).get_fields()
    assert "Ada Lovelace" in documents.text_of_pdf(files[""])


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"nmae": 1}, "`values`: `nmae` is not a field of the form, which has `name`, `income`, `resident`"),
        ({"name": "x" * 41}, "`name` takes 40 characters, and its value has 41"),
        ({"resident": "maybe"}, "`resident` cannot be `maybe`; it takes `true`, `false`"),
        ({"status": "divorced"}, "`status` cannot be `divorced`; it takes `single`, `married`"),
        ({"status": "yes"}, "`status` cannot be `yes`"),
        ({"country": "Spain"}, "`country` cannot be `Spain`; it takes `France`, `Norway`"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_what_does(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(BlockFailed, match=reason):
        filled(tax_form(), **values)


def test_a_name_that_stands_for_several_fields_is_refused_with_all_of_them() -> None:
    form = documents.form("home.city", "work.city")
    with pytest.raises(BlockFailed, match=r"several fields: `home\.city`, `work\.city`"):
        filled(form, city="Oslo")


def test_letters_the_form_cannot_show_are_refused_only_where_they_would_stay_unseen() -> None:
    assert filled(tax_form(), name="日本")["name"] == "日本"
    with pytest.raises(BlockFailed, match="leave `flatten` out"):
        done(pdf_changes.fill, tax_form(), values={"name": "日本"}, flatten=True)


def test_a_pdf_without_a_form_is_refused() -> None:
    with pytest.raises(BlockFailed, match="no form to fill in: it has no fields"):
        filled(documents.pages(1), name="x")


@pytest.mark.parametrize("content", [b"", b"text", b"%PDF-1.4 cut off"])
def test_what_is_not_a_pdf_is_refused(content: bytes) -> None:
    with pytest.raises(BlockFailed, match="PDF"):
        filled(content, name="x")
