"""The proxy's reading of made-up byte streams against that of h11: where they differ, the proxy refuses."""

import random

import h11
import pytest

from pagehand.egress.policy import EgressPolicy
from pagehand.egress.proxy.connection import AdmittedRun, BrowserConnection
from pagehand.egress.proxy.origin import OriginConnection, OriginConnector, PairedConnection
from pagehand.egress.proxy.request import LONGEST_HEAD, ProxyRequest

pytestmark = pytest.mark.anyio

COUNTS = [
    pytest.param(5_000, 1, id="some"),
    pytest.param(40_000, 299281768, id="many", marks=pytest.mark.slow),
]
Message = tuple[bytes, bytes, bool]
"""Method, body, and whether all of it was read."""


@pytest.mark.parametrize(("count", "seed"), COUNTS)
async def test_what_is_relayed_is_what_h11_reads(count: int, seed: int) -> None:
    accepted = 0
    for number in range(count):
        chance = random.Random(f"{seed} {number}")  # noqa: S311 - no secret
        stream = requests(chance)
        relay, cut = Relay(), chance.randrange(len(stream) + 1)
        relay.data_received(stream[:cut])
        relay.data_received(stream[cut:])
        theirs = read_requests(stream)
        where = f"seed {seed}, stream {number}: {stream!r}\nrelayed {relay.sent!r}\nh11 read {theirs}"
        accepted += len(relay.messages)
        # the same requests as h11 reads, up to the one that the proxy refuses or waits for
        assert starts_like(relay.messages, theirs), where
        # and the origin that reads what is relayed sees no other ones
        relayed = [message for message in relay.messages if message[0] != b"CONNECT"]
        assert relayed == read_requests(relay.sent), where
    assert accepted > count / 4


@pytest.mark.parametrize(("count", "seed"), COUNTS)
async def test_only_what_h11_reads_as_101_becomes_a_tunnel(count: int, seed: int) -> None:
    agreed = 0
    for number in range(count):
        stream = responses(random.Random(f"{seed} {number}"))  # noqa: S311 - no secret
        answers: list[bool] = []
        origin = OriginConnection()
        origin.watch_for_upgrade(answers.append)
        origin.data_received(stream)
        agreed += answers == [True]
        assert answers != [True] or has_switched(stream), f"seed {seed}, stream {number}: {stream!r}"
    assert agreed > count / 20


class Relay(BrowserConnection):
    """The proxy's end of a connection, with an origin that only keeps what it is sent."""

    def __init__(self) -> None:
        run = AdmittedRun(_ignore, _ignore, OriginConnector(EgressPolicy(""), None))
        super().__init__({"x:y": run}.get, set())
        self._kept = Kept()
        self.pair_with(self._kept)
        self._requests: list[ProxyRequest] = []
        self._starts: list[int] = []
        self._is_refused = False

    @property
    def sent(self) -> bytes:
        return bytes(self._kept.sent)

    @property
    def messages(self) -> list[Message]:
        parts = zip(self._requests, self._starts, [*self._starts[1:], len(self.sent)], strict=False)
        read = [(request.method, _body(self.sent[start:end]), True) for request, start, end in parts]
        return [*read[:-1], (*read[-1][:2], self._body is None)] if read else []

    @property
    def is_closing(self) -> bool:
        return self._is_refused

    def close(self) -> None:
        self._is_refused = True

    def _admit_request(self, head: bytes) -> None:
        super()._admit_request(head + b"\r\nProxy-Authorization: Basic eDp5")

    def _handle(self, request: ProxyRequest, run: AdmittedRun) -> None:  # noqa: ARG002 - as in the base class
        self._requests.append(request)
        self._starts.append(len(self.sent))
        if request.is_connect:
            self.close()  # what follows belongs to the tunnel
        else:
            self._start_request(request)


class Kept(PairedConnection):
    """A connection that keeps what it is told to send."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = bytearray()

    def write(self, data: bytes) -> None:
        self.sent += data


def _ignore(host: str, port: int, reason: str) -> None: ...


def _body(sent: bytes) -> bytes:
    """What h11 reads as the body of what was relayed for a request; nothing is for CONNECT."""
    read = read_requests(sent)
    return read[0][1] if read else b""


def starts_like(ours: list[Message], theirs: list[Message]) -> bool:
    """Whether theirs begins with ours, of which the last may be incomplete."""
    if len(ours) > len(theirs):
        return False
    for number, (method, body, is_complete) in enumerate(ours):
        other_method, other_body, other_complete = theirs[number]
        if method != other_method or (is_complete and not other_complete):
            return False
        if body != other_body if is_complete else not other_body.startswith(body):
            return False
    return True


def read_requests(stream: bytes) -> list[Message]:
    """The requests that h11 reads, each with a new connection; the last may be incomplete."""
    found: list[Message] = []
    while stream:
        server = h11.Connection(h11.SERVER, LONGEST_HEAD)
        server.receive_data(stream)
        try:
            request = server.next_event()
        except h11.RemoteProtocolError:
            break
        if not isinstance(request, h11.Request):
            break
        body, is_complete = _read_body(server)
        found.append((request.method, body, is_complete))
        if not is_complete or request.method == b"CONNECT":
            break
        stream = server.trailing_data[0]
    return found


def _read_body(connection: h11.Connection) -> tuple[bytes, bool]:
    body = b""
    try:
        while isinstance(event := connection.next_event(), h11.Data):
            body += event.data
    except h11.RemoteProtocolError:
        return body, False
    return body, isinstance(event, h11.EndOfMessage)


def has_switched(stream: bytes) -> bool:
    """Whether h11 reads the first final response as one that switches protocols."""
    browser = h11.Connection(h11.CLIENT)
    browser.send(h11.Request(method="GET", target="/", headers=[("Host", "a"), ("Upgrade", "x")]))
    browser.send(h11.EndOfMessage())
    browser.receive_data(stream)
    try:
        while isinstance(event := browser.next_event(), h11.InformationalResponse):
            if event.status_code == 101:
                return True
    except h11.RemoteProtocolError:
        pass
    return False


def _choices(text: str, usual: str = "", times: int = 0) -> list[bytes]:
    """What stands between bars, and `times` as often the usual."""
    return [choice.encode("latin-1") for choice in [*[usual] * times, *text.split("|")]]


ENDS = _choices("\n|\r|\r\r\n| \r\n|\x00\r\n|\r\n |\x0b\r\n|", "\r\n", 300)
TARGETS = _choices(
    "http://a.test:8080/p?q=1|HTTP://a.test/|http://u:p@a.test/|http://a.test|http://[::1]/|*|/|a.test:443|"
    "https://a.test/|http://a.test/\xe9|http://a.test/ x|http:///|",
    "http://a.test/",
    80,
)
METHODS = _choices("GET|PUT|HEAD|OPTIONS|CONNECT|get|P@ST|PRI|", "POST", 30)
VERSIONS = _choices("HTTP/1.0|HTTP/1.2|HTTP/2.0|http/1.1|HTTP/1.1 |HTTP/01.1", "HTTP/1.1", 100)
NAMES = _choices(
    "Content-Length|content-length|Transfer-Encoding|TRANSFER-ENCODING|Host|Upgrade|"
    "Content-Length | Content-Length|Transfer-Encoding\t|Content_Length|\x00||X"
)
LENGTHS = _choices("0|5|5|11|05|+5|-5|5,5|5, 6|5 5|0x5|5;||999999999999999999999", "5", 20)
CODINGS = _choices(
    "Chunked|identity|gzip, chunked|chunked, chunked|chunked, identity|chunked;q=1||\x0bchunked|chunked\t|"
    "xchunked|'chunked'|chunked\x00|,chunked",
    "chunked",
    20,
)
SIZES = _choices("05|005|b|B|0|0|+5|-1|0x5| 5|5 |5_||" + "f" * 15 + "|" + "f" * 16 + "|1" + "0" * 20, "5", 30)
EXTENSIONS = _choices(';a|;a=b|;a="\r\n"| ;a|;\x00|;a\nb|; |;a;b|,a|;\xff', "", 30)
LAST_CHUNKS = _choices("00||0 |0;x", "0", 12)
TRAILERS = _choices("X: y\r\n|X: y\n|Content-Length: 5\r\n|no colon\r\n| folded\r\n|X : y\r\n", "", 10)
OTHERS = _choices(
    "Expect: 100-continue|Connection: close|Connection: Upgrade|Accept: */*|Cookie: a=b|"
    "Connection: content-length|Upgrade: websocket|Upgrade: h2c|X: \xff|X: \x01|X:y"
)
STATUSES = _choices("100|103|200|1010|+101||099", "101", 5)
REASONS = _choices("| | \xff|\x00", " Switching Protocols", 4)
DAMAGE = _choices("\r|\n|\x00| |0|")


def requests(chance: random.Random) -> bytes:
    """One to three requests of which most parts are right, with bytes damaged in some."""
    stream = b"".join(_request(chance) for _ in range(chance.choice((1, 1, 2, 3))))
    return _damaged(stream, chance)


def _request(chance: random.Random) -> bytes:
    line = b" ".join((chance.choice(METHODS), chance.choice(TARGETS), chance.choice(VERSIONS)))
    lines = [b"Host: a.test"] * chance.choice((1,) * 40 + (0, 2))
    framing = chance.choice(("none", "length", "length", "chunked", "chunked", "several"))
    if framing in {"length", "several"}:
        lines.append(b"Content-Length: " + chance.choice(LENGTHS))
    if framing in {"chunked", "several"}:
        lines.append(b"Transfer-Encoding: " + chance.choice(CODINGS))
    if framing == "several":
        between = chance.choice((b" ", b"", b"\t", b"\r\n "))
        lines.append(chance.choice(NAMES) + b":" + between + chance.choice(LENGTHS + CODINGS))
    lines += [chance.choice(OTHERS) for _ in range(chance.choice((0, 0, 1, 2)))]
    chance.shuffle(lines)
    head = b"".join(each + chance.choice(ENDS) for each in (line, *lines, b""))
    return head + (_chunks(chance) if framing == "chunked" else b"hello" if framing != "none" else b"")


def _chunks(chance: random.Random) -> bytes:
    body = b""
    for _ in range(chance.choice((0, 1, 1, 2))):
        size = chance.choice(SIZES) + chance.choice(EXTENSIONS) + chance.choice(ENDS)
        body += size + b"hello" + chance.choice(ENDS)
    return body + chance.choice(LAST_CHUNKS) + b"\r\n" + chance.choice(TRAILERS) + b"\r\n"


def responses(chance: random.Random) -> bytes:
    """A few responses of which most parts are right, with bytes damaged in some."""
    lines: list[bytes] = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        lines.append(chance.choice(VERSIONS) + b" " + chance.choice(STATUSES) + chance.choice(REASONS))
        lines += [*(chance.choice(OTHERS) for _ in range(chance.choice((0, 1, 2)))), b""]
    return _damaged(b"".join(line + chance.choice(ENDS) for line in lines), chance)


def _damaged(stream: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(stream)
    for _ in range(chance.choice((0, 0, 0, 0, 1, 2))):
        place = chance.randrange(len(damaged) + 1)
        damaged[place : place + chance.choice((0, 0, 1, 3))] = chance.choice(DAMAGE)
    return bytes(damaged)
