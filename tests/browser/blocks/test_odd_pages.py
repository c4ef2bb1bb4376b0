"""Pages that break what scripts rely on: a block fails as the page's, never as a bug of ours."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

from pagehand.errors import PagehandError, TemporaryTrouble, UserMistake
from pagehand.records import Json
from support.block_runner import BlockRunner
from support.blocks import click, click_at, extract, field, form, rows_of

pytestmark = pytest.mark.anyio

PAGE = """<title>Odd</title><form id=f><label>Name <input name=name></label>
<label>Kind <select id=kind name=kind><option>one<option>two</select></label>
<button id=go type=button>Go</button></form>
<div role=combobox id=pick tabindex=0 aria-controls=list>pick</div>
<ul id=list role=listbox><li role=option>one</ul>
<table><tr><th>Item<th>Price<tr class=row><td>Pen<td>1<tr class=row><td>Ink<td>2</table>"""
IN_TIME: Json = {"timeoutMs": 1000}
BLOCKS: dict[str, Json] = {
    "click": click("button", "Go", **IN_TIME),
    "words": {"type": "Mouse", "locator": {"words": "the Go button"}, "data": IN_TIME},
    "form": form(field("Name", "Ann"), field("Kind", "two", "Dropdown"), **IN_TIME),
    "select": {"type": "Dropdown", "locator": {"css": "#kind"}, "data": {"value": "nine", **IN_TIME}},
    "listbox": {"type": "Dropdown", "locator": {"css": "#pick"}, "data": {"value": "one", **IN_TIME}},
    "fields": {"type": "Extract", "data": {"fields": {"a": {"locator": {"css": "td"}}}, **IN_TIME}},
    "schema": extract("read", rows_of(Item="string", Price="number"), **IN_TIME),
    "pictures": {"type": "ExtractImages", "data": IN_TIME},
    "popup": {"type": "ClosePopup", "data": IN_TIME},
    "captcha": {"type": "WaitForCaptchaSolve", "data": IN_TIME},
    "script": {
        "type": "CodeV2",
        "data": {"language": "javascript", "code": "return document.title", **IN_TIME},
    },
    "absent": click_at("#nothing", **IN_TIME),
}
TRICKS = dict(
    line.split(": ", 1) for line in Path(__file__).with_name("odd_pages.txt").read_text().splitlines()[1:]
)
CASES = [
    pytest.param(code, id=name.removeprefix("*"), marks=[] if name.startswith("*") else pytest.mark.slow)
    for name, code in TRICKS.items()
]


@pytest.mark.parametrize("trick", CASES)
async def test_a_block_does_its_work_or_fails_as_the_pages(runner: BlockRunner, trick: str) -> None:
    for block in BLOCKS.values():
        await runner.session.goto("about:blank")
        await runner.open(PAGE)
        await runner.value(f"() => {{ {trick} }}")
        # any other error, such as one of Python's, is a bug: the engine would report it as ours
        with contextlib.suppress(UserMistake, TemporaryTrouble):
            await runner.run_block(block)


async def test_options_with_half_a_character_can_be_chosen(runner: BlockRunner) -> None:
    await runner.open(PAGE)
    await runner.value("() => { kind.options[0].text = 'a\\ud800'; kind.options[1].text = '\\udc00b' }")
    await runner.run("Dropdown", {"value": "\ufffdb", "matchBy": "text"}, css="#kind")
    assert await runner.value("kind.selectedIndex") == 1


async def test_what_a_page_has_replaced_is_named(runner: BlockRunner) -> None:
    await runner.open(PAGE)
    await runner.value("() => { JSON.stringify = () => '{' }")
    with pytest.raises(PagehandError, match=r"cannot be read: it has replaced `JSON.stringify`"):
        await runner.run("Dropdown", {"value": "two"}, css="#kind")


@pytest.mark.parametrize(
    "given", [{"a": 1}, "", [1], "p:text-matches('^(a+)+$')", "a >> text=b", "\ud800", "\0"]
)
async def test_a_template_that_yields_no_locator_fails_its_block(runner: BlockRunner, given: Any) -> None:
    await runner.open(PAGE)
    block = {"type": "Mouse", "locator": {"css": "{{params.given}}"}, "data": IN_TIME}
    with pytest.raises(PagehandError) as failure:
        await runner.run_block(block, params={"given": given})
    assert "our side" not in failure.value.message
