"""ClosePage closes tabs."""

import pytest

from support.block_runner import BlockRunner, examples_of
from support.site import Site

pytestmark = pytest.mark.anyio


async def three_tabs(runner: BlockRunner, site: Site) -> None:
    for name in "abc":
        await runner.run("Navigate", {"url": site.page(f"/{name}", name), "newTab": name != "a"})


async def test_examples_run_as_shown(runner: BlockRunner, site: Site) -> None:
    await three_tabs(runner, site)
    for example in examples_of("ClosePage"):
        outcome = await runner.run_block(example)
        assert outcome.details == {"closed": 2}
    assert [tab.url for tab in runner.session.tabs.all] == [f"{site.url}/c"]


async def test_closing_the_current_tab_brings_back_its_opener(runner: BlockRunner, site: Site) -> None:
    await three_tabs(runner, site)
    await runner.run("ClosePage", {})
    assert runner.session.page.url == f"{site.url}/b"
    await runner.run("Navigate", {"tab": 0})
    await runner.run("ClosePage", {"which": "last"})
    assert [tab.url for tab in runner.session.tabs.all] == [f"{site.url}/a"]
