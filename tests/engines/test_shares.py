"""Executions and live sessions of one organization do not keep another's waiting, on both engines."""

import asyncio

import pytest

from pagehand.api.keys import new_key
from support.engines import Client, RunningServices

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

VALUE = {"type": "Transform", "blockReferenceId": "out", "data": {"input": 1, "code": "input"}}
NAP = {"type": "Wait", "blockReferenceId": "nap", "data": {"durationMs": 600_000}}
BLANK = {"type": "Navigate", "blockReferenceId": "page", "data": {"url": "about:blank"}}
SLOTS = 2


async def second_organization(running: RunningServices) -> Client:
    """A client of another organization."""
    other = Client(running.workers[0])
    stores = running.workers[0].stores
    owner = await stores.organizations.ensure("second")
    key, text = new_key(owner.id)
    await stores.keys.add(key)
    other.http.headers["Authorization"] = f"Bearer {text}"
    return other


async def test_idle_live_sessions_keep_nobody_waiting(running: RunningServices) -> None:
    first, second = running.api, await second_organization(running)
    workflow = await first.create(VALUE)
    for _ in range(SLOTS):
        await first.call("/liveSessions/open", workflowId=workflow)
    async with asyncio.timeout(60):
        # without a browser: neither organization waits for one
        for client in (first, second):
            made = await client.create(VALUE)
            done = await client.call("/workflows/executeSync", workflowId=made)
            assert done["execution"]["status"] == "Completed"
        # with a browser
        for client in (second, first):
            made = await client.create(BLANK)
            done = await client.call("/workflows/executeSync", workflowId=made)
            assert done["execution"]["status"] == "Completed", done["execution"]["errorAnalysis"]
    await second.http.aclose()


async def test_long_waits_of_one_organization_do_not_keep_another_waiting(running: RunningServices) -> None:
    first, second = running.api, await second_organization(running)
    long = await first.create(NAP)
    for execution in [await first.start(long) for _ in range(SLOTS)]:
        await first.wait_for(execution, "InProgress")
    waiting = await first.start(await first.create(VALUE))
    async with asyncio.timeout(60):
        made = await second.create(VALUE)
        done = await second.call("/workflows/executeSync", workflowId=made)
        assert done["execution"]["status"] == "Completed"
    assert (await first.get(waiting))["status"] == "Enqueued"
    await second.http.aclose()
