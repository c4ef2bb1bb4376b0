"""Messages to executions that another process runs; only PostgreSQL has several processes."""

import pytest

from pagehand.storage import Stores
from pagehand.storage.run_messages import RunMessage, RunMessageStore
from support.ending import final_state

from .conftest import MakeExecution

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("kind", ["postgres"])]


@pytest.fixture
def messages(stores: Stores) -> RunMessageStore:
    return stores.run_messages


def message(number: int, execution_id: str = "exec_1") -> RunMessage:
    return RunMessage(f"msg_{number}", execution_id, "code", {"code": f"12345{number}"})


async def ids(messages: RunMessageStore, *execution_ids: str, besides: tuple[str, ...] = ()) -> list[str]:
    return [item.id for item in await messages.unanswered(execution_ids, besides=besides)]


async def test_messages_wait_oldest_first_until_they_are_answered(messages: RunMessageStore) -> None:
    for number in (1, 2, 3):
        await messages.add([message(number)])
    await messages.add([message(4, "exec_2")])
    assert await ids(messages, "exec_1") == ["msg_1", "msg_2", "msg_3"]
    assert await ids(messages, "exec_1", "exec_2", besides=("msg_2",)) == ["msg_1", "msg_3", "msg_4"]
    await messages.answer("msg_1", {"ok": True})
    assert await ids(messages, "exec_1") == ["msg_2", "msg_3"]
    assert await messages.answer_to("msg_1") == {"ok": True}
    assert await messages.answer_to("msg_2") is None
    await messages.remove("msg_1")
    assert await messages.answer_to("msg_1") is None


async def test_answered_message_keeps_nothing_of_the_code_it_brought(
    messages: RunMessageStore, stores: Stores
) -> None:
    await messages.add([message(1)])
    [before] = await messages.unanswered(["exec_1"], besides=[])
    assert before.body == {"code": "123451"}
    await messages.answer("msg_1", {"ok": True})
    async with stores.run_messages._database.read() as connection:  # pyright: ignore[reportPrivateUsage] - what no method shows
        kept = (await connection.exec_driver_sql("SELECT CAST(body AS text) FROM messages_to_runs")).scalar()
    assert "12345" not in str(kept)


async def test_only_old_messages_to_ended_executions_are_swept(
    messages: RunMessageStore, stores: Stores, make_execution: MakeExecution
) -> None:
    going, ended = [await stores.executions.add(make_execution()) for _ in range(2)]
    await stores.executions.claim(ended.id, at=1)
    await stores.executions.finish(final_state(ended.id), 1)
    await messages.add([message(1, going.id), message(2, ended.id), message(3, "exec_gone")])
    await messages.sweep(60_000)
    assert await ids(messages, going.id, ended.id, "exec_gone") == ["msg_1", "msg_2", "msg_3"]
    await messages.sweep(-1000)
    assert await ids(messages, going.id, ended.id, "exec_gone") == ["msg_1"]
