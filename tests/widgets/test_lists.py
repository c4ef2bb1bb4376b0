"""Dropdown and Input's Dropdown choose in the select widgets that sites use."""

from typing import Any

import pytest

from pagehand.errors import BlockFailed
from support.block_runner import BlockRunner

pytestmark = pytest.mark.anyio

SELECTED = "id => [...document.getElementById(id).selectedOptions].map(o => o.value)"


WIDGETS = {"select2": ".select2-container", "choices": ".choices", "tom": ".ts-wrapper"}


async def show_selects(runner: BlockRunner, address: str, library: str) -> None:
    """Open the page; both selects must be behind the library's widgets."""
    await runner.session.goto(f"{address}/selects.html?library={library}")
    assert await runner.value(f"document.querySelectorAll('p > {WIDGETS[library]}').length") == 2
    await runner.value(
        "addEventListener('mousedown', () => { window.clicks = (window.clicks ?? 0) + 1 }, true)"
    )


async def pick(runner: BlockRunner, locator: dict[str, str], **data: Any) -> list[str]:
    """Run the block; the texts it says it chose."""
    return (await runner.run_block({"type": "Dropdown", "locator": locator, "data": data})).details["chosen"]


@pytest.mark.parametrize("library", ["select2", "choices", "tom"])
async def test_a_select_behind_a_widget_is_chosen_through_the_widget(
    runner: BlockRunner, address: str, library: str
) -> None:
    await show_selects(runner, address, library)
    assert await pick(runner, {"css": "#one"}, value="Dark Blue") == ["Dark Blue"]
    assert await runner.session.page.evaluate(SELECTED, "one") == ["b"]
    assert await pick(runner, {"css": "#one"}, value="g", matchBy="value") == ["Green"]
    assert await runner.session.page.evaluate(SELECTED, "one") == ["g"]
    assert await runner.value("window.clicks") >= 4


@pytest.mark.parametrize("library", ["select2", "choices", "tom"])
async def test_several_options_are_chosen_through_the_widget(
    runner: BlockRunner, address: str, library: str
) -> None:
    await show_selects(runner, address, library)
    assert await pick(runner, {"css": "#many"}, values=["Grey", "Red"]) == ["Grey", "Red"]
    assert sorted(await runner.session.page.evaluate(SELECTED, "many")) == ["r", "y"]
    assert await pick(runner, {"css": "#many"}, values=["Red", "Green"]) == ["Red", "Green"]
    assert sorted(await runner.session.page.evaluate(SELECTED, "many")) == ["g", "r", "y"]


@pytest.mark.parametrize("library", ["select2", "choices", "tom"])
async def test_an_option_no_widget_has_fails_with_the_list(
    runner: BlockRunner, address: str, library: str
) -> None:
    await show_selects(runner, address, library)
    with pytest.raises(
        BlockFailed, match=r"no option `Pink`; the options are: (?=.*`Green`)(?=.*`Dark Blue`)"
    ):
        await pick(runner, {"css": "#one"}, value="Pink")


async def test_ant_designs_virtual_list_is_scrolled_to_the_option(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/antd.html")
    assert await pick(runner, {"css": "#long .ant-select"}, value="Item 170") == ["Item 170"]
    assert await pick(runner, {"css": "#many input"}, values=["Red", "Blue"]) == ["Red", "Blue"]
    assert await runner.value("window.kept") == {"long": 170, "many": ["red", "blue"]}
    assert await pick(runner, {"css": "#long input"}, value="3", matchBy="index") == ["Item 3"]
    assert await runner.value("window.kept.long") == 3


async def test_ant_designs_search_is_typed_into(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/antd.html")
    assert await pick(runner, {"css": "#search input"}, value="Item 399") == ["Item 399"]
    assert await runner.value("window.kept.search") == 399


async def test_react_select_takes_one_several_and_late_options(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/react-select.html")
    assert await pick(runner, {"css": "#one-input"}, value="Blue") == ["Blue"]
    assert await pick(runner, {"css": "#many-input"}, values=["Green", "Red"]) == ["Green", "Red"]
    assert await pick(runner, {"css": "#late-input"}, value="Green") == ["Green"]
    assert await runner.value("window.kept") == {"one": "blue", "many": ["green", "red"], "late": "green"}


async def test_a_missing_react_select_option_fails_with_the_list(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/react-select.html")
    with pytest.raises(BlockFailed, match="`Red`, `Green`, `Blue`"):
        await pick(runner, {"css": "#one-input"}, value="Pink")


async def test_jquery_uis_autocomplete_is_typed_into_and_picked_from(
    runner: BlockRunner, address: str
) -> None:
    await runner.session.goto(f"{address}/jquery-ui.html")
    assert await pick(runner, {"label": "City"}, value="Osaka") == ["Osaka"]
    assert await runner.value("[city.value, document.title]") == ["Osaka", "chose Osaka"]


async def test_inputs_dropdown_uses_the_widget_too(runner: BlockRunner, address: str) -> None:
    await show_selects(runner, address, "select2")
    await runner.run("Input", {"key": "one", "inputType": "Dropdown", "value": "Grey"})
    assert await runner.session.page.evaluate(SELECTED, "one") == ["y"]
