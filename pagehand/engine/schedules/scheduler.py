"""Starts the executions of schedules that are due; several processes may do so at the same time."""

from collections.abc import Awaitable, Callable, Sequence

import structlog

from pagehand.clock import to_iso
from pagehand.engine.base import Engine
from pagehand.engine.changes import Changes
from pagehand.engine.port import ExecutionRequest, ScheduledFor
from pagehand.engine.schedules.cron import DueMoments, due_moments
from pagehand.errors import TooMany, Unavailable, UserMistake
from pagehand.ids import new_id
from pagehand.loop import Loop
from pagehand.records import Delivery, Execution, Json, RunOutcome, Schedule, ScheduleRun
from pagehand.secrets.vault import SecretParams
from pagehand.storage.schedules import ScheduleStore
from pagehand.webhooks import WebhookListeners

_log = structlog.get_logger(__name__)
_POLL_SECONDS = 1.0


class Scheduler:
    """Starts what is due, again and again."""

    def __init__(
        self,
        store: ScheduleStore,
        engine: Engine,
        secrets: SecretParams,
        changes: Changes,
        now: Callable[[], Awaitable[int]] | None = None,
        listeners: WebhookListeners | None = None,
    ) -> None:
        """`now` is the clock, the store's own unless a test sets another."""
        self._listeners = listeners
        self._store = store
        self._engine = engine
        self._secrets = secrets
        self._changes = changes
        self._now = now or store.now
        self.loop = Loop("schedules", self.run_due, _POLL_SECONDS)

    async def run_due(self) -> None:
        """Start what is due now."""
        now = await self._now()
        full: set[str] = set()
        """Organizations whose queue is full: their other schedules need not be tried now."""
        async for part in await self._store.due(now):
            for schedule in part:
                if schedule.organization_id not in full:
                    await self._try_run(schedule, now, full)

    async def _try_run(self, schedule: Schedule, now: int, full: set[str]) -> None:
        try:
            await self._run(schedule, now)
        except TooMany:
            full.add(schedule.organization_id)  # it stays due
        except Unavailable:
            pass  # it stays due
        except Exception:  # noqa: BLE001 - one schedule must not keep the others from their moments
            _log.exception("a schedule failed", schedule=schedule.id)

    async def _run(self, schedule: Schedule, now: int) -> None:
        due = due_moments(schedule, now)
        claim = _Claim(self._store, schedule, due, now, self._listeners)
        try:
            requests = [execution_request(schedule, self._secrets, moment) for moment in due.run]
            await self._engine.accept_all(schedule.organization_id, requests, claim.start)
        except TooMany:
            raise
        # trying again would not help: the moment is over, and its history shows why
        except UserMistake as problem:
            # the workflow or the login is gone, or no longer takes these params
            await claim.fail(problem.message)
        self._changes.publish(schedule.organization_id, "schedule", schedule.id)


class _Claim:
    """One process's try at the moments of a schedule that are due."""

    def __init__(
        self,
        store: ScheduleStore,
        schedule: Schedule,
        due: DueMoments,
        now: int,
        listeners: WebhookListeners | None,
    ) -> None:
        self._listeners = listeners
        self._store = store
        self._schedule = schedule
        self._due = due
        self._now = now

    async def start(self, executions: Sequence[Execution]) -> Sequence[Execution]:
        """Write the executions, one for each moment; none when another process was first."""
        started = [
            self._schedule_run(moment, "started", execution_id=execution.id)
            for moment, execution in zip(self._due.run, executions, strict=True)
        ]
        kept = await self._write([*self._missed(), *started], executions)
        ids = {run.execution_id for run in kept if run.outcome == "started"}
        return [execution for execution in executions if execution.id in ids]

    async def fail(self, message: str) -> None:
        """Write that the moments failed."""
        failed = [self._schedule_run(moment, "failed", message=message) for moment in self._due.run]
        await self._write([*self._missed(), *failed], [])

    async def _write(
        self, runs: Sequence[ScheduleRun], started: Sequence[Execution]
    ) -> Sequence[ScheduleRun]:
        schedule = self._schedule
        is_caught_up = schedule.catch_up == "all" and self._due.is_late(self._now)
        deliveries = await self._compose([run for run in runs if run.outcome in ("missed", "failed")])
        kept = await self._store.claim(
            schedule,
            next_at=self._due.next_at,
            runs=runs,
            started=started,
            # moments that are caught up come all at once: by `skip` only the first would run
            may_overlap=schedule.overlap == "queue" or is_caught_up,
            deliveries=deliveries,
        )
        if deliveries and self._listeners is not None:
            self._listeners.wake()
        return kept

    async def _compose(self, runs: Sequence[ScheduleRun]) -> list[Delivery]:
        """`schedule.missed` for every run that did not start."""
        schedule = self._schedule
        if not runs or self._listeners is None:
            return []
        compose = await self._listeners.composer(schedule.organization_id, "schedule.missed")
        if compose is None:
            return []
        workflow = {"id": schedule.workflow_id, "name": schedule.workflow_name}
        shown: Json = {"id": schedule.id, "name": schedule.name, "workflow": workflow}
        made: list[Delivery] = []
        for run in runs:
            at = to_iso(run.scheduled_for)
            made += compose({"schedule": shown, "scheduledFor": at, "reason": run.message or ""})
        return made

    def _missed(self) -> list[ScheduleRun]:
        if self._due.missed is None:
            return []
        since = to_iso(self._schedule.next_at)
        message = f"No service ran at this moment (the first one missed was {since})."
        return [self._schedule_run(self._due.missed, "missed", message=message)]

    def _schedule_run(
        self,
        moment: int,
        outcome: RunOutcome,
        *,
        execution_id: str | None = None,
        message: str | None = None,
    ) -> ScheduleRun:
        return ScheduleRun(
            id=new_id("tick"),
            schedule_id=self._schedule.id,
            scheduled_for=moment,
            at=self._now,
            outcome=outcome,
            execution_id=execution_id,
            message=message,
        )


def execution_request(schedule: Schedule, secrets: SecretParams, moment: int) -> ExecutionRequest:
    """The request for an execution of the schedule at a moment."""
    sealed = secrets.open(schedule)
    return ExecutionRequest(
        workflow_id=schedule.workflow_id,
        params={**schedule.params, **sealed},
        secret_names=frozenset(sealed),
        login_id=schedule.login_id,
        name=schedule.name,
        look=schedule.look,
        schedule=ScheduledFor(schedule.id, schedule.name, moment),
    )
