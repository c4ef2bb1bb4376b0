"""Agent threads: their messages, oldest first."""

import pytest

from support.database import add_thread
from support.service import Api, Json, RunningService
from support.shapes import MESSAGE, ListOf, misfits

SAID = [
    ("user", "Book it"),
    ("assistant", "Which day?"),
    ("tool", '{"free": ["Monday"]}'),
    ("user", "Monday"),
]


@pytest.fixture(scope="module")
def thread(service: RunningService) -> str:
    return add_thread(service, "default", SAID)


def test_messages_come_oldest_first_in_their_simple_form(api: Api, thread: str) -> None:
    answer = api.call("/agents/session/messages/list", {"id": thread})
    assert set(answer) == {"messages", "total"}
    assert misfits(answer["messages"], ListOf(MESSAGE)) == []
    assert [(message["role"], message["parts"][0]["text"]) for message in answer["messages"]] == SAID
    assert answer["total"] == 4
    assert api.call("/agents/session/messages/list", {"threadId": thread}) == answer


@pytest.mark.parametrize(
    ("fields", "part"), [({"limit": 2}, (0, 2)), ({"limit": 1, "offset": 2}, (2, 3)), ({"offset": 9}, (4, 4))]
)
def test_messages_are_paged(api: Api, thread: str, fields: Json, part: tuple[int, int]) -> None:
    answer = api.call("/agents/session/messages/list", {"id": thread, **fields})
    assert [message["parts"][0]["text"] for message in answer["messages"]] == [
        text for _, text in SAID[slice(*part)]
    ]
    assert answer["total"] == 4


def test_a_thread_is_named_on_the_execution_it_began(api: Api, thread: str) -> None:
    done = api.run({"type": "Wait", "data": {"durationMs": 1}}, agentConversationThreadId=thread)
    assert done["agentConversationThreadId"] == thread


def test_without_an_id_or_with_an_unknown_one_the_field_is_named(api: Api) -> None:
    for fields, status in (({}, 400), ({"id": "thread_no"}, 404), ({"threadId": "thread_no"}, 404)):
        answer = api.post("/agents/session/messages/list", fields)
        assert answer.status_code == status
        assert "`id`" in answer.json()["error"]
