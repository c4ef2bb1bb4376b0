import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

import pagehand
from pagehand.loop import LoopWatch

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_what_holds_the_loop_is_reported() -> None:
    watch = LoopWatch()
    with capture_logs() as logs:
        watch.start()
        await asyncio.sleep(0.1)
        _code_of_ours()(0.6)
        await asyncio.sleep(0.1)
        watch.stop()
    [entry] = logs
    assert entry["seconds"] >= 0.5
    assert re.match(r"somewhere\.py:[34] hold", entry["at"])


async def test_waiting_is_not_reported() -> None:
    watch = LoopWatch()
    with capture_logs() as logs:
        watch.start()
        time.sleep(0.5)  # noqa: ASYNC251 - the loop is held, but nothing is worked: as on a busy machine
        await asyncio.sleep(0.2)
        watch.stop()
    assert logs == []


def _code_of_ours() -> Callable[[float], None]:
    """A function that holds the loop, as if it were in a file of the package."""
    code = """def hold(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))
"""
    names: dict[str, Any] = {"time": time}
    exec(compile(code, Path(pagehand.__file__).parent / "somewhere.py", "exec"), names)  # noqa: S102 - written here
    return names["hold"]
