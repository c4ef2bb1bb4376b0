"""Running workflows: `execute` answers at once, `executeSync` when the run has ended."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, ClassVar, Final, TypeVar

from msgspec import Meta, field
from starlette.responses import StreamingResponse

from pagehand.api.errors import error_response
from pagehand.api.fields import ExistingName, OpenRequest
from pagehand.api.operation import (
    Call,
    Content,
    Encoded,
    HttpRequest,
    Result,
    encode,
    encoded_size,
    operation,
)
from pagehand.api.request_limits import RequestUsage
from pagehand.api.resources.execution_views import ExecutionAnswer, FinishedAnswer, encode_execution
from pagehand.engine.port import (
    DEFAULT_TIMEOUT_SECONDS,
    MAX_TIMEOUT_SECONDS,
    ExecutionRequest,
    IdempotencyKey,
)
from pagehand.errors import InvalidRequest, PagehandError, Unavailable
from pagehand.records import Execution, Json

_VISIBLE_ASCII: Final = re.compile(r"[!-~]{1,255}")
_IN_PARAMS: Final = "did you mean `params`?"
_IN_BATCHES: Final = "belongs to `/batches/create`, which starts one execution per row"


class RunWorkflowSync(OpenRequest):
    """Which workflow to run, and with what; one of workflowId and workflowName is needed."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("input", "inputs", "parameters", "variables", "arguments", "args"), _IN_PARAMS),
        **dict.fromkeys(("rows", "concurrency"), _IN_BATCHES),
        "idempotencyKey": "send it as the header `Idempotency-Key`",
        "id": "did you mean `workflowId`?",
        "threadId": "did you mean `agentConversationThreadId`?",
        "timeoutMs": "did you mean `timeout`? It is in seconds",
        "proxy": "did you mean `useProxy`?",
        "test": "did you mean `isTest`?",
        "blocks": "a workflow runs as it is kept; change it with `/workflows/blocks/update`",
        "version": "a workflow runs as it is now; go back to an earlier version with `/workflows/restore`",
        "startAt": "did you mean `startBlockId`?",
    }

    params: Annotated[
        Json, Meta(description="The caller's own data, as templates see it under `params`.")
    ] = field(default_factory=Json)
    workflow_id: str | None = None
    workflow_name: Annotated[
        ExistingName | None, Meta(description="Instead of workflowId; must be the name of one only.")
    ] = None
    login_id: Annotated[str | None, Meta(description="The login to sign in with.")] = None
    name: Annotated[
        ExistingName | int | float | None, Meta(description="A name for the execution; kept as a string.")
    ] = None
    timeout: Annotated[
        float,
        Meta(gt=0, le=MAX_TIMEOUT_SECONDS, description="Seconds for the whole execution, waiting included."),
    ] = DEFAULT_TIMEOUT_SECONDS
    use_proxy: Annotated[bool, Meta(description="Go through the proxy the operator has set.")] = False
    start_block_id: Annotated[
        str | None, Meta(description="The block to start at: its id or its blockReferenceId.")
    ] = None
    like_execution_id: Annotated[
        str | None,
        Meta(
            description="An execution of the workflow whose params, login and proxy it takes over where none "
            "are given here, secret ones included. Needs workflowId."
        ),
    ] = None
    continue_execution_id: Annotated[
        str | None,
        Meta(
            description="A finished execution of the workflow: with `startBlockId`, the run starts with its "
            "outputs, address and cookies, and with its params and login where none are given here."
        ),
    ] = None
    batch_id: Annotated[str | None, Meta(description="The batch to count it to.")] = None
    is_test: bool = False
    trace: Annotated[
        bool, Meta(description="Keep a Playwright trace, `trace.zip`, among the execution's files.")
    ] = False
    record: Annotated[
        bool,
        Meta(
            description="Keep what sites answered, `recording.zip`, among the execution's files; "
            "`pagehand replay` runs the workflow against it."
        ),
    ] = False
    look: Annotated[
        bool,
        Meta(
            description="Early warning: visit the pages of the last run that completed, up to its first "
            "effect, and look for its elements without acting. `response.look` has what was found; Failed if "
            "an element would be missing. Params and login are those of that run where none are given here."
        ),
    ] = False
    agent_conversation_thread_id: str | None = None


class RunWorkflow(RunWorkflowSync, forbid_unknown_fields=True):
    """The same for a run that is not waited for."""


_EXAMPLE: Final[Json] = {"workflowName": "Demo: collect claims", "params": {}, "timeout": 600}


def to_execution_request(request: RunWorkflowSync) -> ExecutionRequest:
    """The request as an order to the engine."""
    if request.workflow_id is None and request.workflow_name is None:
        raise InvalidRequest("One of `workflowId` and `workflowName` is required")
    if request.continue_execution_id is not None and not (request.start_block_id and request.workflow_id):
        raise InvalidRequest(
            "`continueExecutionId` needs `workflowId` and `startBlockId`, the block to start at"
        )
    if request.look and (request.start_block_id or request.batch_id):
        raise InvalidRequest("`look` follows a whole run: leave out `startBlockId` and `batchId`")
    return ExecutionRequest(
        workflow_id=request.workflow_id,
        workflow_name=request.workflow_name,
        params=request.params,
        login_id=request.login_id,
        name=None if request.name is None else _as_text(request.name),
        timeout_seconds=request.timeout,
        use_proxy=request.use_proxy,
        start_block_id=request.start_block_id,
        like_execution_id=request.like_execution_id,
        continues_id=request.continue_execution_id,
        batch_id=request.batch_id,
        is_test=request.is_test,
        trace=request.trace,
        record=request.record,
        look=request.look,
        thread_id=request.agent_conversation_thread_id,
    )


def _as_text(name: str | float) -> str:
    return name if isinstance(name, str) else encode(name).decode()


def idempotency_key_of(http_request: HttpRequest) -> IdempotencyKey | None:
    """The Idempotency-Key of a request, with a digest of its path and body."""
    key = http_request.header("idempotency-key")
    if key is None:
        return None
    if not _VISIBLE_ASCII.fullmatch(key):
        raise InvalidRequest("The header `Idempotency-Key` must be 1 to 255 visible ASCII characters")
    return IdempotencyKey(key, hashlib.sha256(http_request.canonical()).digest())


async def _accept(call: Call[Any]) -> Execution:
    request = replace(to_execution_request(call.request), traceparent=call.http_request.header("traceparent"))
    idempotency_key = idempotency_key_of(call.http_request)
    return await call.services.engine.accept(call.organization_id, request, idempotency_key)


@operation(
    "/workflows/execute",
    scope="run",
    response=ExecutionAnswer,
    errors=(404, 409),
    example=_EXAMPLE,
    headers=("Idempotency-Key",),
)
async def execute(call: Call[RunWorkflow]) -> Result:
    """Start a workflow and answer at once with the new execution."""
    return encode_execution(call, await _accept(call))


@operation(
    "/workflows/executeSync",
    scope="run",
    response=FinishedAnswer,
    errors=(404, 409),
    example=_EXAMPLE,
    headers=("Idempotency-Key",),
    is_long=True,
)
async def execute_sync(call: Call[RunWorkflowSync]) -> Result:
    """Run a workflow and answer with the finished execution, Completed or Failed.

    Once a run lasts more than 15 s, JSON white space is sent ahead of the body, so that idle proxies keep the
    connection; the status 200 is then already out. Should the service itself fail after that, the body is
    `{"error": sentence}` all the same. A client that goes away does not stop the run.
    """
    execution = await _accept(call)
    # a separate task: a client that disconnects ends the waiting, not the run
    end = asyncio.ensure_future(call.services.engine.wait(execution))
    waiting = call.without_body()
    return partial(respond_when_done, waiting, end, partial(encode_execution, waiting))


T = TypeVar("T")


# common proxies give up after 55 to 60 s without a byte
_WHITE_SPACE_SECONDS: Final = 10.0


async def respond_when_done(
    call: Call[None], future: "asyncio.Future[T]", encode: Callable[[T], Encoded]
) -> Content:
    """The encoded result of `future`, which is cancelled when the client disconnects or its access ends."""
    try:
        is_done = await call.access.wait(future, call.services.quiet_seconds)
    except (asyncio.CancelledError, PagehandError):
        future.cancel()
        raise
    if is_done:
        return encode(future.result())
    return StreamingResponse(_with_white_space(call, future, encode), media_type="application/json")


async def _with_white_space(
    call: Call[None], future: "asyncio.Future[T]", encode: Callable[[T], Encoded]
) -> AsyncIterator[bytes | memoryview]:
    usage = RequestUsage(call.services.limits, call.organization_id)
    try:
        while not future.done():
            yield b" "
            await asyncio.wait({future}, timeout=_WHITE_SPACE_SECONDS)
        answer = _encoded(call, future, encode, usage)
        for part in answer if isinstance(answer, list) else [answer]:
            yield part
    finally:
        future.cancel()
        usage.end()


def _encoded(
    call: Call[None], future: "asyncio.Future[T]", encode: Callable[[T], Encoded], usage: RequestUsage
) -> Encoded:
    """The answer; the status 200 is sent already, so the body describes an error, too."""
    error = future.exception()
    if error is None:
        answer = encode(future.result())
        try:
            usage.take_memory(encoded_size(answer))
        except Unavailable as no_room:
            error = no_room
        else:
            return answer
    return error_response(error, call.http_request.request_id, call.http_request.path)[2]
