"""Hover rests the mouse on an element."""

import pytest

from pagehand.errors import InvalidRequest
from support.block_runner import BlockRunner, examples_of

pytestmark = pytest.mark.anyio


async def test_examples_run_as_shown(runner: BlockRunner) -> None:
    await runner.open("""<style>#menu { display: none } button:hover + #menu { display: block }</style>
      <button>Account</button><div id=menu>Sign out</div>""")
    for example in examples_of("Hover"):
        await runner.run_block(example)
        assert runner.result.slept_seconds == 0.1
    assert await runner.value("menu.checkVisibility()") is True


async def test_a_locator_is_demanded(runner: BlockRunner) -> None:
    with pytest.raises(InvalidRequest, match="locator"):
        await runner.run("Hover", {"durationMs": 1})
