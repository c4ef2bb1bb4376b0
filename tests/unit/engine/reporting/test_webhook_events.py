"""What webhooks hear of an execution, and when they hear nothing."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from msgspec import Raw
from msgspec.json import encode

from pagehand.engine.reporting.webhook_events import WebhookEvents
from pagehand.records import Authentication, AuthenticationStatus, Delivery, Execution, Json, Status
from pagehand.storage.webhooks import WebhookStore
from pagehand.webhooks.stored import WebhookListeners

pytestmark = pytest.mark.anyio

MakeExecution = Callable[..., Execution]
FINAL: dict[str, Any] = {
    "status": Status.COMPLETED,
    "end_time": 2_000,
    "duration_ms": 1_000,
    "response": Raw(b'{"answer":42}'),
    "response_file": None,
    "downloads": None,
    "summary": "Done.",
    "error_analysis": "",
    "failure": None,
}


class Listeners(WebhookListeners):
    """One webhook that listens for some events; keeps what was composed."""

    def __init__(self, *events: str) -> None:
        super().__init__(cast("WebhookStore", None), lambda: None)
        self.events = events
        self.reported: list[tuple[str, Json]] = []
        self.wake: Callable[[], None] = lambda: None

    async def composer(self, organization_id: str, event: str) -> Callable[[Json], list[Delivery]] | None:
        if event not in self.events:
            return None

        def note(data: Json) -> list[Delivery]:
            self.reported.append((event, data))
            return self.compose(organization_id, {"webhook_1": "pagehand"}, event, data)

        return note


def signing_in(execution: Execution, *statuses: str) -> Execution:
    execution.authentications = [
        Authentication(browser_session_id="bs_1", status=AuthenticationStatus(status)) for status in statuses
    ]
    return execution


async def test_without_listeners_nothing_is_composed(make_execution: MakeExecution) -> None:
    webhook_events = WebhookEvents(Listeners())
    execution = signing_in(make_execution(batch_id="batch_1"), "WaitingForCode")
    assert await webhook_events.started(execution, 1) is None
    assert await webhook_events.paused(execution, "r") is None
    assert await webhook_events.waiting(execution) is None
    assert await webhook_events.finished(execution, FINAL) is None


async def test_a_sign_in_that_waits_is_announced_once_for_each_time_it_waits(
    make_execution: MakeExecution,
) -> None:
    listeners = Listeners("authentication.waiting")
    webhook_events = WebhookEvents(listeners)
    execution = make_execution()
    for status in (
        "InProgress",
        "WaitingForCode",
        "WaitingForCode",
        "InProgress",
        "WaitingForCode",
        "Completed",
    ):
        await webhook_events.waiting(signing_in(execution, status))
    await webhook_events.waiting(signing_in(execution, "Completed", "WaitingForUser"))
    reported = [data["authentication"]["status"] for _, data in listeners.reported]
    assert reported == ["WaitingForCode", "WaitingForCode", "WaitingForUser"]


async def test_params_are_never_reported(make_execution: MakeExecution) -> None:
    listeners = Listeners("execution.started", "execution.paused", "execution.completed")
    webhook_events = WebhookEvents(listeners)
    execution = make_execution(params={"password": "hunter-2-canary"})
    await webhook_events.started(execution, 1)
    await webhook_events.paused(execution, "A person is needed")
    webhook_event = await webhook_events.finished(execution, FINAL)
    assert webhook_event is not None
    assert len(listeners.reported) == 3
    assert "hunter-2-canary" not in str(listeners.reported)


async def test_a_large_response_is_cut_and_not_sent_whole(make_execution: MakeExecution) -> None:
    listeners = Listeners("execution.failed")
    final = FINAL | {"status": Status.FAILED, "response": Raw(encode({"text": "x" * 100_000}))}
    await WebhookEvents(listeners).finished(make_execution(), final)
    [(_, data)] = listeners.reported
    assert data["execution"]["response"] is None
    assert len(data["execution"]["truncatedResponse"]) == 1001


async def test_a_batch_that_nobody_listens_for_costs_nothing(make_execution: MakeExecution) -> None:
    webhook_event = await WebhookEvents(Listeners("execution.completed")).finished(
        make_execution(batch_id="batch_1"), FINAL
    )
    assert webhook_event is not None
    assert webhook_event.batch_end is None


async def test_the_end_of_a_batch_counts_its_executions(make_execution: MakeExecution) -> None:
    listeners = Listeners("batch.finished")
    execution = make_execution(batch_id="batch_1", batch_name="March")
    webhook_event = await WebhookEvents(listeners).finished(execution, FINAL)
    assert webhook_event is not None
    assert webhook_event.batch_end is not None
    assert not webhook_event.deliveries
    webhook_event.batch_end.compose({Status.COMPLETED: 4, Status.FAILED: 1})
    [(_, data)] = listeners.reported
    assert {name: data["batch"][name] for name in ("id", "name", "total", "completed", "failed")} == {
        "id": "batch_1",
        "name": "March",
        "total": 5,
        "completed": 4,
        "failed": 1,
    }


async def test_a_run_whose_elements_moved_is_announced_as_healed_beside_its_end(
    make_execution: MakeExecution,
) -> None:
    listeners = Listeners("execution.healed", "execution.completed")
    assert await WebhookEvents(listeners).finished(make_execution(), FINAL, healed=2)
    assert [(event, data.get("healed")) for event, data in listeners.reported] == [
        ("execution.completed", None),
        ("execution.healed", 2),
    ]
    only = Listeners("execution.healed")
    assert await WebhookEvents(only).finished(make_execution(), FINAL, healed=0) is None
