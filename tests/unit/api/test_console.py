"""The console's page, its cookie and its stream, without a browser."""

import asyncio
import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from starlette.responses import StreamingResponse

from pagehand import __version__
from pagehand.api.auth import Caller
from pagehand.api.console.pages import ADDRESSES
from pagehand.api.console.session import events
from pagehand.api.console_cookie import session_id_of
from pagehand.api.fields import EmptyRequest
from pagehand.api.operation import Call, HttpRequest
from pagehand.engine.changes import EVERYTHING, Change, Changes

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio
OWN = "http://127.0.0.1:8700"


def test_service_and_console_know_the_same_addresses() -> None:
    """`ADDRESSES` of api/console/pages.py, and `PATTERNS` of console/src/app/router.ts."""
    router = Path("console/src/app/router.ts").read_text("utf-8")
    patterns = re.findall(r'"(/[^"]*)"', router.partition("PATTERNS = [")[2].partition("]")[0])
    assert [pattern.replace(":id", "{id}") for pattern in patterns] == list(ADDRESSES)


@pytest.mark.parametrize("address", [address.replace("{id}", "exec_1") for address in ADDRESSES])
async def test_every_address_gives_the_page_to_browsers_and_json_to_others(api: "Api", address: str) -> None:
    page = await api.client.get(address, headers={"accept": "text/html,application/xhtml+xml"})
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    other = await api.client.get(address, headers={"accept": "application/json"})
    if address == "/":
        assert other.json() == {
            "name": "Pagehand",
            "version": __version__,
            "console": "/",
            "guide": "/guide",
            "docs": "/docs",
            "openapi": "/openapi.json",
        }
        return
    assert other.status_code in (404, 405)
    assert set(other.json()) == {"error"}


@pytest.mark.parametrize("name", ["nothing-AAAAAAAA.js", "..%2Findex.html", "index.html", "main.js"])
async def test_only_files_of_the_bundle_are_served(api: "Api", name: str) -> None:
    answer = await api.client.get(f"/console/assets/{name}")
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


async def test_key_is_traded_for_a_cookie_that_scripts_cannot_read(api: "Api") -> None:
    answer = await api.post("/console/session", {"key": await api.create_key("one", ["read", "run"])})
    assert answer.json() == {
        "session": {"organization": "one", "scopes": ["read", "run"], "isKeyless": False}
    }
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Max-Age=43200" in cookie
    seen = await api.post("/console/session/get", cookie=cookie.split(";")[0], origin=OWN)
    assert seen.json()["session"]["organization"] == "one"


async def test_cookie_holds_its_key_to_its_scopes(api: "Api") -> None:
    cookie = await _sign_in(api, ["read"])
    assert (await api.post("/workflows/list", cookie=cookie, origin=OWN)).status_code == 200
    refused = await api.post("/workflows/create", {"name": "mine"}, cookie=cookie, origin=OWN)
    assert refused.status_code == 403


@pytest.mark.parametrize(
    "headers", [{"origin": "https://elsewhere.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}]
)
async def test_another_site_cannot_use_the_cookie(api: "Api", headers: dict[str, str]) -> None:
    cookie = await _sign_in(api, ["*"])
    assert (await api.post("/executions/list", cookie=cookie, **headers)).status_code == 403


async def test_session_ends_with_its_key_at_once(api: "Api") -> None:
    cookie = await _sign_in(api, ["*"])
    listed = await api.post("/keys/list", cookie=cookie, origin=OWN)
    key_id = listed.json()["keys"][0]["id"]
    assert (await api.post("/keys/revoke", {"id": key_id}, cookie=cookie, origin=OWN)).status_code == 200
    assert (await api.post("/executions/list", cookie=cookie, origin=OWN)).status_code == 401


async def test_signing_out_ends_the_session_at_once_and_no_other(api: "Api") -> None:
    key = await api.create_key("one")
    cookies = [await _cookie(api, key) for _ in range(2)]
    answer = await api.post("/console/session/end", cookie=cookies[0], origin=OWN)
    assert answer.headers["set-cookie"].startswith("pagehand_session=; Max-Age=0;")
    seen = [(await api.post("/executions/list", cookie=cookie, origin=OWN)).status_code for cookie in cookies]
    assert seen == [401, 200]


@pytest.mark.parametrize("path", ["/console/session", "/console/session/end"])
async def test_another_site_can_neither_sign_a_person_in_nor_out(api: "Api", path: str) -> None:
    key, cookie = await api.create_key("one"), await _sign_in(api, ["*"])
    for headers in ({"origin": "https://elsewhere.example"}, {"sec_fetch_site": "same-site"}):
        refused = await api.post(path, {"key": key} if path.endswith("session") else {}, **headers)
        assert refused.status_code == 403
        assert "set-cookie" not in refused.headers
    assert (await api.post("/executions/list", cookie=cookie, origin=OWN)).status_code == 200


@pytest.mark.parametrize("second", ["mine", "theirs", "old", ""])
async def test_two_session_cookies_sign_nobody_in(api: "Api", second: str) -> None:
    cookie, theirs = await _sign_in(api, ["*"]), await _sign_in(api, ["*"])
    other = {"mine": cookie, "theirs": theirs}.get(second, f"pagehand_session={second}")
    both = [f"{cookie}; a=1;{other}", f"{other}; {cookie}"]
    for sent in both:
        refused = await api.post("/executions/list", cookie=sent, origin=OWN)
        assert refused.status_code == 401
        assert "two session cookies" in refused.json()["error"]
    headers = [("cookie", cookie), ("cookie", other), ("origin", OWN)]
    assert (await api.client.post("/executions/list", json={}, headers=headers)).status_code == 401
    answer = await api.post("/console/session", {"key": await api.create_key("one")}, cookie=both[0])
    assert "two session cookies" in answer.json()["error"]


async def test_cookie_behind_tls_belongs_to_this_very_host(api: "Api") -> None:
    tls = OWN.replace("http:", "https:")
    answer = await api.post("/console/session", {"key": await api.create_key("one")}, origin=tls)
    cookie, *flags = answer.headers["set-cookie"].split("; ")
    assert cookie.startswith("__Host-pagehand_session=")
    assert {"Path=/", "Secure", "HttpOnly", "SameSite=Strict"} <= set(flags)
    assert not any(flag.startswith("Domain") for flag in flags)
    assert (await api.post("/executions/list", cookie=cookie, origin=tls)).status_code == 200
    # a neighbour of the host can set a cookie of the other name, which counts for nothing here
    neighbours = await _sign_in(api, ["*"])
    both = await api.post("/console/session/get", cookie=f"{neighbours}; {cookie}", origin=tls)
    assert both.status_code == 200
    settings = api.services.settings.model_copy(update={"public_url": tls})
    found = [
        session_id_of(api.services.signer, {b"cookie": sent.encode()}, settings)
        for sent in (neighbours, cookie)
    ]
    assert found[0] is None
    assert found[1] is not None


async def test_wrong_key_signs_nobody_in(api: "Api") -> None:
    answer = await api.post("/console/session", {"key": "ph_x_y"})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


async def test_cookie_of_another_kind_of_token_counts_for_nothing(api: "Api") -> None:
    token = api.services.signer.token("file", "org_1", "key_1")
    cookie = {b"cookie": f"pagehand_session={token}".encode()}
    assert session_id_of(api.services.signer, cookie, api.services.settings) is None


@pytest.mark.parametrize("other", ['prefs={"a":1}', "x[y]=1", "a b=1", "flag", "=", "xpagehand_session=old"])
async def test_cookies_of_other_programs_on_the_host_do_not_sign_anybody_out(api: "Api", other: str) -> None:
    cookie = await _sign_in(api, ["*"])
    seen = await api.post("/console/session/get", cookie=f"{other}; {cookie}", origin=OWN)
    assert seen.json()["session"]["organization"] == "one"


async def test_watcher_gets_changes_of_its_own_organization_only() -> None:
    changes = Changes()
    watch = changes.watch("one", 60)
    first = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    changes.publish("two", "execution", "exec_2")
    changes.publish("one", "execution", "exec_1")
    assert await first == [Change("execution", "exec_1")]
    await watch.aclose()


async def test_watcher_that_lags_behind_reads_everything_anew() -> None:
    changes = Changes()
    watch = changes.watch("one", 60)
    first = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    for number in range(300):
        changes.publish("one", "execution", f"exec_{number}")
    assert await first == [EVERYTHING]
    changes.publish("one", "execution", "exec_301")
    assert await anext(watch) == [Change("execution", "exec_301")]
    await watch.aclose()


async def test_burst_of_changes_of_one_thing_is_one_change() -> None:
    changes = Changes()
    watch = changes.watch("one", 60)
    first = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    for _ in range(50):
        changes.publish("one", "execution", "exec_1")
    changes.publish("one", "execution", "exec_2")
    assert await first == [Change("execution", "exec_1"), Change("execution", "exec_2")]
    await watch.aclose()


async def test_watcher_gets_nothing_where_nothing_happens() -> None:
    changes = Changes()
    watch = changes.watch("one", 0.01)
    assert await anext(watch) == []
    heard = asyncio.ensure_future(anext(watch))
    changes.publish("one", "execution", "exec_1")
    assert await heard == [Change("execution", "exec_1")]
    await watch.aclose()
    assert not changes.is_watched


async def test_change_over_the_api_reaches_those_who_watch(api: "Api") -> None:
    owner = await api.services.stores.organizations.ensure("default")
    watch = api.services.changes.watch(owner.id, 60)
    heard = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    await api.create_workflow()
    assert [item.noun for item in await heard] == ["workflow"]
    await watch.aclose()


async def test_starting_an_execution_is_not_a_change_of_its_workflow(api: "Api") -> None:
    made = await api.create_workflow()
    watch = api.services.changes.watch(await api.organization_id(), 60)
    heard = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    await api.post("/workflows/executeSync", {"workflowId": made["id"]})
    assert [item.noun for item in await heard] == ["execution"]
    await watch.aclose()


async def _open_stream(api: "Api") -> AsyncGenerator[bytes]:
    """What a tab of the default organization receives."""
    http_request = HttpRequest("/console/events", {}, {}, b"", "req_1")
    caller = Caller(await api.organization_id())
    usage = api.services.limits.of(caller)
    answer = await events.handler(Call(api.services, caller, EmptyRequest(), http_request, usage))
    assert isinstance(answer, StreamingResponse)
    assert answer.headers["x-accel-buffering"] == "no"
    return cast("AsyncGenerator[bytes]", answer.body_iterator)


async def test_stream_sends_a_line_for_each_change_of_its_organization(api: "Api") -> None:
    stream, owner = await _open_stream(api), await api.organization_id()
    assert await anext(stream) == b"retry: 2000\n\n"
    coming = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    api.services.changes.publish("org_other", "execution", "exec_theirs")
    api.services.changes.publish(owner, "execution", "exec_1")
    api.services.changes.publish(owner, "attention")
    assert await coming == (
        b'data: {"noun":"execution","id":"exec_1"}\n\ndata: {"noun":"attention","id":""}\n\n'
    )
    await stream.aclose()
    # a tab that was closed is watched for by nobody
    assert not api.services.changes.is_watched


async def test_quiet_stream_sends_a_comment_so_that_proxies_keep_it(
    api: "Api", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagehand.api.console.session._KEEP_ALIVE_SECONDS", 0.01)
    stream = await _open_stream(api)
    await anext(stream)
    assert await anext(stream) == b": still here\n\n"
    await stream.aclose()


async def _sign_in(api: "Api", scopes: list[str]) -> str:
    return await _cookie(api, await api.create_key("one", scopes))


async def _cookie(api: "Api", key: str) -> str:
    answer = await api.post("/console/session", {"key": key})
    return answer.headers["set-cookie"].split(";")[0]


async def test_an_address_without_a_page_is_a_page_that_says_so_and_json_for_others(api: "Api") -> None:
    page = await api.client.get("/Workflows/", headers={"accept": "text/html"})
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    other = await api.client.get("/workflow/list", headers={"accept": "*/*"})
    assert other.status_code == 404
    assert "did you mean `/workflows/list`?" in other.json()["error"]
