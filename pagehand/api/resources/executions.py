"""Executions: get, retry, cancel, pause and resume them."""

from typing import ClassVar, Final

from pagehand.api.fields import ById, Id, OpenRequest, View
from pagehand.api.operation import Call, Result, encode, operation
from pagehand.api.resources.execution_views import (
    ExecutionAnswer,
    RetriedExecution,
    active_view,
    encode_execution,
    execution_answer,
)
from pagehand.api.resources.lookups import find_execution
from pagehand.api.services import KEPT_SECONDS


class GetExecution(OpenRequest):
    """Which execution."""

    id: Id


@operation("/executions/get", scope="read", response=ExecutionAnswer)
async def get(call: Call[GetExecution]) -> Result:
    """One execution, in the form that fits its status."""
    cached = call.services.response_cache.get(call.caller, call.request.id)
    if cached is not None:
        return cached
    execution = await find_execution(call, call.request.id)
    response = encode_execution(call, execution)
    # the signed URLs inside must be valid for longer than the response is cached
    is_small = isinstance(response, bytes)
    if is_small and execution.status.is_final and call.services.settings.file_url_seconds >= 2 * KEPT_SECONDS:
        call.services.response_cache.keep(call.caller, execution.id, response)
    return response


class Retried(View):
    """The new execution, one level down."""

    execution: RetriedExecution


class RetryAnswer(View):
    """What a retry began."""

    success: bool
    message: str
    execution: Retried


_NOT_CHANGED_BY_RETRY: Final = (
    "a retry repeats the execution as it was; start another with `/workflows/execute`"
)


class RetryExecution(OpenRequest):
    """Which execution to run again."""

    FIELD_HINTS: ClassVar[dict[str, str]] = dict.fromkeys(
        (
            "params",
            "workflowId",
            "workflowName",
            "loginId",
            "name",
            "timeout",
            "useProxy",
            "startBlockId",
            "startBlock",
            "batchId",
            "isTest",
            "agentConversationThreadId",
        ),
        _NOT_CHANGED_BY_RETRY,
    )

    id: Id


@operation("/executions/retry", scope="run", response=RetryAnswer, errors=(409,))
async def retry(call: Call[RetryExecution]) -> Result:
    """Run a Completed or Failed execution again, as a new execution with a new session."""
    execution = await call.services.engine.retry(call.organization_id, call.request.id)
    shown = active_view(call.signer, execution, "InProgress")
    message = f"Execution {call.request.id} is run again as {execution.id}"
    return encode({"success": True, "message": message, "execution": {"execution": shown}})


@operation("/executions/cancel", scope="run", response=ExecutionAnswer, errors=(409,))
async def cancel(call: Call[ById]) -> Result:
    """End an execution that is not finished; it becomes Failed and says who cancelled it."""
    execution = await call.services.engine.cancel(call.organization_id, call.request.id, call.caller.name)
    return execution_answer(call, execution)


@operation("/executions/pause", scope="run", response=ExecutionAnswer, errors=(409,))
async def pause(call: Call[ById]) -> Result:
    """Pause a running execution before its next block."""
    execution = await call.services.engine.pause(call.organization_id, call.request.id)
    return execution_answer(call, execution)


@operation("/executions/resume", scope="run", response=ExecutionAnswer, errors=(409,))
async def resume(call: Call[ById]) -> Result:
    """Continue a paused execution."""
    execution = await call.services.engine.resume(call.organization_id, call.request.id)
    return execution_answer(call, execution)
