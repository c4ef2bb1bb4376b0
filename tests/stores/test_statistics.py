"""The figures agree with a plain reading of all rows, on every database."""

from statistics import median

import pytest

from pagehand.records import Batch, Event, Memory, Status
from pagehand.storage import Stores
from pagehand.storage.counts import HOUR_MS

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio
NOON = 1_760_011_200_000
"""2025-10-09T12:00:00Z."""
DAY_MS = 24 * HOUR_MS


async def _add(stores: Stores, make_execution: MakeExecution, **fields: object) -> str:
    execution = make_execution(**{"accepted_at": NOON, "start_time": NOON, **fields})
    batch = Batch(
        id=f"batch_{execution.id}",
        organization_id="org_a",
        name="s",
        workflow_id="w",
        workflow_name="w",
        total=1,
        created_at=1,
    )
    await stores.batches.add(batch, [execution])
    return execution.id


async def test_states_and_days_are_counted_without_tests(
    stores: Stores, make_execution: MakeExecution
) -> None:
    for status, start, is_test in (
        (Status.COMPLETED, NOON, False),
        (Status.COMPLETED, NOON - DAY_MS, False),
        (Status.FAILED, NOON - 23 * HOUR_MS, False),
        (Status.FAILED, NOON - 25 * HOUR_MS, False),
        (Status.FAILED, NOON, True),
        (Status.IN_PROGRESS, NOON, False),
        (Status.PAUSED, NOON - 30 * DAY_MS, False),
    ):
        await _add(stores, make_execution, status=status, start_time=start, is_test=is_test)

    found = await stores.statistics.read("org_a", at=NOON, days=3)

    assert found.by_status[Status.IN_PROGRESS] == found.by_status[Status.PAUSED] == 1
    assert found.failed_last_day == 1
    assert [(day.date, day.completed, day.failed, day.other) for day in found.days] == [
        ("2025-10-07", 0, 0, 0),
        ("2025-10-08", 1, 2, 0),
        ("2025-10-09", 1, 0, 1),
    ]


async def test_workflows_have_their_rate_median_and_healed_elements(
    stores: Stores, make_execution: MakeExecution
) -> None:
    durations = [100, 900, 300]
    for duration in durations:
        await _add(stores, make_execution, workflow_id="wf_1", status=Status.COMPLETED, duration_ms=duration)
    await _add(stores, make_execution, workflow_id="wf_1", status=Status.FAILED, duration_ms=5)
    await stores.memories.save([_memory("a", {"css": "#new"}), _memory("b", None)])

    [figures] = (await stores.statistics.read("org_a", at=NOON, days=1)).workflows

    assert (figures.completed, figures.failed, figures.last_status) == (3, 1, Status.FAILED)
    assert figures.median_ms == median(durations)
    assert figures.healed == 1


async def test_newest_failures_carry_their_last_picture(
    stores: Stores, make_execution: MakeExecution
) -> None:
    failed = [await _add(stores, make_execution, status=Status.FAILED) for _ in range(7)]
    await stores.events.add([_event(failed[-1], 1, "first"), _event(failed[-1], 2, "last")])
    await stores.events.add([_event(failed[-1], 3, None)])

    failures = (await stores.statistics.read("org_a", at=NOON, days=1)).failures

    assert [failure.execution.id for failure in failures] == failed[:1:-1]
    assert [failure.screenshot_key for failure in failures] == ["last", None, None, None, None]


async def test_organizations_do_not_see_each_other(stores: Stores, make_execution: MakeExecution) -> None:
    await _add(stores, make_execution, status=Status.FAILED)

    found = await stores.statistics.read("org_b", at=NOON, days=1)

    assert (found.by_status, found.workflows, found.failures, found.failed_last_day) == ({}, [], [], 0)


def _event(execution_id: str, seq: int, picture: str | None) -> Event:
    return Event(
        execution_id=execution_id,
        seq=seq,
        at=NOON,
        type="block.finished",
        message="done",
        block_id=None,
        block_reference_id=None,
        data={},
        screenshot_key=picture,
    )


def _memory(block_id: str, healed: dict[str, str] | None) -> Memory:
    return Memory(
        workflow_id="wf_1",
        block_id=block_id,
        key="locator",
        organization_id="org_a",
        written="{}",
        version=1,
        remembered_at=NOON,
        healed_locator=healed,
    )
