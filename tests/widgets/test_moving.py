"""Lists whose items are dragged, lists that grow while they are scrolled, boxes that suggest."""

import pytest

from support.block_runner import BlockRunner

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("manner", ["native", "fallback"])
async def test_a_sortable_item_is_dragged_to_another_place(
    runner: BlockRunner, address: str, manner: str
) -> None:
    await runner.session.goto(f"{address}/sortable.html?{manner}")
    drag = {"action": "drag", "toLocator": {"text": "Dates"}}
    await runner.run("Mouse", drag, text="Apples")
    assert (await runner.value("orders()"))[0] == ["Bread", "Cheese", "Dates", "Apples"]
    await runner.run("Mouse", {"action": "drag", "toLocator": {"text": "Bread"}}, text="Apples")
    assert (await runner.value("orders()"))[0] == ["Apples", "Bread", "Cheese", "Dates"]


@pytest.mark.parametrize("manner", ["native", "fallback"])
async def test_a_sortable_item_is_dragged_into_another_list(
    runner: BlockRunner, address: str, manner: str
) -> None:
    await runner.session.goto(f"{address}/sortable.html?{manner}")
    await runner.run("Mouse", {"action": "drag", "toLocator": {"text": "Eggs"}}, text="Cheese")
    first, second = await runner.value("orders()")
    assert first == ["Apples", "Bread", "Dates"]
    assert sorted(second) == ["Cheese", "Eggs"]


async def test_an_endless_list_grows_while_it_is_scrolled(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/scroll.html")
    for post in (20, 40, 60, 80, 90):
        await runner.run("Mouse", {"action": "scroll"}, text=f"Post {post}")
    assert await runner.value("document.querySelectorAll('li').length") == 90


async def test_a_suggestion_that_comes_late_is_picked(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/autocomplete.html")
    outcome = await runner.run("Dropdown", {"value": "Apricot"}, label="Fruit")
    assert outcome.details["chosen"] == ["Apricot"]
    assert await runner.value("[fruit.value, document.title]") == ["Apricot", "chose Apricot"]
