"""Answers requests from a recording, as a proxy on loopback that is every host at once."""

import asyncio
import base64
import datetime as dt
import hashlib
import ssl
import tempfile
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit

import h11
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pagehand.recordings.network import OnlyRecorded, RecordedNetwork, UnsentMail
from pagehand.recordings.recording import Exchange, port_of, without_credentials

_HTTPS_PORT: Final = 443


class Answers:
    """Answers in the order in which they were recorded; the last of an address is repeated."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._by_url: dict[tuple[str, str], list[Exchange]] = defaultdict(list)
        self._by_path: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self._schemes: dict[int, str] = {}
        for exchange in exchanges:
            url = without_credentials(exchange.url)
            self._by_url[exchange.method, url].append(exchange)
            self._schemes.setdefault(port_of(url), urlsplit(url).scheme)
            # a dict, which keeps the order: there may be thousands of one path
            self._by_path[exchange.method, _without_query(url)][url] = None
        self.missing: list[str] = []
        """What was asked for and was not recorded, as `GET https://…`."""

    def take(self, method: str, url: str) -> Exchange | None:
        """The next answer to this request; None when it was never recorded."""
        url = without_credentials(url.partition("#")[0])
        known = self._by_url.get((method, url)) or self._alike(method, url)
        if known is None:
            if method == "HEAD":
                return self.take("GET", url)
            self.miss(f"{method} {url}")
            return None
        return known.pop(0) if len(known) > 1 else known[0]

    def miss(self, asked: str) -> None:
        """Note something without an answer, once."""
        if asked not in self.missing:
            self.missing.append(asked)

    def scheme(self, port: int) -> str:
        """Whether hosts speak HTTP or HTTPS at this port."""
        return self._schemes.get(port, "https" if port == _HTTPS_PORT else "http")

    def _alike(self, method: str, url: str) -> list[Exchange] | None:
        """Those of the one recorded address that differs in its query only: a time or a random number."""
        urls = [*self._by_path.get((method, _without_query(url)), ())]
        return self._by_url[method, urls[0]] if len(urls) == 1 and urlsplit(url).query else None


def _without_query(url: str) -> str:
    return url.partition("?")[0]


_CHUNK_BYTES: Final = 65_536
_MAX_HEAD_BYTES: Final = 1_000_000
_NOT_RECORDED: Final = b"This request is not part of the recording."
# the body is stored decompressed and whole; a connection's own headers were of another connection
_NOT_REPEATED: Final = frozenset(
    (
        *("connection", "content-encoding", "content-length", "keep-alive", "strict-transport-security"),
        *("transfer-encoding", "upgrade", "alt-svc"),
    )
)


class Playback:
    """The recording that is served; another one may follow."""

    def __init__(self) -> None:
        self.load((), {})

    def load(self, exchanges: Iterable[Exchange], bodies: Mapping[str, bytes]) -> None:
        """Serve this recording from now on, from its beginning."""
        self.answers = Answers(exchanges)
        self.bodies = bodies


@asynccontextmanager
async def recorded_network(playback: Playback) -> AsyncGenerator[RecordedNetwork]:
    """Serve what `playback` holds as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="pagehand-replay-") as folder:
        identity = _Identity(Path(folder))
        server = _Server(playback, identity)
        async with await asyncio.start_server(server.serve, "127.0.0.1", 0, limit=_MAX_HEAD_BYTES) as serving:
            port = serving.sockets[0].getsockname()[1]
            flag = f"--ignore-certificate-errors-spki-list={identity.fingerprint}"
            yield RecordedNetwork(
                f"http://127.0.0.1:{port}", (flag,), identity.authority, OnlyRecorded(), UnsentMail()
            )
            await server.stop()


class _Identity:
    """One key for all hosts, with a certificate for each that is asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        public = self._key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.fingerprint = base64.b64encode(hashlib.sha256(public).digest()).decode()
        self.authority = folder / "authority.pem"
        self._issuer = self._sign("Recording", None)
        self.authority.write_bytes(self._issuer.public_bytes(serialization.Encoding.PEM))
        self._contexts: dict[str, ssl.SSLContext] = {}

    def context(self) -> ssl.SSLContext:
        """TLS with the certificate of the host that the client names."""
        context = self._context_of("localhost")
        context.sni_callback = self._choose
        return context

    def _choose(self, connection: ssl.SSLObject | ssl.SSLSocket, host: str | None, _: ssl.SSLContext) -> None:
        if host:
            connection.context = self._context_of(host)

    def _context_of(self, host: str) -> ssl.SSLContext:
        if host not in self._contexts:
            chain = self._folder / f"{len(self._contexts)}.pem"
            key = self._key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            certificate = self._sign(host, self._issuer)
            chain.write_bytes(key + certificate.public_bytes(serialization.Encoding.PEM))
            context = self._contexts[host] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(chain)
        return self._contexts[host]

    def _sign(self, name: str, issuer: x509.Certificate | None) -> x509.Certificate:
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
        today = dt.datetime.now(dt.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer.subject if issuer else subject)
            .public_key(self._key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(today - dt.timedelta(days=1))
            .not_valid_after(today + dt.timedelta(days=7))
            .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([_general_name(name)]), critical=False)
        )
        return builder.sign(self._key, hashes.SHA256())


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


class _Server:
    """Speaks HTTP inside the tunnels that the egress proxy opens, encrypted or not."""

    def __init__(self, playback: Playback, identity: _Identity) -> None:
        self._playback = playback
        self._identity = identity
        self._connections: set[asyncio.Task[Any]] = set()

    async def stop(self) -> None:
        """End open connections: a browser keeps them until it closes."""
        for task in self._connections:
            task.cancel()
        if self._connections:
            await asyncio.wait(self._connections)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from its CONNECT to its end."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a server calls it in a task
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            head = await reader.readuntil(b"\r\n\r\n")
            target = head.split(b" ", 2)[1].decode("ascii")
            port = int(target.rpartition(":")[2])
            scheme = self._playback.answers.scheme(port)
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            if scheme == "https":
                await writer.start_tls(self._identity.context())
            await _Conversation(reader, writer, self, scheme).hold()
        writer.close()

    def miss(self, asked: str) -> None:
        """Note something that no recording answers."""
        self._playback.answers.miss(asked)

    def answer(self, method: str, url: str) -> tuple[Exchange, bytes] | None:
        """The recorded answer and its body."""
        found = self._playback.answers.take(method, url)
        return None if found is None else (found, self._playback.bodies.get(found.body, b""))


class _Conversation:
    """Requests and answers on one connection."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        server: _Server,
        scheme: str,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._server = server
        self._scheme = scheme
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_MAX_HEAD_BYTES)

    async def hold(self) -> None:
        """Answer until one side closes."""
        # of the client, or of a recording with an answer that is none
        with suppress(h11.ProtocolError):
            while True:
                event = await self._next()
                if isinstance(event, h11.Request):
                    await self._answer(event)
                elif not isinstance(event, h11.Data | h11.EndOfMessage):
                    return
                if self._http.our_state is h11.MUST_CLOSE:
                    return
                if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
                    self._http.start_next_cycle()

    async def _next(self) -> Any:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._reader.read(_CHUNK_BYTES))
        return event

    async def _answer(self, request: h11.Request) -> None:
        while not isinstance(await self._next(), h11.EndOfMessage):
            pass
        url = self._url(request)
        method = request.method.decode("ascii")
        if (b"upgrade", b"websocket") in request.headers:
            self._server.miss(f"WebSocket {url} (recordings have no WebSockets)")
            found = None
        else:
            found = self._server.answer(method, url)
        status, headers, body = 404, [("content-type", "text/plain")], _NOT_RECORDED
        if found is not None:
            exchange, body = found
            status = exchange.status
            headers = [(name, value) for name, value in exchange.headers if _is_repeated(name)]
        headers.append(("content-length", str(len(body))))
        self._send(h11.Response(status_code=status, headers=headers))
        if method != "HEAD" and body:
            self._send(h11.Data(data=body))
        self._send(h11.EndOfMessage())
        await self._writer.drain()

    def _url(self, request: h11.Request) -> str:
        hosts = [value.decode("latin-1") for name, value in request.headers if name == b"host"]
        return f"{self._scheme}://{hosts[0] if hosts else ''}{request.target.decode('latin-1')}"

    def _send(self, event: Any) -> None:
        self._writer.write(cast("bytes", self._http.send(event)))


def _is_repeated(name: str) -> bool:
    return name.lower() not in _NOT_REPEATED and not name.startswith(":")
