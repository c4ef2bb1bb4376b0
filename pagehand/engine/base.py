"""What both engines share: accepting executions, waiting for them, cancelling and pausing them."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal

import msgspec
import structlog

from pagehand.clock import now_ms, to_iso
from pagehand.engine.attempts import Attempts
from pagehand.engine.intake import Intake
from pagehand.engine.live.control import LiveSessionControl
from pagehand.engine.port import Commit, ExecutionRequest, IdempotencyKey
from pagehand.engine.reconciler import Waiters
from pagehand.engine.run.finish import Finisher
from pagehand.engine.services import EngineServices
from pagehand.engine.signals import Stop
from pagehand.engine.signing_in.codes import CodeTarget, CodeVerdict
from pagehand.engine.viewers import LiveRun
from pagehand.errors import Cancelled, Conflict, NotFound, Unavailable
from pagehand.records import Batch, Execution, Json, QueueEntry, SkippedRow, Status

_log = structlog.get_logger(__name__)
_CANCEL_WAIT_SECONDS = 1.0
_CANCEL_PAGE_SIZE = 500
_MAX_SKIPPED = 1000
_MAX_SKIPPED_BYTES = 1_000_000
"""How many skipped rows of a sheet are kept, and how much of them; `Batch.skipped` counts all."""


class Engine(ABC):
    """Accepts executions and brings each to one final state; engines differ in their queue."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self._executions = services.stores.executions
        self._intake = Intake(services)
        self._finisher = Finisher(services)
        self._waiters = Waiters()
        self._attempts = Attempts()
        self._is_stopping = False

    @abstractmethod
    def start(self) -> None:
        """Begin to work."""

    @abstractmethod
    async def stop(self) -> None:
        """Accept nothing new, let running executions finish for a while, and requeue the rest."""

    @abstractmethod
    async def _signal(self, execution_id: str, signal: Literal["pause", "resume"]) -> None:
        """Pause or resume an execution, in whichever process it runs."""

    @abstractmethod
    async def live_session(self, organization_id: str, execution_id: str) -> LiveSessionControl:
        """A live session that has begun, in whichever process it runs.

        Raises NotFound when there is no such execution, Conflict when it has ended or is not a live session,
        TooMany while it waits for a slot.
        """

    @abstractmethod
    async def submit_code(self, organization_id: str, wanted: CodeTarget, code: str) -> CodeVerdict:
        """Submit a code that an authentication waits for; returns once the site accepted or refused it.

        Raises NotFound when none waits, Conflict when several do and `wanted` fits more than one.
        """

    @abstractmethod
    async def _enqueue(self, executions: Sequence[Execution]) -> None:
        """Queue executions that are committed; should this fail, they are found in the table later."""

    @abstractmethod
    def _withdraw(self, execution: Execution) -> None:
        """Keep an execution from running whose request was answered with an error."""

    @abstractmethod
    def _wake_waiters(self, execution: Execution) -> None:
        """Give the execution, which has ended, to everybody who waits for it."""

    @abstractmethod
    async def _end(self, execution: Execution, reason: Cancelled) -> None:
        """Finish it where it waits, or interrupt it where it runs."""

    @abstractmethod
    async def _pause_in_queue(self, batch: Batch) -> None:
        """Start no more executions of a batch, which was just paused."""

    @abstractmethod
    async def _resume_in_queue(self, batch: Batch) -> None:
        """Start the executions of a batch again."""

    @abstractmethod
    async def _cancel_all(self, entries: Sequence[QueueEntry], reason: Cancelled) -> list[str]:
        """End those that wait in one transaction and interrupt the others; the ids of the latter."""

    async def accept(
        self, organization_id: str, request: ExecutionRequest, idempotency_key: IdempotencyKey | None = None
    ) -> Execution:
        """Commit a new execution and queue it; raises NotFound, InvalidRequest, Conflict or TooMany.

        With an `idempotency_key` seen before, the execution of that call instead.
        """
        self._refuse_if_stopping()
        execution = await self._intake.execution(organization_id, request)
        try:
            accepted = await self._executions.add(
                execution, (idempotency_key.value, idempotency_key.digest) if idempotency_key else None
            )
        except Unavailable:
            if idempotency_key is None:  # with a key, its caller asks again and finds it
                self._withdraw(execution)
            raise
        # with an Idempotency-Key it may be the execution of an earlier call, which is queued already
        if accepted.id == execution.id:
            _log.info("execution accepted", execution=accepted.id, organization=organization_id)
            await self._enqueue([accepted])
        return accepted

    async def prepare(self, organization_id: str, request: ExecutionRequest) -> Execution:
        """The execution that a request asks for, without storing it; raises what `accept` would."""
        return await self._intake.execution(organization_id, request)

    async def accept_all(
        self, organization_id: str, requests: Sequence[ExecutionRequest], commit: Commit
    ) -> Sequence[Execution]:
        """Make executions, have `commit` write them, and queue those that were written.

        Should its answer be lost, the reconciler finds what was written.
        """
        self._refuse_if_stopping()
        accepted = await commit(
            [await self._intake.execution(organization_id, request) for request in requests]
        )
        await self._enqueue(accepted)
        return accepted

    async def accept_batch(
        self,
        organization_id: str,
        name: str,
        request: ExecutionRequest,
        rows: Sequence[Json] | Mapping[int, Json],
        concurrency: int | None = None,
        skipped: Sequence[SkippedRow] = (),
    ) -> Batch:
        """Commit a batch with one execution per row of params, all or none; `concurrency` run at once.

        Rows that are skipped leave gaps in the numbers of the others.
        """
        self._refuse_if_stopping()
        await self._executions.refuse_if_full(organization_id, len(rows))
        numbered = rows if isinstance(rows, Mapping) else dict(enumerate(rows, 1))
        batch, executions = await self._intake.batch(organization_id, name, request, numbered, concurrency)
        batch.skipped = len(skipped)
        try:
            await self._services.stores.batches.add(batch, executions, _first(skipped))
        except Unavailable:
            for execution in executions:
                self._withdraw(execution)
            raise
        await self._enqueue(executions)
        return batch

    async def retry(self, organization_id: str, execution_id: str) -> Execution:
        """Accept a new execution like a finished one."""
        original = await self._get(organization_id, execution_id)
        if not original.status.is_final:
            raise Conflict(f"Only a finished execution can be retried; this one is {original.status}.")
        self._refuse_if_stopping()
        execution = await self._intake.retry_of(original)
        try:
            await self._executions.add(execution)
        except Unavailable:
            self._withdraw(execution)
            raise
        await self._enqueue([execution])
        return execution

    async def wait(self, execution: Execution) -> Execution:
        """The execution once it is final; a reconciler wakes waiters that were not woken."""
        execution_id = execution.id
        waiter = self._waiters.add(execution_id)
        try:
            # looked up after registering: one that ended in between is not missed
            known = await self._executions.find_in_any_organization(execution_id)
            if known is not None and known.status.is_final:
                return known
            # their params may have megabytes, and this may wait for hours
            del execution, known
            return await waiter
        finally:
            self._waiters.remove(execution_id, waiter)

    @property
    def busy_browsers(self) -> int:
        """How many browsers executions have open in this process."""
        return sum(attempt.has_browser for attempt in self._attempts.running.values())

    def live(self, organization_id: str, execution_id: str) -> LiveRun | None:
        """The running execution for its live view; None when it does not run in this process."""
        attempt = self._attempts.running.get(execution_id)
        if attempt is None or attempt.execution.organization_id != organization_id:
            return None
        return attempt.live

    def abandon(self, reason: str) -> None:
        """Interrupt everything that runs in this process: another process has taken over."""
        self._attempts.interrupt_all(Stop(reason, goes_back_to_queue=True))

    async def address_of(self, execution_id: str) -> str | None:
        """Where the other process that runs an execution is reached; None when there is none."""
        del execution_id
        return None

    async def cancel(self, organization_id: str, execution_id: str, by: str) -> Execution:
        """End an execution that is not final; `by` says who asked."""
        execution = await self._get(organization_id, execution_id)
        if execution.status.is_final:
            raise Conflict(f"The execution is already {execution.status}; there is nothing to cancel.")
        at = to_iso(now_ms())
        await self._end(execution, Cancelled(f"Cancelled by {by} at {at}.", by=by, at=at))
        await self._wait_for_ends([execution.id])
        return await self._get(organization_id, execution_id)

    async def cancel_batch(self, organization_id: str, batch_id: str, by: str) -> Batch:
        """Cancel all of a batch that is not final, a page at a time so that other writers need not wait."""
        batch = await self._get_batch(organization_id, batch_id)
        now = now_ms()
        # first, so that no execution is added to the batch while the others are being ended
        await self._services.stores.batches.mark_cancelled(organization_id, batch_id, now)
        at = to_iso(now)
        reason = Cancelled(f"Cancelled with its batch by {by} at {at}.", by=by, at=at)
        # by position and not by offset: what was cancelled is no longer among the unfinished
        position, running = 0, list[str]()
        while entries := await self._executions.unfinished_of_batch(
            organization_id, batch_id, after=position, limit=_CANCEL_PAGE_SIZE
        ):
            position = entries[-1].number
            running += await self._cancel_all(entries, reason)
        await self._wait_for_ends(running)
        batch.cancelled_at = batch.cancelled_at or now
        return batch

    async def pause(self, organization_id: str, execution_id: str) -> Execution:
        """Pause a running execution before its next step."""
        execution = await self._get(organization_id, execution_id)
        if execution.status is not Status.IN_PROGRESS:
            raise Conflict(f"Only a running execution can be paused; this one is {execution.status}.")
        await self._signal(execution_id, "pause")
        return execution

    async def resume(self, organization_id: str, execution_id: str) -> Execution:
        """Resume a paused execution."""
        execution = await self._get(organization_id, execution_id)
        if execution.status.is_final or execution.status is Status.ENQUEUED:
            raise Conflict(f"Only a paused execution can be resumed; this one is {execution.status}.")
        await self._signal(execution_id, "resume")
        return execution

    async def pause_batch(self, organization_id: str, batch_id: str) -> Batch:
        """Let no more of a batch begin; running executions continue."""
        batch = await self._get_batch(organization_id, batch_id)
        if batch.cancelled_at is not None:
            raise Conflict("The batch is cancelled.")
        if batch.paused_at is not None:
            raise Conflict("The batch is paused already.")
        # on the row before it is held here: after a restart the queue learns of it from there
        batch.paused_at = now_ms()
        await self._services.stores.batches.set_paused(organization_id, batch_id, batch.paused_at)
        await self._pause_in_queue(batch)
        return batch

    async def resume_batch(self, organization_id: str, batch_id: str) -> Batch:
        """Let the rest of a batch begin."""
        batch = await self._get_batch(organization_id, batch_id)
        if batch.paused_at is None:
            raise Conflict("The batch is not paused.")
        batch.paused_at = None
        await self._services.stores.batches.set_paused(organization_id, batch_id, None)
        await self._resume_in_queue(batch)
        return batch

    async def _get_batch(self, organization_id: str, batch_id: str) -> Batch:
        batch = await self._services.stores.batches.get(organization_id, batch_id)
        if batch is None:
            raise NotFound(f"`id`: there is no batch `{batch_id[:80]}` in this organization.")
        return batch

    async def _get(self, organization_id: str, execution_id: str) -> Execution:
        execution = await self._executions.get(organization_id, execution_id)
        if execution is None:
            raise NotFound(f"`id`: there is no execution `{execution_id[:80]}` in this organization.")
        return execution

    async def _get_live_session(self, organization_id: str, execution_id: str) -> Execution:
        execution = await self._get(organization_id, execution_id)
        if not execution.is_live_session:
            raise Conflict("This execution is not a live session: open one with `/liveSessions/open`.")
        return execution

    def _refuse_if_stopping(self) -> None:
        if self._is_stopping:
            raise Unavailable("The service is shutting down; try again shortly.")

    async def _wait_for_ends(self, execution_ids: Sequence[str]) -> None:
        """Give interrupted executions a moment to reach their end, so that the answer shows it."""
        waiting = [asyncio.ensure_future(self._wait_for_end(execution_id)) for execution_id in execution_ids]
        if waiting:
            # a block in the middle of closing a page may take longer: then the answer shows it still running
            _, late = await asyncio.wait(waiting, timeout=_CANCEL_WAIT_SECONDS)
            for item in late:
                item.cancel()

    async def _wait_for_end(self, execution_id: str) -> None:
        with suppress(Unavailable):
            execution = await self._executions.find_in_any_organization(execution_id)
            if execution is not None:
                await self.wait(execution)


def _first(skipped: Sequence[SkippedRow]) -> list[SkippedRow]:
    """As many of the rows as are kept: a sheet may have 50,000, or a few with megabytes."""
    kept: list[SkippedRow] = []
    left = _MAX_SKIPPED_BYTES
    for row in skipped[:_MAX_SKIPPED]:
        left -= len(row.problem) + len(msgspec.json.encode(row.params))
        if left < 0:
            break
        kept.append(row)
    return kept
