"""Executions whose worker was lost: they begin again, or fail with the outputs they had."""

from dataclasses import replace
from typing import Any

import pytest
from msgspec.json import decode

from pagehand.clock import now_ms
from pagehand.engine.reconciler import Recovery
from pagehand.engine.run.finish import Finisher
from pagehand.records import (
    Authentication,
    AuthenticationStatus,
    ContextAuthentication,
    DownloadState,
    Execution,
    LoginSummary,
    OutputPiece,
    Status,
    StoredFile,
)
from pagehand.testing import Harness
from support.attempts import accept_execution, events_of

pytestmark = pytest.mark.anyio


async def running(harness: Harness, **changes: Any) -> Execution:
    execution = await harness.accept(await harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}}))
    claimed = await harness.stores.executions.claim(execution.id, at=now_ms(), token="lost")
    assert claimed is not None
    if changes:
        await harness.stores.executions.update(claimed.id, claimed.fence, **changes)
    return claimed


async def recovered(harness: Harness, execution: Execution) -> tuple[bool, Execution]:
    entry = await Recovery(harness.services, Finisher(harness.services)).recover(execution.id)
    found = await harness.stores.executions.find_in_any_organization(execution.id)
    assert found is not None
    return entry is not None, found


async def test_without_an_effect_it_begins_again_and_that_costs_no_attempt(harness: Harness) -> None:
    is_queued, requeued = await recovered(harness, await running(harness))
    assert (is_queued, requeued.status, requeued.attempts) == (True, Status.ENQUEUED, 1)
    assert requeued.metadata["workersLost"] == 1


async def test_its_browser_is_ended_because_a_vendors_would_go_on(harness: Harness) -> None:
    ended: list[str] = []
    services = replace(harness.services, end_lost_browser=ended.append)
    recovery, execution = (
        Recovery(services, Finisher(services)),
        await running(harness, vendor_id="session-7"),
    )
    for _ in range(2):  # the second time it waits, and has no browser
        assert await recovery.recover(execution.id) is not None
    assert ended == ["session-7"]


async def test_a_run_that_loses_every_worker_ends(harness: Harness) -> None:
    is_queued, ended = await recovered(harness, await running(harness, metadata={"workersLost": 2}))
    assert (is_queued, ended.status) == (False, Status.FAILED)
    assert "The worker was lost" in (ended.error_analysis or "")


@pytest.mark.parametrize(
    "changes",
    [
        {"commit_block": "Pay"},
        {"metadata": {"effects": [{"blockReferenceId": "pay", "what": "POST", "at": "now"}]}},
    ],
)
async def test_what_had_an_effect_is_never_repeated(harness: Harness, changes: dict[str, Any]) -> None:
    execution = await running(harness, **changes)
    pieces = [OutputPiece(path=["a"], value=1), OutputPiece(path=["loop", 1, "x"], value=2)]
    # a loop is first shown as a list, as the run writes it
    pieces.insert(1, OutputPiece(path=["loop"], value=[]))
    await harness.stores.outputs.add(execution.id, execution.fence, 0, pieces)
    is_queued, ended = await recovered(harness, execution)
    assert (is_queued, ended.status) == (False, Status.FAILED)
    assert decode(ended.response or b"null") == {"a": 1, "loop": [{}, {"x": 2}]}
    assert "It is not tried again" in (ended.error_analysis or "")


async def test_one_that_waited_for_a_code_signs_in_again(harness: Harness) -> None:
    waiting = [Authentication(browser_session_id="bs_1", status=AuthenticationStatus.WAITING_FOR_CODE)]
    execution = await running(harness, authentications=waiting, metadata={"workersLost": 2})
    is_queued, requeued = await recovered(harness, execution)
    assert (is_queued, requeued.status, requeued.authentications) == (True, Status.ENQUEUED, [])


async def test_a_recovery_that_is_cut_off_leaves_the_sign_in_it_waits_for(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = [Authentication(browser_session_id="bs_1", status=AuthenticationStatus.WAITING_FOR_CODE)]
    execution = await running(harness, authentications=waiting)

    async def dies(*_: object, **__: object) -> bool:
        raise ConnectionResetError

    monkeypatch.setattr(harness.stores.executions, "requeue", dies)
    is_queued, found = await recovered(harness, execution)
    assert (is_queued, found.status, found.authentications) == (False, Status.IN_PROGRESS, waiting)


async def test_what_waits_is_queued_as_it_is_and_what_has_ended_is_left_alone(harness: Harness) -> None:
    workflow = await harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}})
    is_queued, waits = await recovered(harness, await harness.accept(workflow))
    assert (is_queued, waits.fence) == (True, 0)
    _, ended = await recovered(harness, await running(harness, commit_block="Pay"))
    assert await recovered(harness, ended) == (False, ended)


@pytest.mark.parametrize(
    "status",
    [
        AuthenticationStatus.IN_PROGRESS,
        AuthenticationStatus.WAITING_FOR_CODE,
        AuthenticationStatus.WAITING_FOR_USER,
    ],
)
async def test_a_sign_in_that_was_cut_off_for_good_waits_for_nobody(
    harness: Harness, status: AuthenticationStatus
) -> None:
    sign_ins = [
        Authentication(browser_session_id="bs_1", status=AuthenticationStatus.COMPLETED),
        Authentication(browser_session_id="bs_1", status=status),
    ]
    known = [
        ContextAuthentication(
            context_authentication_id=f"auth_{name}",
            login_summary=LoginSummary(login_id=f"login_{name}", name=name, is_manual=False),
            authentication_status=of,
        )
        for name, of in [("a", status), ("b", AuthenticationStatus.UNAUTHENTICATED)]
    ]
    execution = await running(
        harness, commit_block="Pay", authentications=sign_ins, context_authentications=known
    )
    _, ended = await recovered(harness, execution)
    assert [item.status for item in ended.authentications] == ["Completed", "Failed"]
    assert [item.authentication_status for item in ended.context_authentications] == [
        "Failed",
        "Unauthenticated",
    ]


async def test_a_lost_worker_costs_an_attempt_once_two_were_lost(harness: Harness) -> None:
    waiting = await accept_execution(
        harness, {"type": "Wait", "data": {"durationMs": 1}}, metadata={"workersLost": 2}, total_attempts=2
    )
    execution = await harness.stores.executions.claim(waiting.id, at=now_ms(), token="lost")
    assert execution is not None
    is_queued, requeued = await recovered(harness, execution)
    assert (is_queued, requeued.status, requeued.attempts) == (True, Status.ENQUEUED, 2)
    assert requeued.metadata["workersLost"] == 2
    events = await events_of(harness, execution)
    assert [event.type for event in events] == ["execution.retried"]


async def test_a_run_that_another_worker_has_begun_since_is_left_alone(harness: Harness) -> None:
    execution = await running(harness)
    recovery = Recovery(harness.services, Finisher(harness.services))
    assert await recovery.recover(execution.id, fence=execution.fence - 1) is None
    assert await recovery.recover("exec_of_nobody") is None
    found = await harness.stores.executions.find_in_any_organization(execution.id)
    assert found is not None
    assert (found.status, found.fence) == (Status.IN_PROGRESS, execution.fence)
    assert await recovery.recover(execution.id, fence=execution.fence) is not None


async def test_downloads_and_outputs_of_a_lost_run_can_be_read(harness: Harness) -> None:
    file = StoredFile(id="file_1", name="a.csv", mime_type="text/csv", size_bytes=1, key="a")
    downloads = DownloadState(status="in_progress", files=[file])
    execution = await running(harness, commit_block="Pay", downloads=downloads)
    pieces = [OutputPiece(path=["a"], value=1)]
    await harness.stores.outputs.add(execution.id, execution.fence, 0, pieces)
    _, ended = await recovered(harness, execution)
    assert (decode(ended.response or b"null"), decode(ended.context or b"null")["blocks"]) == (
        {"a": 1},
        {"a": 1},
    )
    assert ended.downloads is not None
    assert (ended.downloads.status, len(ended.downloads.files)) == ("failed", 1)
    assert ended.failure is not None
    assert ended.failure.code == "WorkerLost"
