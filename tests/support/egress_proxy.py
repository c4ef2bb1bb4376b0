"""A browser's connection to the egress proxy over plain sockets, and a web server to reach through it."""

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from pagehand.egress.proxy.server import ProxyAccess

HOST = "Host: any.test\r\n"
"""Every request has one; the proxy writes its own from the address."""


class Reports(list[tuple[str, int, str]]):
    """What the proxy called back with."""

    def add(self, host: str, port: int, why: str) -> None:
        self.append((host, port, why))


class Origin:
    """A small web server that counts: it echoes bodies, greets on connect, and upgrades."""

    def __init__(self) -> None:
        self.connections = 0
        self.heads: list[bytes] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                self.heads.append(head)
                await self._answer(head, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        headers = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if line)
        body = await reader.readexactly(int(headers.get(b"Content-Length", b"0")))
        if b"Upgrade" in headers:
            writer.write(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
            writer.write((await reader.readexactly(4)).upper())
        else:
            body = body or b"hello"
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()


@asynccontextmanager
async def serving(origin: Origin) -> AsyncGenerator[None]:
    """Serve on a free port of loopback, which is `origin.port` from then on."""
    server = await asyncio.start_server(origin.serve, "127.0.0.1", 0)
    origin.port = server.sockets[0].getsockname()[1]
    yield
    server.close()
    await server.wait_closed()


class Client:
    """A connection to the proxy on behalf of a run."""

    def __init__(
        self, access: ProxyAccess, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.reader, self.writer = reader, writer
        token = base64.b64encode(access.credential.encode()).decode()
        self.credential = f"{HOST}Proxy-Authorization: Basic {token}\r\n"

    async def ask(self, request_line: str, headers: str = "", body: bytes = b"") -> tuple[int, str, bytes]:
        self.writer.write(f"{request_line} HTTP/1.1\r\n{self.credential}{headers}\r\n".encode() + body)
        return await self.answer()

    async def answer(self) -> tuple[int, str, bytes]:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
        body = await self.reader.readexactly(int(headers.get("content-length", "0")))
        return int(head.split(" ")[1]), head, body


@asynccontextmanager
async def client(access: ProxyAccess) -> AsyncGenerator[Client]:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(access.server.rpartition(":")[2]))
    try:
        yield Client(access, reader, writer)
    finally:
        writer.close()


def ignore(host: str, port: int, why: str) -> None:
    pass
