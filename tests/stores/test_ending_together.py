"""Many waiting executions end in one transaction of few statements, and their webhook events go out once."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine, event

from pagehand.records import Batch, BatchEnd, Delivery, FileInfo, FinalState, Status, WebhookEvent
from pagehand.storage import Stores
from support.database import whole
from support.ending import final_state

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio

ROWS = 500


def delivery(name: str, event_type: str) -> Delivery:
    return Delivery(
        id=f"delivery_{name}",
        organization_id="org_a",
        webhook_id="webhook_1",
        message_id=f"msg_{name}",
        event=event_type,
        body="{}",
        created_at=1,
        next_at=1,
    )


def end_of(execution_id: str) -> FinalState:
    """The end of one of the batch, told to a webhook, and the batch's end if it is the last."""

    def finished(progress: Any) -> list[Delivery]:
        return [delivery(f"batch_of_{sum(progress.values())}", "batch.finished")]

    batch_end = BatchEnd(batch_id="batch_1", organization_id="org_a", at=9, compose=finished)
    webhook_event = WebhookEvent(deliveries=[delivery(execution_id, "execution.failed")], batch_end=batch_end)
    file = FileInfo(f"file_{execution_id}", "org_a", execution_id, "response.json", "text/json", 2, "k", 1)
    return final_state(
        execution_id,
        Status.FAILED,
        webhook_event=webhook_event,
        file=file,
        error_analysis="Cancelled by somebody.",
        summary=f"{execution_id} was cancelled.",
    )


@contextmanager
def counted() -> Generator[list[str]]:
    """The calls of the database made meanwhile."""
    calls: list[str] = []

    def note(*given: Any) -> None:
        calls.append(str(given[2]))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield calls
    finally:
        event.remove(Engine, "before_cursor_execute", note)


async def test_five_hundred_end_in_a_handful_of_statements(
    stores: Stores, make_execution: MakeExecution
) -> None:
    rows = [make_execution(batch_id="batch_1") for _ in range(ROWS)]
    batch = Batch(
        id="batch_1",
        organization_id="org_a",
        name="B",
        workflow_id="wf_1",
        workflow_name="W",
        total=ROWS,
        created_at=1,
    )
    await stores.batches.add(batch, rows)
    begun, *waiting = rows
    await stores.executions.claim(begun.id, at=1)
    with counted() as calls:
        ended = await stores.executions.finish_waiting([end_of(row.id) for row in rows], token="cancel")
    assert set(ended) == {row.id for row in waiting}  # one that runs is not ended here
    assert len(calls) <= 12, calls
    assert await announced(stores) == {"execution.failed": ROWS - 1}  # the batch is not over yet
    last = end_of(begun.id)
    assert await stores.executions.finish(last, 1, token="end")
    assert await announced(stores) == {"execution.failed": ROWS, "batch.finished": 1}
    found = await stores.executions.find_in_any_organization(waiting[7].id)
    assert found is not None
    assert (found.status, found.summary) == (Status.FAILED, f"{waiting[7].id} was cancelled.")
    files, total = await stores.files.list("org_a", execution_id=waiting[7].id, limit=5, offset=0)
    assert ([file.id for file in files], total) == ([f"file_{waiting[7].id}"], 1)


async def announced(stores: Stores) -> dict[str, int]:
    """How many deliveries there are of each event."""
    found, _ = await whole(
        stores.deliveries.list("org_a", "webhook_1", status=None, limit=2 * ROWS, offset=0)
    )
    events = [row.event for row in found]
    return {name: events.count(name) for name in set(events)}
