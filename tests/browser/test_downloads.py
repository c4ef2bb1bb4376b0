"""Files: waited for, fetched, unexpected, limited, safely named."""

import pytest

from pagehand.browser import BrowserPool, BrowserSession
from pagehand.errors import BlockFailed, NotPresent, SiteDown, TimedOut
from support.site import Site
from support.waiting import until

from .conftest import CapturedOutput

pytestmark = pytest.mark.anyio

CSV = b"a,b\n1,2\n"


def attach(site: Site, path: str = "/report", name: str = "report.csv", content: bytes = CSV) -> str:
    return site.file(path, content, "text/csv", Content_Disposition=f'attachment; filename="{name}"')


async def test_a_download_begun_by_a_click_is_kept(
    session: BrowserSession, site: Site, captured: CapturedOutput
) -> None:
    attach(site)
    await session.goto(site.page("/", "<a href=/report>Get</a>"))

    async def start() -> None:
        await session.page.click("a")

    info = await session.download(start, timeout_seconds=5, file_name=None)
    assert (info.name, info.mime_type, info.size_bytes) == ("report.csv", "text/csv", len(CSV))
    assert captured.files == {"report.csv": CSV}
    named = await session.download(start, timeout_seconds=5, file_name="../../mine.csv")
    assert named.name == "mine.csv"


async def test_no_download_is_not_present(session: BrowserSession, site: Site) -> None:
    await session.goto(site.page("/", "<button>Get</button>"))

    async def start() -> None:
        await session.page.click("button")

    with pytest.raises(NotPresent, match="No download began"):
        await session.download(start, timeout_seconds=0.5, file_name=None)


async def test_an_unexpected_download_is_kept_and_reported(
    session: BrowserSession, site: Site, captured: CapturedOutput
) -> None:
    attach(site)
    await session.goto(site.page("/", "<a href=/report>Get</a>"))
    async with session.acting():
        await session.page.click("a")
    await until(lambda: bool(captured.of("download.finished")))
    assert captured.of("download.finished")[0]["name"] == "report.csv"
    assert captured.files == {"report.csv": CSV}


async def test_opening_a_file_downloads_it(
    session: BrowserSession, site: Site, captured: CapturedOutput
) -> None:
    assert await session.goto(attach(site)) is None
    await until(lambda: bool(captured.of("download.finished")))
    assert captured.files == {"report.csv": CSV}


async def test_fetching_carries_cookies_and_follows_redirects(
    session: BrowserSession, site: Site, captured: CapturedOutput
) -> None:
    await session.goto(site.page("/", "x", headers={"Set-Cookie": "who=me"}))
    site.page("/old", "", status=302, headers={"Location": "/files/data.json"})
    site.file("/files/data.json", b'{"a": 1}', "application/json; charset=utf-8")
    info = await session.fetch_file("/old", timeout_seconds=5, file_name=None)
    assert (info.name, info.mime_type) == ("data.json", "application/json")
    assert captured.files["data.json"] == b'{"a": 1}'
    assert site.cookies["/files/data.json"] == "who=me"
    assert len(session.tabs.all) == 1
    assert session.page.url == f"{site.url}/"


async def test_fetching_keeps_binary_pages_and_attachments_alike(
    session: BrowserSession, site: Site, captured: CapturedOutput
) -> None:
    noise = bytes(range(256)) * 10_000
    await session.fetch_file(site.file("/a.pdf", noise, "application/pdf"), timeout_seconds=5, file_name=None)
    await session.fetch_file(site.page("/b.html", "<p>é</p>"), timeout_seconds=5, file_name=None)
    await session.fetch_file(attach(site, "/c", "c.bin", noise), timeout_seconds=5, file_name=None)
    assert captured.files == {"a.pdf": noise, "b.html": "<p>é</p>".encode(), "c.bin": noise}


async def test_fetching_what_is_not_there_fails(session: BrowserSession, site: Site) -> None:
    with pytest.raises(BlockFailed, match="status 404"):
        await session.fetch_file(f"{site.url}/none", timeout_seconds=5, file_name=None)
    site.page("/broken", "x", status=500)
    with pytest.raises(SiteDown, match="status 500"):
        await session.fetch_file(f"{site.url}/broken", timeout_seconds=5, file_name=None)
    with pytest.raises(SiteDown, match="refused"):
        await session.fetch_file("http://127.0.0.1:2/x", timeout_seconds=5, file_name=None)
    with pytest.raises(BlockFailed, match="not allowed"):
        await session.fetch_file("file:///etc/passwd", timeout_seconds=5, file_name=None)
    site.page("/slow", "x", delay=600)
    with pytest.raises(TimedOut):
        await session.fetch_file(f"{site.url}/slow", timeout_seconds=0.5, file_name=None)


@pytest.mark.slow
async def test_files_over_the_limit_are_refused(
    pool: BrowserPool, captured: CapturedOutput, site: Site
) -> None:
    session = await pool.take(captured.options(max_download_bytes=1000))
    attach(site, content=b"x" * 5000)
    with pytest.raises(BlockFailed, match="larger than the limit"):
        await session.fetch_file(f"{site.url}/report", timeout_seconds=5, file_name=None)
    await session.goto(site.page("/", "<a href=/report>Get</a>"))

    async def start() -> None:
        await session.page.click("a")

    with pytest.raises(BlockFailed, match="larger than the limit"):
        await session.download(start, timeout_seconds=5, file_name=None)
    assert captured.files == {}
    await session.end()
