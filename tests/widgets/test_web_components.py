"""Fields that are web components: found by label through their shadow roots, set and read back."""

from typing import Any

import pytest

from pagehand.workflow.locator import Locator
from support.block_runner import BlockRunner

pytestmark = pytest.mark.anyio


async def show(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/shoelace.html")


async def send(runner: BlockRunner) -> dict[str, Any]:
    await runner.run("Mouse", {}, role="button", text="Send it")
    return await runner.value("window.kept")


async def test_a_form_of_web_components_is_filled_in_by_labels(runner: BlockRunner, address: str) -> None:
    await show(runner, address)
    fields = [
        {"key": "Full name", "value": "Ada Lovelace"},
        {"key": "About", "value": "Counts"},
        {"key": "Country", "inputType": "Dropdown", "value": "Peru"},
        {"key": "I agree", "inputType": "Checkbox", "value": "true"},
        {"key": "Newsletter", "inputType": "Checkbox", "value": "true"},
        {"key": "Size", "inputType": "Radio", "value": "Large"},
    ]
    await runner.run("Form", {"fields": fields})
    assert await send(runner) == {
        "who": "Ada Lovelace",
        "about": "Counts",
        "land": "pe",
        "terms": "yes",
        "mail": "yes",
        "size": "l",
    }


async def test_a_web_component_is_found_by_words(runner: BlockRunner, address: str) -> None:
    await show(runner, address)
    data = {"key": "x", "mode": "aiInference", "inputType": "TextInput", "prompt": "the full name field"}
    await runner.run("Input", {**data, "value": "Grace"})
    button = await runner.session.find(
        Locator(words="the Send it button"), "act", kind="control", timeout_seconds=5
    )
    await button.element.click()
    assert (await runner.value("window.kept"))["who"] == "Grace"


async def test_a_dialog_made_of_web_components_is_closed(runner: BlockRunner, address: str) -> None:
    await show(runner, address)
    await runner.value("document.querySelector('sl-dialog').show()")
    outcome = await runner.run("ClosePopup", {})
    assert outcome.details["closed"] == ["dialog"]
    assert await runner.value("document.querySelector('sl-dialog').open") is False
