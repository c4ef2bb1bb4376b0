"""Agent conversation threads and their messages."""

from typing import Annotated, Literal

from msgspec import Meta

from pagehand.api.fields import Limit, Offset, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.errors import InvalidRequest, NotFound
from pagehand.records import Message


class ListMessages(Request):
    """Whose messages; threadId is another word for id."""

    id: Annotated[str | None, Meta(description="The thread's id.")] = None
    thread_id: Annotated[str | None, Meta(description="The same, where id is not given.")] = None
    limit: Limit = 1000
    offset: Offset = 0


class MessagePart(View):
    """A piece of a message."""

    type: Literal["text"]
    text: str


class MessageView(View):
    """One message."""

    role: Literal["user", "assistant", "tool"]
    parts: list[MessagePart]


class MessageList(View):
    """Oldest first."""

    messages: list[MessageView]
    total: int


@operation(
    "/agents/session/messages/list",
    needs="read",
    takes=ListMessages,
    answers=MessageList,
    errors=(404,),
    example={"id": "thread_01k3v8c2m4e6g8j0n2q4s6t8w0"},
)
async def list_messages(call: Call[ListMessages]) -> Result:
    """The messages of an agent thread."""
    asked = call.request
    thread_id = asked.id if asked.id is not None else asked.thread_id
    if thread_id is None:
        raise InvalidRequest("`id` is required")
    if await call.parts.stores.threads.get(call.organization_id, thread_id) is None:
        raise NotFound("There is no thread with this `id` in this organization")
    found, total = await call.parts.stores.threads.messages(
        call.organization_id, thread_id, asked.limit, asked.offset
    )
    return MessageList(messages=[message_view(one) for one in found], total=total)


def message_view(message: Message) -> MessageView:
    """A message as the API shows it."""
    roles: dict[str, Literal["user", "assistant", "tool"]] = {"user": "user", "tool": "tool"}
    role = roles.get(message.role, "assistant")
    return MessageView(role=role, parts=[MessagePart(type="text", text=message.text)])


OPERATIONS = (list_messages,)
