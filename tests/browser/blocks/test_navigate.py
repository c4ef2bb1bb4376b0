"""Navigate opens addresses and switches tabs."""

import pytest

from pagehand.errors import BlockFailed, InvalidRequest, SiteDown
from support.block_runner import BlockRunner, examples_of, has_no_output
from support.site import Site

pytestmark = pytest.mark.anyio


async def test_examples_run_as_shown(runner: BlockRunner, site: Site) -> None:
    site.page("/invoices", "<title>Invoices</title>")
    site.page("/help", "<title>Help</title>")
    for example in examples_of("Navigate"):
        assert has_no_output(await runner.run_block(example, params={"site": site.url}))
    assert [tab.url for tab in runner.session.tabs.all] == [f"{site.url}/invoices", f"{site.url}/help"]
    assert await runner.value("document.title") == "Help"


async def test_a_relative_address_starts_from_the_page(runner: BlockRunner, site: Site) -> None:
    await runner.session.goto(site.page("/a/b", "here"))
    site.page("/a/c", "<title>C</title>")
    await runner.run("Navigate", {"url": "c"})
    assert runner.session.page.url == f"{site.url}/a/c"


@pytest.mark.parametrize("tab", [0, "0", "*/first", "first"])
async def test_tabs_are_switched_by_position_or_address(
    runner: BlockRunner, site: Site, tab: int | str
) -> None:
    site.page("/first", "1")
    site.page("/second", "2")
    await runner.run("Navigate", {"url": f"{site.url}/first"})
    await runner.run("Navigate", {"url": f"{site.url}/second", "newTab": True})
    await runner.run("Navigate", {"tab": tab})
    assert runner.session.page.url == f"{site.url}/first"


async def test_an_unknown_tab_lists_those_that_are_open(runner: BlockRunner, site: Site) -> None:
    await runner.session.goto(site.page("/only", "1"))
    with pytest.raises(BlockFailed, match="/only"):
        await runner.run("Navigate", {"tab": 7})


async def test_error_pages_fail_unless_allowed(runner: BlockRunner, site: Site) -> None:
    gone, down = site.page("/gone", "no", status=410), site.page("/down", "no", status=503)
    with pytest.raises(BlockFailed, match="410"):
        await runner.run("Navigate", {"url": gone})
    with pytest.raises(SiteDown, match="503"):
        await runner.run("Navigate", {"url": down})
    outcome = await runner.run("Navigate", {"url": gone, "allowErrorStatus": True})
    assert outcome.details["status"] == 410


async def test_a_block_that_goes_nowhere_is_refused(runner: BlockRunner) -> None:
    with pytest.raises(InvalidRequest, match="url"):
        await runner.run("Navigate", {})


@pytest.mark.slow
async def test_a_page_is_waited_for_until_it_asks_for_nothing_more(runner: BlockRunner, site: Site) -> None:
    site.page("/late", "late", delay=0.8)
    url = site.page("/", "<p id=x></p><script>fetch('/late').then(() => x.textContent = 'done')</script>")
    # in the same run: at its end a run waits for open requests in any case
    code = {"language": "javascript", "code": "return x.textContent"}
    read = {"type": "CodeV2", "blockReferenceId": "text", "data": code}
    for wait_until, text in (("domcontentloaded", ""), ("networkidle", "done")):
        arrive = {"type": "Navigate", "data": {"url": url, "waitUntil": wait_until}}
        assert (await runner.harness.run(arrive, read)).outputs == {"text": text}


async def test_the_page_that_led_here_can_be_named(runner: BlockRunner, site: Site) -> None:
    url = site.page("/", "<p>here</p>")
    await runner.run("Navigate", {"url": url, "referer": "https://found.example/"})
    assert await runner.value("document.referrer") == "https://found.example/"
