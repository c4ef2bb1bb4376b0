"""FillDocument fills PDF forms and Word templates, and names what it cannot fill."""

import io
from typing import Any

import docx
import pytest
from pypdf import PdfReader

from pagehand.blocks import examples, kinds
from pagehand.errors import BlockFailed
from pagehand.testing import Harness
from support import documents

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


async def filled(harness: Harness, name: str, content: bytes, **data: Any) -> bytes:
    info = await harness.add_file(name, content)
    definition = {"type": "FillDocument", "blockReferenceId": "it", "data": {"file": info["id"], **data}}
    done = await harness.run(definition)
    assert (await harness.read_file(info["id"])) == content
    return await harness.read_file(done.outputs["it"])


def fields(content: bytes) -> Json:
    found = PdfReader(io.BytesIO(content)).get_fields() or {}
    return {name: field.get("/V") for name, field in found.items()}


def word(*paragraphs: str) -> bytes:
    document = docx.Document()
    for text in paragraphs:
        document.add_paragraph(text)
    return documents.saved_word(document)


async def test_examples_run_as_shown(harness: Harness) -> None:
    kind = kinds().kind_named("FillDocument")
    assert kind is not None
    form = documents.form("name", "agreed", "address.city")
    template = documents.offer_template_of("Dear {{customer}}", "{{rows.item}}", "{{rows.price}}")
    params = {
        "form": (await harness.add_file("form.pdf", form, "application/pdf"))["id"],
        "template": (await harness.add_file("offer.docx", template))["id"],
    }
    for example in examples(kind):
        done = await harness.run({**example, "blockReferenceId": "it"}, params=params)
        assert done.outputs["it"]["name"] == example["data"]["fileName"]


async def test_a_form_is_filled_whatever_its_fields_are(harness: Harness) -> None:
    values = {"name": "Ada", "income": 12.5, "resident": True, "status": "married", "country": "Norway"}
    form = await filled(harness, "f.pdf", documents.tax_form(), values={**values, "place": "Oslo"})
    reported = fields(form)
    assert {name: reported[name] for name in ("name", "income", "country", "place")} == {
        "name": "Ada",
        "income": "12.5",
        "country": "Norway",
        "place": "Oslo",
    }
    assert (reported["resident"], reported["status"]) == ("/Yes", "/married")


async def test_a_filled_form_shows_its_values(harness: Harness) -> None:
    form = await filled(harness, "f.pdf", documents.tax_form(), values={"name": "Ada", "place": None})
    assert fields(form)["place"] in (None, "")
    annotations: Any = PdfReader(io.BytesIO(form)).pages[0]["/Annots"]
    widgets: list[Any] = [annotation.get_object() for annotation in annotations]
    shown: list[bytes] = [widget["/AP"]["/N"].get_data() for widget in widgets if widget.get("/T") == "name"]
    assert b"Ada" in shown[0]


async def test_a_flattened_form_keeps_the_text_and_has_no_fields(harness: Harness) -> None:
    values = {"name": "Ada Lovelace", "country": "Norway"}
    form = await filled(harness, "f.pdf", documents.tax_form(), values=values, flatten=True)
    assert fields(form) == {}
    assert b"/AcroForm" not in form
    text = documents.text_of_pdf(form)
    assert "Ada Lovelace" in text
    assert "Norway" in text


async def test_a_field_is_also_found_by_what_people_call_it(harness: Harness) -> None:
    form = await filled(harness, "f.pdf", documents.tax_form(), values={"Full name": "Ada"})
    assert fields(form)["name"] == "Ada"


async def test_letters_that_the_form_cannot_show_are_kept_or_refused(harness: Harness) -> None:
    values = {"name": "Łódź, 東京?"}
    form = await filled(harness, "f.pdf", documents.tax_form(), values=values)
    assert fields(form)["name"] == "Łódź, 東京?"
    assert b"/NeedAppearances true" in form
    with pytest.raises(BlockFailed, match="the font of the form does not have"):
        await filled(harness, "f.pdf", documents.tax_form(), values=values, flatten=True)
    plain = await filled(harness, "f.pdf", documents.tax_form(), values={"name": "Zoë?"}, flatten=True)
    assert "Zoë?" in documents.text_of_pdf(plain)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"nme": "Ada"}, "`nme` is not a field of the form, which has `name`, `income`, `resident`"),
        ({"resident": "perhaps"}, "`resident` cannot be `perhaps`; it takes `true`, `false`"),
        ({"status": "widowed"}, "`status` cannot be `widowed`; it takes `single`, `married`"),
        ({"country": "Mars"}, "`country` cannot be `Mars`; it takes `France`, `Norway`"),
        ({"name": "x" * 41}, "`name` takes 40 characters"),
    ],
)
async def test_what_does_not_fit_the_form_is_named(harness: Harness, values: Json, sentence: str) -> None:
    with pytest.raises(BlockFailed, match=sentence):
        await filled(harness, "f.pdf", documents.tax_form(), values=values)


async def test_a_template_is_filled_everywhere(harness: Harness) -> None:
    values: Json = {
        "number": 17,
        "customer": {"name": "Ada & Co <Ltd>"},
        "valid": "Friday\nor Monday",
        "rows": [{"item": "Engine", "price": 12.5}, {"item": "Oil", "price": 3}],
        "total": 15.5,
    }
    done = await filled(harness, "offer.docx", documents.offer_template(), values=values)
    text = documents.text_of_word(done)
    assert "{{" not in text
    for piece in ("Offer 17", "Dear Ada & Co <Ltd>, thank you.", "Valid until Friday\nor Monday at noon"):
        assert piece in text
    table = docx.Document(io.BytesIO(done)).tables[0]
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["Item", "Price"],
        ["Engine", "12.5 EUR"],
        ["Oil", "3 EUR"],
        ["Sum", "15.5"],
    ]


async def test_an_empty_list_leaves_no_row(harness: Harness) -> None:
    done = await filled(harness, "offer.docx", documents.offer_template(), values={"rows": []})
    assert len(docx.Document(io.BytesIO(done)).tables[0].rows) == 2
    assert "{{total}}" in documents.text_of_word(done)


async def test_a_value_is_never_filled_in_twice(harness: Harness) -> None:
    done = await filled(harness, "a.docx", word("{{a}} {{b}}"), values={"a": "\\{{b}}", "b": "\\{{a}}"})
    assert documents.text_of_word(done).strip() == "{{b}} {{a}}"


async def test_a_value_without_a_place_fails_with_the_list(harness: Harness) -> None:
    with pytest.raises(BlockFailed, match=r"`x` is not a field of the template, which has `a`, `b\.c`"):
        await filled(harness, "a.docx", word("{{a}} {{ b.c }}"), values={"x": 1})


async def test_other_files_are_refused(harness: Harness) -> None:
    with pytest.raises(BlockFailed, match="no form to fill in"):
        await filled(harness, "a.pdf", documents.pages(1), values={"a": 1})
    with pytest.raises(BlockFailed, match="neither a PDF nor a Word file"):
        await filled(harness, "a.txt", b"{{a}}", values={"a": 1})
