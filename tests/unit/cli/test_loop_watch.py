import asyncio
import time

import pytest
from structlog.testing import capture_logs

from pagehand.cli.loop_watch import LoopWatch

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_what_holds_the_loop_is_reported() -> None:
    watch = LoopWatch()
    with capture_logs() as logs:
        watch.start()
        await asyncio.sleep(0.1)
        _hold(0.6)
        await asyncio.sleep(0.1)
        watch.stop()
    assert [entry["seconds"] >= 0.5 for entry in logs] == [True]


async def test_waiting_is_not_reported() -> None:
    watch = LoopWatch()
    with capture_logs() as logs:
        watch.start()
        time.sleep(0.5)  # noqa: ASYNC251 - the loop is held, but nothing is worked: as on a busy machine
        await asyncio.sleep(0.2)
        watch.stop()
    assert logs == []


def _hold(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))
