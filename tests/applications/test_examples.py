"""The examples that work in applications of other people."""

from pathlib import Path
from typing import Any

import pytest
from applications.conftest import Workplace

from pagehand.blocks import kinds
from pagehand.cli.checking import check_file
from support.service import Json

FOLDER = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.slow


def run(application: Workplace, example: str, **params: Any) -> Json:
    """The finished execution of an example."""
    api = application.api
    logins = {login["name"]: login["id"] for login in api.call("/logins/list")["logins"]}
    checked = check_file((FOLDER / f"{example}.workflow.yaml").read_text(), kinds(), logins.__getitem__)
    assert checked.warnings == []
    workflow = api.call("/workflows/apply", checked.definition)["workflow"]["id"]
    ended = api.call("/workflows/executeSync", {"workflowId": workflow, "params": params})["execution"]
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    return ended


def store_login(application: Workplace, name: str, path: str, username: str) -> None:
    secrets = {"username": username, "password": application.facts["password"]}
    login = {"authenticationUrl": application.url + path, "loginConfiguration": secrets}
    application.api.call("/logins/upsert", {"name": name, **login})


def test_rivers_of_one_country_become_a_spreadsheet(datasette: Workplace) -> None:
    ended = run(datasette, "datasette-rivers", table=f"{datasette.url}/rivers/rivers", country="Chad")
    rivers = datasette.rows("select name, length from rivers where country = 'Chad' order by length desc")
    assert sorted((river["name"], river["length"]) for river in ended["response"]["longest"]) == sorted(
        rivers
    )
    lines = datasette.content(ended["response"]["sheet"]).decode().splitlines()
    assert len(lines) == len(rivers) + 1


def test_an_issue_is_filed(roundup: Workplace) -> None:
    store_login(roundup, "Roundup", "/", "ada")
    ended = run(roundup, "roundup-issue", title="The lift stops between floors", note="Since Monday.")
    assert "created" in ended["response"]["output"]
    assert roundup.rows("select _title from _issue where _title like 'The lift%'") == [
        ("The lift stops between floors",)
    ]


def test_each_book_of_a_list_is_added(admin: Workplace) -> None:
    store_login(admin, "Library admin", "/admin/login/", "plain")
    books = [{"title": f"Volume {number}", "status": "Listed", "price": "4.50"} for number in (1, 2, 3)]
    run(admin, "admin-books", books=books)
    added = admin.rows(
        "select title, status, price from library_book where title like 'Volume %' order by title"
    )
    assert added == [(f"Volume {number}", "listed", 4.5) for number in (1, 2, 3)]
