"""Hover rests the mouse on an element."""

import time

import pytest

from pagehand.errors import InvalidRequest

from .conftest import Desk, examples_of

pytestmark = pytest.mark.anyio


async def test_examples_run_as_shown(desk: Desk) -> None:
    await desk.open("""<style>#menu { display: none } button:hover + #menu { display: block }</style>
      <button>Account</button><div id=menu>Sign out</div>""")
    began = time.monotonic()
    for example in examples_of("Hover"):
        await desk.run_block(example)
    assert time.monotonic() - began >= 0.1
    assert await desk.value("menu.checkVisibility()") is True


async def test_a_locator_is_demanded(desk: Desk) -> None:
    with pytest.raises(InvalidRequest, match="locator"):
        await desk.run("Hover", {"durationMs": 1})
