"""A browser that serves several executions: what one leaves behind, the next must not find."""

import asyncio
from collections.abc import AsyncGenerator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from pagehand.browser import BrowserPool, BrowserSession, LocalProvider
from pagehand.browser import reuse as reuse_module
from pagehand.browser.provider import send
from pagehand.settings import Settings
from support.http_server import HttpReply, HttpRequest, HttpServer
from support.site import Site
from support.waiting import until

from .conftest import CapturedOutput

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

# Each entry leaves something behind, then says whether it is there. A page of the next execution asks only
# the second, and must hear null, false or 0 from each.
PAGE = """<title>Traces</title><input id=field><button>Press</button><script>
const open = () => new Promise((done, failed) => {
  const request = indexedDB.open("kept", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("kept");
  request.onsuccess = () => done(request.result); request.onerror = failed;
});
const traces = {
  cookie: [() => { document.cookie = "kept=1; max-age=9999" }, () => document.cookie],
  localStorage: [() => localStorage.setItem("kept", "1"), () => localStorage.length],
  sessionStorage: [() => sessionStorage.setItem("kept", "1"), () => sessionStorage.length],
  indexedDB: [open, async () => (await indexedDB.databases()).length],
  cacheStorage: [() => caches.open("kept"), async () => (await caches.keys()).length],
  files: [
    async () => (await navigator.storage.getDirectory()).getFileHandle("kept", {create: true}),
    async () => { for await (const name of (await navigator.storage.getDirectory()).keys()) return name },
  ],
  serviceWorker: [
    async () => { await navigator.serviceWorker.register("/worker.js"); await navigator.serviceWorker.ready },
    async () => (await navigator.serviceWorker.getRegistrations()).length,
  ],
  sharedWorker: [
    // done once it answers: a busy machine may start it late
    () => new Promise((done) => {
      const channel = new BroadcastChannel("shared");
      const asking = setInterval(() => channel.postMessage("who"), 20);
      channel.onmessage = () => { clearInterval(asking); channel.close(); done() };
      window.shared = new SharedWorker("/shared.js");
    }),
    () => new Promise((done) => {
      const channel = new BroadcastChannel("shared");
      channel.onmessage = () => done(true); channel.postMessage("who"); setTimeout(() => done(false), 2000);
    }),
  ],
  lock: [
    () => new Promise((done) => navigator.locks.request("kept", () => (done(), new Promise(() => {})))),
    async () => (await navigator.locks.query()).held.length,
  ],
  windowName: [() => { window.name = "kept" }, () => window.name],
  history: [() => history.pushState({}, "", "?kept"), () => history.length - 1 - HISTORY],
  blob: [
    () => { window.blob = URL.createObjectURL(new Blob(["kept"])) },
    (known) => known.blob ? fetch(known.blob).then(() => true, () => false) : !!window.blob,
  ],
  geolocation: [
    () => {},
    async () => (await navigator.permissions.query({name: "geolocation"})).state === "granted",
  ],
  zoom: [() => {}, () => window.devicePixelRatio !== 1],
};
const HISTORY = history.length - 1;
const plant = async () => {
  for (const [put] of Object.values(traces)) await put();
  return {blob: window.blob};
};
const look = async (known) => {
  const found = {};
  for (const [name, [, see]] of Object.entries(traces)) found[name] = await see(known ?? {});
  return found;
};
</script>"""


@pytest.fixture
async def reusing() -> AsyncGenerator[BrowserPool]:
    pool = BrowserPool(LocalProvider(Settings(browser_install=False)), size=0, max_uses=3)
    yield pool
    await pool.close()


async def taken(pool: BrowserPool, captured: CapturedOutput, organization: str = "org") -> BrowserSession:
    return await pool.take(captured.options(organization_id=organization))


async def look(session: BrowserSession, known: Any = None) -> dict[str, Any]:
    return await session.page.evaluate("known => look(known)", known)


async def test_the_next_execution_finds_nothing_of_the_one_before(
    reusing: BrowserPool, captured: CapturedOutput, site: Site
) -> None:
    url = site.page("/", PAGE)
    site.file("/worker.js", b"self.addEventListener('fetch', () => {})", "text/javascript")
    site.file(
        "/shared.js", b"new BroadcastChannel('shared').onmessage = (event) => event.target.postMessage('I')",
        "text/javascript",
    )  # fmt: skip
    first = await taken(reusing, captured)
    await first.context.grant_permissions(["geolocation"])
    await first.goto(url)
    known = await first.page.evaluate("plant()")
    left = await look(first, known)
    assert [name for name, found in left.items() if not found] == ["zoom"]
    await first.end(keep_browser=True)

    second = await taken(reusing, captured)
    await second.goto(url)
    found = await look(second, known)
    assert second.vendor_id == first.vendor_id
    assert {name: value for name, value in found.items() if value} == {}
    await second.end(keep_browser=True)


async def test_the_cache_is_empty(reusing: BrowserPool, captured: CapturedOutput, site: Site) -> None:
    cached = site.file("/cached.js", b"1", "text/javascript", Cache_Control="max-age=9999")
    page = site.page("/", f"<script src={cached}></script>")
    for visits in (2, 1):
        session = await taken(reusing, captured)
        for _ in range(visits):
            await session.goto(page)
        await session.end(keep_browser=True)
    assert site.hits.count("/cached.js") == 2


async def test_the_browser_forgets_passwords_of_http_authentication(
    reusing: BrowserPool, captured: CapturedOutput
) -> None:
    given: list[str | None] = []

    def answer(request: HttpRequest) -> HttpReply:
        given.append(request.headers.get("authorization"))
        if given[-1] is None:
            return HttpReply(b"who are you", 401, headers={"WWW-Authenticate": 'Basic realm="x"'})
        return HttpReply(b"come in")

    with HttpServer(answer) as guarded:
        first = await taken(reusing, captured)
        await first.goto(guarded.url.replace("://", "://ada:secret@"))
        await first.goto(guarded.url)
        assert given[-1] is not None
        await first.end(keep_browser=True)
        second = await taken(reusing, captured)
        await second.goto(guarded.url, allow_error_status=True)
        assert second.vendor_id == first.vendor_id
        assert given[-1] is None
        await second.end(keep_browser=True)


async def test_connections_are_closed(reusing: BrowserPool, captured: CapturedOutput) -> None:
    callers: list[int] = []

    def handle(handler: BaseHTTPRequestHandler) -> None:
        callers.append(handler.client_address[1])
        handler.send_response(200)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    with HttpServer(handle=handle, keeps_alive=True) as site:
        for _ in range(2):
            session = await taken(reusing, captured)
            await session.goto(f"{site.url}/a")
            await session.goto(f"{site.url}/b")
            await session.end(keep_browser=True)
    assert callers[0] == callers[1]  # a connection is kept within an execution
    assert not set(callers[:2]) & set(callers[2:])


async def test_the_clipboard_is_emptied(reusing: BrowserPool, captured: CapturedOutput, site: Site) -> None:
    url = site.page("/", PAGE)
    pasted: list[str] = []
    for text in ("a secret", ""):
        session = await taken(reusing, captured)
        await session.goto(url)
        field = session.page.locator("#field")
        await field.fill(text)
        await field.press("Control+a")
        await field.press("Control+c")
        await field.fill("")
        await field.press("Control+v")
        pasted.append(await field.input_value())
        await session.end(keep_browser=True)
    assert [text.strip() for text in pasted] == ["a secret", ""]


async def test_downloads_are_removed(reusing: BrowserPool, captured: CapturedOutput, site: Site) -> None:
    file = site.file("/a.csv", b"1,2", "text/csv", Content_Disposition="attachment; filename=a.csv")
    session = await taken(reusing, captured)
    await session.goto(site.page("/", f"<a href={file}>Get it</a>"))
    await session.download(lambda: session.page.click("a"), timeout_seconds=20, file_name=None)
    folder = session.provided.downloads
    assert folder is not None
    await session.end(keep_browser=True)
    second = await taken(reusing, captured)
    assert second.provided.downloads == folder
    assert list(folder.iterdir()) == []
    await second.end(keep_browser=True)


async def test_no_other_organization_gets_the_browser(reusing: BrowserPool, captured: CapturedOutput) -> None:
    first = await taken(reusing, captured, "org")
    await first.end(keep_browser=True)
    other = await taken(reusing, captured, "other")
    assert other.vendor_id != first.vendor_id
    await other.end(keep_browser=True)


async def test_a_browser_ends_after_its_last_use(reusing: BrowserPool, captured: CapturedOutput) -> None:
    ids: list[str] = []
    for _ in range(4):
        session = await taken(reusing, captured)
        ids.append(session.vendor_id)
        await session.end(keep_browser=True)
    assert len(set(ids[:3])) == 1
    assert ids[3] != ids[0]


async def test_two_at_once_never_share_a_browser(reusing: BrowserPool, captured: CapturedOutput) -> None:
    await (await taken(reusing, captured)).end(keep_browser=True)
    first, second = await taken(reusing, captured), await taken(reusing, captured)
    assert first.vendor_id != second.vendor_id
    await first.end(keep_browser=True)
    await second.end(keep_browser=True)


@pytest.mark.parametrize("harm", ["crash", "hang", "growth"])
async def test_a_browser_that_was_harmed_is_not_used_again(
    reusing: BrowserPool,
    captured: CapturedOutput,
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
    harm: str,
) -> None:
    session = await taken(reusing, captured)
    await session.goto(site.page("/", "<p>x"))
    if harm == "crash":
        channel = await session.context.new_cdp_session(session.page)
        crash = asyncio.ensure_future(send(channel, "Page.crash"))  # a page that has crashed does not answer
        await session.lost
        crash.cancel()
    elif harm == "hang":
        await session.page.evaluate("setTimeout(() => { for (;;) {} })")
    else:
        monkeypatch.setattr(reuse_module, "_GROWTH", 0.0)
    await session.end(keep_browser=True)
    second = await taken(reusing, captured)
    assert second.vendor_id != session.vendor_id
    await second.end(keep_browser=True)


async def test_a_browser_that_nobody_wants_any_more_ends(
    reusing: BrowserPool, captured: CapturedOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reuse_module, "_KEEP_SECONDS", 0.0)
    session = await taken(reusing, captured)
    await session.end(keep_browser=True)
    await until(lambda: not session.provided.browser.is_connected())
