"""An agent takes one step after the other and ends when it is done, gives up, or may go no further."""

from collections.abc import Sequence
from typing import Any, cast

import pytest

from pagehand.ai.model import Agent, RunModel
from pagehand.errors import BlockFailed
from pagehand.ports import AgentResult
from pagehand.records import Reply, Tool, ToolCall

pytestmark = pytest.mark.anyio
RESULT = {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}
CLICK = Tool(name="click", description="Click it.", arguments={"type": "object"})


def call(name: str, **arguments: Any) -> Reply:
    return Reply(text="", calls=(ToolCall(id="1", name=name, arguments=arguments),))


def words(text: str) -> Reply:
    return Reply(text=text, calls=())


DONE = call("done", message="Read it", result={"total": 5})


class ScriptedConversation:
    """A model with scripted replies that records what it was sent."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []
        self.offered: list[str] = []

    def converse(self, _: str, tools: Sequence[Tool]) -> "ScriptedConversation":
        self.offered = [tool.name for tool in tools]
        return self

    def fence(self, text: str) -> str:
        return text

    async def say(self, report: str, pictures: Sequence[Any]) -> Reply:
        self.asked.append(f"{report} ({len(pictures)} pictures)")
        return self.replies.pop(0)


class Page:
    """A page on which every step works; it records the messages about it."""

    tools = (CLICK,)

    def __init__(self, picture: bytes | None = None) -> None:
        self.done: list[ToolCall] = []
        self.messages: list[tuple[str, str]] = []
        self._picture = picture

    async def look(self) -> str:
        return f"{len(self.done)} clicks so far"

    async def picture(self) -> bytes | None:
        return self._picture

    async def do(self, call: ToolCall) -> str:
        self.done.append(call)
        return "Clicked"

    async def record_message(self, role: str, text: str) -> None:
        self.messages.append((role, text))


async def work(page: Page, model: ScriptedConversation, steps: int = 10) -> Any:
    return await Agent(cast("RunModel", model), "Read the total", cast("Any", page), RESULT).work(steps)


async def test_steps_are_done_in_order_until_the_result_is_given() -> None:
    page, model = Page(), ScriptedConversation(call("click", ref="e1"), call("click", ref="e2"), DONE)
    achieved = await work(page, model)
    assert [step.arguments["ref"] for step in page.done] == ["e1", "e2"]
    assert achieved == AgentResult("Read it", {"total": 5})
    assert model.offered == ["click", "done", "give_up"]


async def test_each_step_sees_what_was_done_and_what_is_there_now() -> None:
    page, model = Page(b"picture"), ScriptedConversation(call("click", ref="e1"), DONE)
    await work(page, model)
    assert "Nothing yet." in model.asked[0]
    assert '1. click {"ref": "e1"} → Clicked' in model.asked[1]
    assert "1 clicks so far (1 pictures)" in model.asked[1]


async def test_a_result_that_does_not_fit_is_asked_for_again_with_what_is_wrong() -> None:
    model = ScriptedConversation(call("done", message="x", result={"total": "five"}), DONE)
    await work(Page(), model)
    assert "`result` does not fit what was asked for: `total`" in model.asked[1]


async def test_giving_up_fails_with_its_reason() -> None:
    with pytest.raises(BlockFailed, match="The agent gave up: the page is empty"):
        await work(Page(), ScriptedConversation(call("give_up", reason="the page is empty")))


async def test_words_without_a_step_are_answered_twice_and_then_end_it() -> None:
    model = ScriptedConversation(words("Hm."), words("Let me think."), words("I am lost."))
    with pytest.raises(BlockFailed, match="it used no tool and said: I am lost"):
        await work(Page(), model)
    assert "Use one of the tools, or `done`, or `give_up`." in model.asked[1]


async def test_too_many_steps_fail_with_the_last_ones() -> None:
    model = ScriptedConversation(*(call("click", ref=f"e{at}") for at in range(8)))
    with pytest.raises(BlockFailed, match="not reached within 8 steps") as failure:
        await work(Page(), model, steps=8)
    assert '"e7"' in failure.value.diagnosis.found
    assert '"e1"' not in failure.value.diagnosis.found


async def test_messages_and_steps_are_kept_for_the_thread() -> None:
    page = Page()
    await work(page, ScriptedConversation(call("click", ref="e1"), DONE))
    assert page.messages[:2] == [("assistant", 'click {"ref": "e1"}'), ("tool", "Clicked")]
