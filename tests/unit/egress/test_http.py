"""The HTTP client: what it reaches, what it refuses, and what it never passes on."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest

from pagehand.egress.http import HttpAnswer, HttpClient
from pagehand.egress.policy import Address, EgressPolicy, EgressRefused
from pagehand.egress.upstream import UpstreamProxy
from pagehand.errors import BlockFailed, PagehandError, SiteDown, TimedOut, Unanswered
from support.certificates import make_certificate, server_side, trusting
from support.webservice import Reply, WebService, json_reply, web_service

pytestmark = pytest.mark.anyio


class ChangingPolicy(EgressPolicy):
    """A policy whose names resolve to something else every time they are looked up."""

    def __init__(self, allow: str, *answers: list[str]) -> None:
        super().__init__(allow)
        self.looked_up = 0
        self._answers = answers

    async def _ask_system(self, host: str, port: int) -> list[Address]:  # noqa: ARG002 - as the policy calls it
        answer = self._answers[min(self.looked_up, len(self._answers) - 1)]
        self.looked_up += 1
        return [ip_address(text) for text in answer]

    def forget(self) -> None:
        """As if the few seconds were over for which a name's addresses are remembered."""
        self._cache.clear()


@pytest.fixture
def service() -> Iterator[WebService]:
    with web_service() as service:
        yield service


@pytest.fixture
def sentinel() -> Iterator[WebService]:
    """What nobody may reach: on loopback, and not opened."""
    with web_service() as sentinel:
        yield sentinel


@pytest.fixture
async def client(service: WebService) -> AsyncIterator[HttpClient]:
    client = HttpClient(EgressPolicy(f"127.0.0.1:{service.port}"))
    yield client
    await client.close()


async def get(client: HttpClient, url: str, **headers: str) -> HttpAnswer:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return await client.send("GET", url, headers=named, timeout_seconds=5)


HOSTILE_FORMS = (
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST.:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://0:{port}/",
    "http://0.0.0.0:{port}/",
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/",
    "http://[64:ff9b::127.0.0.1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://127。0。0。1:{port}/",
    "http://%31%32%37.0.0.1:{port}/",
    "http://user@127.0.0.1:{port}/",
    "http://user:secret@127.0.0.1:{port}/",
    "http://example.com@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@example.com/",
    "http://127.0.0.1:{port}\\@example.com/",
    "http:127.0.0.1:{port}/",
    "http:///127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    " http://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}/\r\nX-Injected: 1",
    "http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: evil",
    "ftp://127.0.0.1:{port}/",
    "file:///etc/passwd",
    "file://127.0.0.1:{port}/etc/passwd",
    "gopher://127.0.0.1:{port}/_GET / HTTP/1.0",
    "ws://127.0.0.1:{port}/",
    "unix:///var/run/docker.sock",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://10.0.0.1:{port}/",
    "http://192.168.0.1:{port}/",
    "",
    "http://",
    "http://[",
    "http://a:99999/",
)


@pytest.mark.parametrize("form", HOSTILE_FORMS)
async def test_no_form_of_an_address_gets_to_what_is_closed(sentinel: WebService, form: str) -> None:
    client = HttpClient(EgressPolicy())
    with pytest.raises(PagehandError):
        await get(client, form.format(port=sentinel.port))
    assert sentinel.requests == []


@pytest.mark.parametrize("status", [302, 308])
@pytest.mark.parametrize("form", HOSTILE_FORMS[:25])
async def test_no_redirect_gets_there_either(
    client: HttpClient, service: WebService, sentinel: WebService, form: str, status: int
) -> None:
    target = form.format(port=sentinel.port)
    service.answers["/go"] = Reply(b"", status, {"Location": target.encode().decode("latin-1")})
    with pytest.raises(PagehandError):
        await get(client, f"{service.url}/go")
    assert sentinel.requests == []


async def test_a_redirect_to_another_scheme_is_refused(client: HttpClient, service: WebService) -> None:
    service.answers["/go"] = Reply(b"", 302, {"Location": "file:///etc/passwd"})
    with pytest.raises(BlockFailed, match="begins with http"):
        await get(client, f"{service.url}/go")


async def test_a_refusal_names_host_and_setting(client: HttpClient, sentinel: WebService) -> None:
    with pytest.raises(EgressRefused, match=r"`127\.0\.0\.1:\d+`.*`PAGEHAND_EGRESS_ALLOW`"):
        await get(client, sentinel.url)


async def test_a_name_that_changes_its_mind_is_judged_anew_each_time(sentinel: WebService) -> None:
    with web_service() as opened:
        policy = ChangingPolicy(f"127.0.0.1:{opened.port}", ["127.0.0.1"], ["127.0.0.2"], ["10.0.0.1"])
        client = HttpClient(policy)
        assert (await get(client, f"http://fickle.example:{opened.port}/")).status == 200
        for _ in range(2):
            policy.forget()
            with pytest.raises(EgressRefused):
                await get(client, f"http://fickle.example:{opened.port}/")
        assert len(opened.requests) == 1
        assert sentinel.requests == []


async def test_the_checked_address_is_dialled_and_the_name_is_looked_up_once(service: WebService) -> None:
    policy = ChangingPolicy(f"127.0.0.1:{service.port}", ["10.0.0.1", "127.0.0.1"], ["10.0.0.1"])
    answer = await get(HttpClient(policy), f"http://two.example:{service.port}/")
    assert answer.status == 200
    assert policy.looked_up == 1
    assert service.requests[0].headers["host"] == f"two.example:{service.port}"


async def test_what_is_meant_for_one_origin_stays_there_on_a_redirect() -> None:
    with web_service() as first, web_service() as second:
        client = HttpClient(EgressPolicy("127.0.0.1:*"))
        first.answers["/go"] = Reply(b"", 307, {"Location": f"{second.url}/there"})
        secret = {"Authorization": "Bearer s", "Cookie": "id=s", "X_Api_Key": "s", "Accept": "text/plain"}
        await get(client, f"{first.url}/go", **secret)
        assert {"authorization", "cookie", "x-api-key"} <= first.requests[0].headers.keys()
        assert not {"authorization", "cookie", "x-api-key"} & second.requests[0].headers.keys()
        assert second.requests[0].headers["accept"] == "text/plain"


async def test_a_redirect_within_the_origin_keeps_headers_and_cookies_set_on_the_way(
    client: HttpClient, service: WebService
) -> None:
    service.answers["/go"] = Reply(b"", 302, {"Location": "/there", "Set-Cookie": "step=1; Path=/"})
    await get(client, f"{service.url}/go", Authorization="Bearer s")
    assert service.requests[1].headers["authorization"] == "Bearer s"
    assert service.requests[1].headers["cookie"] == "step=1"


@pytest.mark.parametrize(
    ("method", "status", "then"),
    [
        *(("POST", 301, "GET"), ("POST", 302, "GET"), ("POST", 303, "GET"), ("PUT", 303, "GET")),
        *(("POST", 307, "POST"), ("POST", 308, "POST"), ("PUT", 302, "PUT"), ("HEAD", 303, "HEAD")),
    ],
)
async def test_method_and_body_follow_a_redirect_as_in_a_browser(
    client: HttpClient, service: WebService, method: str, status: int, then: str
) -> None:
    service.answers["/go"] = Reply(b"", status, {"Location": "/there"})
    await client.send(method, f"{service.url}/go", body=b"body", timeout_seconds=5)
    assert service.requests[1].method == then
    assert service.requests[1].body == (b"" if then == "GET" else b"body")


async def test_endless_redirects_end(client: HttpClient, service: WebService) -> None:
    service.answers["/go"] = Reply(b"", 302, {"Location": "/go"})
    with pytest.raises(BlockFailed, match="redirected more than 10 times"):
        await get(client, f"{service.url}/go")
    assert len(service.requests) == 11


async def test_tls_names_the_host_though_an_address_is_dialled(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path, "named.example")
    with web_service(server_side(certificate)) as service:
        policy = ChangingPolicy(f"127.0.0.1:{service.port}", ["127.0.0.1"])
        client = HttpClient(policy, tls=trusting(certificate))
        assert (await get(client, f"https://named.example:{service.port}/")).status == 200
        with pytest.raises(BlockFailed, match=r"certificate of `other\.example:\d+` is not trusted"):
            await get(client, f"https://other.example:{service.port}/")


async def test_a_certificate_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    with web_service(server_side(make_certificate(tmp_path, "127.0.0.1"))) as service:
        client = HttpClient(EgressPolicy("127.0.0.1:*"))
        with pytest.raises(BlockFailed, match="is not trusted: self-signed certificate"):
            await get(client, service.url)


class FakeUpstream:
    """A proxy of the operator's: opens tunnels and remembers to where."""

    def __init__(self) -> None:
        self.port = 0
        self.heads: list[str] = []
        self.answer = b"HTTP/1.1 200 OK\r\n\r\n"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        writer.write(self.answer)
        if b" 200 " not in self.answer:
            writer.close()
            return
        host, _, port = head.split(" ")[1].rpartition(":")
        there, back = await asyncio.open_connection(host, int(port))
        await asyncio.gather(_pipe(reader, back), _pipe(there, writer))


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
    finally:
        writer.close()


@pytest.fixture
async def upstream() -> AsyncIterator[FakeUpstream]:
    proxy = FakeUpstream()
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    yield proxy
    server.close()


async def test_the_upstream_proxy_is_given_the_checked_address(
    upstream: FakeUpstream, service: WebService, tmp_path: Path
) -> None:
    policy = ChangingPolicy(f"127.0.0.1:{service.port}", ["127.0.0.1"])
    client = HttpClient(policy, UpstreamProxy.parse(f"http://me:secret@127.0.0.1:{upstream.port}"))
    assert (await get(client, f"http://named.example:{service.port}/")).status == 200
    assert upstream.heads[0].startswith(f"CONNECT 127.0.0.1:{service.port} HTTP/1.1\r\n")
    assert "Proxy-Authorization: Basic bWU6c2VjcmV0" in upstream.heads[0]
    assert "proxy-authorization" not in service.requests[0].headers
    certificate = make_certificate(tmp_path, "named.example")
    with web_service(server_side(certificate)) as private:
        policy = ChangingPolicy(f"127.0.0.1:{private.port}", ["127.0.0.1"])
        client = HttpClient(
            policy, UpstreamProxy.parse(f"http://127.0.0.1:{upstream.port}"), trusting(certificate)
        )
        assert (await get(client, f"https://named.example:{private.port}/")).status == 200


async def test_the_policy_is_asked_before_the_upstream_proxy(
    upstream: FakeUpstream, sentinel: WebService
) -> None:
    client = HttpClient(EgressPolicy(), UpstreamProxy.parse(f"http://127.0.0.1:{upstream.port}"))
    with pytest.raises(EgressRefused):
        await get(client, sentinel.url)
    assert upstream.heads == []


async def test_what_the_upstream_proxy_says_is_the_reason(
    upstream: FakeUpstream, service: WebService
) -> None:
    upstream.answer = b"HTTP/1.1 407 Who are you\r\n\r\n"
    client = HttpClient(EgressPolicy("127.0.0.1:*"), UpstreamProxy.parse(f"http://127.0.0.1:{upstream.port}"))
    with pytest.raises(SiteDown, match="upstream proxy: 407 Who are you"):
        await get(client, service.url)


async def test_packed_answers_are_unpacked(client: HttpClient, service: WebService) -> None:
    service.answers["/"] = Reply(gzip.compress(b"hello"), headers={"Content-Encoding": "gzip"})
    assert (await get(client, service.url)).body == b"hello"


@pytest.mark.slow
async def test_an_answer_that_unpacks_to_too_much_is_cut_off(client: HttpClient, service: WebService) -> None:
    bomb = gzip.compress(b"\0" * 200_000_000, 9)
    service.answers["/"] = Reply(bomb, headers={"Content-Encoding": "gzip"})
    with pytest.raises(BlockFailed, match="is larger than 1 MB"):
        await client.send("GET", service.url, timeout_seconds=10, max_bytes=1024 * 1024)


async def test_a_wrong_content_encoding_is_reported(client: HttpClient, service: WebService) -> None:
    service.answers["/"] = Reply(b"not gzip", headers={"Content-Encoding": "gzip"})
    with pytest.raises(BlockFailed, match="does not have the content encoding it declares"):
        await get(client, service.url)


async def test_a_connection_lost_before_the_answer_is_distinguished_from_one_never_made(
    client: HttpClient, service: WebService
) -> None:
    service.answers["/"] = Reply(drops=True)
    with pytest.raises(Unanswered):
        await get(client, service.url)
    with pytest.raises(SiteDown) as never:
        await get(HttpClient(EgressPolicy("127.0.0.1:1")), "http://127.0.0.1:1/")
    assert not isinstance(never.value, Unanswered)


async def test_an_answer_cut_short_is_not_an_answer(client: HttpClient, service: WebService) -> None:
    service.answers["/"] = Reply(b"short", headers={"Content-Length": "100"})
    with pytest.raises(Unanswered):
        await get(client, service.url)


async def test_time_runs_out(client: HttpClient, service: WebService) -> None:
    service.answers["/"] = Reply(delay=5)
    with pytest.raises(TimedOut, match=r"did not answer within 0\.2 s"):
        await client.send("GET", service.url, timeout_seconds=0.2)


async def test_one_call_leaves_nothing_for_the_next(client: HttpClient, service: WebService) -> None:
    service.answers["/set"] = json_reply("ok", Set_Cookie="id=1; Path=/")
    await get(client, f"{service.url}/set")
    await get(client, f"{service.url}/next")
    assert "cookie" not in service.requests[1].headers


async def test_body_that_nobody_wants_is_not_waited_for() -> None:
    ended = asyncio.Event()

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while not writer.is_closing() and not reader.at_eof():
            writer.write(b"1\r\nx\r\n")
            await asyncio.wait([asyncio.ensure_future(reader.read(1))], timeout=0.01)
        ended.set()
        writer.close()

    async with await asyncio.start_server(drip, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        client = HttpClient(EgressPolicy(f"127.0.0.1:{port}"))
        answer = await client.send("POST", f"http://127.0.0.1:{port}/", timeout_seconds=20, max_bytes=0)
        assert (answer.status, answer.body) == (200, b"")
        async with asyncio.timeout(20):
            await ended.wait()  # the connection is closed, not kept
        await client.close()
