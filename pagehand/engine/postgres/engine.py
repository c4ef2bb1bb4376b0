"""The engine of several processes on one database: all accept executions, workers share one queue."""

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

from pagehand.engine.base import Engine
from pagehand.engine.live.control import LiveSessionControl
from pagehand.engine.live.remote import RemoteLiveSession
from pagehand.engine.live.sessions import START_SECONDS, no_browser_yet, session_ended
from pagehand.engine.postgres.lease import Lease, Reaper
from pagehand.engine.postgres.notifications import Notifications
from pagehand.engine.postgres.run_messages import MessageHandler, MessageReader, RunMessages, cancellation
from pagehand.engine.postgres.worker import Worker
from pagehand.engine.reconciler import Reconciler, Recovery
from pagehand.engine.run.finish import ending_without_run, withdraw
from pagehand.engine.services import EngineServices
from pagehand.engine.signals import Stop
from pagehand.engine.signing_in.codes import VERDICT_SECONDS, CodeTarget, CodeVerdict, only_waiting
from pagehand.errors import Cancelled, Unavailable
from pagehand.records import (
    AuthenticationStatus,
    Batch,
    Execution,
    Json,
    LoginSummary,
    QueueEntry,
    Status,
)

_ANSWER_SECONDS: Final = 10.0
_LAST_ANSWER_SECONDS: Final = 2.0
_NO_ANSWER: Final = "The worker that runs the execution does not answer right now; try again shortly."


class PostgresEngine(Engine):
    """The engine of one of several processes on a PostgreSQL database."""

    def __init__(self, services: EngineServices, notifications: Notifications, address: str) -> None:
        """`address` is where other processes reach this one."""
        super().__init__(services)
        stores = services.stores
        self._notifications = notifications
        self._lease = Lease(stores.shared_queue, address, self._lost)
        self._worker = Worker(
            services,
            self._finisher,
            self._lease,
            self._attempts,
            on_finish=self._wake_waiters,
            wake_workers=self._wake_workers,
        )
        recovery = Recovery(services, self._finisher)
        self._reaper = Reaper(stores, self._finisher, recovery, self._wake_workers)
        self._messages = RunMessages(stores.run_messages, notifications)
        handler = MessageHandler(self._attempts, services.secret_params, self.wait)
        self._reader = MessageReader(
            stores.run_messages, notifications, lambda: list(self._attempts.running), handler.handle
        )
        self._reconciler = Reconciler(
            self._executions,
            recovery,
            self._waiters,
            is_known=_knows_none,
            enqueue=_nothing,
            is_worker=False,
        )
        notifications.subscribe("ended", self._on_ended)
        notifications.subscribe("queued", lambda _: self._worker.wake())

    async def open(self) -> None:
        """Register as a worker where this process is one."""
        if self._services.settings.worker:
            await self._lease.take()
            self._lease.start()

    def start(self) -> None:
        """Begin to listen, and to work where this process is a worker."""
        self._notifications.start()
        self._reconciler.loop.start()
        if self._services.settings.worker:
            for part in (self._reader.loop, self._worker, self._reaper.loop):
                part.start()

    async def stop(self) -> None:
        """Take nothing new, let running ones finish for a while, put the rest back into the queue."""
        self._is_stopping = True
        await self._reaper.loop.stop()
        await self._worker.stop()
        await self._reader.stop()
        await self._lease.leave()
        await self._reconciler.loop.stop()
        await self._notifications.stop()

    @property
    def worker_id(self) -> str:
        """The id of this worker; empty while it is none."""
        return self._lease.worker_id or ""

    async def _signal(self, execution_id: str, signal: Literal["pause", "resume"]) -> None:
        await self._ask(execution_id, signal, {})

    async def address_of(self, execution_id: str) -> str | None:
        """Where the worker that runs an execution is reached; None when it is this process, or nobody."""
        address = await self._services.stores.shared_queue.worker_address(execution_id)
        return None if address == self._lease.address else address

    async def live_session(self, organization_id: str, execution_id: str) -> LiveSessionControl:
        """A live session that has begun, here or in another process."""
        execution = await self._get_live_session(organization_id, execution_id)
        if execution.status.is_final:
            raise session_ended(execution)
        if execution_id in self._attempts.running:
            return await self._attempts.sessions.wait_for(execution_id, self.wait(execution))
        if execution.status is Status.ENQUEUED:
            await self._wait_for_session(execution)
        return RemoteLiveSession(lambda command: self._ask_session(execution, command))

    async def _wait_for_session(self, execution: Execution) -> None:
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._ask_session(execution, {"command": "begun"})
        except TimeoutError:
            raise no_browser_yet() from None

    async def _ask_session(self, execution: Execution, command: Json) -> Json:
        """Ask the worker that has the session, for as long as the session lasts."""
        ended = asyncio.ensure_future(self.wait(execution))
        answer = asyncio.ensure_future(self._messages.ask(execution.id, "session", command, seconds=None))
        try:
            await asyncio.wait({answer, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():  # what was answered right before the end is still on its way
                await asyncio.wait({answer}, timeout=_LAST_ANSWER_SECONDS)
        finally:
            ended.cancel()
            answer.cancel()
        if answer.done() and not answer.cancelled() and (result := answer.result()) is not None:
            return result
        raise session_ended(ended.result())

    async def submit_code(self, organization_id: str, wanted: CodeTarget, code: str) -> CodeVerdict:
        """Submit a code that an authentication waits for, wherever it runs."""
        execution = execution_waiting_for_code(wanted, await self._executions.running_of(organization_id))
        # encrypted: a code is a secret for as long as the message is stored
        sealed = self._services.secret_params.seal(execution, {"code": code})
        answer = await self._messages.ask(
            execution.id, "code", {"sealed": sealed}, seconds=VERDICT_SECONDS + _ANSWER_SECONDS
        )
        if answer is None:
            raise Unavailable(_NO_ANSWER)
        return CodeVerdict(
            execution.id,
            execution.browser_session_id,
            answer["success"],
            answer["message"],
            AuthenticationStatus(answer["status"]),
        )

    async def _enqueue(self, executions: Sequence[Execution]) -> None:
        if executions:
            self._wake_workers()

    def _withdraw(self, execution: Execution) -> None:
        self._attempts.spawn(withdraw(execution, self._finisher))

    def _wake_workers(self) -> None:
        self._notifications.send("queued")

    def _wake_waiters(self, execution: Execution) -> None:
        self._waiters.wake(execution)
        # hardly anybody waits for one execution of a batch: their ends are sent several at a time
        send = self._notifications.send if execution.batch_id is None else self._notifications.send_soon
        send("ended", execution.id)

    async def _end(self, execution: Execution, reason: Cancelled) -> None:
        """Finish it while it waits, or have it interrupted where it runs."""
        finished = await self._finisher.end_waiting(execution.id, reason)
        if finished is not None:
            self._wake_waiters(finished)
        else:
            await self._messages.send([cancellation(execution.id, reason)])

    async def _pause_in_queue(self, batch: Batch) -> None:
        """Do nothing: whoever takes an execution reads whether its batch is paused."""

    async def _resume_in_queue(self, batch: Batch) -> None:  # noqa: ARG002 - workers read which
        self._wake_workers()

    async def _cancel_all(self, entries: Sequence[QueueEntry], reason: Cancelled) -> list[str]:
        ids = [entry.id for entry in entries]
        rows = await self._executions.without_values(ids)
        ended = set(await self._finisher.finish_waiting(rows, ending_without_run(reason)))
        for execution_id in ended:
            self._notifications.send_soon("ended", execution_id)
        running = [execution_id for execution_id in ids if execution_id not in ended]
        if running:
            await self._messages.send([cancellation(item, reason) for item in running])
        return running

    async def _ask(self, execution_id: str, kind: str, body: Json) -> Json:
        answer = await self._messages.ask(execution_id, kind, body, seconds=_ANSWER_SECONDS)
        if answer is None:
            raise Unavailable(_NO_ANSWER)
        return answer

    def _lost(self) -> None:
        """Stop at once: other workers may have taken over what this one ran."""
        reason = "The worker could not show in time that it lives."
        self._worker.give_up_all(Stop(reason, goes_back_to_queue=True))

    def _on_ended(self, words: list[str]) -> None:
        if words[0] in self._waiters.ids:
            self._attempts.spawn(self._wake_if_final(words[0]))

    async def _wake_if_final(self, execution_id: str) -> None:
        execution = await self._executions.find_in_any_organization(execution_id)
        if execution is not None and execution.status.is_final:
            self._waiters.wake(execution)


def _knows_none(_: str, /) -> bool:
    return False


def _nothing(_: QueueEntry) -> None:
    """This process does not queue in memory."""


def execution_waiting_for_code(wanted: CodeTarget, running: Sequence[Execution]) -> Execution:
    """The execution whose sign-in waits for the code; `Conflict` names several."""
    waiting = [
        (execution.id, login.name, execution)
        for execution in running
        if (login := _login_waiting_for_code(execution)) is not None
        and wanted.fits(execution, login.login_id)
    ]
    return only_waiting(waiting)


def _login_waiting_for_code(execution: Execution) -> LoginSummary | None:
    summaries = (
        known.login_summary
        for known in execution.context_authentications
        if known.authentication_status is AuthenticationStatus.WAITING_FOR_CODE
    )
    return next(summaries, None)
