"""Which tab is current when others open and close, and what becomes of those that are too many."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.tabs import Tabs
from pagehand.errors import BlockFailed, BrowserLost

pytestmark = pytest.mark.anyio


class Tab:
    """A tab as far as `Tabs` touches it."""

    def __init__(
        self, url: str = "about:blank", opener: "Tab | None" = None, *, is_empty: bool = True
    ) -> None:
        self.url = url
        self._opener = opener
        self._is_empty = is_empty
        self._is_closed = False
        self._on_close: list[Any] = []
        self.is_in_front = False

    def once(self, event: str, listener: Any) -> None:
        assert event == "close"
        self._on_close.append(listener)

    async def opener(self) -> "Tab | None":
        return self._opener

    async def evaluate(self, _script: str) -> bool:
        return self._is_empty

    async def bring_to_front(self) -> None:
        self.is_in_front = True

    async def close(self) -> None:
        if self._is_closed:
            raise PlaywrightError("Target page, context or browser has been closed")
        self._is_closed = True
        for listener in self._on_close:
            listener(self)

    def is_closed(self) -> bool:
        return self._is_closed


@asynccontextmanager
async def unguarded(_what: str) -> AsyncGenerator[None]:
    yield


class Window:
    """A context whose tabs reach `Tabs` as Playwright's do: by an event, before `new_page` returns."""

    def __init__(self, limit: int = 4) -> None:
        self.reported: list[str] = []
        context = SimpleNamespace(new_page=self._new_page)
        self.tabs = Tabs(cast("BrowserContext", context), unguarded, self._report, limit)

    def _report(self, kind: str, message: str, data: Mapping[str, Any]) -> None:
        del message, data
        self.reported.append(kind)

    async def _new_page(self) -> Tab:
        tab = Tab()
        self.appear(tab)
        return tab

    def appear(self, tab: Tab) -> Tab:
        self.tabs.add(cast("Page", tab))
        return tab

    async def popup(self, url: str = "https://shop.example/", opener: Tab | None = None) -> Tab:
        """A tab that a page opens."""
        tab = self.appear(Tab(url, opener))
        await settled()
        return tab

    async def switch(self, tab: Tab) -> None:
        await self.tabs.switch_to(cast("Page", tab))

    @property
    def current(self) -> Tab:
        return cast("Tab", self.tabs.current)


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_without_a_tab_the_browser_is_lost() -> None:
    with pytest.raises(BrowserLost, match="no open tab"):
        _ = Window().tabs.current


async def test_a_tab_of_our_own_is_current_at_once_and_one_of_a_page_is_not() -> None:
    window = Window()
    first = await window.tabs.open()
    await window.popup()
    assert window.tabs.current is first
    assert (len(window.tabs.all), window.tabs.opened_by_us) == (2, 1)


async def test_when_the_current_tab_closes_its_opener_is_current() -> None:
    window = Window()
    first = cast("Tab", await window.tabs.open())
    await window.tabs.open()
    popup = await window.popup(opener=first)
    await window.switch(popup)
    await popup.close()
    assert window.current is first


async def test_an_opener_that_is_gone_is_passed_over_for_its_own() -> None:
    window = Window()
    first = cast("Tab", await window.tabs.open())
    await window.tabs.open()
    second = await window.popup(opener=first)
    third = await window.popup(opener=second)
    await window.switch(third)
    await second.close()
    assert window.current is third
    await third.close()
    assert window.current is first


async def test_without_any_opener_left_the_newest_tab_is_current() -> None:
    window = Window()
    first = cast("Tab", await window.tabs.open())
    lonely = await window.popup(opener=first)
    newest = await window.popup(opener=lonely)
    await window.switch(first)
    await first.close()
    assert window.current is newest


async def test_a_tab_that_is_not_open_any_more_cannot_be_switched_to() -> None:
    window = Window()
    await window.tabs.open()
    popup = await window.popup()
    await window.switch(popup)
    assert popup.is_in_front
    await popup.close()
    with pytest.raises(BlockFailed, match="not open any more"):
        await window.switch(popup)


async def test_tabs_of_pages_beyond_the_limit_are_closed_and_only_the_first_few_are_reported() -> None:
    window = Window(limit=2)
    await window.tabs.open()
    kept = await window.popup()
    too_many = [await window.popup() for _ in range(9)]
    assert [tab.is_closed() for tab in (kept, *too_many)] == [False] + [True] * 9
    assert window.reported == ["popup.closed"] * 5
    assert len(window.tabs.all) == 2


async def test_a_tab_of_our_own_beyond_the_limit_is_refused_with_what_to_do() -> None:
    window = Window(limit=1)
    await window.tabs.open()
    with pytest.raises(BlockFailed, match=r"1 tabs open already, the limit\. Close some with ClosePage"):
        await window.tabs.open()


async def test_closing_the_last_tab_leaves_a_blank_one_behind() -> None:
    window = Window()
    only = cast("Tab", await window.tabs.open())
    assert await window.tabs.close("current") == 1
    assert only.is_closed()
    assert window.current is not only
    assert window.current.url == "about:blank"
    assert len(window.tabs.all) == 1


async def test_closing_the_others_counts_them_and_keeps_the_current_tab() -> None:
    window = Window()
    current = await window.tabs.open()
    others = [await window.popup(), await window.popup()]
    assert await window.tabs.close("others") == 2
    assert all(tab.is_closed() for tab in others)
    assert window.tabs.all == (current,)
    assert await window.tabs.close("others") == 0


async def test_closing_the_last_tab_closes_the_newest() -> None:
    window = Window()
    current = await window.tabs.open()
    older, newest = await window.popup(), await window.popup()
    assert await window.tabs.close("last") == 1
    assert (older.is_closed(), newest.is_closed()) == (False, True)
    assert window.tabs.current is current


@pytest.mark.parametrize(("url", "is_dropped"), [("about:blank", True), ("https://shop.example/", False)])
async def test_only_a_blank_tab_is_dropped_after_a_download(url: str, is_dropped: bool) -> None:
    window = Window()
    first = cast("Tab", await window.tabs.open())
    carrier = await window.popup(url, opener=first)
    await window.switch(carrier)
    window.tabs.close_download_tab(cast("Page", carrier))
    await settled()
    assert carrier.is_closed() is is_dropped
    assert window.current is (first if is_dropped else carrier)


async def test_a_tab_that_was_not_opened_by_a_page_is_not_dropped() -> None:
    window = Window()
    first = await window.tabs.open()
    window.tabs.close_download_tab(first)
    await settled()
    assert not first.is_closed()


async def test_a_tab_aside_is_not_among_the_tabs_of_blocks() -> None:
    window = Window()
    first = await window.tabs.open()
    aside = await window.tabs.open_unlisted()
    assert (window.tabs.all, window.tabs.current) == ((first,), first)
    assert not aside.is_closed()


async def test_tabs_that_open_during_an_act_are_recorded_and_others_are_not() -> None:
    window = Window()
    await window.tabs.open()
    await window.popup()
    opened: list[Page] = []
    with window.tabs.recording(opened):
        popup = await window.popup()
    await window.popup()
    assert opened == [popup]


async def test_a_tab_that_hangs_is_replaced_by_a_blank_one_with_the_same_opener() -> None:
    window = Window()
    first = cast("Tab", await window.tabs.open())
    hanging = await window.popup(opener=first)
    await window.switch(hanging)
    await window.tabs.replace(cast("Page", hanging))
    await settled()
    assert hanging.is_closed()
    fresh = window.current
    assert fresh not in (first, hanging)
    await fresh.close()
    assert window.current is first


@pytest.mark.parametrize(
    ("url", "is_empty", "fails"),
    [
        ("about:blank", True, True),
        ("", True, True),
        ("about:blank", False, False),
        ("https://shop.example/", True, False),
    ],
)
async def test_a_tab_in_which_nothing_was_opened_is_not_read(url: str, is_empty: bool, fails: bool) -> None:
    window = Window()
    await window.switch(window.appear(Tab(url, is_empty=is_empty)))
    if fails:
        with pytest.raises(BlockFailed, match="Open a page with a Navigate block"):
            await window.tabs.raise_if_blank()
    else:
        await window.tabs.raise_if_blank()


async def test_a_look_continues_in_the_opener_of_a_window_that_closes() -> None:
    window = Window()
    first = cast("Tab", await window.tabs.open())
    popup = await window.popup(opener=first)
    await window.switch(popup)

    async with window.tabs.forgiving_closed_tab():
        await popup.close()
        raise PlaywrightError("Target page, context or browser has been closed")
    assert window.current is first  # pyright: ignore[reportUnreachable] - the error is suppressed on purpose


async def test_an_error_of_a_tab_that_stays_open_is_raised() -> None:
    window = Window()
    await window.tabs.open()

    with pytest.raises(PlaywrightError, match="not a valid selector"):
        async with window.tabs.forgiving_closed_tab():
            raise PlaywrightError("not a valid selector")
