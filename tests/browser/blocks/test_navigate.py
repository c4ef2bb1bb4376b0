"""Navigate opens addresses and switches tabs."""

import pytest

from pagehand.errors import BlockFailed, InvalidRequest, SiteDown
from support.site import Site

from .conftest import Desk, examples_of, put_out_nothing

pytestmark = pytest.mark.anyio


async def test_examples_run_as_shown(desk: Desk, site: Site) -> None:
    site.page("/invoices", "<title>Invoices</title>")
    site.page("/help", "<title>Help</title>")
    for example in examples_of("Navigate"):
        assert put_out_nothing(await desk.run_block(example, params={"site": site.url}))
    assert [tab.url for tab in desk.session.tabs] == [f"{site.url}/invoices", f"{site.url}/help"]
    assert await desk.value("document.title") == "Help"


async def test_a_relative_address_starts_from_the_page(desk: Desk, site: Site) -> None:
    await desk.session.goto(site.page("/a/b", "here"))
    site.page("/a/c", "<title>C</title>")
    await desk.run("Navigate", {"url": "c"})
    assert desk.session.page.url == f"{site.url}/a/c"


@pytest.mark.parametrize("tab", [0, "0", "*/first", "first"])
async def test_tabs_are_switched_by_position_or_address(desk: Desk, site: Site, tab: int | str) -> None:
    site.page("/first", "1")
    site.page("/second", "2")
    await desk.run("Navigate", {"url": f"{site.url}/first"})
    await desk.run("Navigate", {"url": f"{site.url}/second", "newTab": True})
    await desk.run("Navigate", {"tab": tab})
    assert desk.session.page.url == f"{site.url}/first"


async def test_an_unknown_tab_lists_those_that_are_open(desk: Desk, site: Site) -> None:
    await desk.session.goto(site.page("/only", "1"))
    with pytest.raises(BlockFailed, match="/only"):
        await desk.run("Navigate", {"tab": 7})


async def test_error_pages_fail_unless_allowed(desk: Desk, site: Site) -> None:
    gone, down = site.page("/gone", "no", status=410), site.page("/down", "no", status=503)
    with pytest.raises(BlockFailed, match="410"):
        await desk.run("Navigate", {"url": gone})
    with pytest.raises(SiteDown, match="503"):
        await desk.run("Navigate", {"url": down})
    outcome = await desk.run("Navigate", {"url": gone, "allowErrorStatus": True})
    assert outcome.details["status"] == 410


async def test_a_block_that_goes_nowhere_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidRequest, match="url"):
        await desk.run("Navigate", {})


async def test_a_page_is_waited_for_until_it_asks_for_nothing_more(desk: Desk, site: Site) -> None:
    site.page("/late", "late", delay=0.8)
    url = site.page("/", "<p id=x></p><script>fetch('/late').then(() => x.textContent = 'done')</script>")
    await desk.run("Navigate", {"url": url, "waitUntil": "domcontentloaded"})
    assert await desk.value("x.textContent") == ""
    await desk.run("Navigate", {"url": url, "waitUntil": "networkidle"})
    assert await desk.value("x.textContent") == "done"


async def test_the_page_that_led_here_can_be_named(desk: Desk, site: Site) -> None:
    url = site.page("/", "<p>here</p>")
    await desk.run("Navigate", {"url": url, "referer": "https://found.example/"})
    assert await desk.value("document.referrer") == "https://found.example/"
