import asyncio
import time
from typing import TYPE_CHECKING

import pytest
from starlette.requests import Request
from starlette.responses import Response

from pagehand.api import auth
from pagehand.api.app import create_app, refuse_undeclared
from pagehand.api.keys import digest_of, new_key, read_key
from pagehand.clock import now_ms
from pagehand.records import ApiKey
from pagehand.settings import Settings
from support.waiting import until

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


def test_key_text_leads_back_to_its_record_and_is_not_in_it() -> None:
    key, text = new_key("org_1")
    parts = read_key(text)
    assert parts is not None
    assert parts[0] == key.id
    assert digest_of(*parts) == key.digest
    assert parts[1] not in repr(key)


@pytest.mark.parametrize("text", ["", "ph", "ph_", "ph__", "ph_a_", "xx_a_b", "ph_a"])
def test_text_that_cannot_be_a_key_is_none(text: str) -> None:
    assert read_key(text) is None


async def test_key_acts_for_its_organization_in_either_header(api: "Api") -> None:
    text = await api.create_key("one")
    made = await api.post("/workflows/create", {"name": "mine"}, authorization=f"Bearer {text}")
    assert made.status_code == 200
    listed = await api.post("/workflows/list", x_api_key=text)
    assert [workflow["name"] for workflow in listed.json()["workflows"]] == ["mine"]
    other = await api.post("/workflows/list", x_api_key=await api.create_key("two"))
    assert other.json() == {"workflows": [], "total": 0}


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer ", "Bearer", "Bearer ph_x_y", "ph_x_y"])
async def test_wrong_key_is_401_also_where_none_is_needed(api: "Api", header: str) -> None:
    answer = await api.post("/executions/list", authorization=header)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_empty_api_key_header_is_401(api: "Api") -> None:
    assert (await api.post("/executions/list", x_api_key="")).status_code == 401


async def test_key_with_another_secret_is_401(api: "Api") -> None:
    text = await api.create_key("one")
    assert (await api.post("/executions/list", x_api_key=text[:-1])).status_code == 401


async def test_revoked_key_is_refused_within_five_seconds(
    api: "Api", monkeypatch: pytest.MonkeyPatch
) -> None:
    text = await api.create_key("one")
    listed = (await api.post("/keys/list", x_api_key=text)).json()
    assert (
        await api.post("/keys/revoke", {"id": listed["keys"][0]["id"]}, x_api_key=text)
    ).status_code == 200
    later = time.monotonic() + 5
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert (await api.post("/keys/list", x_api_key=text)).status_code == 401


class SlowKeys:
    """The store of keys, whose answers wait for `gate`."""

    def __init__(self, api: "Api", monkeypatch: pytest.MonkeyPatch) -> None:
        self.gate = asyncio.Event()
        self.finds = self.touches = 0
        keys = api.services.stores.keys
        self._find, self._touch = keys.find_in_any_organization, keys.touch
        monkeypatch.setattr(keys, "find_in_any_organization", self.find)
        monkeypatch.setattr(keys, "touch", self.touch)

    async def find(self, key_id: str) -> ApiKey | None:
        self.finds += 1
        found = await self._find(key_id)
        await self.gate.wait()
        return found

    async def touch(self, key_id: str, at: int) -> None:
        self.touches += 1
        await self._touch(key_id, at)


async def test_requests_at_once_look_their_key_up_together(
    api: "Api", monkeypatch: pytest.MonkeyPatch
) -> None:
    text = await api.create_key("one")
    keys = SlowKeys(api, monkeypatch)
    requests = [asyncio.ensure_future(api.post("/executions/list", x_api_key=text)) for _ in range(20)]
    await until(lambda: keys.finds > 0)
    requests.pop(0).cancel()  # the others do not depend on the first
    keys.gate.set()
    assert {answer.status_code for answer in await asyncio.gather(*requests)} == {200}
    assert (keys.finds, keys.touches) == (1, 1)


async def test_key_that_ends_while_it_is_looked_up_is_not_kept(
    api: "Api", monkeypatch: pytest.MonkeyPatch
) -> None:
    text = await api.create_key("one")
    keys = SlowKeys(api, monkeypatch)
    authenticator = api.services.authenticator
    early = asyncio.ensure_future(authenticator.with_key(text))
    await until(lambda: keys.finds == 1)
    authenticator.forget("another key, or this one")
    keys.gate.set()
    await early
    await authenticator.with_key(text)
    assert keys.finds == 2


async def test_use_of_a_key_is_noted_at_most_once_a_minute(api: "Api") -> None:
    text = await api.create_key("one")
    await api.post("/keys/list", x_api_key=text)
    owner = await api.services.stores.organizations.ensure("one")
    first = (await api.services.stores.keys.list(owner.id, 10, 0))[0][0].last_used_at
    assert first is not None
    assert now_ms() - first < 10_000
    create_app(api.services)  # an app that remembers no session
    await api.post("/keys/list", x_api_key=text)
    assert (await api.services.stores.keys.list(owner.id, 10, 0))[0][0].last_used_at == first


@pytest.mark.parametrize(
    ("scopes", "path", "status"),
    [
        (["read"], "/executions/list", 200),
        (["read"], "/workflows/create", 403),
        (["read"], "/keys/list", 403),
        (["edit"], "/workflows/create", 400),
        (["admin"], "/keys/list", 200),
        (["*"], "/keys/list", 200),
    ],
)
async def test_key_may_do_what_its_scopes_say(api: "Api", scopes: list[str], path: str, status: int) -> None:
    text = await api.create_key("one", scopes)
    assert (await api.post(path, x_api_key=text)).status_code == status


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("host", "localhost:8700", 200),
        ("host", "127.0.0.1:8700", 200),
        ("host", "[::1]:8700", 200),
        ("host", "127.0.0.1", 403),
        ("host", "127.0.0.1:8701", 403),
        ("host", "evil.example:8700", 403),
        ("host", "127.0.0.1.evil.example:8700", 403),
        ("host", "evil@127.0.0.1:8700", 403),
        ("host", "127.0.0.1:x", 403),
        ("origin", "http://127.0.0.1:8700", 200),
        ("origin", "http://localhost:8700", 200),
        ("origin", "http://127.0.0.1:9999", 403),
        ("origin", "http://evil.example", 403),
        ("origin", "null", 403),
        ("origin", "file://", 403),
    ],
)
async def test_keyless_requests_come_from_the_service_itself(
    api: "Api", header: str, value: str, status: int
) -> None:
    answer = await api.post("/workflows/list", **{header: value})
    assert answer.status_code == status, answer.text


async def test_request_with_a_key_may_name_any_host(api: "Api") -> None:
    text = await api.create_key("one")
    answer = await api.post("/executions/list", host="pagehand.example", x_api_key=text)
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"require_key": True}, 401),
        ({"host": "0.0.0.0"}, 401),  # noqa: S104 - the case under test
        ({"host": "0.0.0.0", "allow_keyless": True}, 200),  # noqa: S104 - as above
        ({"host": "0.0.0.0", "allow_keyless": True, "require_key": True}, 401),  # noqa: S104 - as above
    ],
)
async def test_keyless_mode_is_for_loopback_or_where_the_operator_allows_it(
    api: "Api", changes: dict[str, object], status: int
) -> None:
    settings = Settings.model_validate({"port": 8700, **changes})
    authenticator = auth.CallerAuthenticator(settings, api.services.stores, api.services.signer)
    try:
        await authenticator.authenticate(
            {b"host": b"10.1.2.3:8700" if status == 200 else b"127.0.0.1:8700"}, 8700, "read"
        )
        seen = 200
    except auth.NotAuthenticated:
        seen = 401
    assert seen == status


async def test_route_without_a_declared_policy_fails_the_build(api: "Api") -> None:
    async def anything(_: Request) -> Response:
        return Response()

    refuse_undeclared(api.app.router.routes)
    api.app.add_route("/anything", anything)
    with pytest.raises(TypeError, match="/anything"):
        refuse_undeclared(api.app.router.routes)
