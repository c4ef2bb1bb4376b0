"""Answers caught on their way into a tab: redirects are followed, errors named, the last one is read."""

import asyncio
import base64
from collections.abc import Callable
from typing import Any, cast

import pytest
from playwright.async_api import CDPSession

from pagehand.browser.interception import intercept
from pagehand.errors import BlockFailed, SiteDown

pytestmark = pytest.mark.anyio
URL = "https://portal.example/report"


class Channel:
    """A tab's channel that answers the navigation with these events, one per request."""

    def __init__(self, *events: dict[str, Any], body: list[dict[str, Any]] | None = None) -> None:
        self._events = list(events)
        self._body = body or []
        self._paused: Callable[[dict[str, Any]], None] = lambda _: None
        self.commands: list[str] = []

    def on(self, event: str, listener: Callable[[dict[str, Any]], None]) -> None:
        assert event == "Fetch.requestPaused"
        self._paused = listener

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        del params
        self.commands.append(method)
        if method in ("Page.navigate", "Fetch.continueRequest") and self._events:
            self._paused(self._events.pop(0))
        if method == "Page.navigate":
            await asyncio.Event().wait()
        if method == "IO.read":
            return self._body.pop(0)
        return {"stream": "s1"}


def answer(status: int, url: str = URL, **headers: str) -> dict[str, Any]:
    shown = [{"name": name.replace("_", "-"), "value": value} for name, value in headers.items()]
    return {
        "requestId": "r1", "responseStatusCode": status, "responseHeaders": shown, "request": {"url": url},
    }  # fmt: skip


async def test_redirects_are_followed_to_the_answer_that_is_kept() -> None:
    channel = Channel(answer(302, Location="/final"), answer(200, f"{URL}/final", Content_Type="text/csv"))
    async with asyncio.timeout(5), intercept(cast("CDPSession", channel), URL) as found:
        assert (found.status, found.url) == (200, f"{URL}/final")
        assert found.headers == {"content-type": "text/csv"}
    assert channel.commands.count("Fetch.continueRequest") == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_to_nowhere_is_an_answer_and_not_waited_on(status: int) -> None:
    async with asyncio.timeout(5), intercept(cast("CDPSession", Channel(answer(status))), URL) as found:
        assert found.status == status


@pytest.mark.parametrize(
    ("reason", "error", "words"),
    [
        ("ConnectionRefused", SiteDown, "the connection was refused"),
        ("NameNotResolved", SiteDown, "its name could not be resolved"),
        ("TimedOut", SiteDown, "ERR_TIMED_OUT"),
        ("BlockedByClient", BlockFailed, "ERR_BLOCKED_BY_CLIENT"),
    ],
)
async def test_an_error_of_the_network_is_named_as_elsewhere(
    reason: str, error: type[Exception], words: str
) -> None:
    failed = {"requestId": "r1", "responseErrorReason": reason, "request": {"url": URL}}
    with pytest.raises(error, match=words):
        async with asyncio.timeout(5), intercept(cast("CDPSession", Channel(failed)), URL):
            pass


async def test_a_body_is_read_piece_by_piece_whether_text_or_bytes() -> None:
    pieces = [
        {"data": base64.b64encode(b"\x00\x01").decode(), "base64Encoded": True, "eof": False},
        {"data": "größe", "eof": True},
    ]
    channel = Channel(answer(200), body=pieces)
    async with asyncio.timeout(5), intercept(cast("CDPSession", channel), URL) as found:
        assert [piece async for piece in found.read()] == [b"\x00\x01", "größe".encode()]
    assert channel.commands[-1] == "IO.close"
