"""What callers see of an engine, whichever it is."""

import asyncio

import pytest

from support.blocks import value, wait
from support.engines import FINAL, RunningServices

pytestmark = pytest.mark.anyio


async def test_a_waiter_gets_the_finished_execution(running: RunningServices) -> None:
    workflow = await running.api.create(value("kept"))
    ended = (await running.api.call("/workflows/executeSync", workflowId=workflow))["execution"]
    assert (ended["status"], ended["response"]) == ("Completed", {"kept": 1})
    assert (await running.other.get(ended["id"]))["status"] == "Completed"


async def test_pause_resume_and_cancel(running: RunningServices) -> None:
    execution = await running.api.start(await running.api.create(wait(60_000)))
    await running.api.wait_for(execution, "InProgress")
    await running.other.call("/executions/pause", id=execution)
    await running.api.wait_for(execution, "Paused")
    assert (await running.other.post("/executions/pause", id=execution)).status_code == 409
    await running.other.call("/executions/resume", id=execution)
    await running.api.wait_for(execution, "InProgress")
    assert (await running.other.post("/executions/resume", id=execution)).status_code == 409
    await running.other.call("/executions/cancel", id=execution)
    ended = await running.api.wait_for(execution, *FINAL)
    assert ended["errorAnalysis"].startswith("Cancelled by ")
    assert (await running.other.post("/executions/cancel", id=execution)).status_code == 409


@pytest.mark.slow
async def test_what_waits_is_cancelled_and_the_next_one_runs(running: RunningServices) -> None:
    api = running.api
    long = await api.create(wait(60_000))
    busy = [await api.start(long) for _ in range(2)]
    for item in busy:
        await api.wait_for(item, "InProgress")
    waiting, follows = await api.start(long), await api.start(await api.create(value("v")))
    cancelled = await running.other.call("/executions/cancel", id=waiting)
    assert cancelled["execution"]["status"] == "Failed"
    for item in busy:
        await running.other.call("/executions/cancel", id=item)
    assert (await api.wait_for(follows, *FINAL))["status"] == "Completed"


@pytest.mark.slow
async def test_a_batch_runs_as_many_at_once_as_it_may_and_can_be_cancelled(running: RunningServices) -> None:
    api = running.api
    workflow = await api.create(wait("{{params.ms}}"))
    rows = [{"ms": 150} for _ in range(4)]
    made = await api.call("/batches/create", name="b", workflowId=workflow, rows=rows, concurrency=1)
    batch, most = made["batch"]["id"], 0
    while True:
        listed = await running.other.call("/executions/list", batch=batch)
        statuses = [execution["status"] for execution in listed["executions"]]
        most = max(most, statuses.count("InProgress"))
        if all(status in FINAL for status in statuses):
            break
        await asyncio.sleep(0.02)
    assert statuses == ["Completed"] * 4
    assert most == 1
    rows = [{"ms": 60_000} for _ in range(5)]
    made = await api.call("/batches/create", name="c", workflowId=workflow, rows=rows)
    await running.other.call("/batches/cancel", id=made["batch"]["id"])
    listed = await api.call("/executions/list", batch=made["batch"]["id"])
    for execution in listed["executions"]:
        assert (await api.wait_for(execution["id"], *FINAL))["status"] == "Failed"


@pytest.mark.slow
async def test_nothing_of_a_paused_batch_begins_until_it_is_resumed(running: RunningServices) -> None:
    api = running.api
    blocker = await api.start(await api.create(wait(60_000)))
    await api.wait_for(blocker, "InProgress")
    workflow = await api.create(wait("{{params.ms}}"))
    rows = [{"ms": 60_000}, *({"ms": 1} for _ in range(12))]
    made = await api.call("/batches/create", name="b", workflowId=workflow, rows=rows, concurrency=1)
    batch = made["batch"]["id"]
    first = (await api.call("/executions/list", batch=batch))["executions"][-1]["id"]
    await api.wait_for(first, "InProgress")
    paused = (await running.other.call("/batches/pause", id=batch))["batch"]
    assert (paused["status"], paused["pausedAt"] is not None) == ("paused", True)
    assert (await running.other.post("/batches/pause", id=batch)).status_code == 409
    for item in (first, blocker):
        await api.call("/executions/cancel", id=item)
        await api.wait_for(item, *FINAL)
    # another execution of the same organization overtakes all of them
    other = await api.start(await api.create(value("v")))
    assert (await api.wait_for(other, *FINAL))["status"] == "Completed"
    held = (await api.call("/batches/get", id=batch))["batch"]
    assert (held["status"], held["progress"]["enqueued"]) == ("paused", 12)
    resumed = (await running.other.call("/batches/resume", id=batch))["batch"]
    assert (resumed["status"], resumed["pausedAt"]) == ("running", None)
    for execution in (await api.call("/executions/list", batch=batch))["executions"]:
        await api.wait_for(execution["id"], *FINAL)
    done = (await api.call("/batches/get", id=batch))["batch"]
    assert (done["status"], done["progress"]["completed"]) == ("finished", 12)
    assert (await running.other.post("/batches/resume", id=batch)).status_code == 409


@pytest.mark.slow
async def test_time_that_is_over_ends_what_waits(running: RunningServices) -> None:
    api = running.api
    long = await api.create(wait(60_000))
    busy = [await api.start(long) for _ in range(2)]
    for item in busy:
        await api.wait_for(item, "InProgress")
    late = (await api.call("/workflows/execute", workflowId=long, timeout=1))["execution"]["id"]
    ended = await api.wait_for(late, *FINAL)
    assert ended["failure"]["code"] == "OutOfTime"
    for item in busy:
        await api.call("/executions/cancel", id=item)


@pytest.mark.slow
async def test_more_than_the_queue_holds_at_once_all_run(running: RunningServices) -> None:
    workflow = await running.api.create(value("v"))
    many = [await running.api.start(workflow) for _ in range(20)]
    ended = [await running.other.wait_for(item, *FINAL) for item in many]
    assert [item["status"] for item in ended] == ["Completed"] * 20
