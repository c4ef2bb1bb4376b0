"""Pictures are taken while the run goes on, and show each block's page all the same."""

import pytest

from pagehand.browser_session import TextInput
from support.block_runner import BlockRunner

pytestmark = pytest.mark.anyio

_PAGE = """<style>body{font:30px monospace} input{font:inherit;caret-color:transparent;outline:0}</style>
<label>Ship <input name=ship></label><label>Pin <input name=pin></label>
<button onclick="document.body.style.background = this.textContent">red</button>
<button onclick="document.body.style.background = this.textContent">blue</button>"""


def press(colour: str) -> dict[str, object]:
    return {"type": "Mouse", "locator": {"role": "button", "text": colour}, "data": {}}


async def pictures(runner: BlockRunner, *blocks: dict[str, object]) -> list[bytes]:
    """Run the blocks on a fresh page; the pictures of their events."""
    runner.harness.settings.screenshots = True
    await runner.open(_PAGE)
    result = await runner.harness.run(*blocks)
    keys = [event.screenshot_key for event in result.events if event.type == "block.finished"]
    return [await runner.harness.file_store.read(key) for key in keys if key is not None]


async def test_each_picture_shows_the_page_right_after_its_block(runner: BlockRunner) -> None:
    first, second = await pictures(runner, press("red")), await pictures(runner, press("red"), press("blue"))
    assert first == second[:1]
    assert await pictures(runner, press("red"), press("blue"), press("red")) == [*second, *first]
    assert first != second[1:]


async def test_a_secret_shows_neither_in_its_picture_nor_in_the_one_before(runner: BlockRunner) -> None:
    def fill(pin: str) -> tuple[dict[str, object], dict[str, object]]:
        data = {"key": "Pin", "inputType": "SensitiveTextInput", "value": pin}
        return press("red"), {"type": "Input", "blockReferenceId": "pin", "data": data}

    first = await pictures(runner, *fill("1234"))
    assert len(first) == 2
    assert first == await pictures(runner, *fill("9876"))


async def test_an_act_and_a_persons_input_wait_for_the_picture(runner: BlockRunner) -> None:
    await runner.open(_PAGE)
    session = runner.session
    await session.page.locator("input").first.focus()
    before = await session.screenshot()
    taking = session.start_screenshot()
    session.live_view.input.send(TextInput("Halcyon"))
    assert await taking == before
    await session.live_view.input.idle()
    assert await runner.value("document.activeElement.value") == "Halcyon"
    filled = await session.screenshot()
    taking = session.start_screenshot()
    async with session.acting():
        assert taking.done()
        await session.page.evaluate("document.body.style.background = 'blue'")
    assert await taking == filled != before
