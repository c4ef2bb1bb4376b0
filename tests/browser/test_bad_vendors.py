"""Vendors of browsers that answer nonsense: a clear failure in time, nothing stays rented, others go on."""

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from pagehand.browser.provider import LaunchOptions
from pagehand.browser.providers import remote
from pagehand.browser.providers.remote import RemoteProvider
from pagehand.browser.providers.vendors import vendor_api
from pagehand.browser.providers.vendors.browserbase import Browserbase
from pagehand.browser.providers.vendors.cdp import DebuggingPort
from pagehand.browser.providers.vendors.steel import Steel
from pagehand.errors import Unavailable

pytestmark = pytest.mark.anyio

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@asynccontextmanager
async def serving(serve: Serve) -> AsyncGenerator[str]:
    """A server that hands every connection to `serve`; its host and port."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


def answering(*parts: bytes, then: bytes = b"", pause: float = 0.0) -> Serve:
    """Answers with the parts, and then with one part over and over again."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.writelines(parts)
        while then and not writer.is_closing():
            writer.write(then)
            await writer.drain()
            await asyncio.sleep(pause)

    return serve


def sized(body: bytes) -> bytes:
    return OK + b"Content-Length: %d\r\n\r\n" % len(body) + body


BAD_ANSWERS: dict[str, Serve] = {
    "not JSON": answering(sized(b"<html>Sign in</html>")),
    "wrong types": answering(sized(b'{"id": 7, "connectUrl": ["x"], "websocketUrl": {}}')),
    "half a character": answering(sized(rb'{"id": "\ud800", "connectUrl": "\ud800"}')),
    "not UTF-8": answering(sized(b'{"id": "\xff\xfe", "connectUrl": "x"}')),
    "nested deep": answering(sized(b"[" * 100_000)),
    "nothing": answering(),
    "not HTTP": answering(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "cut off": answering(OK + b"Content-Length: 1000\r\n\r\n{"),
    "bad compression": answering(OK + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"),
    "redirect inside": answering(
        b"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
    ),
    "endless": answering(OK + b"\r\n", then=b" " * 65536),
    "slow": answering(OK + b"\r\n", then=b" ", pause=0.05),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
async def test_an_api_that_answers_nonsense_is_unavailable(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vendor_api, "_SECONDS", 3.0)
    async with serving(BAD_ANSWERS[name]) as host:
        provider = RemoteProvider(Browserbase(f"http://{host}", "key", "owner"))
        with pytest.raises(Unavailable, match="Browserbase"):
            await asyncio.wait_for(provider.launch(LaunchOptions()), 30)
        await provider.close()


@pytest.mark.parametrize(
    "address",
    [
        *(
            "ws://127.0.0.1:9222/devtools",
            "wss://localhost/x",
            "ws://[::1]:1/",
            "ws://169.254.169.254/",
            "http://10.0.0.1",
        ),
        *("file:///etc/passwd", "javascript:1", "", "ws://", "ws://a:port/", "ws://[::1", "\0"),
    ],
)
async def test_a_vendor_outside_cannot_point_into_our_network(address: str) -> None:
    ended: list[str] = []

    class Outside(Steel):
        """Steel as it would answer from its own address."""

        async def acquire(self) -> remote.RemoteBrowser:
            return remote.RemoteBrowser("rented", address, vendor_url="https://api.steel.dev")

        async def end(self, vendor_id: str) -> None:
            ended.append(vendor_id)

        async def list_left_behind(self) -> list[str]:
            return []

    provider = RemoteProvider(Outside("https://api.steel.dev", "key", "owner"))
    with pytest.raises(Unavailable, match="address that no browser of it has"):
        await provider.launch(LaunchOptions())
    await provider.close()
    assert ended == ["rented"]


async def test_an_id_of_a_vendor_stays_a_part_of_the_path() -> None:
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.write(sized(b"{}"))

    async with serving(serve) as host:
        vendor = Browserbase(f"http://{host}", "key", "owner")
        await vendor.end("../../admin?delete=all#\0")
        await vendor.close()
    assert asked == [b"POST /v1/sessions/..%2F..%2Fadmin%3Fdelete%3Dall%23%00 HTTP/1.1\r\n"]


def framed(text: bytes, opcode: int = 1) -> bytes:
    """A WebSocket frame."""
    return bytes([0x80 | opcode, 127]) + len(text).to_bytes(8, "big") + text


def speaking(answer: Callable[[dict[str, object]], bytes]) -> Serve:
    """A debugging protocol that answers each command with `answer`'s frames."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        key = next(
            line[19:] for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key:")
        )
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())  # noqa: S324 - RFC 6455
        writer.write(b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
        writer.write(b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
        while True:
            writer.write(answer(await read_command(reader)))

    return serve


async def read_command(reader: asyncio.StreamReader) -> dict[str, object]:
    _, length = await reader.readexactly(2)
    length &= 0x7F
    if length > 125:
        length = int.from_bytes(await reader.readexactly(2 if length == 126 else 8), "big")
    mask, masked = await reader.readexactly(4), await reader.readexactly(length)
    text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(masked))
    return json.loads(text) if text.startswith(b"{") else {"id": 0}


def answer_with(**more: object) -> Callable[[dict[str, object]], bytes]:
    return lambda command: framed(json.dumps({"id": command["id"], **more}).encode())


ODD_EVENT = b'{"method": "Target.attachedToTarget", "params": {"targetInfo": null}, "sessionId": 1}'
BAD_PROTOCOLS: dict[str, Callable[[dict[str, object]], bytes]] = {
    "silence": lambda _: b"",
    "not JSON": lambda _: framed(b"hello"),
    "JSON of another kind": lambda _: framed(b"[1, null]"),
    "null": lambda _: framed(b"null"),
    "bytes": lambda _: framed(b"\xff\xfe\0", opcode=2),
    "empty results": answer_with(result={}),
    "results of another type": answer_with(result=7),
    "errors": answer_with(error={"message": "no"}),
    "answers to nobody": lambda _: framed(b'{"id": 999, "result": {}}'),
    "events of nobody": lambda _: framed(b'{"method": "Target.attachedToTarget", "params": {}}'),
    "odd events": lambda _: framed(ODD_EVENT),
    "not a frame": lambda _: b"\xff" * 100,
    "a huge frame": lambda _: bytes([0x81, 127]) + (1 << 62).to_bytes(8, "big") + b"x" * 1000,
    "the end": lambda _: framed(b"", opcode=8),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD_PROTOCOLS)
async def test_a_browser_that_speaks_nonsense_is_unavailable(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_CONNECT_MS", 4_000)
    async with serving(speaking(BAD_PROTOCOLS[name])) as host:
        provider = RemoteProvider(DebuggingPort(f"ws://{host}/devtools/browser/x"))
        with pytest.raises(Unavailable, match="remote browser cannot be reached"):
            await asyncio.wait_for(provider.launch(LaunchOptions()), 60)
        await asyncio.wait_for(provider.close(), 30)
