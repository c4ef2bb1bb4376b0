"""Proxies on loopback, HTTP and SOCKS5; both require a name and a password."""

import base64
import socket
import socketserver
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import cast

NAME, PASSWORD = "me", "pass word"


@dataclass
class Proxy:
    """A running proxy: its address with the credentials, and where it was asked to connect."""

    url: str
    targets: list[str] = field(default_factory=list[str])
    refused: int = 0


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    proxy: Proxy

    def handle_error(self, request: object, client_address: object) -> None:
        """Callers that hang up are part of the tests."""


class _ConnectionHandler(socketserver.BaseRequestHandler):
    """One connection."""

    @property
    def proxy(self) -> Proxy:
        return cast("_Server", self.server).proxy

    def join(self, host: str, port: int, answer: bytes) -> None:
        """Connect and carry bytes both ways until both ends are done."""
        self.proxy.targets.append(f"{host}:{port}")
        client = cast("socket.socket", self.request)
        with socket.create_connection((host, port), timeout=30) as origin:
            client.sendall(answer)
            back = threading.Thread(target=_pump, args=(origin, client), daemon=True)
            back.start()
            _pump(client, origin)
            back.join(30)

    def read(self, count: int) -> bytes:
        got = b""
        while len(got) < count:
            part = cast("socket.socket", self.request).recv(count - len(got))
            if not part:
                raise ConnectionError
            got += part
        return got

    def send(self, data: bytes) -> None:
        cast("socket.socket", self.request).sendall(data)


class _Connect(_ConnectionHandler):
    """CONNECT of RFC 9110, with Basic credentials."""

    def handle(self) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.read(1)
        token = base64.b64encode(f"{NAME}:{PASSWORD}".encode())
        if b"Proxy-Authorization: Basic " + token + b"\r\n" not in head:
            self.proxy.refused += 1
            self.send(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
            return
        method, target, _ = head.split(b" ", 2)
        assert method == b"CONNECT"
        host, _, port = target.decode().rpartition(":")
        self.join(host, int(port), b"HTTP/1.1 200 Connected\r\n\r\n")


class _Socks(_ConnectionHandler):
    """SOCKS5 of RFC 1928 with the credentials of RFC 1929."""

    def handle(self) -> None:
        methods = self.read(self.read(2)[1])
        if 2 not in methods:
            self.proxy.refused += 1
            self.send(b"\x05\xff")
            return
        self.send(b"\x05\x02")
        name = self.read(self.read(2)[1])
        password = self.read(self.read(1)[0])
        if (name.decode(), password.decode()) != (NAME, PASSWORD):
            self.proxy.refused += 1
            self.send(b"\x01\x01")
            return
        self.send(b"\x01\x00")
        assert self.read(4) == b"\x05\x01\x00\x01"
        host = socket.inet_ntoa(self.read(4))
        self.join(host, int.from_bytes(self.read(2)), b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


@contextmanager
def running_proxy(scheme: str, password: str = "pass%20word") -> Generator[Proxy]:
    """A proxy that serves within; `password` is what its address says, right or wrong."""
    with _Server(("127.0.0.1", 0), _Socks if scheme == "socks5" else _Connect) as server:
        port = server.server_address[1]
        server.proxy = Proxy(f"{scheme}://{NAME}:{password}@127.0.0.1:{port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server.proxy
        finally:
            server.shutdown()
            thread.join(5)
