"""Keys made over the API: shown once, no mightier than who made them, refused once revoked."""

from support.database import add_key
from support.service import Api, Json, RunningService


def test_a_made_key_works_within_its_scopes_and_is_shown_once(locked: RunningService, keyed: Api) -> None:
    made = keyed.call("/keys/create", {"name": "reader", "scopes": ["read", "read"]})
    reader = locked.api(made["secret"])
    assert made["key"]["scopes"] == ["read"]
    assert reader.call("/workflows/list")["workflows"] is not None
    assert reader.post("/workflows/create", {"name": "x"}).status_code == 403
    assert made["secret"] not in keyed.post("/keys/list").text


def test_nobody_gives_what_their_own_key_lacks(locked: RunningService) -> None:
    clerk = locked.api(add_key(locked, "keyed", scopes=["read", "admin"]))
    for scope in ("run", "edit", "*"):
        refused = clerk.post("/keys/create", {"name": "more", "scopes": ["read", scope]})
        assert (refused.status_code, f"`{scope}`" in refused.json()["error"]) == (403, True)
    assert clerk.call("/keys/create", {"name": "same", "scopes": ["read", "admin"]})["secret"]


def test_only_an_administrator_makes_keys(locked: RunningService) -> None:
    editor = locked.api(add_key(locked, "keyed", scopes=["read", "run", "edit"]))
    assert editor.post("/keys/create", {"name": "x", "scopes": ["read"]}).status_code == 403


def test_a_key_needs_a_name_and_scopes_that_exist(keyed: Api) -> None:
    cases: list[Json] = [{"name": "x"}, {"name": "", "scopes": ["read"]}, {"name": "x", "scopes": []}]
    for wrong in cases:
        assert keyed.post("/keys/create", wrong).status_code == 400
    refused = keyed.post("/keys/create", {"name": "x", "scopes": ["root"]})
    assert (refused.status_code, "`admin`" in refused.json()["error"]) == (400, True)
