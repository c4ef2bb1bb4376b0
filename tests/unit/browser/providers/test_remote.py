"""Remote browsers are ended, whatever goes wrong while they are connected to."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.provider import LaunchOptions
from pagehand.browser.providers.remote import RemoteBrowser, RemoteProvider
from pagehand.errors import Unavailable

pytestmark = pytest.mark.anyio


class FakeBrowser:
    """A browser elsewhere, as Playwright shows it."""

    def __init__(self, trouble: BaseException | None) -> None:
        self._trouble = trouble
        self.is_closed = False

    async def new_browser_cdp_session(self) -> "FakeBrowser":
        if self._trouble is not None:
            raise self._trouble
        return self

    async def send(self, *_: object) -> dict[str, Any]:
        return {}

    async def close(self) -> None:
        self.is_closed = True


class FakeVendor:
    """A vendor with one browser, and the driver that connects to it."""

    def __init__(
        self, *, on_connect: BaseException | None = None, on_session: BaseException | None = None
    ) -> None:
        self.browser = FakeBrowser(on_session)
        self.ended: list[str] = []
        self._on_connect = on_connect
        self.provider = RemoteProvider(self)
        self.provider._drivers = self  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue] - the driver is a process of its own

    async def acquire(self) -> RemoteBrowser:
        return RemoteBrowser("b1", "wss://vendor.example/b1", is_shared=True)

    async def end(self, vendor_id: str) -> None:
        self.ended.append(vendor_id)

    async def list_left_behind(self) -> list[str]:
        return []

    async def close(self) -> None:
        return None

    async def get(self) -> Any:
        chromium = SimpleNamespace(connect_over_cdp=self._connect)
        death: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        return SimpleNamespace(playwright=SimpleNamespace(chromium=chromium), new_death=lambda: death)

    async def _connect(self, address: str, **_: object) -> FakeBrowser:
        assert address == "wss://vendor.example/b1"
        if self._on_connect is not None:
            raise self._on_connect
        return self.browser


async def test_a_browser_is_closed_and_given_back_once_however_often_it_is_closed() -> None:
    vendor = FakeVendor()
    provided = await vendor.provider.launch(LaunchOptions())
    assert (provided.vendor_id, provided.is_shared) == ("b1", True)
    await provided.close()
    await provided.close()
    assert (vendor.browser.is_closed, vendor.ended) == (True, ["b1"])


async def test_browsers_that_are_still_in_use_are_given_back_at_the_end() -> None:
    vendor = FakeVendor()
    await vendor.provider.launch(LaunchOptions())
    await vendor.provider.close()
    assert (vendor.browser.is_closed, vendor.ended) == (True, ["b1"])


async def test_a_browser_that_cannot_be_connected_to_is_given_back_and_named() -> None:
    vendor = FakeVendor(on_connect=PlaywrightError("WebSocket error: 403"))
    with pytest.raises(Unavailable, match="cannot be reached: WebSocket error: 403"):
        await vendor.provider.launch(LaunchOptions())
    assert vendor.ended == ["b1"]


@pytest.mark.parametrize(
    ("trouble", "raised"),
    [(PlaywrightError("gone"), Unavailable), (asyncio.CancelledError(), asyncio.CancelledError)],
)
async def test_one_that_breaks_after_connecting_is_disconnected_from_and_given_back_once(
    trouble: BaseException, raised: type[BaseException]
) -> None:
    vendor = FakeVendor(on_session=trouble)
    with pytest.raises(raised):
        await vendor.provider.launch(LaunchOptions())
    assert (vendor.browser.is_closed, vendor.ended) == (True, ["b1"])
    await vendor.provider.close()
    assert vendor.ended == ["b1"]
