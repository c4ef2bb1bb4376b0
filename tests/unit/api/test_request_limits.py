"""Shares of the process: one caller cannot take what the others need."""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest
from httpx2 import Response

from pagehand.api.request_limits import RequestLimits, RequestUsage
from pagehand.api.resources.runs import execute_sync
from pagehand.errors import TooMany, Unavailable
from support.waiting import until

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio
CONNECTIONS = 100


@pytest.fixture
def limits() -> RequestLimits:
    return RequestLimits(CONNECTIONS, memory_bytes=1000, upload_bytes=1000)


def long_answers(limits: RequestLimits, organization: str, key: str = "") -> list[RequestUsage]:
    """As many as the caller gets."""
    opened: list[RequestUsage] = []
    while True:
        usage = RequestUsage(limits, organization, key)
        try:
            usage.begin()
            usage.begin_long()
        except (TooMany, Unavailable):
            usage.end()
            return opened
        opened.append(usage)


def test_long_answers_leave_room_for_other_keys_organizations_and_short_calls(limits: RequestLimits) -> None:
    assert len(long_answers(limits, "org_1", "key_1")) == 25
    assert len(long_answers(limits, "org_1", "key_2")) == 25
    assert long_answers(limits, "org_1", "key_3") == []  # half of them for one organization
    assert len(long_answers(limits, "org_2")) == 35
    for organization, key in (("org_1", "key_1"), ("org_2", ""), ("org_3", "key_9")):
        RequestUsage(limits, organization, key).begin()


def test_strangers_have_a_small_share(limits: RequestLimits) -> None:
    assert len(long_answers(limits, "")) == CONNECTIONS // 10
    with pytest.raises(Unavailable):
        RequestUsage(limits, "").begin_long()


def test_what_has_ended_makes_room_and_leaves_nothing(limits: RequestLimits) -> None:
    for _ in range(2):
        opened = long_answers(limits, "org_1", "key_1")
        assert len(opened) == 25
        for usage in opened:
            usage.take_memory(10)
            usage.end()
            usage.end()  # a second time changes nothing
    assert len(long_answers(limits, "org_1", "key_1")) == 25
    with pytest.raises(TooMany) as refused:
        RequestUsage(limits, "org_1", "key_1").begin_long()
    assert refused.value.retry_after_seconds > 0


async def test_an_organization_gets_half_of_the_memory(limits: RequestLimits) -> None:
    usage, other = RequestUsage(limits, "org_1"), RequestUsage(limits, "org_2")
    usage.take_memory(300)
    with pytest.raises(Unavailable):
        RequestUsage(limits, "org_1").take_memory(300)
    other.take_memory(500)
    usage.release_memory()
    RequestUsage(limits, "org_1").take_memory(400)


def test_a_request_that_takes_its_bytes_in_parts_may_be_larger_than_a_share(limits: RequestLimits) -> None:
    large, other = RequestUsage(limits, "org_1"), RequestUsage(limits, "org_1")
    large.take_memory(300)
    large.take_memory(900)
    with pytest.raises(Unavailable):
        other.take_memory(1)
    large.end()
    other.take_memory(1)


async def test_what_is_larger_than_a_share_gets_it_alone(limits: RequestLimits) -> None:
    large = RequestUsage(limits, "org_1")
    large.take_memory(5000)
    with pytest.raises(Unavailable):
        RequestUsage(limits, "org_2").take_memory(1)
    large.end()
    RequestUsage(limits, "org_2").take_memory(1)


async def test_a_body_waits_for_room(limits: RequestLimits) -> None:
    first, second = RequestUsage(limits, "org_1"), RequestUsage(limits, "org_1")
    first.take_memory(400)
    waiting = asyncio.ensure_future(second.wait_for_memory(400))
    await asyncio.sleep(0)
    assert not waiting.done()
    first.end()
    await waiting


async def test_a_body_that_finds_no_room_is_refused(
    limits: RequestLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagehand.api.request_limits._WAIT_SECONDS", 0.05)
    RequestUsage(limits, "org_1").take_memory(400)
    with pytest.raises(Unavailable, match="try again"):
        await RequestUsage(limits, "org_1").wait_for_memory(400)


def refused(answer: Response, status: int) -> None:
    assert answer.status_code == status, answer.text
    assert int(answer.headers["retry-after"]) > 0


async def test_requests_beyond_the_share_are_refused_with_a_time_to_come_back(api: "Api") -> None:
    organization = await api.organization_id()
    opened = long_answers(api.services.limits, organization)
    workflow = await api.create_workflow()  # a short call still works
    refused(await api.post("/workflows/executeSync", {"workflowId": workflow["id"]}), 429)
    listed = await api.post("/executions/list")
    assert listed.json()["total"] == 0  # nothing was started
    opened.pop().end()
    assert (await api.post("/workflows/executeSync", {"workflowId": workflow["id"]})).status_code == 200


async def upload(api: "Api", **headers: str) -> str:
    """The URL of a new file."""
    sent = await api.post("/files/upload", {"name": "a", "contentBase64": "aGVsbG8="}, **headers)
    return sent.json()["file"]["downloadUrl"]


async def test_downloads_beyond_the_share_are_refused_before_anything_is_looked_up(
    api: "Api", monkeypatch: pytest.MonkeyPatch
) -> None:
    url = await upload(api)
    long_answers(api.services.limits, await api.organization_id())
    for store, name in ((api.services.stores.files, "get"), (api.services.stores.batches, "get")):
        monkeypatch.setattr(store, name, None)
    refused(await api.client.get(url), 429)
    for path in ("/batches/results", "/batches/resultsZip", "/executions/evidence"):
        refused(await api.post(path, {"id": "none"}), 429)


class SlowFiles:
    """Counts the downloads that are being started, or whose first piece is being read."""

    def __init__(self, api: "Api", monkeypatch: pytest.MonkeyPatch, step: str) -> None:
        self.gate = asyncio.Event()
        self.under_way = 0
        files = api.services.files
        self._size, self._open = files.size, files.open
        monkeypatch.setattr(files, step, {"size": self.size, "open": self.open}[step])

    async def size(self, key: str) -> int:
        await self._wait()
        return await self._size(key)

    async def open(self, key: str) -> AsyncIterator[bytes]:
        await self._wait()
        async for chunk in self._open(key):
            yield chunk

    async def _wait(self) -> None:
        self.under_way += 1
        await self.gate.wait()


@pytest.mark.parametrize("step", ["size", "open"])
async def test_an_organization_s_downloads_take_turns(
    api: "Api", monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    own, other = await upload(api), await upload(api, x_api_key=await api.create_key("other"))
    files = SlowFiles(api, monkeypatch, step)
    downloads = [asyncio.ensure_future(api.client.get(own)) for _ in range(40)]
    await until(lambda: files.under_way >= 8)
    downloads.append(asyncio.ensure_future(api.client.get(other)))
    await until(lambda: files.under_way == 9)  # not behind the 40
    assert (await api.post("/executions/list")).status_code == 200
    assert files.under_way == 9
    files.gate.set()
    assert {answer.content for answer in await asyncio.gather(*downloads)} == {b"hello"}
    assert files.under_way == 41


async def test_every_operation_gives_back_what_it_took(api: "Api") -> None:
    workflow = await api.create_workflow()
    body = {"workflowId": workflow["id"], "params": {"text": "x" * 300_000}}
    assert (await api.post(execute_sync.path, body)).status_code == 200
    refused_one = await api.send(execute_sync.path, b"[" * 100_000)
    assert refused_one.status_code == 400
    uploaded = await api.client.post("/files/upload", files={"file": ("a.txt", b"x" * 100_000)})
    url = uploaded.json()["file"]["downloadUrl"]
    assert len((await api.client.get(url)).content) == 100_000
    limits = api.services.limits
    for counted in (limits.requests, limits.long_answers, limits.memory, limits.uploads):
        kept: dict[str, Any] = vars(counted)
        assert (kept["_taken"], kept["_taken_by"]) == (0, {})
