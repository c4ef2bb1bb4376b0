"""The engine of several processes: any of them accepts, asks and waits; those that work share one queue."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pagehand.engine.attempts import pause, resume
from pagehand.engine.base import BaseEngine, ending_without_run
from pagehand.engine.live.control import SessionControl
from pagehand.engine.live.remote import RemoteSession, perform
from pagehand.engine.live.run import LiveRun
from pagehand.engine.live.session import BEGINS_SECONDS, has_ended, no_browser_yet
from pagehand.engine.local.reconciler import Reconciler
from pagehand.engine.postgres.handover import Handover
from pagehand.engine.postgres.jobs import Jobs
from pagehand.engine.postgres.lease import Lease
from pagehand.engine.postgres.notifications import Notifications
from pagehand.engine.postgres.reaper import Reaper
from pagehand.engine.postgres.run_messages import MessageReader, RunMessages
from pagehand.engine.postgres.worker import Worker
from pagehand.engine.recovery import Recovery
from pagehand.engine.run.signals import Stop
from pagehand.engine.services import EngineServices
from pagehand.engine.signing_in.codes import VERDICT_SECONDS, CodeVerdict, Wanted
from pagehand.errors import Cancelled, Conflict, NotFound, Unavailable
from pagehand.ids import new_id
from pagehand.records import (
    AuthenticationStatus,
    Batch,
    Execution,
    Json,
    LoginSummary,
    QueueEntry,
    Status,
)
from pagehand.storage.run_messages import RunMessage

_ANSWER_SECONDS: Final = 10.0
_LAST_ANSWER_SECONDS: Final = 2.0
_WITHDRAWALS: Final = 30
_NO_ANSWER: Final = "The worker that runs the execution does not answer right now; try again shortly."


class PostgresEngine(BaseEngine):
    """Implements `Engine` for one of several processes on a PostgreSQL database."""

    def __init__(
        self, services: EngineServices, jobs: Jobs, notifications: Notifications, address: str
    ) -> None:
        """`address` is where other processes reach this one."""
        super().__init__(services)
        stores = services.stores
        self._jobs = jobs
        self._notifications = notifications
        self._handover = Handover(stores.admission, jobs, self._executions, self._finisher)
        self._lease = Lease(jobs, stores.admission, address, self._lost)
        self._worker = Worker(services, self._finisher, self._handover, self._lease, self._announce)
        self._attempts = self._worker.attempts
        recovery = Recovery(services, self._finisher)
        self._reaper = Reaper(stores, jobs, self._handover, recovery)
        self._messages = RunMessages(stores.run_messages, notifications)
        self._reader = MessageReader(
            stores.run_messages, notifications, lambda: list(self._attempts.running), self._do
        )
        self._telling = Reconciler(
            self._executions, recovery, self._waiters, is_known=_nobody, enqueue=_nothing, works=False
        )
        self._tasks: list[asyncio.Task[None]] = []
        notifications.subscribe("ended", self._on_ended)
        notifications.on_job = self._worker.wake

    async def open(self) -> None:
        """Make the queue's tables if need be, and become a worker where this process works."""
        await self._jobs.open()
        if self._services.settings.worker:
            await self._lease.take()

    def start(self) -> None:
        """Listen; and work, where this process does."""
        self._notifications.start()
        self._tasks.append(asyncio.create_task(self._telling.run()))
        if self._services.settings.worker:
            for part in (self._reader, self._worker, self._reaper):
                part.start()

    async def stop(self) -> None:
        """Take nothing new, let running ones finish for a while, put the rest back into the queue."""
        self._is_stopping = True
        await self._reaper.stop()
        await self._worker.stop()
        await self._handover.settle()
        await self._reader.stop()
        await self._lease.leave()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._notifications.stop()

    def abandon(self, reason: str) -> None:
        """End what runs here at once."""
        self._attempts.interrupt_all(Stop(reason, goes_back_to_queue=True))

    @property
    def worker_id(self) -> str:
        """By which people know this worker."""
        return f"worker_{self._lease.number}"

    @property
    def busy_browsers(self) -> int:
        """How many browsers executions have open here."""
        return sum(attempt.has_browser for attempt in self._attempts.running.values())

    async def pause(self, organization_id: str, execution_id: str) -> Execution:
        """Hold a running execution before its next step, wherever it runs."""
        execution = await self._get(organization_id, execution_id)
        if execution.status is not Status.IN_PROGRESS:
            raise Conflict(f"Only a running execution can be paused; this one is {execution.status}.")
        await self._ask(execution_id, "pause", {})
        return execution

    async def resume(self, organization_id: str, execution_id: str) -> Execution:
        """Let a paused execution go on, wherever it runs."""
        execution = await self._get(organization_id, execution_id)
        if execution.status.is_final or execution.status is Status.ENQUEUED:
            raise Conflict(f"Only a paused execution can be resumed; this one is {execution.status}.")
        await self._ask(execution_id, "resume", {})
        return execution

    def live(self, organization_id: str, execution_id: str) -> LiveRun | None:
        """The running execution for people beside it; None when it runs in another process."""
        attempt = self._attempts.running.get(execution_id)
        is_own = attempt is not None and attempt.execution.organization_id == organization_id
        return attempt.live if attempt is not None and is_own else None

    async def address_of(self, execution_id: str) -> str | None:
        """Where the worker that runs an execution is reached; None when it is this process, or nobody."""
        address = await self._services.stores.admission.address_of(execution_id)
        return None if address == self._lease.address else address

    async def live_session(self, organization_id: str, execution_id: str) -> SessionControl:
        """A live session that has begun, here or in another process."""
        execution = await self._get_live_session(organization_id, execution_id)
        if execution.status.is_final:
            raise has_ended(execution)
        if execution_id in self._attempts.running:
            return await self._attempts.sessions.begun(execution_id, self.wait(execution))
        if execution.status is Status.ENQUEUED:
            await self._session_begins(execution)
        return RemoteSession(lambda asked: self._ask_session(execution, asked))

    async def _session_begins(self, execution: Execution) -> None:
        try:
            async with asyncio.timeout(BEGINS_SECONDS):
                await self._ask_session(execution, {"command": "begun"})
        except TimeoutError:
            raise no_browser_yet() from None

    async def _ask_session(self, execution: Execution, asked: Json) -> Json:
        """Ask the worker that has the session, for as long as the session lasts."""
        ended = asyncio.ensure_future(self.wait(execution))
        answer = asyncio.ensure_future(self._messages.ask(execution.id, "session", asked, seconds=None))
        try:
            await asyncio.wait({answer, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():  # what was answered right before the end is still on its way
                await asyncio.wait({answer}, timeout=_LAST_ANSWER_SECONDS)
        finally:
            ended.cancel()
            answer.cancel()
        if answer.done() and not answer.cancelled() and (found := answer.result()) is not None:
            return found
        raise has_ended(ended.result())

    async def submit_code(self, organization_id: str, wanted: Wanted, code: str) -> CodeVerdict:
        """Hand in a code that an authentication waits for, wherever it runs."""
        execution = _waiting_execution(wanted, await self._executions.running_of(organization_id))
        # sealed: a code is a secret for as long as the row lives
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
        # not waited for: the rows are committed, and whoever asked has a right to the answer
        for organization_id in {execution.organization_id for execution in executions}:
            self._handover.top_up_soon(organization_id)

    def _withdraw(self, execution: Execution) -> None:
        self._attempts.do(self._end_if_there(execution))

    async def _end_if_there(self, execution: Execution) -> None:
        """A commit whose answer was lost may show only after a while, or never."""
        reason = Unavailable("It was not accepted: the database could not be reached when it was asked for.")
        for _ in range(_WITHDRAWALS):
            if await self._finisher.finish(execution, ending_without_run(reason), fence=None) is not None:
                return
            await asyncio.sleep(1)

    def _announce(self, execution: Execution) -> None:
        self._waiters.announce(execution)
        # hardly anybody waits for one execution of a batch: their ends are sent several at a time
        send = self._notifications.send if execution.batch_id is None else self._notifications.send_soon
        send("ended", execution.id)

    async def _end(self, execution: Execution, reason: Cancelled) -> None:
        """Finish it where it waits, or have it interrupted where it runs."""
        finished = await self._handover.end_waiting(execution.id, reason)
        if finished is not None:
            self._announce(finished)
            await self._handover.forget([finished])
        else:
            await self._messages.send([_cancellation(execution.id, reason)])

    async def _hold(self, batch: Batch) -> None:
        await self._services.stores.admission.withdraw(batch.organization_id, batch.id)

    async def _let_go(self, batch: Batch) -> None:
        await self._handover.top_up(batch.organization_id)

    async def _cancel_all(self, entries: Sequence[QueueEntry], reason: Cancelled) -> list[str]:
        ids = [entry.id for entry in entries]
        briefly = await self._executions.without_values(ids)
        ended = set(await self._finisher.finish_waiting(briefly, ending_without_run(reason)))
        for execution_id in ended:
            self._notifications.send_soon("ended", execution_id)
        await self._handover.forget([execution for execution in briefly if execution.id in ended])
        running = [execution_id for execution_id in ids if execution_id not in ended]
        if running:
            await self._messages.send([_cancellation(item, reason) for item in running])
        return running

    async def _ask(self, execution_id: str, kind: str, body: Json) -> Json:
        answer = await self._messages.ask(execution_id, kind, body, seconds=_ANSWER_SECONDS)
        if answer is None:
            raise Unavailable(_NO_ANSWER)
        return answer

    async def _do(self, message: RunMessage) -> Json:
        """Do what a message asks of an execution that runs here."""
        attempt = self._attempts.running.get(message.execution_id)
        if message.kind == "cancel":
            body = message.body
            reason = Cancelled(body["message"], by=body["by"], at=body["at"])
            self._attempts.interrupt(message.execution_id, reason)
        elif message.kind == "pause":
            pause(attempt)
        elif message.kind == "resume":
            resume(attempt)
        elif message.kind == "code":
            if attempt is None:
                raise NotFound("No authentication of this organization waits for a code")
            carrier = replace(attempt.execution, secret_params=message.body["sealed"])
            judged = await attempt.codes.submit(self._services.secret_params.open(carrier)["code"])
            return {"success": judged.success, "message": judged.message, "status": judged.status}
        elif message.kind == "session":
            return await self._do_in_session(message)
        return {}

    async def _do_in_session(self, message: RunMessage) -> Json:
        attempt = self._attempts.running.get(message.execution_id)
        if attempt is None:
            raise Conflict("The live session has ended. Open a new one.")
        session = await self._attempts.sessions.begun(message.execution_id, self.wait(attempt.execution))
        return {} if message.body["command"] == "begun" else await perform(session, message.body)

    def _lost(self) -> None:
        """Others may run what this worker ran: its browsers end, and nothing more is written."""
        reason = "The worker could not show in time that it lives."
        self._worker.give_up_all(Stop(reason, goes_back_to_queue=True))

    def _on_ended(self, words: list[str]) -> None:
        if words[0] in self._waiters.ids:
            self._attempts.do(self._tell(words[0]))

    async def _tell(self, execution_id: str) -> None:
        execution = await self._executions.find(execution_id)
        if execution is not None and execution.status.is_final:
            self._waiters.announce(execution)


def _cancellation(execution_id: str, reason: Cancelled) -> RunMessage:
    body = {"message": reason.message, "by": reason.by, "at": reason.at}
    return RunMessage(new_id("message"), execution_id, "cancel", body)


def _waiting_execution(wanted: Wanted, running: Sequence[Execution]) -> Execution:
    """The execution whose sign-in waits for a code and is meant; `Conflict` names several."""
    waiting = [
        (execution, login)
        for execution in running
        if (login := _waiting(execution)) is not None
        and wanted.execution_id in (None, execution.id)
        and wanted.browser_session_id in (None, execution.browser_session_id)
        and wanted.login_id in (None, login.login_id)
    ]
    if not waiting:
        raise NotFound("No authentication of this organization waits for a code")
    if len(waiting) > 1:
        names = ", ".join(f"`{execution.id}` (login `{login.name}`)" for execution, login in waiting)
        raise Conflict(
            f"Several authentications wait for a code: {names}; say which with `executionId`, "
            "`browserSessionId` or `loginId`"
        )
    return waiting[0][0]


def _waiting(execution: Execution) -> LoginSummary | None:
    """The login for which the execution waits for a code."""
    summaries = (
        known.login_summary
        for known in execution.context_authentications
        if known.authentication_status is AuthenticationStatus.WAITING_FOR_CODE
    )
    return next(summaries, None)


def _nobody(_: str, /) -> bool:
    return False


def _nothing(_: QueueEntry) -> None:
    """This process does not queue in memory."""
