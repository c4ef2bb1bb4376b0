"""Tabs that come and go by themselves: downloads in new tabs, look-up windows, windows of windows."""

import time

import pytest

from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed
from pagehand.workflow.locator import Locator
from support.site import Site
from support.waiting import until

from .conftest import CapturedOutput

CSV = b"claim,amount\n17,5\n"
EXPORTS = """<h1>Reports</h1>
<form method=post action=/export target=_blank><button id=form>Export</button></form>
<a id=link href=/export target=_blank>Export</a>
<a id=noopener href=/export target=_blank rel=noopener>Export</a>
<button id=script onclick="window.open('/export')">Export</button>
<form method=post action=/export target=report onsubmit="window.open('', 'report')">
<button id=named>Export</button>
</form><button id=empty onclick="window.open('/empty')">Nothing</button>"""


def serve(site: Site) -> str:
    site.file("/export", CSV, "text/csv", Content_Disposition="attachment; filename=claims.csv")
    site.page("/empty", "", status=204)
    return site.page("/", EXPORTS)


@pytest.mark.parametrize("control", ["form", "link", "noopener", "script", "named"])
async def test_a_tab_that_only_carried_a_download_closes_and_its_opener_is_current(
    session: BrowserSession, site: Site, captured: CapturedOutput, control: str
) -> None:
    await session.goto(serve(site))
    before = session.page
    async with session.acting():
        await session.page.click(f"#{control}")
    await until(lambda: captured.files.get("claims.csv") == CSV)
    await until(lambda: len(session.tabs.all) == 1)
    assert session.page is before
    assert await session.page.inner_text("h1") == "Reports"


async def test_a_download_in_a_new_tab_loses_no_time(session: BrowserSession, site: Site) -> None:
    await session.goto(serve(site))
    began = time.monotonic()
    async with session.acting():
        info = await session.download(lambda: session.page.click("#form"), timeout_seconds=20, file_name=None)
    assert info.name == "claims.csv"
    assert time.monotonic() - began < 4  # it took six on a quiet machine
    assert len(session.tabs.all) == 1


@pytest.mark.slow
async def test_an_answer_without_content_leaves_no_blank_tab(session: BrowserSession, site: Site) -> None:
    await session.goto(serve(site))
    async with session.acting():
        await session.page.click("#empty")
    await until(lambda: len(session.tabs.all) == 1)
    assert await session.page.inner_text("h1") == "Reports"


LOOKUP = """<script>function choose(v) { opener.document.querySelector('#customer').value = v; %s }</script>
<button onclick="choose('ACME')">ACME</button>
<input id=q onkeydown="if (event.key === 'Enter') choose(this.value)">"""


@pytest.mark.slow
@pytest.mark.parametrize("closing", ["window.close()", "setTimeout(() => window.close(), 60)"])
async def test_a_look_up_window_that_closes_itself_is_not_a_failure(
    session: BrowserSession, site: Site, closing: str
) -> None:
    site.page("/lookup", LOOKUP % closing)
    await session.goto(
        site.page("/", "<input id=customer><button onclick=\"window.open('/lookup')\">Look up</button>")
    )
    opener = session.page
    for number in range(6):
        async with session.acting():
            await opener.click("button")
        window = session.page
        assert window is not opener
        async with session.guard("choose"), session.acting():
            if number % 2:
                await window.fill("#q", "ACME")
                await window.press("#q", "Enter")
            else:
                await window.click("button")
        found = await session.find(Locator(css="#customer"), "act", timeout_seconds=10)
        assert await found.element.input_value() == "ACME"
        assert session.page is opener
        await opener.fill("#customer", "")


@pytest.mark.slow
async def test_a_tab_that_closes_before_anything_was_done_is_a_failure(
    session: BrowserSession, site: Site
) -> None:
    site.page("/lookup", "<button disabled>Choose</button><script>setTimeout(() => close(), 400)</script>")
    await session.goto(site.page("/", "<button onclick=\"window.open('/lookup')\">Look up</button>"))
    async with session.acting():
        await session.page.click("button")
    with pytest.raises(BlockFailed, match="closed meanwhile"):
        async with session.guard("choose"), session.acting():
            await session.page.click("button")


@pytest.mark.slow
async def test_a_window_that_comes_slowly_is_waited_for(session: BrowserSession, site: Site) -> None:
    site.page("/slow", "<h1>Slow</h1>", delay=3)
    await session.goto(site.page("/", "<button onclick=\"window.open('/slow')\">Open</button>"))
    async with session.acting():
        await session.page.click("button")
    assert await session.page.inner_text("h1") == "Slow"


async def test_a_window_of_a_window_goes_back_to_the_one_that_opened_it(
    session: BrowserSession, site: Site
) -> None:
    site.page("/second", "<h1>Second</h1>")
    site.page("/first", "<h1>First</h1><script>window.open('/second')</script>")
    await session.goto(site.page("/", "<button onclick=\"window.open('/first')\">Open</button>"))
    async with session.acting():
        await session.page.click("button")
    await until(lambda: len(session.tabs.all) == 3)
    first, second = sorted(session.tabs.all[1:], key=lambda tab: tab.url)
    await second.wait_for_load_state()
    await session.tabs.switch_to(second)
    assert await session.tabs.close("current") == 1
    assert session.page is first
