"""The live view without a browser: who is let in, what is said where nothing can be seen, and its page."""

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from pagehand.api.live_view.links import LIVE_VIEW, LiveViewLinks
from pagehand.api.live_view.messages import TakeControl, read_command
from pagehand.browser_session import KeyInput, MouseInput
from pagehand.records import Status

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

OWN = "http://127.0.0.1:8700"


class Knock:
    """A WebSocket that is asked for, and everything that comes back."""

    def __init__(self, api: "Api") -> None:
        self._api = api

    async def ask(
        self,
        token: str | None,
        *,
        path: str = "/live/socket",
        origin: str | None = OWN,
        host: str = "127.0.0.1:8700",
    ) -> list[dict[str, Any]]:
        offered = ["pagehand.live"] + ([] if token is None else [f"t.{token}"])
        headers = [(b"host", host.encode())] + ([] if origin is None else [(b"origin", origin.encode())])
        scope: dict[str, Any] = {
            "type": "websocket",
            "path": path,
            "scheme": "ws",
            "server": ("127.0.0.1", 8700),
            "query_string": b"",
            "headers": headers,
            "subprotocols": offered,
            "extensions": {"websocket.http.response": {}},
        }
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, str]:
            return {"type": "websocket.connect"}

        async def send(message: Any) -> None:
            sent.append(message)

        async with asyncio.timeout(20):
            await self._api.app(scope, receive, send)
        return sent

    async def status(self, token: str | None, **more: Any) -> int:
        """The HTTP status of a refusal; 101 when it is let in."""
        first = (await self.ask(token, **more))[0]
        return 101 if first["type"] == "websocket.accept" else first["status"]


@pytest.fixture
def knock(api: "Api") -> Knock:
    return Knock(api)


async def link(api: "Api", **fields: Any) -> str:
    """The token of the live view of an execution that nobody runs here."""
    execution = await api.add_running(**fields)
    return LiveViewLinks(api.services.signer)(execution).partition("?t=")[2]


@pytest.mark.parametrize(
    ("origin", "host", "status"),
    [
        (OWN, "127.0.0.1:8700", 101),
        ("https://127.0.0.1:8700", "127.0.0.1:8700", 101),
        ("http://PAGEHAND.example", "pagehand.example", 101),
        (None, "127.0.0.1:8700", 403),
        ("", "127.0.0.1:8700", 403),
        ("null", "127.0.0.1:8700", 403),
        ("http://evil.example", "127.0.0.1:8700", 403),
        ("http://127.0.0.1:8700.evil.example", "127.0.0.1:8700", 403),
        ("file://127.0.0.1:8700", "127.0.0.1:8700", 403),
    ],
)
async def test_only_its_own_page_opens_the_socket(
    api: "Api", knock: Knock, origin: str | None, host: str, status: int
) -> None:
    assert await knock.status(await link(api), origin=origin, host=host) == status


async def test_token_has_to_be_ours_for_a_live_view_and_of_an_execution_that_is_there(
    api: "Api", knock: Knock
) -> None:
    signer, owner = api.services.signer, await api.organization_id()
    made = await api.add_running()
    tokens = {
        "none": (None, 403),
        "nonsense": ("xyz", 403),
        "changed": (signer.token(LIVE_VIEW, owner, made.id)[:-2] + "zz", 403),
        "another kind": (signer.token("file", owner, made.id), 403),
        "another organization": (signer.token(LIVE_VIEW, "org_other", made.id), 404),
        "no execution": (signer.token(LIVE_VIEW, owner, "exec_none"), 404),
        "expired": (signer.token(LIVE_VIEW, owner, made.id, lifetime_seconds=0), 404),
        "right": (signer.token(LIVE_VIEW, owner, made.id), 101),
    }
    seen = {name: await knock.status(token) for name, (token, _) in tokens.items()}
    assert seen == {name: status for name, (_, status) in tokens.items()}


@pytest.mark.parametrize("path", ["/", "/live", "/live/socket/", "/console/events", "/executions/list"])
async def test_no_other_path_has_a_socket(api: "Api", knock: Knock, path: str) -> None:
    assert await knock.status(await link(api), path=path) == 404


@pytest.mark.parametrize(
    ("final", "word", "is_final"),
    [
        (None, "No browser serves", False),
        ({"status": Status.COMPLETED}, "completed", True),
        ({"status": Status.FAILED}, "failed", True),
    ],
)
async def test_watcher_learns_why_there_is_nothing_to_see(
    api: "Api", knock: Knock, final: dict[str, Any] | None, word: str, is_final: bool
) -> None:
    made = await api.add_running()
    token = LiveViewLinks(api.services.signer)(made).partition("?t=")[2]
    if final is not None:
        await api.finish(made, final)
    accepted, message, closed = await knock.ask(token)
    assert accepted["subprotocol"] == "pagehand.live"
    ending = msgspec.json.decode(message["text"])
    assert (ending["type"], ending["isFinal"]) == ("ended", is_final)
    assert word in ending["message"]
    assert closed["type"] == "websocket.close"


async def test_page_is_for_holders_of_a_link_and_lets_nothing_else_in(api: "Api") -> None:
    token = await link(api)
    page = await api.client.get("/live", params={"t": token})
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "ws://127.0.0.1:8700" in policy
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"
    for query in ({}, {"t": ""}, {"t": token[:-3]}, {"t": api.services.signer.token("file", "o", "r")}):
        assert (await api.client.get("/live", params=query)).status_code == 403
    # a host that could end the policy's list of sources is left out of it
    odd = await api.client.get("/live", params={"t": token}, headers={"host": "x;script-src *"})
    assert "*" not in odd.headers.get("content-security-policy", "")


async def test_page_that_was_not_built_says_so(api: "Api", monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: dict[str, bytes] = {}
    monkeypatch.setattr("pagehand.api.console.pages._bundled", nothing.get)
    page = await api.client.get("/live", params={"t": await link(api)})
    assert "have not been built" in page.text
    assert "make console" in page.text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"type":"format the disk"}',
        '{"type":"take","takeover":"yes"}',
        '{"type":"take","more":1}',
        '{"type":"mouse","kind":"move","x":1e9,"y":0}',
        '{"type":"mouse","kind":"move","x":0,"y":NaN}',
        '{"type":"mouse","kind":"lick","x":0,"y":0}',
        '{"type":"mouse","kind":"down","x":0,"y":0,"clicks":4}',
        '{"type":"key","kind":"down","key":"' + "x" * 65 + '","code":"KeyA"}',
        '{"type":"key","kind":"down","key":"a","code":"KeyA","keyCode":256}',
        '{"type":"text","text":""}',
        '{"type":"text","text":"' + "x" * 100_001 + '"}',
        '{"type":"file","name":""}',
        '{"type":"file","name":"' + "x" * 256 + '"}',
        '{"type":"tab","id":"1"}',
    ],
)
def test_what_the_page_never_sends_is_not_understood(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        read_command(text)


def test_what_the_page_sends_is_read_with_its_defaults() -> None:
    assert read_command('{"type":"take"}') == TakeControl(takeover=False)
    moved = read_command('{"type":"mouse","kind":"move","x":-5.5,"y":800}')
    assert isinstance(moved, MouseInput)
    assert (moved.x, moved.button, moved.clicks, moved.delta_y) == (-5.5, "none", 0, 0)
    pressed = read_command('{"type":"key","kind":"down","key":"ä","code":"Quote","isRepeat":true}')
    assert isinstance(pressed, KeyInput)
    assert (pressed.key, pressed.is_repeat, pressed.modifiers) == ("ä", True, 0)
