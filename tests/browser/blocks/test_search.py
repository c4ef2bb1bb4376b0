"""Search uses the page's own search box."""

import pytest

from pagehand.errors import NotPresent
from support.block_runner import BlockRunner, examples_of

pytestmark = pytest.mark.anyio

FORM = "<form onsubmit=\"document.title = {}.value + ' ' + event.submitter?.id; return false\">{}</form>"


async def test_examples_run_as_shown(runner: BlockRunner) -> None:
    first, second = examples_of("Search")
    await runner.open(FORM.format("box", "<input id=box type=search>"))
    await runner.run_block(first, params={"term": "shoes"})
    assert (await runner.value("document.title")).startswith("shoes")
    await runner.open(FORM.format("find", "<input id=find><button id=go>Search</button>"))
    await runner.run_block(second)
    assert await runner.value("document.title") == "blue shoes go"


@pytest.mark.parametrize(
    "box",
    [
        "<input id=box role=searchbox>",
        "<input id=box name=q>",
        "<input id=box name=site_search>",
        "<input id=box placeholder='Search our shop'>",
        "<div role=search><input id=box></div>",
    ],
)
async def test_the_search_box_is_known_by_its_signs(runner: BlockRunner, box: str) -> None:
    await runner.open(f"<input name=other><input type=search hidden>{FORM.format('box', box)}")
    await runner.run("Search", {"query": "x"})
    assert (await runner.value("document.title")).startswith("x")


async def test_a_search_box_of_several_lines_is_known_too(runner: BlockRunner) -> None:
    await runner.open('<input name=other><textarea name=q onkeydown="document.title = event.key"></textarea>')
    await runner.run("Search", {"query": "blue shoes"})
    assert await runner.value("[document.querySelector('textarea').value.trim(), document.title]") == [
        "blue shoes",
        "Enter",
    ]


async def test_a_page_without_a_search_box_is_a_failure(runner: BlockRunner) -> None:
    await runner.open("<input name=other>")
    with pytest.raises(NotPresent, match="no search box"):
        await runner.run("Search", {"query": "x", "timeoutMs": 500})


async def test_a_box_that_only_filters_a_menu_is_not_the_search_box(runner: BlockRunner) -> None:
    await runner.open(
        """<nav><input type=search id=menu placeholder="Start typing to filter"></nav>
        <form onsubmit="document.title = q.value; return false"><input id=q name=q></form>"""
    )
    await runner.run("Search", {"query": "shoes"})
    assert await runner.value("[menu.value, document.title]") == ["", "shoes"]


async def test_a_filter_is_taken_where_there_is_nothing_else(runner: BlockRunner) -> None:
    await runner.open('<input type=search id=menu placeholder="Filter">')
    await runner.run("Search", {"query": "shoes"})
    assert await runner.value("menu.value") == "shoes"
