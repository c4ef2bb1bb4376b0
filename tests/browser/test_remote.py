"""Browsers that run elsewhere: connected to, used like any other, and always given back."""

import random
import subprocess
from collections.abc import AsyncGenerator, Callable
from typing import cast

import pytest

from pagehand.browser import BrowserPool
from pagehand.browser.provider import LaunchOptions
from pagehand.browser.providers import goes_through_proxy, make_provider
from pagehand.browser.providers.remote import RemoteProvider, Vendor
from pagehand.browser.providers.vendors.browserbase import Browserbase
from pagehand.browser.providers.vendors.browserless import Browserless
from pagehand.browser.providers.vendors.cdp import DebuggingPort
from pagehand.browser.providers.vendors.kubernetes import Kubernetes
from pagehand.browser.providers.vendors.selenium_grid import SeleniumGrid
from pagehand.browser.providers.vendors.steel import Steel
from pagehand.errors import InvalidRequest, Unavailable
from pagehand.settings import Settings
from support.browser_vendors import Vendors, vendors
from support.debugging_port import DebuggedBrowser, debugged_browser
from support.site import Site
from support.waiting import until

from .conftest import CapturedOutput

NewVendor = Callable[[Vendors, DebuggedBrowser], Vendor]
VENDORS: dict[str, NewVendor] = {
    "Browserbase": lambda server, _: Browserbase(server.url, "bb-key", "installation_1", "project-1"),
    "Steel": lambda server, _: Steel(server.url, "steel-key", "installation_1"),
    "Selenium Grid": lambda server, _: SeleniumGrid(server.url, "", "installation_1"),
    "Kubernetes": lambda server, browser: Kubernetes(
        server.url, "token", "installation_1", "browser:1", "work", browser.port
    ),
}


@pytest.fixture(scope="module")
async def browser(anyio_backend: str) -> AsyncGenerator[DebuggedBrowser]:
    assert anyio_backend == "asyncio"
    async with debugged_browser() as running:
        yield running


@pytest.fixture
async def server(browser: DebuggedBrowser) -> AsyncGenerator[Vendors]:
    with vendors(await browser.web_socket(), browser.port) as running:
        yield running


@pytest.fixture(params=VENDORS)
def vendor(request: pytest.FixtureRequest, server: Vendors, browser: DebuggedBrowser) -> Vendor:
    return VENDORS[request.param](server, browser)


@pytest.mark.slow
async def test_executions_share_a_debugging_port_and_see_nothing_of_each_other(
    browser: DebuggedBrowser, site: Site, captured: CapturedOutput
) -> None:
    pool = BrowserPool(RemoteProvider(DebuggingPort(browser.url)), size=0)
    page = site.page("/", "<script>document.cookie='who=me'</script><a target=_blank href='/two'>Open</a>")
    site.page("/two", "<title>two</title>")
    first, second = await pool.take(captured.options()), await pool.take(captured.options())
    assert first.vendor_id != second.vendor_id
    await first.goto(page)
    await second.goto(page)
    async with second.acting() as action:
        await second.page.locator("a").click()
    assert [tab.url for tab in action.opened] == [f"{site.url}/two"]
    assert await first.context.cookies() != []
    await first.context.clear_cookies()
    assert await second.context.cookies() != []
    await first.end()
    await second.end()
    await pool.close()
    assert not [url for url in await browser.tabs() if url.startswith(site.url)]


@pytest.mark.slow
async def test_a_vendors_browser_is_used_and_given_back(
    vendor: Vendor, server: Vendors, site: Site, captured: CapturedOutput
) -> None:
    pool = BrowserPool(RemoteProvider(vendor), size=0)
    session = await pool.take(captured.options())
    assert list(server.running) == [session.vendor_id]
    await session.goto(site.page("/", "<title>there</title>"))
    assert await session.page.title() == "there"
    await session.end()
    assert server.running == {}
    await pool.close()


@pytest.mark.slow
async def test_what_an_earlier_process_left_is_ended_at_the_start_without_a_launch(server: Vendors) -> None:
    vendor = Steel(server.url, "steel-key", "installation_1")
    left = await vendor.acquire()
    pool = BrowserPool(RemoteProvider(vendor), size=0)
    pool.start()
    await until(lambda: left.id not in server.running, 20)
    await pool.close()


async def test_a_browser_of_a_lost_process_is_ended_by_its_name(vendor: Vendor, server: Vendors) -> None:
    lost = await vendor.acquire()
    pool = BrowserPool(RemoteProvider(vendor), size=0)
    pool.end_lost(lost.id)
    await until(lambda: lost.id not in server.running, 20)
    server.refuses = 500
    pool.end_lost(lost.id)
    await pool.close()


async def test_a_browser_that_could_not_be_ended_is_ended_later(
    server: Vendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagehand.browser.providers.remote._END_AGAIN_SECONDS", 0.05)
    provider = RemoteProvider(Steel(server.url, "steel-key", "installation_1"))
    provided = await provider.launch(LaunchOptions())
    server.refuses = 503
    await provided.close()
    assert list(server.running) == [provided.vendor_id]
    server.refuses = 0
    await until(lambda: not server.running, 20)
    await provider.close()


async def test_what_an_earlier_process_left_is_ended_first(vendor: Vendor, server: Vendors) -> None:
    left = await vendor.acquire()
    server.running = {left.id: {}}
    provider = RemoteProvider(vendor)
    provided = await provider.launch(LaunchOptions())
    expected = {provided.vendor_id, left.id} if isinstance(vendor, SeleniumGrid) else {provided.vendor_id}
    assert set(server.running) == expected  # a grid ends idle sessions by itself
    await provider.close()
    assert provided.vendor_id not in server.running


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["Browserbase", "Steel", "Selenium Grid"]
)  # a pod answers before it is rented
async def test_a_browser_that_cannot_be_reached_is_given_back(
    name: str, server: Vendors, browser: DebuggedBrowser
) -> None:
    vendor = VENDORS[name](server, browser)
    server.answer = _with_address(server, "ws://127.0.0.1:9/nothing")
    provider = RemoteProvider(vendor)
    with pytest.raises(Unavailable, match="remote browser cannot be reached"):
        await provider.launch(LaunchOptions())
    assert server.running == {}
    await provider.close()


def _with_address(server: Vendors, address: str) -> Callable[..., tuple[int, object]]:
    real, known = server.answer, server._web_socket  # pyright: ignore[reportPrivateUsage] - ours

    def answer(method: str, path: str, body: dict[str, object]) -> tuple[int, object]:
        status, message = real(method, path, body)
        return status, _replaced(message, known, address)

    return answer


def _replaced(value: object, old: str, new: str) -> object:
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return {key: _replaced(item, old, new) for key, item in items}
    return new if value == old else value


async def test_a_vendors_refusal_is_passed_on_in_its_own_words(vendor: Vendor, server: Vendors) -> None:
    server.refuses = 429
    provider = RemoteProvider(vendor)
    with pytest.raises(Unavailable, match=r"answered 429.*no browsers left"):
        await provider.launch(LaunchOptions())
    await provider.close()


async def test_browserless_is_named_by_us_and_ended_by_that_name(server: Vendors) -> None:
    vendor = Browserless(server.url.replace("http", "ws"), "a key")
    rented = await vendor.acquire()
    assert rented.address.startswith(server.url.replace("http", "ws"))
    assert "token=a+key" in rented.address
    assert f"trackingId={rented.id}" in rented.address
    server.running[rented.id] = {"running": True}
    await vendor.end(rented.id)
    assert server.running == {}
    await vendor.end(rented.id)
    await vendor.close()


def test_settings_that_are_not_enough_are_refused_by_name() -> None:
    with pytest.raises(InvalidRequest, match="also needs `PAGEHAND_BROWSER_URL`"):
        make_provider(Settings(browser_provider="cdp"), "installation_1")
    assert isinstance(
        make_provider(Settings(browser_provider="steel", browser_key="k"), "installation_1"), RemoteProvider
    )


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (Settings(), True),
        (Settings(browser_provider="cdp", browser_url="http://127.0.0.1:9222"), True),
        (Settings(browser_provider="cdp", browser_url="http://10.0.0.9:9222"), False),
        (Settings(browser_provider="steel", egress_proxy_url="http://10.0.0.5:8701"), True),
    ],
)
def test_who_goes_through_the_egress_proxy(settings: Settings, *, expected: bool) -> None:
    assert goes_through_proxy(settings) is expected


OTHER_DISK = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs tmpfs /tmp && exec "$@"', "sh")
"""Runs a command for which /tmp, where downloads are written, is another disk than ours."""


def has_other_disk() -> bool:
    tried = subprocess.run([*OTHER_DISK, "true"], check=False, capture_output=True)  # noqa: S603 - our own command
    return tried.returncode == 0


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.skipif(not has_other_disk(), reason="this machine allows no mounts of one's own")
@pytest.mark.parametrize("size", [0, 5, 2_500_000])
async def test_a_download_is_read_from_the_disk_of_the_browsers_machine(
    site: Site, captured: CapturedOutput, size: int
) -> None:
    content = random.Random(size).randbytes(size)  # noqa: S311 - no secret
    disposition = 'attachment; filename="claims.csv"'
    site.file("/claims", content, "text/csv", Content_Disposition=disposition)
    async with debugged_browser(*OTHER_DISK) as elsewhere:
        pool = BrowserPool(RemoteProvider(DebuggingPort(elsewhere.url)), size=0)
        session = await pool.take(captured.options())
        await session.goto(site.page("/", "<a href='/claims'>Get</a>"))
        info = await session.download(
            lambda: session.page.locator("a").click(), timeout_seconds=60, file_name=None
        )
        assert (info.name, info.mime_type, captured.files[info.name]) == ("claims.csv", "text/csv", content)
        assert [tab for tab in await elsewhere.tabs() if tab.startswith(site.url)] == [f"{site.url}/"]
        assert session.page.url == f"{site.url}/"
        await session.end()
        await pool.close()
