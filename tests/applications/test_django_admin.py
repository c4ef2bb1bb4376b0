"""Django's admin: a library's books made, changed, looked for, listed, exported and deleted by blocks."""

import csv
import io

from applications.conftest import Workplace

from support.blocks import click, extract, field, fill, form, navigate, pages, rows_of
from support.service import Json

BOOKS = "/admin/library/book/"
ROW = rows_of(title="string", author="string", status="string", price="number")


def signed_in(admin: Workplace, path: str = BOOKS) -> list[Json]:
    """Opens a page of the admin, which asks for the password first."""
    return [
        navigate(admin.url + path),
        form(
            field("Username", "plain"),
            field("Password", admin.facts["password"], "SensitiveTextInput"),
            submit=True,
        ),
    ]


def run_action(name: str) -> list[Json]:
    """Picks an action for the rows that are ticked."""
    return [
        {"type": "Dropdown", "locator": {"label": "Action"}, "data": {"value": name}},
        click("button", "Go"),
    ]


def test_a_book_is_made_with_every_kind_of_widget(admin: Workplace) -> None:
    cover = admin.upload("cover.txt", b"a picture, in words")
    genres: Json = {"role": "listbox", "text": "Available genres"}
    admin.run(
        *signed_in(admin),
        click("link", "Add book"),
        form(
            field("Title", "Frankenstein"),
            field("Summary", "A creature.\nAnd its maker."),
            field("Status", "Listed", "Dropdown"),
            field("Binding", "Hardcover", "Radio"),
            field("Author", "Mary Shelley", "Dropdown"),
            field("Price", "12.50"),
            field("Lendable", "true", "Checkbox"),
            field("Cover", "{{params.cover}}", "File"),
            field("Date", "1818-01-01", "Date"),
            field("Time", "14:30:00"),
        ),
        {"type": "Dropdown", "locator": genres, "data": {"values": ["Essay", "Novel"]}},
        click("button", "Choose selected genres"),
        click("button", "Add another Copy"),
        fill("copy_set-0-shelf", "N 42"),
        click("button", "Save", expect="navigation"),
        cover=cover,
    )
    [book] = admin.rows(
        "select summary, status, binding, a.name, price, lendable, cover, released from library_book b"
        " join library_author a on a.id = author_id where title = 'Frankenstein'"
    )
    assert book == (
        "A creature.\r\nAnd its maker.",
        *("listed", "hard", "Mary Shelley", 12.5, 1, "covers/cover.txt", "1818-01-01 14:30:00"),
    )
    assert (admin.folder / "media/covers/cover.txt").read_bytes() == b"a picture, in words"
    tagged = "select name from library_book_genres join library_genre g on g.id = genre_id order by name"
    assert admin.rows(tagged) == [("Essay",), ("Novel",)]
    assert admin.rows("select shelf from library_copy") == [("N 42",)]


def test_a_book_is_found_and_changed_with_the_admins_own_calendar_and_clock(admin: Workplace) -> None:
    admin.run(
        *signed_in(admin),
        {"type": "Search", "data": {"query": "Book 07"}},
        click("link", "Book 07"),
        {
            "type": "DateInput",
            "locator": {"css": "#id_released_0"},
            "data": {"value": "2027-03-14"},
        },
        click("link", "Choose a Time"),
        click("link", "Noon"),
        fill("Title", "Book 07, revised"),
        fill("Author", "Jane Austen", "Dropdown"),
        click("button", "Save and continue editing", expect="navigation"),
    )
    changed = "select title, released, a.name from library_book b join library_author a on a.id = author_id"
    assert admin.rows(changed + " where b.id = 7") == [
        ("Book 07, revised", "2027-03-14 12:00:00", "Jane Austen")
    ]


def test_a_calendar_day_is_clicked_in_the_calendar(admin: Workplace) -> None:
    admin.run(
        *signed_in(admin, BOOKS + "8/change/"),
        {
            "type": "DateInput",
            "locator": {"role": "link", "text": "Choose a Date"},
            "data": {"value": "2026-12-24"},
        },
        click("link", "Choose a Time"),
        click("link", "6 a.m."),
        click("button", "Save", expect="navigation"),
    )
    assert admin.rows("select released from library_book where id = 8") == [("2026-12-24 06:00:00",)]


def test_a_filtered_list_is_read_page_by_page(admin: Workplace) -> None:
    ended = admin.run(
        *signed_in(admin),
        click("link", "Listed", expect="navigation"),
        pages({"css": ".paginator .this-page + [href*='p=']"}, [extract("books", ROW)]),
    )
    read = [tuple(book.values()) for page in ended["pages"] for book in page["books"]]
    listed = admin.rows(
        "select title, a.name, 'Listed', price from library_book b join library_author a on a.id = author_id"
        " where status = 'listed' order by title"
    )
    assert len(ended["pages"]) == -(-len(listed) // 10)
    assert sorted(read) == listed


def test_an_export_of_ticked_rows_is_downloaded(admin: Workplace) -> None:
    ended = admin.run(
        *signed_in(admin),
        {"type": "Search", "data": {"query": "Book 1", "submit": "button"}},
        fill("Select all objects on this page for an action", "true", "Checkbox"),
        {
            "type": "Dropdown",
            "locator": {"label": "Action"},
            "data": {"value": "Export selected books as CSV"},
        },
        {
            "type": "DownloadFile",
            "blockReferenceId": "export",
            "locator": {"role": "button", "text": "Go"},
            "data": {},
        },
    )
    rows = list(csv.reader(io.StringIO(admin.content(ended["export"]).decode())))
    assert ended["export"]["name"] == "books.csv"
    # the admin looks for each word by itself
    found = admin.rows("select title from library_book where title like 'Book%1%' order by title limit 10")
    assert [row[0] for row in rows] == ["title", *(title for (title,) in found)]


def test_ticked_rows_are_deleted_after_the_confirmation(admin: Workplace) -> None:
    admin.run(
        *signed_in(admin),
        {"type": "Search", "data": {"query": "Book 2"}},
        {
            "type": "LoopV2",
            "data": {"over": {"items": ["Book 21", "Book 23"]}},
            "sequenceData": {
                "sequence": [
                    {
                        "type": "Input",
                        "data": {
                            "key": "box",
                            "mode": "aiInference",
                            "prompt": "checkbox in the row {{item}}",
                            "inputType": "Checkbox",
                            "value": "true",
                        },
                    }
                ]
            },
        },
        *run_action("Delete selected books"),
        click("button", "Yes, I", expect="navigation"),
    )
    left = admin.rows("select title from library_book where title like 'Book 2%' order by title")
    assert left == [("Book 20",), ("Book 22",), ("Book 24",), ("Book 25",)]


def test_a_book_is_deleted_from_its_own_page(admin: Workplace) -> None:
    admin.run(
        *signed_in(admin, BOOKS + "25/change/"),
        click("link", "Delete"),
        click("link", "No, take me back"),
        click("link", "Delete"),
        {
            "type": "Mouse",
            "locator": {"role": "button", "text": "Yes, I"},
            "data": {"isCommit": True, "expect": "navigation"},
        },
    )
    assert admin.rows("select id from library_book where id = 25") == []


def test_a_related_author_is_made_in_the_admins_own_window(admin: Workplace) -> None:
    admin.run(
        *signed_in(admin, BOOKS + "9/change/"),
        click("link", "Add another author", expect="popup"),
        fill("Name", "George Eliot"),
        click("button", "Save"),
        {
            "type": "WaitForCondition",
            "data": {"condition": {"element": {"css": "#id_author"}, "state": "exists"}},
        },
        click("button", "Save and continue editing", expect="navigation"),
    )
    author = "select name from library_author a join library_book b on a.id = author_id where b.id = 9"
    assert admin.rows(author) == [("George Eliot",)]
