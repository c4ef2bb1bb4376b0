"""What is asked of each vendor of browsers, and that no answer of theirs is a bug of ours."""

import functools
import json
from collections.abc import Callable
from typing import Any, cast

import httpx2
import pytest

from pagehand.browser.provider import LaunchOptions
from pagehand.browser.providers.remote import RemoteBrowser, RemoteProvider, Vendor
from pagehand.browser.providers.vendors.browserbase import Browserbase
from pagehand.browser.providers.vendors.browserless import Browserless
from pagehand.browser.providers.vendors.cdp import DebuggingPort
from pagehand.browser.providers.vendors.kubernetes import Kubernetes
from pagehand.browser.providers.vendors.selenium_grid import SeleniumGrid
from pagehand.browser.providers.vendors.steel import Steel
from pagehand.errors import Unavailable

pytestmark = pytest.mark.anyio
KEY = "s3cret/key"
OWNER = "install_1"
URL = "http://vendor.example"


class VendorServer:
    """The vendor's side: what was asked, and what to answer by method and path."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, Any]] = []
        self.headers: list[httpx2.Headers] = []
        self.by_route: dict[str, tuple[int, Any]] = {}
        self.otherwise: tuple[int, Any] = (200, {})
        self.trouble: Exception | None = None

    def handle(self, request: httpx2.Request) -> httpx2.Response:
        if self.trouble is not None:
            raise self.trouble
        body = json.loads(request.content) if request.content else None
        self.asked.append((request.method, str(request.url).removeprefix(URL), body))
        self.headers.append(request.headers)
        status, answer = self.by_route.get(f"{request.method} {request.url.path}", self.otherwise)
        if isinstance(answer, bytes):
            return httpx2.Response(status, content=answer)
        return httpx2.Response(status, json=answer)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> VendorServer:
    server = VendorServer()
    transport = httpx2.MockTransport(lambda request: server.handle(request))  # noqa: PLW0108 - tests replace it
    monkeypatch.setattr(httpx2, "AsyncClient", functools.partial(httpx2.AsyncClient, transport=transport))
    return server


async def test_browserbase_sessions_carry_our_name_and_are_released(server: VendorServer) -> None:
    vendor = Browserbase(URL, KEY, OWNER, "proj")
    server.by_route = {"POST /v1/sessions": (200, {"id": "s1", "connectUrl": "wss://x"})}
    assert await vendor.acquire() == RemoteBrowser("s1", "wss://x", vendor_url=URL)
    await vendor.end("s1")
    assert server.asked == [
        ("POST", "/v1/sessions", {"projectId": "proj", "userMetadata": {"pagehand": OWNER}}),
        ("POST", "/v1/sessions/s1", {"projectId": "proj", "status": "REQUEST_RELEASE"}),
    ]
    assert all(headers["X-BB-API-Key"] == KEY for headers in server.headers)
    server.by_route = {"GET /v1/sessions": (200, [{"id": "old"}])}
    assert await vendor.list_left_behind() == ["old"]


async def test_steel_finds_its_own_by_how_their_ids_begin(server: VendorServer) -> None:
    vendor, stranger = Steel(URL, KEY, OWNER), Steel(URL, KEY, "install_2")
    server.by_route = {"POST /v1/sessions": (200, {"id": "echo", "websocketUrl": "wss://x?a=1"})}
    remote = await vendor.acquire()
    assert remote.address == "wss://x?a=1&apiKey=s3cret%2Fkey&sessionId=echo"
    await stranger.acquire()
    ours, theirs = (asked[2]["sessionId"] for asked in server.asked)
    live = {"sessions": [{"id": ours}, {"id": theirs}]}
    server.by_route = {"GET /v1/sessions": (200, live)}
    assert await vendor.list_left_behind() == [ours]
    server.by_route = {"GET /v1/sessions": (200, {})}
    assert await vendor.list_left_behind() == []


@pytest.mark.parametrize(
    ("url", "begins"),
    [
        ("wss://b.example/chromium", "wss://b.example/chromium?token=s3cret%2Fkey&trackingId=browserless_"),
        ("https://b.example", "wss://b.example?token="),
        ("http://b.example:3000", "ws://b.example:3000?token="),
        ("ws://b.example:3000", "ws://b.example:3000?token="),
    ],
)
async def test_browserless_is_connected_to_under_a_name_of_ours(
    server: VendorServer, url: str, begins: str
) -> None:
    vendor = Browserless(url, KEY)
    first, other = await vendor.acquire(), await vendor.acquire()
    assert first.address.startswith(begins)
    assert first.id in first.address
    assert first.id != other.id
    await vendor.end(first.id)
    [(method, asked, _)] = server.asked
    assert method == "GET"
    assert f"/kill/{first.id}?token=s3cret%2Fkey" in asked
    assert await vendor.list_left_behind() == []


async def test_a_debugging_port_is_shared_and_never_ended(server: VendorServer) -> None:
    vendor = DebuggingPort("http://127.0.0.1:9222")
    first, other = await vendor.acquire(), await vendor.acquire()
    assert first.is_shared
    assert first.address == other.address
    assert first.id != other.id
    await vendor.end(first.id)
    assert server.asked == []


async def test_a_grid_gives_the_address_of_the_debugging_protocol(server: VendorServer) -> None:
    vendor = SeleniumGrid(f"{URL}/wd/hub", "user:word", OWNER)
    value = {"sessionId": "g1", "capabilities": {"se:cdp": "ws://grid/g1"}}
    server.by_route = {"POST /wd/hub/session": (200, {"value": value})}
    remote = await vendor.acquire()
    assert (remote.id, remote.address) == ("g1", "ws://grid/g1")
    assert remote.headers == {"Authorization": "Basic dXNlcjp3b3Jk"}
    assert server.asked[0][2]["capabilities"]["alwaysMatch"]["se:name"] == f"pagehand {OWNER}"


async def test_a_grid_session_without_the_protocol_is_ended(server: VendorServer) -> None:
    server.by_route = {"POST /session": (200, {"value": {"sessionId": "g1", "capabilities": {}}})}
    with pytest.raises(Unavailable, match="no `se:cdp`"):
        await SeleniumGrid(URL, "", OWNER).acquire()
    assert server.asked[-1][:2] == ("DELETE", "/session/g1")


async def test_a_grid_knows_its_own_sessions_on_any_node(server: VendorServer) -> None:
    def slot(name: str | None, session: str) -> dict[str, Any]:
        return {"session": {"sessionId": session, "capabilities": {"se:name": name} if name else {}}}

    nodes = [
        {"slots": [slot(f"pagehand {OWNER}", "a"), {"session": None}, {}]},
        {"slots": [slot("pagehand install_2", "b"), slot(None, "c")]},
    ]
    server.by_route = {"GET /status": (200, {"value": {"nodes": nodes}})}
    assert await SeleniumGrid(URL, "", OWNER).list_left_behind() == ["a"]


def pods(server: VendorServer, *states: dict[str, Any]) -> None:
    """A cluster whose pod goes through these states, and whose browser server once it has an address."""
    remaining = list(states)
    plain = server.handle

    def handle(request: httpx2.Request) -> httpx2.Response:
        answered = plain(request)
        if request.method == "GET" and "/pods/" in request.url.path:
            return httpx2.Response(200, json={"status": remaining.pop(0)})
        return answered

    server.handle = handle  # type: ignore[method-assign]


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagehand.browser.providers.vendors.kubernetes._LOOK_SECONDS", 0)


@pytest.mark.usefixtures("quick_looks")
async def test_a_pod_is_used_once_it_has_an_address(server: VendorServer) -> None:
    pods(server, {"phase": "Pending"}, {"phase": "Running", "podIP": "10.0.0.7"})
    remote = await Kubernetes(URL, KEY, OWNER, "browser:1", "space").acquire()
    assert remote.address == "http://10.0.0.7:9222"
    made = server.asked[0][2]
    assert made["metadata"]["labels"]["pagehand/installation"] == "install-1"
    assert made["spec"]["automountServiceAccountToken"] is False


@pytest.mark.usefixtures("quick_looks")
async def test_a_pod_that_ends_at_once_is_deleted(server: VendorServer) -> None:
    pods(server, {"phase": "Failed", "reason": "ImagePullBackOff"})
    with pytest.raises(Unavailable, match="ended at once: ImagePullBackOff"):
        await Kubernetes(URL, KEY, OWNER, "browser:1", "space").acquire()
    assert server.asked[-1][0] == "DELETE"


VENDORS: dict[str, Callable[[], Vendor]] = {
    "browserbase": lambda: Browserbase(URL, KEY, OWNER),
    "steel": lambda: Steel(URL, KEY, OWNER),
    "grid": lambda: SeleniumGrid(URL, "", OWNER),
    "kubernetes": lambda: Kubernetes(URL, KEY, OWNER, "browser:1", "space"),
}
STRANGE: list[tuple[int, Any]] = [
    (200, b"<html>Sign in</html>"),
    (200, b""),
    (200, b"\xff\xfe"),
    (200, None),
    (200, []),
    (200, ["x"]),
    (200, {}),
    (200, "text"),
    (200, {"value": None}),
    (200, {"items": None, "sessions": None}),
    (429, {"message": "no browsers left"}),
    (500, b"oops"),
]


@pytest.mark.parametrize("answer", STRANGE, ids=str)
@pytest.mark.parametrize("make", VENDORS.values(), ids=VENDORS)
async def test_a_strange_answer_is_unavailable_and_no_bug(
    server: VendorServer, make: Callable[[], Vendor], answer: tuple[int, Any]
) -> None:
    server.otherwise = answer
    provider = RemoteProvider(make())
    for _ in range(2):  # the first answer must not stand in the way of every later launch
        with pytest.raises(Unavailable):
            await provider.launch(LaunchOptions())


@pytest.mark.parametrize("make", VENDORS.values(), ids=VENDORS)
async def test_a_vendor_that_is_away_is_unavailable(server: VendorServer, make: Callable[[], Vendor]) -> None:
    server.trouble = httpx2.ConnectError("refused")
    with pytest.raises(Unavailable, match="cannot be reached: refused"):
        await make().acquire()


@pytest.mark.parametrize("make", VENDORS.values(), ids=VENDORS)
async def test_ending_what_is_gone_is_fine_and_a_refusal_is_not(
    server: VendorServer, make: Callable[[], Vendor]
) -> None:
    server.otherwise = (404, {})
    await make().end("x")
    server.otherwise = (403, {"message": "not yours"})
    with pytest.raises(Unavailable, match=r"answered 403: .*not yours"):
        await make().end("x")


class RecordingVendor:
    """A vendor that records which browsers were ended."""

    def __init__(self, *left: str) -> None:
        self.left = list(left)
        self.ended: list[str] = []
        self.asked = 0

    async def acquire(self) -> RemoteBrowser:
        raise Unavailable("No browsers left.")

    async def end(self, vendor_id: str) -> None:
        self.ended.append(vendor_id)
        if vendor_id == "stubborn":
            raise Unavailable("It cannot be ended.")

    async def list_left_behind(self) -> list[str]:
        self.asked += 1
        return self.left

    async def close(self) -> None:
        return None


async def test_what_was_left_behind_is_ended_once_before_the_first_launch() -> None:
    vendor = RecordingVendor("old", "stubborn")
    provider = RemoteProvider(cast("Vendor", vendor))
    for _ in range(3):
        with pytest.raises(Unavailable, match="No browsers left"):
            await provider.launch(LaunchOptions())
    assert (vendor.asked, vendor.ended) == (1, ["old", "stubborn"])
    await provider.close()
