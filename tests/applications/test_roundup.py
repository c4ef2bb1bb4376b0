"""Roundup: issues made, attached to, looked for, commented on and exported by blocks."""

import csv
import io

from applications.conftest import Workplace

from support.blocks import click, extract, field, form, go_to, rows_of
from support.service import Json

LISTED = rows_of(ID="integer", Title="string", Status="string", Creator="string")


def signed_in(roundup: Workplace) -> list[Json]:
    """Opens the tracker and signs in at its side."""
    return [
        go_to(roundup.url),
        form(
            field("__login_name", "ada"),
            field("__login_password", roundup.facts["password"], "SensitiveTextInput"),
            submitLocator={"role": "button", "text": "Login"},
        ),
    ]


def new_issue(title: str, *fields: Json) -> list[Json]:
    return [
        go_to("/issue?@template=item"),
        form(
            field("Title", title), field("Priority", "bug", "Dropdown"), *fields, submit=True, isCommit=True
        ),
    ]


def test_an_issue_is_made_with_an_attachment_that_comes_back_unchanged(roundup: Workplace) -> None:
    log = roundup.upload("crash.log", b"line 1\nline 2\n")
    ended = roundup.run(
        *signed_in(roundup),
        *new_issue(
            "Printer is on fire",
            field("Assigned To", "ada", "Dropdown"),
            field("Change Note", "It smells, too."),
            field("File", "{{params.log}}", "File"),
        ),
        {
            "type": "DownloadFile",
            "blockReferenceId": "attachment",
            "locator": {"role": "link", "text": "crash.log"},
            "data": {},
        },
        log=log,
    )
    assert roundup.rows(
        "select i._title, p._name, u._username from _issue i join _priority p on p.id = i._priority"
        " join _user u on u.id = i._assignedto where i._title like 'Printer%'"
    ) == [("Printer is on fire", "bug", "ada")]
    assert roundup.rows("select _name from _file") == [("crash.log",)]
    assert roundup.content(ended["attachment"]) == b"line 1\nline 2\n"


def test_an_issue_is_found_commented_on_and_resolved(roundup: Workplace) -> None:
    ended = roundup.run(
        *signed_in(roundup),
        *new_issue("Kettle does not whistle"),
        {"type": "Search", "data": {"query": "whistle"}},
        click("link", "Kettle does not whistle", expect="navigation"),
        form(
            field("Status", "resolved", "Dropdown"),
            field("Change Note", "It was empty.\nNow it whistles."),
            submitLocator={"role": "button", "text": "Submit Changes"},
        ),
        extract(
            "shown",
            {"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]},
            fields={"note": {"locator": {"css": "table.messages td.content"}}},
        ),
    )
    status = "select s._name from _issue i join _status s on s.id = i._status where i._title like 'Kettle%'"
    assert roundup.rows(status) == [("resolved",)]
    assert ended["shown"]["note"] == "It was empty.\nNow it whistles."


def test_a_list_of_issues_is_read_and_exported(roundup: Workplace) -> None:
    titles = [f"Lamp {number} flickers" for number in (1, 2, 3)]
    ended = roundup.run(
        *signed_in(roundup),
        {
            "type": "LoopV2",
            "data": {"over": {"items": titles}},
            "sequenceData": {"sequence": new_issue("{{item}}")},
        },
        {"type": "Search", "data": {"query": "Lamp", "submit": "button"}},
        extract("issues", LISTED, {"css": "table.list"}),
        {
            "type": "DownloadFile",
            "blockReferenceId": "export",
            "locator": {"role": "link", "text": "Download as CSV"},
            "data": {},
        },
    )
    kept = roundup.rows("select id, _title from _issue where _title like 'Lamp%'")
    assert sorted((issue["ID"], issue["Title"]) for issue in ended["issues"]) == kept
    exported = csv.DictReader(io.StringIO(roundup.content(ended["export"]).decode()))
    assert sorted((int(item["id"]), item["title"]) for item in exported) == kept
