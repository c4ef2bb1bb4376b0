"""The final state: written once, free of secrets, whatever the run leaves behind."""

from typing import Any

import pytest
from msgspec.json import decode

from pagehand.clock import now_ms
from pagehand.engine.reporting.report import Failure
from pagehand.engine.run import finish as module
from pagehand.engine.run.finish import Ending, ExecutionRow, Finisher, failed_ending
from pagehand.errors import BlockFailed
from pagehand.records import Authentication, AuthenticationStatus, Execution, Status, Waiting
from pagehand.secrets.redactor import Redactor
from pagehand.testing import Harness

pytestmark = pytest.mark.anyio


async def running(harness: Harness) -> Execution:
    execution = await harness.accept(await harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}}))
    claimed = await harness.stores.executions.claim(execution.id, at=now_ms(), token="mine")
    assert claimed is not None
    return claimed


async def test_the_first_end_stands(harness: Harness) -> None:
    execution, finisher = await running(harness), Finisher(harness.services)
    first = await finisher.finish(execution, Ending(response={"a": 1}), fence=execution.fence)
    second = await finisher.finish(
        execution, failed_ending(Failure(None, BlockFailed("late"))), fence=execution.fence
    )
    assert first is not None
    assert (first.status, decode(first.response or b"null"), second) == (Status.COMPLETED, {"a": 1}, None)


async def test_a_late_writer_loses(harness: Harness) -> None:
    execution = await running(harness)
    ending = Ending(response={})
    assert await Finisher(harness.services).finish(execution, ending, fence=execution.fence - 1) is None


async def test_nothing_of_the_end_shows_a_secret(harness: Harness) -> None:
    execution = await running(harness)
    failure = Failure(None, BlockFailed("`hunter22` was refused"))
    ending = failed_ending(failure)
    ending.response, ending.context = {"a": ["hunter22"]}, {"params": {"p": "hunter22"}}
    done = await Finisher(harness.services).finish(
        execution, ending, fence=execution.fence, redactor=Redactor(["hunter22"])
    )
    assert done is not None
    assert "hunter22" not in str(done)
    assert b"hunter22" not in bytes(done.response or b"") + bytes(done.context or b"")


async def test_a_pause_is_shown_together_with_the_sign_in_that_waits(harness: Harness) -> None:
    row = ExecutionRow(await harness.accept(await harness.add_workflow()), harness.services)
    assert await row.claim()
    row.execution.authentications.append(
        Authentication(
            browser_session_id="bs_1", status=AuthenticationStatus.WAITING_FOR_CODE, live_view_url=""
        )
    )
    await row.set_status(Status.PAUSED, Waiting(kind="code", reason="A code is needed", since=""))
    shown = await harness.stores.executions.find_in_any_organization(row.execution.id)
    assert shown is not None
    assert (shown.status, [authentication.status for authentication in shown.authentications]) == (
        "Paused",
        ["WaitingForCode"],
    )


async def test_of_much_output_the_context_shows_what_is_short(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    execution = await running(harness)
    monkeypatch.setattr(module, "_CONTEXT_BYTES", 50)
    monkeypatch.setattr(module, "is_large", bool)
    ending = Ending(context={"blocks": {"long": "x" * 60, "short": "y"}})
    done = await Finisher(harness.services).finish(execution, ending, fence=execution.fence)
    assert done is not None
    assert decode(done.context or b"null")["blocks"] == {
        "long": "(62 bytes of JSON: see `response`)",
        "short": "y",
    }


async def test_a_response_that_cannot_be_written_fails_the_execution(harness: Harness) -> None:
    execution = await running(harness)
    unwritable: dict[str, Any] = {"a": object()}
    done = await Finisher(harness.services).finish(
        execution, Ending(response=unwritable), fence=execution.fence
    )
    assert done is not None
    assert (done.status, decode(done.response or b"null")) == (Status.FAILED, {})
    assert "could not be stored" in (done.error_analysis or "")


async def test_the_response_file_describes_the_response(harness: Harness) -> None:
    execution = await running(harness)
    done = await Finisher(harness.services).finish(
        execution, Ending(response={"a": 1}), fence=execution.fence
    )
    assert done is not None
    assert done.response_file is not None
    assert (done.response_file.name, done.response_file.size_bytes) == ("response.json", 7)


async def test_those_that_wait_end_together(harness: Harness) -> None:
    workflow = await harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}})
    waiting = [await harness.accept(workflow) for _ in range(3)]
    begun = await running(harness)
    ended = await Finisher(harness.services).finish_waiting(
        [*waiting, begun], failed_ending(Failure(None, BlockFailed("The batch was cancelled.")))
    )
    assert set(ended) == {attempt.id for attempt in waiting}
    found = [
        await harness.services.stores.executions.find_in_any_organization(execution_id)
        for execution_id in ended
    ]
    assert [item.status for item in found if item is not None] == [Status.FAILED] * 3
