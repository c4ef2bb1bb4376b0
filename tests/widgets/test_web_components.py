"""Fields that are web components: found by label through their shadow roots, set and read back."""

from typing import Any

import pytest
from browser.blocks.conftest import Desk

pytestmark = pytest.mark.anyio


async def show(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/shoelace.html")


async def send(desk: Desk) -> dict[str, Any]:
    await desk.run("Mouse", {}, role="button", text="Send it")
    return await desk.value("window.kept")


async def test_a_form_of_web_components_is_filled_in_by_labels(desk: Desk, address: str) -> None:
    await show(desk, address)
    fields = [
        {"key": "Full name", "value": "Ada Lovelace"},
        {"key": "About", "value": "Counts"},
        {"key": "Country", "inputType": "Dropdown", "value": "Peru"},
        {"key": "I agree", "inputType": "Checkbox", "value": "true"},
        {"key": "Newsletter", "inputType": "Checkbox", "value": "true"},
        {"key": "Size", "inputType": "Radio", "value": "Large"},
    ]
    await desk.run("Form", {"fields": fields})
    assert await send(desk) == {
        "who": "Ada Lovelace",
        "about": "Counts",
        "land": "pe",
        "terms": "yes",
        "mail": "yes",
        "size": "l",
    }


async def test_a_web_component_is_found_by_words(desk: Desk, address: str) -> None:
    await show(desk, address)
    data = {"key": "x", "mode": "aiInference", "inputType": "TextInput", "prompt": "the full name field"}
    await desk.run("Input", {**data, "value": "Grace"})
    button = await desk.session.find_by_words("the Send it button", "act", timeout_seconds=5)
    await button.element.click()
    assert (await desk.value("window.kept"))["who"] == "Grace"


async def test_a_dialog_made_of_web_components_is_closed(desk: Desk, address: str) -> None:
    await show(desk, address)
    await desk.value("document.querySelector('sl-dialog').show()")
    outcome = await desk.run("ClosePopup", {})
    assert outcome.details["closed"] == ["dialog"]
    assert await desk.value("document.querySelector('sl-dialog').open") is False
