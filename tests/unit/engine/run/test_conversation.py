"""What an agent says during a run is one thread, over all attempts."""

from typing import Any

import pytest

from pagehand.clock import now_ms
from pagehand.engine.run.services import Conversation
from pagehand.errors import Unavailable
from pagehand.records import Execution, Message, Thread
from pagehand.secrets.redactor import Redactor
from pagehand.testing import Harness
from support.database import whole

pytestmark = pytest.mark.anyio


@pytest.fixture
async def execution(harness: Harness) -> Execution:
    made = await harness.accept(await harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}}))
    claimed = await harness.stores.executions.claim(made.id, at=now_ms(), token="mine")
    assert claimed is not None
    return claimed


def conversation(harness: Harness, execution: Execution, *secrets: str) -> Conversation:
    async def save(**changes: Any) -> None:
        assert await harness.stores.executions.update(execution.id, execution.fence, **changes)

    return Conversation(execution, harness.stores.threads, Redactor(secrets), save)


async def messages(harness: Harness, thread_id: str) -> list[Message]:
    found, _ = await whole(harness.stores.threads.messages(harness.organization_id, thread_id, 99, 0))
    return found


async def test_the_first_message_makes_the_thread_and_the_execution_shows_it(
    harness: Harness, execution: Execution
) -> None:
    complaint = conversation(harness, execution, "hunter22")
    await complaint.say("user", "Sign in with hunter22")
    await complaint.say("assistant", "x" * 30_000)
    row = await harness.stores.executions.find_in_any_organization(execution.id)
    assert row is not None
    first, second = await messages(harness, row.metadata["threadId"])
    assert (first.role, first.text, len(second.text)) == ("user", "Sign in with ***", 20_000)


async def test_the_next_attempt_continues_the_same_thread(harness: Harness, execution: Execution) -> None:
    await conversation(harness, execution).say("assistant", "first attempt")
    thread_id = execution.metadata["threadId"]
    await conversation(harness, execution).say("assistant", "second attempt")
    assert execution.metadata["threadId"] == thread_id
    assert [message.text for message in await messages(harness, thread_id)] == [
        "first attempt",
        "second attempt",
    ]


async def test_an_execution_that_was_given_a_thread_speaks_in_it(
    harness: Harness, execution: Execution
) -> None:
    thread = Thread(
        id="thread_1",
        organization_id=harness.organization_id,
        name="Chat",
        workflow_id=execution.workflow_id,
        created_at=1,
    )
    await harness.stores.threads.add(thread)
    execution.thread_id = thread.id
    await conversation(harness, execution).say("assistant", "hello")
    assert len(await messages(harness, thread.id)) == 1
    assert "threadId" not in execution.metadata


async def test_a_thread_that_could_not_be_made_is_made_by_the_next_message(
    harness: Harness, execution: Execution, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_: Thread) -> None:
        raise Unavailable("The database cannot be reached right now.")

    complaint = conversation(harness, execution)
    with monkeypatch.context() as outage:
        outage.setattr(harness.stores.threads, "add", away)
        await complaint.say("assistant", "lost")
    await complaint.say("assistant", "kept")
    assert [message.text for message in await messages(harness, execution.metadata["threadId"])] == ["kept"]
