"""The egress proxy, spoken to over plain sockets: who gets in, what gets out, and how it says no."""

import asyncio
from collections.abc import Awaitable

import pytest

from pagehand.egress.policy import EgressPolicy
from pagehand.egress.proxy import connection as connection_module
from pagehand.egress.proxy.server import READY_URL, EgressProxy
from pagehand.egress.upstream import UpstreamProxy
from pagehand.errors import UserMistake
from support.egress_proxy import HOST, Client, Origin, Reports, client, ignore, serving

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("credential", ["", "Basic cnVuOndyb25n", "Basic %%%", "Bearer x"])
@pytest.mark.parametrize("request_line", ["GET http://127.0.0.1:{port}/", "CONNECT 127.0.0.1:{port}"])
async def test_without_a_runs_credential_the_answer_is_407(
    proxy: EgressProxy, origin: Origin, request_line: str, credential: str
) -> None:
    async with client(proxy.admit(ignore)) as browser:
        own, browser.credential = browser.credential, f"{HOST}Proxy-Authorization: {credential}\r\n"
        status, head, _ = await browser.ask(request_line.format(port=origin.port))
        assert status == 407
        assert 'Proxy-Authenticate: Basic realm="pagehand"' in head
        assert origin.connections == 0
        browser.credential = own
        assert (await browser.ask(request_line.format(port=origin.port)))[0] == 200


async def test_requests_to_one_origin_share_a_connection(proxy: EgressProxy, origin: Origin) -> None:
    async with client(proxy.admit(ignore)) as browser:
        for number in range(5):
            status, _, body = await browser.ask(f"GET http://127.0.0.1:{origin.port}/p?n={number}")
            assert (status, body) == (200, b"hello")
    assert origin.connections == 1
    assert origin.heads[4] == f"GET /p?n=4 HTTP/1.1\r\nHost: 127.0.0.1:{origin.port}\r\n\r\n".encode()


async def test_a_connection_can_turn_to_another_origin(proxy: EgressProxy, origin: Origin) -> None:
    second = Origin()
    async with serving(second), client(proxy.admit(ignore)) as browser:
        for port in (origin.port, second.port, origin.port):
            assert (await browser.ask(f"GET http://127.0.0.1:{port}"))[0] == 200
    assert (origin.connections, second.connections) == (2, 1)


async def test_large_bodies_pass_both_ways(proxy: EgressProxy, origin: Origin) -> None:
    content = bytes(range(256)) * 20_000
    async with client(proxy.admit(ignore)) as browser:
        for _ in range(2):
            status, _, body = await browser.ask(
                f"POST http://127.0.0.1:{origin.port}/", f"Content-Length: {len(content)}\r\n", content
            )
            assert status == 200
            assert body == content


async def test_a_tunnel_carries_large_data_both_ways(proxy: EgressProxy, origin: Origin) -> None:
    content = bytes(range(256)) * 20_000
    async with client(proxy.admit(ignore)) as browser:
        assert (await browser.ask(f"CONNECT 127.0.0.1:{origin.port}"))[0] == 200
        browser.credential = HOST
        for _ in range(3):
            answer = await browser.ask("POST /", f"Content-Length: {len(content)}\r\n", content)
            assert answer[2] == content
    assert origin.connections == 1


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "GET"])
@pytest.mark.parametrize("way", ["request", "tunnel"])
async def test_what_may_have_an_effect_leaves_once_the_run_has_recorded_it(
    proxy: EgressProxy, origin: Origin, method: str, way: str
) -> None:
    access, recorded, asked = proxy.admit(ignore), asyncio.Event(), asyncio.Event()

    async def record() -> None:
        await recorded.wait()

    def before_send() -> Awaitable[None] | None:
        asked.set()
        return None if recorded.is_set() else record()

    proxy.hold(access, before_send)
    url = "/" if way == "tunnel" else f"http://127.0.0.1:{origin.port}/"
    async with client(access) as browser:
        if way == "tunnel":
            assert (await browser.ask(f"CONNECT 127.0.0.1:{origin.port}"))[0] == 200
        sending = asyncio.create_task(browser.ask(f"{method} {url}", "Content-Length: 2\r\n", b"ok"))
        if method == "GET" and way == "request":
            assert (await sending)[0] == 200  # it only reads
            return
        await asked.wait()
        await asyncio.sleep(0.05)
        assert origin.heads == []
        recorded.set()
        assert ((await sending)[0], len(origin.heads)) == (200, 1)


async def test_what_cannot_be_recorded_never_leaves(proxy: EgressProxy, origin: Origin) -> None:
    async def fail() -> None:
        raise UserMistake("not written")

    access = proxy.admit(ignore)
    proxy.hold(access, fail)
    async with client(access) as browser:
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await browser.ask(f"POST http://127.0.0.1:{origin.port}/", "Content-Length: 2\r\n", b"ok")
    assert origin.heads == []


async def test_an_upgrade_turns_the_connection_into_a_tunnel(proxy: EgressProxy, origin: Origin) -> None:
    async with client(proxy.admit(ignore)) as browser:
        status, _, _ = await browser.ask(f"GET http://127.0.0.1:{origin.port}/", "Upgrade: echo\r\n", b"ping")
        assert status == 101
        assert await browser.reader.readexactly(4) == b"PING"


async def test_an_origin_that_sends_first_is_passed_on_and_its_end_is_passed_on(proxy: EgressProxy) -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 welcome\r\n")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with client(proxy.admit(ignore)) as browser:
        assert (await browser.ask(f"CONNECT 127.0.0.1:{server.sockets[0].getsockname()[1]}"))[0] == 200
        assert await browser.reader.read() == b"220 welcome\r\n"
    server.close()


@pytest.mark.parametrize("request_line", ["GET http://{host}:{port}/", "CONNECT {host}:{port}"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433"])
async def test_a_closed_host_is_refused_and_reported(origin: Origin, request_line: str, host: str) -> None:
    proxy, reports = EgressProxy(EgressPolicy()), Reports()
    access = proxy.admit(reports.add)
    async with client(access) as browser:
        status, head, body = await browser.ask(request_line.format(host=host, port=origin.port))
    await proxy.close()
    name = host.strip("[]")
    assert status == 403
    assert f"X-Pagehand-Refused: {name}:{origin.port}" in head
    assert b"`PAGEHAND_EGRESS_ALLOW`" in body
    assert reports == [(name, origin.port, "is not a public address")]
    assert origin.connections == 0


@pytest.mark.parametrize(
    ("host", "cause"), [("127.0.0.1:1", "connection refused"), ("no-such-host.invalid:80", "dns")]
)
async def test_an_origin_out_of_reach_is_502_with_its_cause(
    proxy: EgressProxy, host: str, cause: str
) -> None:
    reports = Reports()
    access = proxy.admit(ignore, reports.add)
    async with client(access) as browser:
        status, head, _ = await browser.ask(f"GET http://{host}/")
    assert status == 502
    assert f"X-Pagehand-Unreachable: {cause}" in head
    assert reports == [(host.partition(":")[0], int(host.partition(":")[2]), cause)]


@pytest.mark.parametrize(
    ("request_line", "headers", "status"),
    [
        ("GET /path", "", 400),
        ("GET https://127.0.0.1/", "", 400),
        ("GET ftp://127.0.0.1/", "", 400),
        ("GET http:///", "", 400),
        ("GET http://127.0.0.1:99999/", "", 400),
        ("CONNECT 127.0.0.1", "", 400),
        ("GARBAGE", "", 400),
        ("GET http://<script>/", "", 400),
        ("POST http://127.0.0.1/", "Content-Length: 1\r\nContent-Length: 2\r\n", 400),
        ("POST http://127.0.0.1/", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", 400),
        ("POST http://127.0.0.1/", "Content-Length: -1\r\n", 400),
        ("GET http://127.0.0.1/", "no colon\r\n", 400),
        ("GET http://127.0.0.1/", "X: " + "y" * 70_000 + "\r\n", 431),
        (f"GET {READY_URL}", "", 204),
    ],
)
async def test_what_no_proxy_can_serve_is_refused_as_such(
    proxy: EgressProxy, request_line: str, headers: str, status: int
) -> None:
    async with client(proxy.admit(ignore)) as browser:
        assert (await browser.ask(request_line, headers))[0] == status


async def test_a_chunked_upload_passes(proxy: EgressProxy) -> None:
    async def collect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received = await reader.readuntil(b"0\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(received) + received)
        writer.close()

    server = await asyncio.start_server(collect, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with client(proxy.admit(ignore)) as browser:
        answer = await browser.ask(f"PUT {url}", "Transfer-Encoding: chunked\r\n", b"3\r\nabc\r\n0\r\n\r\n")
    server.close()
    assert answer[2].endswith(b"\r\n\r\n3\r\nabc\r\n0\r\n\r\n")


async def test_dismissing_a_run_cuts_its_connections_and_no_others(
    proxy: EgressProxy, origin: Origin
) -> None:
    first, second = proxy.admit(ignore), proxy.admit(ignore)
    async with client(first) as gone, client(second) as stays:
        for browser in (gone, stays):
            assert (await browser.ask(f"CONNECT 127.0.0.1:{origin.port}"))[0] == 200
        proxy.dismiss(first)
        assert await _ends(gone)
        stays.credential = HOST
        assert (await stays.ask("GET /"))[0] == 200
    async with client(first) as late:
        assert (await late.ask(f"CONNECT 127.0.0.1:{origin.port}"))[0] == 407


async def _ends(browser: Client) -> bool:
    try:
        return await browser.reader.read() == b""
    except ConnectionResetError:
        return True


async def test_a_connection_serves_one_run_only(proxy: EgressProxy, origin: Origin) -> None:
    first, second = proxy.admit(ignore), proxy.admit(ignore)
    async with client(first) as browser, client(second) as other:
        assert (await browser.ask(f"GET http://127.0.0.1:{origin.port}/"))[0] == 200
        browser.credential = other.credential
        assert (await browser.ask(f"GET http://127.0.0.1:{origin.port}/"))[0] == 407


@pytest.mark.slow
async def test_a_run_that_is_held_to_domains_loses_its_connections_elsewhere_until_they_are_lifted(
    proxy: EgressProxy, origin: Origin
) -> None:
    reports = Reports()
    access = proxy.admit(reports.add)
    address = f"127.0.0.1:{origin.port}"
    async with client(access) as inside, client(proxy.admit(ignore)) as other:
        for browser in (inside, other):
            assert (await browser.ask(f"CONNECT {address}"))[0] == 200
        proxy.limit(access, [address])
        inside.credential = other.credential = HOST
        assert (await inside.ask("GET /"))[0] == 200
        proxy.limit(access, ["shop.example"])
        assert await _ends(inside)
        assert (await other.ask("GET /"))[0] == 200
    async with client(access) as late:
        assert (await late.ask(f"GET http://{address}/"))[0] == 403
    assert [(host, port) for host, port, _ in reports] == [("127.0.0.1", origin.port)]
    proxy.limit(access, None)
    async with client(access) as lifted:
        assert (await lifted.ask(f"GET http://{address}/"))[0] == 200


async def test_a_run_has_only_so_many_connections_and_others_are_not_counted(
    proxy: EgressProxy, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "_MOST_CONNECTIONS", 1)
    access, request = proxy.admit(ignore), f"GET http://127.0.0.1:{origin.port}/"
    async with client(access) as first, client(access) as second, client(proxy.admit(ignore)) as other:
        assert (await first.ask(request))[0] == 200
        assert (await second.ask(request))[0] == 503
        assert (await other.ask(request))[0] == 200
        assert (await first.ask(request))[0] == 200


async def test_many_connections_are_served_at_once(proxy: EgressProxy, origin: Origin) -> None:
    access = proxy.admit(ignore)

    async def visit() -> bytes:
        async with client(access) as browser:
            return (await browser.ask(f"GET http://127.0.0.1:{origin.port}/"))[2]

    assert await asyncio.gather(*(visit() for _ in range(300))) == [b"hello"] * 300


async def test_use_proxy_goes_through_the_upstream_after_the_check(
    proxy: EgressProxy, origin: Origin
) -> None:
    above = proxy.admit(ignore)
    upstream = UpstreamProxy.parse(above.server.replace("://", f"://{above.credential}@"))
    reports = Reports()
    chained = EgressProxy(EgressPolicy(f"127.0.0.1:{origin.port}"))
    async with client(chained.admit(reports.add, upstream=upstream)) as browser:
        assert (await browser.ask(f"GET http://localhost:{origin.port}/"))[2] == b"hello"
    async with client(chained.admit(reports.add, upstream=upstream)) as browser:
        assert (await browser.ask("GET http://127.0.0.1:1/"))[0] == 403
    assert reports == [("127.0.0.1", 1, "is not a public address")]
    proxy.dismiss(above)
    async with client(chained.admit(ignore, upstream=upstream)) as browser:
        status, head, _ = await browser.ask(f"CONNECT 127.0.0.1:{origin.port}")
    await chained.close()
    assert status == 502
    assert "X-Pagehand-Unreachable: upstream proxy: 407 Proxy Authentication Required" in head


@pytest.mark.parametrize(
    "url", ["socks4://host:1080", "host:3128", "http://", "http://user:secret@host:port"]
)
def test_a_malformed_upstream_is_refused_at_start_without_its_password(url: str) -> None:
    with pytest.raises(UserMistake, match="`PAGEHAND_PROXY`") as mistake:
        UpstreamProxy.parse(url)
    assert "secret" not in mistake.value.message


async def test_nothing_listens_before_a_run_is_admitted_nor_after_close(origin: Origin) -> None:
    proxy = EgressProxy(EgressPolicy("127.0.0.1:*"))
    access = proxy.admit(ignore)
    async with client(access) as browser:
        assert (await browser.ask(f"CONNECT 127.0.0.1:{origin.port}"))[0] == 200
        await proxy.close()
        assert await _ends(browser)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", int(access.server.rpartition(":")[2]))


async def test_a_browser_that_does_not_read_holds_the_origin_back(proxy: EgressProxy) -> None:
    size, sent = 64 * 1024 * 1024, 0

    async def pour(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        while sent < size:
            writer.write(bytes(1024 * 1024))
            await writer.drain()
            sent += 1024 * 1024
        writer.close()

    server = await asyncio.start_server(pour, "127.0.0.1", 0)
    async with client(proxy.admit(ignore)) as browser:
        assert (await browser.ask(f"CONNECT 127.0.0.1:{server.sockets[0].getsockname()[1]}"))[0] == 200
        await asyncio.sleep(0.5)
        assert 0 < sent < size / 2
        received = 0
        while part := await browser.reader.read(1024 * 1024):
            received += len(part)
    server.close()
    assert received == size


async def test_a_connection_on_which_nothing_moves_is_closed_in_the_end(
    proxy: EgressProxy, origin: Origin
) -> None:
    async with client(proxy.admit(ignore)) as browser:
        assert (await browser.ask(f"CONNECT 127.0.0.1:{origin.port}"))[0] == 200
        [connection] = proxy._connections  # pyright: ignore[reportPrivateUsage] - time is turned back inside
        connection.close_if_idle()
        browser.credential = HOST
        assert (await browser.ask("GET /"))[0] == 200
        assert connection.peer is not None
        connection.last_active_at -= 1000
        connection.peer.last_active_at -= 1000
        connection.close_if_idle()
        assert await _ends(browser)


async def test_a_run_dismissed_while_its_origin_is_dialled_leaves_nothing_open(
    proxy: EgressProxy, origin: Origin
) -> None:
    access = proxy.admit(ignore)
    async with client(access) as browser:
        assert (await browser.ask(f"GET {READY_URL}"))[0] == 204
        browser.writer.write(f"CONNECT localhost:{origin.port} HTTP/1.1\r\n{browser.credential}\r\n".encode())
        await browser.writer.drain()
        await asyncio.sleep(0)
        proxy.dismiss(access)
        assert await _ends(browser)
    assert not proxy._connections  # pyright: ignore[reportPrivateUsage] - nothing public shows it
