"""`/keys/…`: what is shown of a key, which scopes one key can hand to another, and revoking."""

from typing import TYPE_CHECKING

import pytest

from pagehand.api.keys import read_key
from pagehand.api.scopes import SCOPES

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


@pytest.fixture
def without_key_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are looked up at every request; it must hold before the API is put together."""
    monkeypatch.setattr("pagehand.api.auth._CACHE_SECONDS", 0)


async def test_key_is_shown_once_and_works_at_once(api: "Api") -> None:
    admin = await api.create_key("one")
    made = (
        await api.post("/keys/create", {"name": "nightly", "scopes": ["read", "read"]}, x_api_key=admin)
    ).json()
    assert made["key"]["scopes"] == ["read"]
    parts = read_key(made["secret"])
    assert parts is not None
    assert parts[0] == made["key"]["id"]
    listed = await api.post("/keys/list", x_api_key=admin)
    assert parts[1] not in listed.text
    assert (await api.post("/executions/list", x_api_key=made["secret"])).status_code == 200


@pytest.mark.parametrize(
    ("own", "given", "status"),
    [
        (["*"], ["*"], 200),
        (["*"], ["read", "metrics"], 200),
        (["admin"], ["admin"], 200),
        (["admin"], ["read"], 403),
        (["admin", "read"], ["read", "edit"], 403),
        (["admin", "read"], ["*"], 403),
        # every scope by name is not `*`: a scope that is added later belongs to `*` alone
        (list(SCOPES), ["*"], 403),
    ],
)
async def test_key_gives_no_scope_that_it_lacks(
    api: "Api", own: list[str], given: list[str], status: int
) -> None:
    key = await api.create_key("one", own)
    answer = await api.post("/keys/create", {"name": "n", "scopes": given}, x_api_key=key)
    assert answer.status_code == status, answer.text
    total = (await api.post("/keys/list", x_api_key=key)).json()["total"]
    assert total == (2 if status == 200 else 1)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"scopes": []}, "scopes"),
        ({"scopes": ["write"]}, "scopes"),
        ({"scopes": None}, "scopes"),
        ({"name": ""}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"id": "key_mine"}, "id"),
        ({"secret": "mine"}, "secret"),
    ],
)
async def test_key_that_does_not_fit_is_refused(api: "Api", fields: dict[str, object], word: str) -> None:
    answer = await api.post("/keys/create", {"name": "n", "scopes": ["read"], **fields})
    assert answer.status_code == 400, answer.text
    assert word in answer.json()["error"]
    assert (await api.post("/keys/list")).json()["total"] == 0


@pytest.mark.usefixtures("without_key_cache")
async def test_revoked_key_is_refused_stays_listed_and_is_revoked_once(api: "Api") -> None:
    admin = await api.create_key("one")
    made = (await api.post("/keys/create", {"name": "n", "scopes": ["*"]}, x_api_key=admin)).json()
    gone = await api.post("/keys/revoke", {"id": made["key"]["id"]}, x_api_key=admin)
    assert gone.json() == {"key": {"id": made["key"]["id"]}}
    refused = await api.post("/executions/list", x_api_key=made["secret"])
    assert refused.status_code == 401
    keys = (await api.post("/keys/list", x_api_key=admin)).json()["keys"]
    assert [key["revokedAt"] is not None for key in keys if key["id"] == made["key"]["id"]] == [True]
    second = await api.post("/keys/revoke", {"id": made["key"]["id"]}, x_api_key=admin)
    assert second.status_code == 404


@pytest.mark.usefixtures("without_key_cache")
async def test_key_of_another_organization_cannot_be_revoked_or_seen(api: "Api") -> None:
    mine, theirs = await api.create_key("one"), await api.create_key("two")
    parts = read_key(theirs)
    assert parts is not None
    assert (await api.post("/keys/revoke", {"id": parts[0]}, x_api_key=mine)).status_code == 404
    assert (await api.post("/executions/list", x_api_key=theirs)).status_code == 200
    assert parts[0] not in (await api.post("/keys/list", x_api_key=mine)).text


async def test_use_of_a_key_is_noted(api: "Api") -> None:
    key = await api.create_key("one")
    await api.post("/executions/list", x_api_key=key)
    [shown] = (await api.post("/keys/list", x_api_key=key)).json()["keys"]
    assert shown["lastUsedAt"] is not None
