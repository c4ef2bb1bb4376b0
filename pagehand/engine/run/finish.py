"""Writing an execution's row: its claim, and its one final state with everything that it shows then."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import structlog
from msgspec import Raw

from pagehand.clock import now_ms
from pagehand.engine.reporting import report
from pagehand.engine.reporting.events import logged_trace
from pagehand.engine.reporting.metrics import failure_code
from pagehand.engine.reporting.report import Failure, redact_failure
from pagehand.engine.reporting.webhook_events import WebhookEvents
from pagehand.engine.run.files import ended_downloads, response_file
from pagehand.engine.services import EngineServices
from pagehand.engine.signing_in.authentications import failed_sign_ins
from pagehand.errors import OurFault, OutOfTime, PagehandError, Unavailable, WorkerLost
from pagehand.ids import new_id
from pagehand.loop import LARGE_VALUES, is_large, retry_while_unavailable
from pagehand.records import (
    DownloadState,
    Execution,
    ExecutionFailure,
    FinalState,
    Json,
    QueueEntry,
    Requeue,
    Status,
    StoredFile,
    Waiting,
    WebhookEvent,
)
from pagehand.secrets.redactor import Redactor
from pagehand.storage.columns import dump_json
from pagehand.workflow.json_values import clean_text, json_parts

_log = structlog.get_logger(__name__)
_CONTEXT_BYTES = 10 * 1024 * 1024
"""So much of the outputs is in the context; all of them are in the response."""
_WITHDRAW_SECONDS = 30
_Texts = tuple[str | bytes, bytes | bytearray]
"""The JSON of the context and of the response."""


@dataclass(slots=True, kw_only=True)
class Ending:
    """How a run ended; `failure` is None and `analysis` empty when it went well."""

    response: Json = field(default_factory=Json)
    analysis: str = ""
    failure: ExecutionFailure | None = None
    context: Json = field(default_factory=Json)
    downloads: DownloadState | None = None
    blocks_run: int = 0
    remarks: Sequence[str] = ()
    """Sentences of blocks that the summary repeats."""
    healed: int = 0
    """How many elements had moved and were found again."""
    model_summary: str = ""
    """The paragraph that a model adds to the summary."""

    @property
    def status(self) -> Status:
        """The final status."""
        return Status.FAILED if self.analysis else Status.COMPLETED


class Finisher:
    """Writes final states; the store guarantees that an execution gets one."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self._executions = services.stores.executions

    async def finish(
        self, execution: Execution, ending: Ending, *, fence: int | None, redactor: Redactor | None = None
    ) -> Execution | None:
        """The finished execution; None when it had ended, or another worker took it over.

        The execution ends even when the run's values cannot be stored.
        """
        try:
            return await self._finish(execution, ending, fence, redactor)
        # not a fault of the values: leaving them out would not help
        except Unavailable:
            raise
        except Exception as bug:  # noqa: BLE001 - no value of a run may keep it from ending
            # every execution ends: better without its values than never
            return await self._finish(execution, _without_values(execution, ending, bug), fence, redactor)

    async def end_waiting(self, execution_id: str, reason: PagehandError) -> Execution | None:
        """Finish one that waits; None when it does not."""
        execution = await retry_while_unavailable(
            lambda: self._executions.find_in_any_organization(execution_id)
        )
        if execution is None or execution.status is not Status.ENQUEUED:
            return None
        return await self.finish(execution, ending_without_run(reason), fence=None)

    async def finish_waiting(self, executions: Sequence[Execution], ending: Ending) -> Sequence[str]:
        """End executions that have not begun, in one transaction; the ids of those that were ended."""
        hide = self._services.new_redactor()
        states = [await self._compose(execution, ending, hide) for execution in executions]
        token = new_id("end")
        # the same token in every try: an end whose answer was lost is recognized as ours
        ended = await retry_while_unavailable(lambda: self._executions.finish_waiting(states, token=token))
        if any(state.webhook_event is not None for state in states):
            self._services.webhook_listeners.wake()
        kept = set(ended)
        for execution, state in zip(executions, states, strict=True):
            if execution.id in kept:
                self._report_end(execution, state)
        return ended

    async def _finish(
        self, execution: Execution, ending: Ending, fence: int | None, redactor: Redactor | None
    ) -> Execution | None:
        hide = redactor or self._services.new_redactor()
        state = await self._compose(execution, ending, hide)
        token = new_id("end")
        if fence is not None and execution.authentications:
            await self._fail_sign_ins(execution, fence)
        finished = await retry_while_unavailable(lambda: self._executions.finish(state, fence, token=token))
        if state.webhook_event is not None:
            self._services.webhook_listeners.wake()
        if finished is not None:
            self._report_end(execution, state)
        return finished

    async def _fail_sign_ins(self, execution: Execution, fence: int) -> None:
        """Show sign-ins that were cut off, as by a lost worker, as failed."""
        if changes := failed_sign_ins(execution):
            await retry_while_unavailable(lambda: self._executions.update(execution.id, fence, **changes))

    def _report_end(self, execution: Execution, state: FinalState) -> None:
        final = state.final
        self._services.metrics.finished(final)
        _log.info(
            "execution finished",
            execution=execution.id,
            organization=execution.organization_id,
            status=str(final["status"]),
            code=failure_code(final) or None,
            seconds=final["duration_ms"] / 1000,
            **logged_trace(execution),
        )

    async def _compose(self, execution: Execution, ending: Ending, hide: Redactor) -> FinalState:
        """The columns of the row, and what is written in the same transaction."""
        # else a download that was cut off would stay in progress for ever
        execution.downloads = ended_downloads(ending.downloads)
        if is_large(ending.response) or is_large(ending.context):
            state = await LARGE_VALUES.run(_final_state, execution, ending, hide, _take_large_values)
        else:
            state = _final_state(execution, ending, hide, _take_values)
        webhook_events = WebhookEvents(self._services.webhook_listeners)
        webhook_event = await retry_while_unavailable(
            lambda: webhook_events.finished(execution, state.final, ending.healed)
        )
        return FinalState(
            execution_id=execution.id, final=state.final, file=state.file, webhook_event=webhook_event
        )


def _final_state(
    execution: Execution, ending: Ending, hide: Redactor, take_values: "_TakeValues"
) -> FinalState:
    # a clock that was set back must not make a negative duration
    end_time = max(now_ms(), execution.start_time)
    duration_ms = max(0, end_time - execution.start_time)  # the clock may have been set back
    # secrets first: a lone surrogate inside a secret must not keep it from being recognized
    analysis = clean_text(hide.text(ending.analysis))
    summary = report.summary(
        execution,
        blocks_run=ending.blocks_run,
        response={hide.text(name): value for name, value in ending.response.items()},
        duration_ms=duration_ms,
        problem=analysis,
    )
    context, response = take_values(ending, hide)
    file = response_file(execution, size=len(response))
    final: Json = {
        "status": ending.status,
        "end_time": end_time,
        "duration_ms": duration_ms,
        "response": Raw(response),
        "response_file": StoredFile.of(file),
        "summary": clean_text(hide.text(" ".join([summary, *ending.remarks, ending.model_summary]).strip())),
        "error_analysis": analysis,
        "failure": ending.failure and redact_failure(ending.failure, hide),
        "context": Raw(context),
        "downloads": execution.downloads,
    }
    return FinalState(execution_id=execution.id, final=final, file=file)


_TakeValues = Callable[[Ending, Redactor], _Texts]


def _take_values(ending: Ending, hide: Redactor) -> _Texts:
    return dump_json(hide.value(ending.context)), orjson.dumps(hide.value(ending.response))


def _take_large_values(ending: Ending, hide: Redactor) -> _Texts:
    """The values leave `ending` as they are encoded, so that few are in memory as value and as JSON."""
    context = _limited_context(ending.context, hide)
    ending.context = {}
    response = bytearray()
    for name in list(ending.response):
        response += b"," if response else b"{"
        response += orjson.dumps(hide.text(name)) + b":"
        for part in json_parts(ending.response.pop(name), hide.value):
            response += part
    response += b"}" if response else b"{}"
    return context, response


def _limited_context(context: Json, hide: Redactor) -> bytes:
    """The context; outputs beyond `_CONTEXT_BYTES` are left out."""
    room = _CONTEXT_BYTES
    blocks: Json = {}
    for name, value in context.get("blocks", {}).items():
        text = dump_json(hide.value(value))
        if len(text) > room:
            blocks[name] = f"({len(text):,} bytes of JSON: see `response`)"
        else:
            blocks[name] = orjson.Fragment(text)
            room -= len(text)
    others = {name: value for name, value in context.items() if name != "blocks"}
    texts = {name: orjson.Fragment(dump_json(hide.value(value))) for name, value in others.items()}
    return orjson.dumps({**texts, "blocks": blocks})


def _without_values(execution: Execution, ending: Ending, bug: Exception) -> Ending:
    """The same ending without the values that cannot be written; the execution fails."""
    reference = new_id("err")
    _log.error("a final state could not be written", error_id=reference, execution=execution.id, exc_info=bug)
    fault = OurFault(f"The outputs of the run could not be stored (error id {reference}).")
    failed = failed_ending(Failure(None, fault))
    analysis = f"{ending.analysis}\n{failed.analysis}".strip()
    return Ending(analysis=analysis, failure=ending.failure or failed.failure, blocks_run=ending.blocks_run)


def failed_ending(failure: Failure) -> Ending:
    """The ending of a run that failed without output."""
    return Ending(analysis=report.analysis(failure), failure=failure.to_record())


def ending_without_run(reason: PagehandError) -> Ending:
    """The ending of an execution that did not run."""
    return Ending(analysis=reason.message, failure=Failure(None, reason).to_record())


def expired(entry: QueueEntry) -> OutOfTime:
    """Why an execution ends whose time was over before it began."""
    seconds = (entry.deadline_at - entry.accepted_at) / 1000
    return OutOfTime(f"The execution's time of {seconds:g} s (`timeout`) was over before it began.")


async def withdraw(execution: Execution, finisher: Finisher) -> None:
    """End an execution whose request was answered with an error, should its commit show up.

    A commit whose answer was lost may show only after a while, or never.
    """
    reason = Unavailable("It was not accepted: the database could not be reached when it was asked for.")
    for _ in range(_WITHDRAW_SECONDS):
        if await finisher.finish(execution, ending_without_run(reason), fence=None) is not None:
            return
        await asyncio.sleep(1)


class ExecutionRow:
    """Writes to one execution's row, with the webhook events that report the changes."""

    def __init__(self, execution: Execution, services: EngineServices) -> None:
        self.execution = execution
        self._executions = services.stores.executions
        self._webhook_events = WebhookEvents(services.webhook_listeners)

    async def claim(self) -> bool:
        """Begin a run; False when another worker was first, or the execution has ended."""
        # the token tells whether a claim whose answer was lost was made after all
        at, token, waiting = now_ms(), new_id("claim"), self.execution
        event = await retry_while_unavailable(lambda: self._webhook_events.started(waiting, at))
        claimed = await retry_while_unavailable(
            lambda: self._executions.claim(waiting.id, at=at, token=token, webhook_event=event)
        )
        if event is not None:
            self._webhook_events.wake()
        if claimed is None:
            return False
        self.execution = claimed
        _log.info(
            "execution started",
            execution=claimed.id,
            organization=claimed.organization_id,
            **logged_trace(claimed),
        )
        return True

    async def save(self, **changes: Any) -> None:
        """Write columns; raises WorkerLost, which stops a worker that lost its claim."""
        event = None
        if "authentications" in changes:
            event = await retry_while_unavailable(lambda: self._webhook_events.waiting(self.execution))
        await self._write(changes, event)

    async def set_status(self, status: Status, waiting: Waiting | None) -> None:
        """Show that the run is paused, and what it waits for; or that it continues."""
        changes: Json = {"status": status, "waiting": waiting}
        event = None
        if waiting is not None:
            # with the sign-ins, one of which may be what waits: a client sees both or neither
            changes["authentications"] = self.execution.authentications
            changes["context_authentications"] = self.execution.context_authentications
            event = await retry_while_unavailable(
                lambda: self._webhook_events.paused(self.execution, waiting.reason)
            )
        await self._write(changes, event)

    async def requeue(self, not_before: int | None) -> bool:
        """Put the execution back into the queue; False when another worker owns it by now."""
        execution, token = self.execution, new_id("requeue")
        requeue = Requeue(
            attempts=execution.attempts, metadata=execution.metadata, at=now_ms(), not_before=not_before
        )
        return await retry_while_unavailable(
            lambda: self._executions.requeue(execution.id, execution.fence, requeue, token=token)
        )

    async def _write(self, changes: Json, event: WebhookEvent | None) -> None:
        execution = self.execution
        # other columns may be written twice without harm; a status or a webhook event may not
        token = new_id("write") if event is not None or "status" in changes else None
        kept = await retry_while_unavailable(
            lambda: self._executions.update(
                execution.id, execution.fence, token=token, webhook_event=event, **changes
            )
        )
        if not kept:
            raise WorkerLost("Another worker has taken this execution over.")
        if event is not None:
            self._webhook_events.wake()
