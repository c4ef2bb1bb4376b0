"""A look runs sign-ins on its way, and nothing that had an effect."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pagehand.blocks import kinds
from pagehand.engine.run.look import Look
from pagehand.engine.run.trail import Sight
from pagehand.engine.run.walk import Run
from pagehand.workflow.tree import Envelope

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("is_stop", "ran"), [(False, ["b1"]), (True, [])])
async def test_a_sign_in_that_had_an_effect_is_not_run(is_stop: bool, ran: list[str]) -> None:
    done: list[str] = []

    async def run_alone(block_id: str) -> None:
        done.append(block_id)

    services = SimpleNamespace(
        execution=SimpleNamespace(metadata={"look": {}}),
        shared=SimpleNamespace(kinds=kinds()),
        scope=SimpleNamespace(params={}),
    )
    run: Any = SimpleNamespace(services=services, run_alone=run_alone, browser=SimpleNamespace(url=""))
    sight = Sight(Envelope("b1", "Sign in", "sign_in", "Login", {"isParameter": True}), "")
    await Look(cast("Run", run))._look(sight, is_stop=is_stop)  # pyright: ignore[reportPrivateUsage] - the whole walk needs a site
    assert done == ran
