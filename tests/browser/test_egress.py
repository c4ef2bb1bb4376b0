"""A hostile page in real Chromium behind the egress proxy: it reaches what is open and nothing else."""

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from playwright.async_api import Browser, ProxySettings
from playwright.async_api import Error as PlaywrightError

from pagehand.browser import LaunchOptions, LocalProvider, ProxyAddress
from pagehand.browser.provider import show_credentials
from pagehand.egress.policy import EgressPolicy
from pagehand.egress.proxy.server import READY_URL, EgressProxy, ProxyAccess
from pagehand.settings import Settings
from support.waiting import until

pytestmark = pytest.mark.anyio

SETTLE_SECONDS = 3

WAYS_OUT = """
const S = 'SENTINEL', at = (way) => `http://${S}/${way}`;
const make = (tag, attributes) => Object.assign(document.createElement(tag), attributes);
const add = (tag, attributes) => document.body.appendChild(make(tag, attributes));
const link = (rel, way, more) => document.head.appendChild(make('link', {rel, href: at(way), ...more}));
fetch(at('fetch'), {mode: 'no-cors'}).catch(() => {});
fetch('/redirect?to=' + encodeURIComponent(at('redirect')), {mode: 'no-cors'}).catch(() => {});
const xhr = new XMLHttpRequest(); xhr.open('GET', at('xhr')); xhr.send();
navigator.sendBeacon(at('beacon'), 'x');
add('img', {src: at('img')});
add('img', {src: '/redirect?to=' + encodeURIComponent(at('img-redirect'))});
add('iframe', {src: at('iframe')});
add('script', {src: at('script')});
add('video', {src: at('video'), preload: 'auto'});
add('object', {data: at('object')});
add('embed', {src: at('embed')});
link('stylesheet', 'stylesheet');
link('prefetch', 'prefetch');
link('preload', 'preload', {as: 'image'});
link('modulepreload', 'modulepreload');
link('icon', 'icon');
link('preconnect', 'preconnect');
link('dns-prefetch', 'dns-prefetch');
link('manifest', 'manifest');
add('style', {textContent: `@import url(${at('css-import')}); p {font-family: f}
  @font-face {font-family: f; src: url(${at('font')})}`});
add('p', {textContent: 'text in the font', style: `background: url(${at('background')})`});
new WebSocket(`ws://${S}/websocket`);
new EventSource(at('eventsource'));
new Worker(URL.createObjectURL(new Blob([`fetch('${at('worker')}', {mode: 'no-cors'}).catch(() => {});
  new WebSocket('ws://${S}/worker-websocket'); importScripts('${at('worker-import')}')`])));
new SharedWorker('/shared.js');
navigator.serviceWorker.register('/service.js');
window.open(at('popup'));
const form = add('form', {action: at('form'), method: 'POST', target: 'sink'});
add('iframe', {name: 'sink'}); form.submit();
const a = add('a', {href: '#', ping: at('ping')}); a.click();
const rules = JSON.stringify({prefetch: [{urls: [at('speculation')]}]});
add('script', {type: 'speculationrules', textContent: rules});
try { new WebTransport(`https://${S}/webtransport`).ready.catch(() => {}); } catch {}
const rtc = new RTCPeerConnection({iceServers: [{urls: `stun:${S}`},
  {urls: `turn:${S}?transport=tcp`, username: 'u', credential: 'p'}]});
rtc.createDataChannel('x'); rtc.createOffer().then((offer) => rtc.setLocalDescription(offer));
"""

EXPECTED = {
    *(
        "fetch",
        "redirect",
        "xhr",
        "beacon",
        "img",
        "img-redirect",
        "iframe",
        "script",
        "video",
        "object",
        "embed",
    ),
    *("stylesheet", "prefetch", "preload", "modulepreload", "css-import", "font", "background"),
    *("websocket", "eventsource", "worker", "worker-websocket", "worker-import", "shared", "service"),
    *("popup", "form", "ping"),
}
"""What must arrive once it is open; headless Chromium fetches no icons and does not speculate here."""


class Reports(list[tuple[str, int, str]]):
    """What the proxy called back with."""

    def add(self, host: str, port: int, why: str) -> None:
        self.append((host, port, why))


class Web(asyncio.DatagramProtocol):
    """A web server that remembers the paths asked for, and counts connections and datagrams."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.connections = 0
        self.datagrams = 0
        self.pages: dict[str, tuple[str, str]] = {}
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            writer.write(self._answer(head.split(" ")[1]).encode())
            await writer.drain()
        writer.close()

    def _answer(self, target: str) -> str:
        path, _, query = target.partition("?")
        self.paths.append(path.strip("/"))
        if path == "/redirect":
            where = query.removeprefix("to=").replace("%3A", ":").replace("%2F", "/")
            return (
                f"HTTP/1.1 302 Found\r\nLocation: {where}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
        mime_type, body = self.pages.get(path, ("text/plain", "ok"))
        return (
            f"HTTP/1.1 200 OK\r\nContent-Type: {mime_type}\r\nContent-Length: {len(body)}\r\n"
            f"Access-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n{body}"
        )

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:  # noqa: ARG002 - asyncio's signature
        self.datagrams += 1


async def _start_web() -> tuple[Web, asyncio.Server, asyncio.DatagramTransport]:
    web = Web()
    server = await asyncio.start_server(web.serve, "127.0.0.1", 0)
    web.port = server.sockets[0].getsockname()[1]
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: web, local_addr=("127.0.0.1", web.port)
    )
    return web, server, transport


@pytest.fixture
async def sentinel() -> AsyncIterator[Web]:
    web, server, transport = await _start_web()
    yield web
    server.close()
    transport.close()


@pytest.fixture
async def site(sentinel: Web) -> AsyncIterator[Web]:
    """The site whose page is hostile to the sentinel."""
    web, server, transport = await _start_web()
    script = WAYS_OUT.replace("SENTINEL", f"127.0.0.1:{sentinel.port}")
    target = f"http://127.0.0.1:{sentinel.port}"
    web.pages = {
        "/": ("text/html", f"<!doctype html><body><script>{script}</script>"),
        "/shared.js": ("text/javascript", f"fetch('{target}/shared', {{mode: 'no-cors'}})"),
        "/service.js": ("text/javascript", f"fetch('{target}/service', {{mode: 'no-cors'}})"),
    }
    yield web
    server.close()
    transport.close()


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    provider = LocalProvider(Settings(browser_install=False))
    yield (await provider.launch(LaunchOptions())).browser
    await provider.close()


async def _visit(
    browser: Browser, access: ProxyAccess, url: str, way: str, settle_seconds: float = SETTLE_SECONDS
) -> tuple[int | None, str]:
    """Open `url` in a context of its own behind the proxy and let the page do its worst."""
    settings = ProxySettings(server=access.server, bypass="<-loopback>")
    if way == "playwright":
        settings.update(username=access.username, password=access.password)
    context = await browser.new_context(proxy=settings)
    page = await context.new_page()
    if way == "signed in":
        address = ProxyAddress(access.server, access.username, access.password, READY_URL)
        await show_credentials(context, page, address)
    try:
        response = await page.goto(url)
        status, trouble = response.status if response else None, ""
    except PlaywrightError as error:
        status, trouble = None, error.message
    await asyncio.sleep(settle_seconds)
    await context.close()
    return status, trouble


@asynccontextmanager
async def _proxy(allow: str) -> AsyncGenerator[tuple[ProxyAccess, Reports]]:
    proxy, reports = EgressProxy(EgressPolicy(allow)), Reports()
    try:
        yield proxy.admit(reports.add, reports.add), reports
    finally:
        await proxy.close()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["signed in", "playwright"])
async def test_a_hostile_page_reaches_nothing_that_is_closed(
    browser: Browser, site: Web, sentinel: Web, way: str
) -> None:
    async with _proxy(f"127.0.0.1:{site.port}") as (access, reports):
        assert (await _visit(browser, access, f"http://127.0.0.1:{site.port}/", way))[0] == 200
    assert (sentinel.connections, sentinel.datagrams, sentinel.paths) == (0, 0, [])
    assert set(reports) == {("127.0.0.1", sentinel.port, "is not a public address")}


@pytest.mark.slow
@pytest.mark.parametrize("way", ["signed in", "playwright"])
async def test_everything_works_once_it_is_open(browser: Browser, site: Web, sentinel: Web, way: str) -> None:
    async with _proxy("127.0.0.1:*") as (access, _):
        assert (await _visit(browser, access, f"http://127.0.0.1:{site.port}/", way))[0] == 200
    assert set(sentinel.paths) >= EXPECTED
    assert sentinel.datagrams == 0


async def test_without_the_proxy_the_same_page_reaches_everything(
    browser: Browser, site: Web, sentinel: Web
) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(f"http://127.0.0.1:{site.port}/")
    await until(lambda: set(sentinel.paths) >= EXPECTED)
    await context.close()


async def test_a_refused_document_is_403_and_an_unreachable_one_502(browser: Browser, sentinel: Web) -> None:
    gone = _unused_port()
    async with _proxy(f"127.0.0.1:{gone}") as (access, reports):
        assert await _visit(browser, access, f"http://127.0.0.1:{sentinel.port}/", "signed in", 0) == (
            403,
            "",
        )
        assert await _visit(browser, access, f"http://127.0.0.1:{gone}/", "signed in", 0) == (502, "")
    assert reports[0] == ("127.0.0.1", sentinel.port, "is not a public address")
    assert reports[-1] == ("127.0.0.1", gone, "connection refused")
    assert sentinel.connections == 0


async def test_over_https_only_the_callbacks_tell_refused_from_unreachable(
    browser: Browser, sentinel: Web
) -> None:
    gone = _unused_port()
    async with _proxy(f"127.0.0.1:{gone}") as (access, reports):
        for port in (sentinel.port, gone):
            _, trouble = await _visit(browser, access, f"https://127.0.0.1:{port}/", "signed in", 0)
            assert "ERR_TUNNEL_CONNECTION_FAILED" in trouble
    assert reports[0] == ("127.0.0.1", sentinel.port, "is not a public address")
    assert reports[-1] == ("127.0.0.1", gone, "connection refused")


@pytest.mark.slow
async def test_a_browser_without_the_credential_gets_nowhere(browser: Browser, site: Web) -> None:
    async with _proxy("127.0.0.1:*") as (access, _):
        assert (await _visit(browser, access, f"http://127.0.0.1:{site.port}/", "nothing"))[0] == 407
    assert site.connections == 0


def _unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]
