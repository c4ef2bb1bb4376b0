"""Wagtail: an article written in its rich editor, with a picture, published and read by blocks."""

import io
from typing import Any

from applications.conftest import Workplace
from PIL import Image

from support.blocks import click, extract, field, fill, form, go_to
from support.service import Json

ADD_ARTICLE = "/cms/pages/add/newsroom/article/2/"
SEEN: Json = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "body": {"type": "string"}, "picture": {"type": "string"}},
    "required": ["title", "body", "picture"],
}


def signed_in(wagtail: Workplace, path: str) -> list[Json]:
    return [
        go_to(wagtail.url + path),
        form(
            field("Username", "ada"),
            field("Password", wagtail.facts["password"], "SensitiveTextInput"),
            submit=True,
        ),
    ]


def write(text: str, **data: Any) -> Json:
    """Type into the rich text editor, which has no label."""
    return {
        **fill("Body", text, **data),
        "locator": {"css": "#panel-child-content-body-section [role=textbox]"},
    }


def publish() -> list[Json]:
    """By the menu beside the button; a draft that is complete saves itself half a second after a change."""
    saved = {"element": {"css": ".w-autosave-indicator__state--saved"}}
    return [
        {
            "type": "WaitForCondition",
            "data": {"condition": saved, "timeoutMs": 2000},
            "skipIfNotPresent": True,
        },
        click("button", "More actions"),
        click("button", "Publish", expect="navigation"),
        {"type": "WaitForCondition", "data": {"condition": {"element": {"css": ".messages .success"}}}},
    ]


def picture() -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (300, 200), "teal").save(content, "PNG")
    return content.getvalue()


def test_an_article_with_rich_text_a_new_picture_and_a_chosen_page_is_published(wagtail: Workplace) -> None:
    ended = wagtail.run(
        *signed_in(wagtail, ADD_ARTICLE),
        fill("Title", "Tide tables"),
        fill("Day", "2026-11-20", "Date"),
        write("High water at noon.", pressKeys=["Control+A", "Control+B"]),
        click("button", "Choose an image"),
        click("tab", "Upload"),
        {
            "type": "Form",
            "data": {
                "fields": [
                    field("Title", "Teal sea", locator={"css": "#id_image-chooser-upload-title"}),
                    field(
                        "File", "{{params.picture}}", "File", locator={"css": "#id_image-chooser-upload-file"}
                    ),
                ],
                "submitLocator": {"css": ".modal button[type=submit]", "text": "Upload"},
            },
        },
        {
            "type": "WaitForCondition",
            "data": {"condition": {"element": {"css": ".modal"}, "state": "hidden"}},
        },
        click("button", "Choose a page"),
        click("link", "Home"),
        *publish(),
        go_to(wagtail.url + "/tide-tables/"),
        extract(
            "seen",
            SEEN,
            fields={
                "title": {"locator": {"css": "h1"}},
                "body": {"locator": {"css": "article"}, "attribute": "html"},
                "picture": {"locator": {"css": "img"}, "attribute": "alt"},
            },
        ),
        picture=wagtail.upload("sea.png", picture()),
    )
    assert ended["seen"] | {"body": ""} == {"title": "Tide tables", "body": "", "picture": "Teal sea"}
    assert "<b>High water at noon.</b>" in ended["seen"]["body"]
    article = "select p.live, a.day, i.title, r.title from newsroom_article a"
    article += (
        " join wagtailcore_page p on p.id = a.page_ptr_id join wagtailimages_image i on i.id = a.picture_id"
    )
    article += " join wagtailcore_page r on r.id = a.related_id where p.slug = 'tide-tables'"
    assert wagtail.rows(article) == [(1, "2026-11-20", "Teal sea", "Home")]


def test_an_article_is_found_by_search_changed_and_published_again(wagtail: Workplace) -> None:
    ended = wagtail.run(
        *signed_in(wagtail, ADD_ARTICLE),
        fill("Title", "Ferry delays"),
        write("None today."),
        *publish(),
        go_to("/cms/"),
        {"type": "Search", "data": {"query": "Ferry"}},
        click("link", "Ferry delays", expect="navigation"),
        fill("Day", "2026-12-01", "Date"),
        write(" All day.", clearFirst=False),
        *publish(),
        go_to(wagtail.url + "/ferry-delays/"),
        extract("seen", {"required": ["body"]}, fields={"body": {"locator": {"css": "article"}}}),
    )
    assert ended["seen"]["body"] == "None today. All day."
    changed = "select day, live from newsroom_article join wagtailcore_page p on p.id = page_ptr_id"
    assert wagtail.rows(changed + " where title = 'Ferry delays'") == [("2026-12-01", 1)]


def test_a_draft_stays_a_draft_and_is_deleted_from_its_menu(wagtail: Workplace) -> None:
    wagtail.run(
        *signed_in(wagtail, ADD_ARTICLE),
        fill("Title", "Not yet"),
        click("button", "Save draft"),
        {"type": "WaitForCondition", "data": {"condition": {"url": "*/edit/*"}}},
    )
    assert wagtail.rows("select live from wagtailcore_page where title = 'Not yet'") == [(0,)]
    wagtail.run(
        *signed_in(wagtail, "/cms/pages/2/"),
        {
            "type": "Mouse",
            "locator": {"role": "button", "text": "More options for 'Not yet'"},
        },
        click("link", "Delete"),
        click("button", "Yes, delete it", isCommit=True, expect="navigation"),
    )
    assert wagtail.rows("select live from wagtailcore_page where title = 'Not yet'") == []
