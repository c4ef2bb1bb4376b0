"""How many messages to Playwright's driver a block takes on a quiet page: each is a wait of its own."""

from collections import Counter
from typing import Any

import pytest
from playwright._impl import transport

from support.block_runner import BlockRunner

pytestmark = pytest.mark.anyio

_PAGE = """data:text/html,<!doctype html><form onsubmit="return false"><label>Ship <input></label>
<label>Pin <input id=pin></label><label for=flag>Flag</label>
<select id=flag><option>Norway<option>Greece</select><button>Book</button></form>"""
_MANY = 4
_UNCOUNTED = ("newRequest", "dispose")


def fill(label: str, kind: str, value: str) -> dict[str, Any]:
    data = {"key": label, "inputType": kind, "value": value}
    return {"type": "Input", "locator": {"label": label}, "data": data}


BLOCKS: dict[str, tuple[dict[str, Any], int]] = {
    # find, fill, read back
    "fill": (fill("Ship", "TextInput", "Halcyon"), 3),
    "fill by key": ({"type": "Input", "data": fill("Ship", "TextInput", "Halcyon")["data"]}, 3),
    # find, mask, fill, read back
    "secret": (fill("Pin", "SensitiveTextInput", "secret-pin"), 4),
    # find, read the options, choose, see what it began
    "choose": (fill("Flag", "NativeDropdown", "Greece"), 4),
    # find, look at the form, click, see what it began and whether the form was held back
    "click": ({"type": "Mouse", "locator": {"role": "button", "text": "Book"}, "data": {}}, 4),
    "hover": ({"type": "Hover", "locator": {"role": "button", "text": "Book"}, "data": {}}, 3),
    "condition": (
        {"type": "WaitForCondition", "data": {"condition": {"element": {"css": "#pin"}, "state": "visible"}}},
        2,
    ),
    "extract": ({"type": "Extract", "data": {"fields": {"ship": {"locator": {"css": "#pin"}}}}}, 2),
}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The messages to the driver, by their method."""
    counted, pipe = Counter[str](), transport.PipeTransport
    send: Any = getattr(pipe, "send")  # noqa: B009 - Playwright leaves its type open

    def count(self: Any, message: dict[str, Any]) -> None:
        counted[message["method"]] += 1
        send(self, message)

    monkeypatch.setattr(pipe, "send", count)
    return counted


async def messages(runner: BlockRunner, sent: Counter[str], blocks: list[dict[str, Any]]) -> Counter[str]:
    """Those of a workflow's second run: the first one learns its elements."""
    workflow = await runner.harness.add_workflow(*blocks)
    await runner.harness.run_workflow(workflow)
    sent.clear()
    await runner.harness.run_workflow(workflow)
    # the shared browser is asked for a sign of life now and then, and what is given back is not waited for
    return Counter({method: count for method, count in sent.items() if method not in _UNCOUNTED})


@pytest.mark.parametrize("name", BLOCKS)
async def test_a_block_takes_no_more_messages_than_it_has_reasons(
    runner: BlockRunner, sent: Counter[str], name: str
) -> None:
    block, most = BLOCKS[name]
    await runner.session.page.goto(_PAGE)
    # as with the egress proxy: what the browser sends waits for its record, and an act does not
    runner.session.holds_requests = True
    few = await messages(runner, sent, [block])
    many = await messages(runner, sent, [block] * (_MANY + 1))
    many.subtract(few)
    assert many.total() <= most * _MANY, {method: count / _MANY for method, count in many.items()}


async def test_a_picture_is_the_only_message_that_pictures_add_to_a_fill(
    runner: BlockRunner, sent: Counter[str]
) -> None:
    block, most = BLOCKS["fill"]
    await runner.session.page.goto(_PAGE)
    runner.session.holds_requests = True
    runner.harness.settings.screenshots = True
    few = await messages(runner, sent, [block])
    many = await messages(runner, sent, [block] * (_MANY + 1))
    many.subtract(few)
    assert many.total() <= (most + 1) * _MANY, {method: count / _MANY for method, count in many.items()}
