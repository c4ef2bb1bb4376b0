"""What a failed call to a browser means: a loss, a tab that closed, or an error of the page."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError

from pagehand.browser import liveness as liveness_module
from pagehand.browser.liveness import BrowserLiveness
from pagehand.errors import BlockFailed, BrowserLost

pytestmark = pytest.mark.anyio
CLOSED = PlaywrightError("Target page, context or browser has been closed")


class Browser:
    """A browser that answers until the test lets it die."""

    def __init__(self) -> None:
        self.is_alive = True
        self.hangs = False
        self.listeners: dict[str, Any] = {}
        self.died: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        browser = SimpleNamespace(on=self.listeners.__setitem__)
        provided: Any = SimpleNamespace(browser=browser, control=self, died=self.died)
        self.liveness = BrowserLiveness(provided)

    async def send(self, method: str, params: object = None) -> object:
        del method, params
        if self.hangs:
            await asyncio.Event().wait()
        if not self.is_alive:
            raise CLOSED
        return {}


@pytest.fixture
async def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    monkeypatch.setattr(liveness_module, "_DISCONNECT_SECONDS", 0.01)
    monkeypatch.setattr(liveness_module, "_ANSWER_SECONDS", 0.02)
    return Browser()


async def test_a_browser_that_answers_lives(browser: Browser) -> None:
    assert await browser.liveness.answers()


@pytest.mark.parametrize("state", [{"is_alive": False}, {"hangs": True}])
async def test_a_browser_that_does_not_answer_in_time_is_dead(
    browser: Browser, state: dict[str, bool]
) -> None:
    for name, value in state.items():
        setattr(browser, name, value)
    assert not await browser.liveness.answers()


async def test_a_browser_that_was_lost_is_not_alive_although_it_answers(browser: Browser) -> None:
    browser.liveness.mark_lost("The page crashed.")
    assert not await browser.liveness.answers()


async def test_a_tab_that_closed_is_not_a_lost_browser(browser: Browser) -> None:
    with pytest.raises(BlockFailed, match=r"The tab was closed meanwhile \(click\)"):
        async with browser.liveness.guard("click"):
            raise CLOSED
    assert not browser.liveness.is_over


async def test_a_closed_page_of_a_browser_that_does_not_answer_is_a_loss(browser: Browser) -> None:
    browser.is_alive = False
    with pytest.raises(BrowserLost, match="The browser died"):
        async with browser.liveness.guard("click"):
            raise CLOSED
    assert browser.liveness.lost.result() == "The browser died."


async def test_the_news_of_a_death_that_comes_just_after_the_failed_call_is_waited_for(
    browser: Browser,
) -> None:
    asyncio.get_running_loop().call_later(0.001, browser.liveness.mark_lost, "The page crashed.")
    with pytest.raises(BrowserLost, match="The page crashed"):
        async with browser.liveness.guard("click"):
            raise CLOSED


@pytest.mark.parametrize("event", ["disconnected", "died", "mark_lost"])
async def test_whoever_uses_the_browser_when_it_dies_learns_of_it_at_once(
    browser: Browser, event: str
) -> None:
    events: dict[str, Any] = {
        "disconnected": lambda: browser.listeners["disconnected"](None),
        "died": lambda: browser.died.set_result("The driver died."),
        "mark_lost": lambda: browser.liveness.mark_lost("Out of memory."),
    }
    asyncio.get_running_loop().call_later(0.001, events[event])
    with pytest.raises(BrowserLost):
        async with browser.liveness.guard("wait"), asyncio.timeout(5):
            await asyncio.Event().wait()


async def test_nothing_begins_in_a_browser_that_is_over(browser: Browser) -> None:
    browser.liveness.mark_lost("The browser session has ended.")
    has_begun = False
    with pytest.raises(BrowserLost, match="The browser session has ended"):
        async with browser.liveness.guard("click"):
            has_begun = True
    assert not has_begun


async def test_only_the_first_reason_counts(browser: Browser) -> None:
    browser.liveness.mark_lost("The page crashed.")
    browser.liveness.mark_lost("The browser session has ended.")
    assert browser.liveness.ended.result() == browser.liveness.lost.result() == "The page crashed."


async def test_a_waiter_that_gave_up_does_not_hide_the_end_from_others(browser: Browser) -> None:
    browser.liveness.lost.cancel()
    browser.liveness.mark_lost("The page crashed.")
    assert browser.liveness.is_over


async def test_a_time_limit_within_is_not_taken_for_a_death(browser: Browser) -> None:
    with pytest.raises(TimeoutError):
        async with browser.liveness.guard("wait"), asyncio.timeout(0.001):
            await asyncio.Event().wait()


async def test_a_provider_that_gives_up_watching_reports_no_death(browser: Browser) -> None:
    browser.died.cancel()
    await asyncio.sleep(0)
    assert not browser.liveness.is_over
