"""Agent conversation threads and their messages."""

from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import (
    Answer,
    Limit,
    Listing,
    MessageText,
    Moment,
    Name,
    Offset,
    OpenRequest,
    Request,
    View,
)
from pagehand.api.operation import EXAMPLE_WORKFLOW_ID, Call, Result, operation
from pagehand.api.resources.conversation import blocks_for, open_thread
from pagehand.api.resources.lookups import find_workflow
from pagehand.errors import InvalidRequest, NotFound, UserMistake
from pagehand.instructions.outline import describe_blocks
from pagehand.records import Message, Thread
from pagehand.workflow.refusals import missing

_CONTEXT_MESSAGES: Final = 20
"""How many earlier messages the model is given."""


def _not_found() -> NotFound:
    return NotFound("There is no thread with this `id` in this organization")


class ListMessages(OpenRequest):
    """Whose messages; threadId is another word for id."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        "role": "messages are not filtered by role",
        "search": "messages are not searched",
        "agentConversationThreadId": "did you mean `id`?",
        "sessionId": "did you mean `id`?",
    }

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


MessageList = Listing("MessageList", "messages", MessageView, "Oldest first.")


@operation("/agents/session/messages/list", scope="read", response=MessageList)
async def list_messages(call: Call[ListMessages]) -> Result:
    """The messages of an agent thread."""
    request = call.request
    # an empty id is unknown, not missing
    thread_id = request.id if request.id is not None else request.thread_id
    if thread_id is None:
        raise InvalidRequest(missing("id"))
    if await call.services.stores.threads.get(call.organization_id, thread_id) is None:
        raise _not_found()
    found, total = await call.services.stores.threads.messages(
        call.organization_id, thread_id, request.limit, request.offset
    )
    return await streamed_list("messages", (map(message_view, part) async for part in found), total=total)


def message_view(message: Message) -> MessageView:
    """A message as the API shows it."""
    roles: dict[str, Literal["user", "assistant", "tool"]] = {"user": "user", "tool": "tool"}
    role = roles.get(message.role, "assistant")
    return MessageView(role=role, parts=[MessagePart(type="text", text=message.text)])


class CreateThread(Request):
    """What the conversation is called and about."""

    name: Name | None = None
    workflow_id: Annotated[str | None, Meta(description="The workflow it is about.")] = None


class ThreadView(View):
    """An agent conversation."""

    id: str
    name: str
    workflow_id: str | None
    created_at: Moment


ThreadAnswer = Answer("ThreadAnswer", "thread", ThreadView, "One conversation.")


@operation(
    "/agents/session/create",
    scope="edit",
    response=ThreadAnswer,
    errors=(404,),
    example={"name": "Orders", "workflowId": EXAMPLE_WORKFLOW_ID},
)
async def create(call: Call[CreateThread]) -> Result:
    """Begin a conversation, about a workflow or about none yet."""
    request = call.request
    if request.workflow_id is not None:
        await find_workflow(call, request.workflow_id, "workflowId")
    made = await open_thread(
        call.services.stores.threads, call.organization_id, request.name or "", request.workflow_id
    )
    shown = ThreadView.of(made)
    return ThreadAnswer(shown)


class SendMessage(Request):
    """A message, and the conversation it belongs to."""

    id: Annotated[str, Meta(description="The thread's id.")]
    message: MessageText


class NewMessages(View):
    """The message and its answer."""

    messages: list[MessageView]


@operation(
    "/agents/session/messages/send",
    scope="edit",
    response=NewMessages,
    example={"message": "Click the Submit button"},
)
async def send(call: Call[SendMessage]) -> Result:
    """Send a message; the answer describes the blocks that would do it, or why none would."""
    request = call.request
    if not request.message.strip():
        raise InvalidRequest("`message`: expected some text")
    thread = await call.services.stores.threads.get(call.organization_id, request.id)
    if thread is None:
        raise _not_found()
    answer = await _answer(call, thread, request.message)
    new_messages = (("user", request.message), ("assistant", answer))
    # both or none: a question without its answer would confuse the model
    new = await call.services.stores.threads.add_messages(call.organization_id, thread.id, new_messages)
    return NewMessages(messages=[message_view(item) for item in new])


async def _answer(call: Call[SendMessage], thread: Thread, message: str) -> str:
    """The blocks in words, or why there are none."""
    organization_id, stores = call.organization_id, call.services.stores
    workflow = None
    if thread.workflow_id is not None:
        workflow = await stores.workflows.get(organization_id, thread.workflow_id)
    _, total = await stores.threads.messages(organization_id, thread.id, 1, 0)
    earlier, _ = await stores.threads.messages(
        organization_id, thread.id, _CONTEXT_MESSAGES, max(0, total - _CONTEXT_MESSAGES)
    )
    try:
        blocks = await blocks_for(
            call.services, organization_id, message, workflow, earlier=await earlier.all()
        )
    except UserMistake as refusal:
        return refusal.message
    return describe_blocks(blocks, call.services.kinds)
