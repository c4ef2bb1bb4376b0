"""Dropdown and Input's Dropdown choose in the select widgets that sites use."""

from typing import Any

import pytest
from browser.blocks.conftest import Desk

from pagehand.errors import BlockFailed

pytestmark = pytest.mark.anyio

SELECTED = "id => [...document.getElementById(id).selectedOptions].map(o => o.value)"


WIDGETS = {"select2": ".select2-container", "choices": ".choices", "tom": ".ts-wrapper"}


async def show_selects(desk: Desk, address: str, library: str) -> None:
    """Open the page; both selects must be behind the library's widgets."""
    await desk.session.goto(f"{address}/selects.html?library={library}")
    assert await desk.value(f"document.querySelectorAll('p > {WIDGETS[library]}').length") == 2
    await desk.value(
        "addEventListener('mousedown', () => { window.clicks = (window.clicks ?? 0) + 1 }, true)"
    )


async def pick(desk: Desk, locator: dict[str, str], **data: Any) -> list[str]:
    """Run the block; the texts it says it chose."""
    return (await desk.run_block({"type": "Dropdown", "locator": locator, "data": data})).details["chosen"]


@pytest.mark.parametrize("library", ["select2", "choices", "tom"])
async def test_a_select_behind_a_widget_is_chosen_through_the_widget(
    desk: Desk, address: str, library: str
) -> None:
    await show_selects(desk, address, library)
    assert await pick(desk, {"css": "#one"}, value="Dark Blue") == ["Dark Blue"]
    assert await desk.session.page.evaluate(SELECTED, "one") == ["b"]
    assert await pick(desk, {"css": "#one"}, value="g", matchBy="value") == ["Green"]
    assert await desk.session.page.evaluate(SELECTED, "one") == ["g"]
    assert await desk.value("window.clicks") >= 4


@pytest.mark.parametrize("library", ["select2", "choices", "tom"])
async def test_several_options_are_chosen_through_the_widget(desk: Desk, address: str, library: str) -> None:
    await show_selects(desk, address, library)
    assert await pick(desk, {"css": "#many"}, values=["Grey", "Red"]) == ["Grey", "Red"]
    assert sorted(await desk.session.page.evaluate(SELECTED, "many")) == ["r", "y"]
    assert await pick(desk, {"css": "#many"}, values=["Red", "Green"]) == ["Red", "Green"]
    assert sorted(await desk.session.page.evaluate(SELECTED, "many")) == ["g", "r", "y"]


@pytest.mark.parametrize("library", ["select2", "choices", "tom"])
async def test_an_option_no_widget_has_fails_with_the_list(desk: Desk, address: str, library: str) -> None:
    await show_selects(desk, address, library)
    with pytest.raises(
        BlockFailed, match=r"no option `Pink`; the options are: (?=.*`Green`)(?=.*`Dark Blue`)"
    ):
        await pick(desk, {"css": "#one"}, value="Pink")


async def test_ant_designs_virtual_list_is_scrolled_to_the_option(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/antd.html")
    assert await pick(desk, {"css": "#long .ant-select"}, value="Item 170") == ["Item 170"]
    assert await pick(desk, {"css": "#many input"}, values=["Red", "Blue"]) == ["Red", "Blue"]
    assert await desk.value("window.kept") == {"long": 170, "many": ["red", "blue"]}
    assert await pick(desk, {"css": "#long input"}, value="3", matchBy="index") == ["Item 3"]
    assert await desk.value("window.kept.long") == 3


async def test_ant_designs_search_is_typed_into(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/antd.html")
    assert await pick(desk, {"css": "#search input"}, value="Item 399") == ["Item 399"]
    assert await desk.value("window.kept.search") == 399


async def test_react_select_takes_one_several_and_late_options(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/react-select.html")
    assert await pick(desk, {"css": "#one-input"}, value="Blue") == ["Blue"]
    assert await pick(desk, {"css": "#many-input"}, values=["Green", "Red"]) == ["Green", "Red"]
    assert await pick(desk, {"css": "#late-input"}, value="Green") == ["Green"]
    assert await desk.value("window.kept") == {"one": "blue", "many": ["green", "red"], "late": "green"}


async def test_a_missing_react_select_option_fails_with_the_list(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/react-select.html")
    with pytest.raises(BlockFailed, match="`Red`, `Green`, `Blue`"):
        await pick(desk, {"css": "#one-input"}, value="Pink")


async def test_jquery_uis_autocomplete_is_typed_into_and_picked_from(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/jquery-ui.html")
    assert await pick(desk, {"label": "City"}, value="Osaka") == ["Osaka"]
    assert await desk.value("[city.value, document.title]") == ["Osaka", "chose Osaka"]


async def test_inputs_dropdown_uses_the_widget_too(desk: Desk, address: str) -> None:
    await show_selects(desk, address, "select2")
    await desk.run("Input", {"key": "one", "inputType": "Dropdown", "value": "Grey"})
    assert await desk.session.page.evaluate(SELECTED, "one") == ["y"]
