"""Access that ends while it is used: answers that take long, slow requests and links end with it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import update
from starlette.types import Message

from pagehand.api.auth import Access, CallerAuthenticator
from pagehand.clock import now_ms
from pagehand.errors import NotAuthenticated, Unavailable
from pagehand.records import Execution, Status
from pagehand.storage.execution_list import ExecutionFilter
from pagehand.storage.tables import api_keys
from support.waiting import until

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio
OWN = "http://127.0.0.1:8700"


@pytest.fixture(autouse=True)
def quick_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask again at once; this has to hold before the API is put together."""
    monkeypatch.setattr("pagehand.api.auth._CACHE_SECONDS", 0)
    monkeypatch.setattr("pagehand.api.auth.CHECK_SECONDS", 0.02)


class Request:
    """A request whose body comes in pieces, and whose answer is seen while it is sent."""

    def __init__(self, api: "Api", method: str, path: str, headers: dict[str, str]) -> None:
        encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
        self.scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "method": method,
            "path": path,
            "query_string": b"",
            "headers": [
                (b"host", b"127.0.0.1:8700"),
                (b"content-type", b"application/json"),
                (b"transfer-encoding", b"chunked"),
                *encoded,
            ],
            "server": ("127.0.0.1", 8700),
            "client": ("127.0.0.1", 1),
        }
        self.pieces: asyncio.Queue[Message] = asyncio.Queue()
        self.sent: list[Message] = []
        self.has_sent = asyncio.Event()
        self.answering = asyncio.ensure_future(api.app(self.scope, self.pieces.get, self._send))

    async def _send(self, message: Message) -> None:
        self.sent.append(message)
        if message.get("body"):
            self.has_sent.set()

    def put(self, piece: bytes, *, is_last: bool = True) -> "Request":
        self.pieces.put_nowait({"type": "http.request", "body": piece, "more_body": not is_last})
        return self

    async def end(self) -> int:
        """Wait until nothing more is sent; the status."""
        async with asyncio.timeout(20):
            await self.answering
        return self.sent[0]["status"]

    @property
    def is_complete(self) -> bool:
        last = self.sent[-1]
        return last["type"] == "http.response.body" and not last.get("more_body", False)


async def revoke(api: "Api", key_id: str, _cookie: str) -> None:
    """By another process."""
    owner = await api.services.stores.organizations.ensure("one")
    assert await api.services.stores.keys.revoke(owner.id, key_id, now_ms())


async def lower_scopes(api: "Api", key_id: str, _cookie: str) -> None:
    changed = update(api_keys).where(api_keys.c.id == key_id).values(scopes=["metrics"])
    await api.services.stores.keys._database.execute(changed)  # pyright: ignore[reportPrivateUsage] - nothing of ours does it yet


async def sign_out(api: "Api", _key_id: str, cookie: str) -> None:
    assert (await api.post("/console/session/end", cookie=cookie, origin=OWN)).status_code == 200


End = Callable[["Api", str, str], Awaitable[None]]


async def make_key(api: "Api", scopes: list[str] | None = None) -> tuple[str, str]:
    """A key's id and text."""
    text = await api.create_key("one", scopes)
    return f"key_{text.split('_')[1]}", text


async def sign_in(api: "Api", text: str) -> str:
    answer = await api.post("/console/session", {"key": text})
    return answer.headers["set-cookie"].split(";")[0]


@pytest.mark.parametrize("end", [revoke, lower_scopes, sign_out])
async def test_stream_of_a_session_ends_with_its_access(api: "Api", end: End) -> None:
    key_id, text = await make_key(api)
    cookie = await sign_in(api, text)
    stream = Request(api, "GET", "/console/events", {"cookie": cookie}).put(b"")
    await stream.has_sent.wait()
    await end(api, key_id, cookie)
    assert await stream.end() == 200
    assert not stream.is_complete
    assert not api.services.changes.is_watched


async def test_stream_of_a_revoked_key_ends(api: "Api") -> None:
    key_id, text = await make_key(api)
    stream = Request(api, "GET", "/console/events", {"x-api-key": text}).put(b"")
    await stream.has_sent.wait()
    await revoke(api, key_id, "")
    await stream.end()
    assert not stream.is_complete


async def test_stream_of_another_session_of_the_key_stays(api: "Api") -> None:
    _, text = await make_key(api)
    cookie, other = await sign_in(api, text), await sign_in(api, text)
    stream = Request(api, "GET", "/console/events", {"cookie": other}).put(b"")
    await stream.has_sent.wait()
    await sign_out(api, "", cookie)
    assert not (await asyncio.wait([stream.answering], timeout=0.3))[0]
    stream.pieces.put_nowait({"type": "http.disconnect"})
    await stream.end()


@pytest.mark.parametrize("quiet_seconds", [60, 0.05], ids=["silent", "white space"])
async def test_wait_for_an_execution_ends_with_the_key_and_the_execution_goes_on(api: "Api") -> None:
    key_id, text = await make_key(api)
    blocks = [{"type": "Wait", "data": {"durationMs": 60_000}, "blockReferenceId": "nap"}]
    made = await api.post("/workflows/create", {"name": "slow", "blocks": blocks}, x_api_key=text)
    body = b'{"workflowId":"%s"}' % made.json()["workflow"]["id"].encode()
    waiting = Request(api, "POST", "/workflows/executeSync", {"x-api-key": text}).put(body)
    owner = await api.services.stores.organizations.ensure("one")

    async def running() -> Execution | None:
        page = await api.services.stores.executions.list(owner.id, ExecutionFilter())
        return page.items[0] if page.items else None

    await until(running)
    await revoke(api, key_id, "")
    status = await waiting.end()
    assert status == 401 or not waiting.is_complete
    execution = await running()
    assert execution is not None
    assert execution.status is not Status.FAILED
    other = (await make_key(api))[1]
    assert (await api.post("/executions/cancel", {"id": execution.id}, x_api_key=other)).status_code == 200


async def test_request_whose_body_comes_after_the_revocation_changes_nothing(api: "Api") -> None:
    key_id, text = await make_key(api)
    slow = Request(api, "POST", "/workflows/create", {"x-api-key": text}).put(b'{"name":', is_last=False)
    await asyncio.sleep(0.05)
    await revoke(api, key_id, "")
    # whenever the request was let in: a check is due now
    await asyncio.sleep(0.05)
    slow.put(b'"late"}')
    assert await slow.end() == 401
    other = await api.post("/workflows/list", x_api_key=(await make_key(api))[1])
    assert other.json()["workflows"] == []


async def test_link_to_a_file_ends_with_the_key_it_was_given_to(api: "Api") -> None:
    key_id, text = await make_key(api)
    file = (
        await api.post("/files/upload", {"name": "a.txt", "contentBase64": "aGVsbG8="}, x_api_key=text)
    ).json()["file"]
    info = await api.services.stores.files.get(file["key"].split("/")[0], file["id"])
    assert info is not None
    of_the_service = api.services.signer.url("file", info.organization_id, info.id)
    assert (await api.client.get(file["downloadUrl"])).content == b"hello"
    await revoke(api, key_id, "")
    assert (await api.client.get(file["downloadUrl"])).status_code == 401
    assert (await api.client.get(of_the_service)).content == b"hello"


@pytest.mark.parametrize("end", [revoke, sign_out])
async def test_cached_answer_has_no_link_of_another_caller(api: "Api", end: End) -> None:
    key_id, text = await make_key(api)
    owner = await api.services.stores.organizations.ensure("one")
    execution = await api.add_running(organization_id=owner.id, live_view_url="http://worker/live?t=x")
    cookie = await sign_in(api, text)
    seen = await api.post("/executions/get", {"id": execution.id}, cookie=cookie, origin=OWN)
    link = seen.json()["execution"]["liveViewUrl"]
    assert (await api.client.get(link)).status_code == 200
    await end(api, key_id, cookie)
    assert (await api.client.get(link)).status_code == 401


async def endless() -> AsyncGenerator[bytes]:
    while True:
        await asyncio.sleep(0)
        yield b"x"


async def test_download_in_progress_ends_with_its_access(api: "Api") -> None:
    key_id, _ = await make_key(api)
    chunks = Access(api.services.authenticator, key_id, "read").guard(endless())
    await anext(chunks)
    await revoke(api, key_id, "")

    async def read_on() -> None:
        async with asyncio.timeout(20):
            async for _ in chunks:
                pass

    with pytest.raises(NotAuthenticated):
        await read_on()


async def test_outage_of_the_database_ends_nothing_until_it_lasts(
    api: "Api", monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise Unavailable

    monkeypatch.setattr(CallerAuthenticator, "check_holder", away)
    access = Access(api.services.authenticator, "key_1", "read")
    await access.check()
    monkeypatch.setattr("pagehand.api.auth._OUTAGE_SECONDS", -1)
    with pytest.raises(Unavailable):
        await access.check()
