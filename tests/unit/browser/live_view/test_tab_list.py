"""The live view's list of tabs: numbers stay, and no address is shown as a title."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.async_api import CDPSession, Page

from pagehand.browser.live_view import view
from pagehand.browser.live_view.view import TabList
from pagehand.browser.tabs import Tabs

pytestmark = pytest.mark.anyio


class FakeTab:
    """A tab and the title that the browser gives for it."""

    def __init__(self, title: str, url: str = "https://shop.example/orders") -> None:
        self.title = title
        self.url = url
        self.is_busy = False

    async def send(self, method: str, parameters: Any) -> Any:
        del parameters
        assert method == "Target.getTargetInfo"
        if self.is_busy:
            await asyncio.Event().wait()
        return {"targetInfo": {"title": self.title}}


def list_of(*pages: FakeTab) -> tuple[TabList, Any]:
    tabs = SimpleNamespace(all=list(pages), current=pages[0])

    async def channel(page: Page) -> CDPSession:
        return cast("CDPSession", page)

    return TabList(cast("Tabs", tabs), channel), tabs


async def test_tabs_are_numbered_once_and_a_number_is_not_used_again() -> None:
    first, second, third = FakeTab("a"), FakeTab("b"), FakeTab("c")
    listed, tabs = list_of(first, second)
    assert listed.number_new() == [first, second]
    assert listed.number_new() == []
    tabs.all = [first, third]
    assert listed.number_new() == [third]
    assert (listed.page_of(1), listed.page_of(2), listed.page_of(3)) == (first, None, third)


async def test_a_tab_has_its_title_its_site_and_whether_it_is_current() -> None:
    listed, _ = list_of(FakeTab("Orders"), FakeTab("Help", "https://user:pass@help.example/x"))
    listed.number_new()
    shown = [(tab.id, tab.title, tab.site, tab.is_current) for tab in await listed.describe()]
    assert shown == [(1, "Orders", "shop.example", True), (2, "Help", "help.example", False)]


@pytest.mark.parametrize("title", ["https://shop.example/orders?token=1", "shop.example/orders?token=1"])
async def test_an_address_is_not_shown_as_a_title(title: str) -> None:
    listed, _ = list_of(FakeTab(title))
    assert [tab.title for tab in await listed.describe()] == [""]


async def test_a_title_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "_TITLE_LENGTH", 5)
    listed, _ = list_of(FakeTab("Orders of May"))
    assert [tab.title for tab in await listed.describe()] == ["Order"]


async def test_a_tab_that_does_not_answer_is_listed_without_a_title(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "_TITLE_SECONDS", 0.01)
    busy = FakeTab("Busy")
    busy.is_busy = True
    listed, _ = list_of(busy, FakeTab("Fine"))
    assert [tab.title for tab in await listed.describe()] == ["", "Fine"]
