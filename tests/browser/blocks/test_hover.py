"""Hover rests the mouse on an element."""

import time

import pytest

from pagehand.errors import InvalidRequest

from .conftest import BlockRunner, examples_of

pytestmark = pytest.mark.anyio


async def test_examples_run_as_shown(runner: BlockRunner) -> None:
    await runner.open("""<style>#menu { display: none } button:hover + #menu { display: block }</style>
      <button>Account</button><div id=menu>Sign out</div>""")
    began = time.monotonic()
    for example in examples_of("Hover"):
        await runner.run_block(example)
    assert time.monotonic() - began >= 0.1
    assert await runner.value("menu.checkVisibility()") is True


async def test_a_locator_is_demanded(runner: BlockRunner) -> None:
    with pytest.raises(InvalidRequest, match="locator"):
        await runner.run("Hover", {"durationMs": 1})
