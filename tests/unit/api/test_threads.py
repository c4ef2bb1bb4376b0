"""`/agents/session/…`: conversations, who may read them, their pages, and refusals that are answers."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


async def create_thread(api: "Api", **fields: object) -> str:
    answer = await api.post("/agents/session/create", fields)
    assert answer.status_code == 200, answer.text
    return answer.json()["thread"]["id"]


async def test_thread_has_a_name_of_one_line(api: "Api") -> None:
    for given, name in ((None, "Conversation"), ("  a\n b ", "a b"), ("x" * 100, "x" * 80)):
        made = (await api.post("/agents/session/create", {"name": given})).json()["thread"]
        assert (made["name"], made["workflowId"]) == (name, None)


async def test_thread_about_a_workflow_needs_one_of_the_organization(api: "Api") -> None:
    workflow = await api.create_workflow()
    made = (await api.post("/agents/session/create", {"workflowId": workflow["id"]})).json()["thread"]
    assert made["workflowId"] == workflow["id"]
    for key in ({}, {"x_api_key": await api.create_key("other")}):
        asked = "wf_none" if not key else workflow["id"]
        answer = await api.post("/agents/session/create", {"workflowId": asked}, **key)
        assert (answer.status_code, "`workflowId`" in answer.json()["error"]) == (404, True)


async def test_messages_are_oldest_first_in_pages_under_either_name(api: "Api") -> None:
    thread_id, owner = await create_thread(api), await api.organization_id()
    spoken = [("user", "one"), ("assistant", "two"), ("tool", "three"), ("system", "four")]
    await api.services.stores.threads.add_messages(owner, thread_id, spoken)
    listed = (await api.post("/agents/session/messages/list", {"id": thread_id})).json()
    assert listed["total"] == 4
    assert [message["parts"][0]["text"] for message in listed["messages"]] == ["one", "two", "three", "four"]
    # the three roles of the contract; what an agent says of itself is an assistant's
    assert [message["role"] for message in listed["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert {part["type"] for message in listed["messages"] for part in message["parts"]} == {"text"}
    page = (
        await api.post("/agents/session/messages/list", {"threadId": thread_id, "limit": 2, "offset": 3})
    ).json()
    assert ([message["parts"][0]["text"] for message in page["messages"]], page["total"]) == (["four"], 4)
    beyond = (await api.post("/agents/session/messages/list", {"id": thread_id, "offset": 9})).json()
    assert beyond == {"messages": [], "total": 4}


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 400),
        ({"limit": 0}, 400),
        ({"limit": 1001}, 400),
        ({"offset": -1}, 400),
        ({"id": 5}, 400),
        ({"id": "thread_none"}, 404),
        ({"threadId": "thread_none"}, 404),
        ({"id": "", "threadId": "thread_none"}, 404),
        ({"search": "x"}, 400),
    ],
)
async def test_messages_of_what_is_not_there_are_refused(
    api: "Api", fields: dict[str, object], status: int
) -> None:
    answer = await api.post("/agents/session/messages/list", fields)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])


async def test_another_organization_reads_and_writes_nothing(api: "Api") -> None:
    thread_id, key = await create_thread(api), await api.create_key("other")
    for path, more in (("list", {}), ("send", {"message": "hello"})):
        answer = await api.post(f"/agents/session/messages/{path}", {"id": thread_id, **more}, x_api_key=key)
        assert answer.status_code == 404
    assert (await api.post("/agents/session/messages/list", {"id": thread_id})).json()["total"] == 0


@pytest.mark.parametrize("message", ["", "   ", "\n"])
async def test_message_has_some_text(api: "Api", message: str) -> None:
    answer = await api.post(
        "/agents/session/messages/send", {"id": await create_thread(api), "message": message}
    )
    assert answer.status_code == 400
    assert "`message`" in answer.json()["error"]


async def test_instruction_is_answered_with_the_blocks_in_words(api: "Api") -> None:
    thread_id = await create_thread(api, workflowId=(await api.create_workflow())["id"])
    answer = await api.post("/agents/session/messages/send", {"id": thread_id, "message": "Wait 2 seconds"})
    user, assistant = answer.json()["messages"]
    assert (user["role"], user["parts"][0]["text"]) == ("user", "Wait 2 seconds")
    assert assistant["role"] == "assistant"
    assert "2" in assistant["parts"][0]["text"]
    assert (await api.post("/agents/session/messages/list", {"id": thread_id})).json()["total"] == 2


async def test_refusal_is_an_answer_of_the_conversation(api: "Api") -> None:
    thread_id = await create_thread(api)
    answer = await api.post(
        "/agents/session/messages/send", {"id": thread_id, "message": "Find the nicest hotel of all"}
    )
    assert answer.status_code == 200
    assert "PAGEHAND_MODEL" in answer.json()["messages"][1]["parts"][0]["text"]
