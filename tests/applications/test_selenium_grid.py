"""Executions whose browsers a real Selenium Grid starts and ends."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagehand.browser.installation import require_browser
from pagehand.browser.provider import LaunchOptions
from pagehand.browser.providers.remote import RemoteProvider
from pagehand.browser.providers.vendors.selenium_grid import SeleniumGrid
from pagehand.settings import Settings
from support.blocks import navigate, value, wait
from support.selenium_grid import Grid, selenium_grid
from support.service import FINAL, RunningService
from support.site import serving
from support.waiting import wait_until


@pytest.fixture(scope="module")
def grid() -> Iterator[Grid]:
    installed = asyncio.run(require_browser(Settings(browser_install=False)))
    with selenium_grid(str(installed.path)) as running:
        yield running


def test_an_execution_runs_in_a_session_of_the_grid_which_ends_with_it(grid: Grid, tmp_path: Path) -> None:
    service = RunningService(
        tmp_path / "data",
        PAGEHAND_BROWSER_PROVIDER="selenium",
        PAGEHAND_BROWSER_URL=grid.url,
        PAGEHAND_BROWSER_POOL="0",
    ).start()
    api = service.api()
    try:
        with serving() as site:
            title = {"title": {"locator": {"css": "h1"}}}
            read = {"type": "Extract", "blockReferenceId": "read", "data": {"fields": title}}
            page = navigate(site.page("/", "<h1>Hello</h1>"))
            done = api.run(page, read)
            assert done["status"] == "Completed", done["errorAnalysis"]
            assert done["response"]["read"] == {"title": "Hello"}
            wait_until(lambda: grid.sessions == [])
            long = api.start(api.create("long", page, wait(600_000), value("never"))["id"])["id"]
            wait_until(lambda: api.get(long)["browserSessionVendorId"] in grid.sessions)
            api.call("/executions/cancel", {"id": long})
            api.wait_for(long, *FINAL)
            wait_until(lambda: grid.sessions == [])
    finally:
        service.stop()


@pytest.mark.anyio
async def test_a_session_that_was_left_behind_is_ended_by_its_own_installation_alone(grid: Grid) -> None:
    died = SeleniumGrid(grid.url, "", "installation_1")
    lost = await died.acquire()
    await died.close()
    other = SeleniumGrid(grid.url, "", "installation_2")
    others = await other.acquire()
    provider = RemoteProvider(SeleniumGrid(grid.url, "", "installation_1"))
    launched = await provider.launch(LaunchOptions())
    assert set(grid.sessions) == {launched.vendor_id, others.id}
    assert lost.id not in grid.sessions
    await provider.close()
    assert grid.sessions == [others.id]
    await other.end(others.id)
    assert grid.sessions == []
    await other.close()
