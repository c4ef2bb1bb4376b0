"""What comes back from a provider's library, read without trust."""

import pytest
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart

from pagehand.ai.wire import read_reply


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ('{"ref": "1"}', {"ref": "1"}),
        ({"ref": "1"}, {"ref": "1"}),
        ("", {}),
        (None, {}),
    ],
)
def test_a_call_has_the_arguments_that_were_sent(arguments: object, read: dict[str, str]) -> None:
    reply = read_reply(ModelResponse(parts=[ToolCallPart("click", arguments, "c1")]))  # pyright: ignore[reportArgumentType] - what providers send
    assert [(call.id, call.name, call.arguments) for call in reply.calls] == [("c1", "click", read)]


def test_texts_are_joined_and_thoughts_left_out() -> None:
    parts = [ThinkingPart("hm"), TextPart("one, "), ToolCallPart("click", "{}", "c1"), TextPart("two")]
    reply = read_reply(ModelResponse(parts=parts))
    assert (reply.text, len(reply.calls)) == ("one, two", 1)


def test_an_answer_of_nothing_is_empty() -> None:
    reply = read_reply(ModelResponse(parts=[]))
    assert (reply.text, reply.calls) == ("", ())
