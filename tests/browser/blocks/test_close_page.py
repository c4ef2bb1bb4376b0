"""ClosePage closes tabs."""

import pytest

from support.site import Site

from .conftest import Desk, examples_of

pytestmark = pytest.mark.anyio


async def three_tabs(desk: Desk, site: Site) -> None:
    for name in "abc":
        await desk.run("Navigate", {"url": site.page(f"/{name}", name), "newTab": name != "a"})


async def test_examples_run_as_shown(desk: Desk, site: Site) -> None:
    await three_tabs(desk, site)
    for example in examples_of("ClosePage"):
        outcome = await desk.run_block(example)
        assert outcome.details == {"closed": 2}
    assert [tab.url for tab in desk.session.tabs] == [f"{site.url}/c"]


async def test_closing_the_current_tab_brings_back_its_opener(desk: Desk, site: Site) -> None:
    await three_tabs(desk, site)
    await desk.run("ClosePage", {})
    assert desk.session.page.url == f"{site.url}/b"
    await desk.run("Navigate", {"tab": 0})
    await desk.run("ClosePage", {"which": "last"})
    assert [tab.url for tab in desk.session.tabs] == [f"{site.url}/a"]
