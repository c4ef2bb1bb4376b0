"""Lists whose items are dragged, lists that grow while they are scrolled, boxes that suggest."""

import pytest
from browser.blocks.conftest import Desk

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("manner", ["native", "fallback"])
async def test_a_sortable_item_is_dragged_to_another_place(desk: Desk, address: str, manner: str) -> None:
    await desk.session.goto(f"{address}/sortable.html?{manner}")
    drag = {"action": "drag", "toLocator": {"text": "Dates"}}
    await desk.run("Mouse", drag, text="Apples")
    assert (await desk.value("orders()"))[0] == ["Bread", "Cheese", "Dates", "Apples"]
    await desk.run("Mouse", {"action": "drag", "toLocator": {"text": "Bread"}}, text="Apples")
    assert (await desk.value("orders()"))[0] == ["Apples", "Bread", "Cheese", "Dates"]


@pytest.mark.parametrize("manner", ["native", "fallback"])
async def test_a_sortable_item_is_dragged_into_another_list(desk: Desk, address: str, manner: str) -> None:
    await desk.session.goto(f"{address}/sortable.html?{manner}")
    await desk.run("Mouse", {"action": "drag", "toLocator": {"text": "Eggs"}}, text="Cheese")
    first, second = await desk.value("orders()")
    assert first == ["Apples", "Bread", "Dates"]
    assert sorted(second) == ["Cheese", "Eggs"]


async def test_an_endless_list_grows_while_it_is_scrolled(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/scroll.html")
    for post in (20, 40, 60, 80, 90):
        await desk.run("Mouse", {"action": "scroll"}, text=f"Post {post}")
    assert await desk.value("document.querySelectorAll('li').length") == 90


async def test_a_suggestion_that_comes_late_is_picked(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/autocomplete.html")
    outcome = await desk.run("Dropdown", {"value": "Apricot"}, label="Fruit")
    assert outcome.details["chosen"] == ["Apricot"]
    assert await desk.value("[fruit.value, document.title]") == ["Apricot", "chose Apricot"]
