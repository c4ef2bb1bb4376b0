"""The schedules of an organization: created, changed, run by hand, and their history."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, replace

from pagehand.engine.base import Engine
from pagehand.engine.port import ExecutionRequest
from pagehand.engine.schedules.cron import Cron
from pagehand.engine.schedules.scheduler import execution_request
from pagehand.errors import Conflict, NotFound
from pagehand.ids import new_id
from pagehand.records import CatchUp, Execution, Json, Overlap, Schedule, ScheduleRun
from pagehand.secrets.vault import KEPT, SecretParams
from pagehand.storage.pages import Parts
from pagehand.storage.schedules import ScheduleStore

MAX_SCHEDULES = 1000
"""How many one organization may have."""


@dataclass(slots=True, kw_only=True)
class ScheduleFields:
    """The fields of a schedule that a caller gives; None leaves a field unchanged, or at its default."""

    workflow_id: str | None = None
    workflow_name: str | None = None
    cron: str | None = None
    time_zone: str | None = None
    params: Json | None = None
    login_id: str | None = None
    name: str | None = None
    is_enabled: bool | None = None
    catch_up: CatchUp | None = None
    overlap: Overlap | None = None
    look: bool | None = None

    def given(self, *names: str) -> Json:
        """Those of these fields that were given."""
        return {name: value for name, value in asdict(self).items() if name in names and value is not None}


class StoredSchedules:
    """The operations on schedules."""

    def __init__(
        self,
        store: ScheduleStore,
        engine: Engine,
        secrets: SecretParams,
        execution_secrets: SecretParams,
        now: Callable[[], Awaitable[int]] | None = None,
    ) -> None:
        """`now` is the clock, the store's own unless a test sets another."""
        self._store = store
        self._engine = engine
        self._secrets = secrets
        self._execution_secrets = execution_secrets
        self._now = now or store.now

    async def create(self, organization_id: str, fields: ScheduleFields) -> Schedule:
        """A new schedule, checked as an execution of it would be."""
        now = await self._now()
        schedule = Schedule(
            id=new_id("schedule"),
            organization_id=organization_id,
            workflow_id="",
            cron=fields.cron or "",
            time_zone=fields.time_zone or "UTC",
            params={},
            created_at=now,
        )
        schedule = await self._apply(schedule, fields)
        if not await self._store.add(schedule, MAX_SCHEDULES):
            raise Conflict(f"An organization has at most {MAX_SCHEDULES} schedules; delete one first")
        return schedule

    async def update(self, organization_id: str, schedule_id: str, fields: ScheduleFields) -> Schedule:
        """Change the fields that are given; a new time counts from now on."""
        before = await self.get(organization_id, schedule_id)
        after = await self._apply(before, fields)
        kept = ("id", "organization_id", "created_at", "workflow_name")
        changes = {
            name: value
            for name, value in asdict(after).items()
            if name not in kept and value != getattr(before, name)
        }
        if not await self._store.update(organization_id, schedule_id, **changes):
            raise _not_found()
        return after

    async def get(self, organization_id: str, schedule_id: str) -> Schedule:
        """One schedule; raises NotFound."""
        found = await self._store.get(organization_id, schedule_id)
        if found is None:
            raise _not_found()
        return found

    async def list(
        self, organization_id: str, limit: int, offset: int, workflow_id: str | None = None
    ) -> tuple[Parts[Schedule], int]:
        """Newest first, and how many there are."""
        return await self._store.list(organization_id, limit, offset, workflow_id)

    async def delete(self, organization_id: str, schedule_id: str) -> None:
        """Delete a schedule and its history; its executions stay."""
        if not await self._store.delete(organization_id, schedule_id):
            raise _not_found()

    async def run(self, organization_id: str, schedule_id: str) -> Execution:
        """Start an execution now, whether or not the schedule is switched on."""
        schedule, now = await self.get(organization_id, schedule_id), await self._now()

        async def commit(executions: Sequence[Execution]) -> Sequence[Execution]:
            run = ScheduleRun(
                id=new_id("tick"),
                schedule_id=schedule.id,
                scheduled_for=now,
                at=now,
                outcome="started",
                is_manual=True,
                execution_id=executions[0].id,
            )
            if not await self._store.add_run(schedule, run, executions[0]):
                raise _not_found()
            return executions

        request = execution_request(schedule, self._secrets, now)
        return (await self._engine.accept_all(organization_id, [request], commit))[0]

    async def history(
        self, organization_id: str, schedule_id: str, limit: int, offset: int
    ) -> tuple[Sequence[ScheduleRun], int]:
        """What became of its moments, newest first; raises NotFound."""
        await self.get(organization_id, schedule_id)
        return await self._store.runs(organization_id, schedule_id, limit, offset)

    async def last_runs(self, schedules: Sequence[Schedule]) -> dict[str, ScheduleRun]:
        """The newest run of each of them."""
        return await self._store.last_runs([schedule.id for schedule in schedules]) if schedules else {}

    async def _apply(self, schedule: Schedule, fields: ScheduleFields) -> Schedule:
        """The schedule with those fields; raises InvalidRequest, NotFound or Conflict."""
        changes = fields.given(
            "cron", "time_zone", "login_id", "name", "is_enabled", "catch_up", "overlap", "look"
        )
        changed = replace(schedule, **changes, updated_at=await self._now())
        cron = Cron(changed.cron, changed.time_zone)
        request = execution_request(changed, self._secrets, changed.updated_at)
        if fields.workflow_id is not None or fields.workflow_name is not None:
            request.workflow_id, request.workflow_name = fields.workflow_id, fields.workflow_name
        if fields.params is not None:
            # a mask that a client sends back stands for the stored value
            known = self._secrets.open(schedule).items()
            unchanged = {name: value for name, value in known if fields.params.get(name) == KEPT}
            request.params = {**fields.params, **unchanged}
        # one that is switched off starts nothing, so its workflow or login may be gone
        if changed.is_enabled or fields.given("workflow_id", "workflow_name", "params", "login_id"):
            await self._check(changed, request)
        # a schedule that was off for a month must not catch up on that month
        is_new_time = changes.keys() & {"cron", "time_zone", "is_enabled"} or not schedule.updated_at
        if is_new_time:
            changed.next_at = cron.next(changed.updated_at, 1)[0]
        return changed

    async def _check(self, schedule: Schedule, request: ExecutionRequest) -> None:
        """Check that an execution could be made, and take from it what the schedule stores."""
        execution = await self._engine.prepare(schedule.organization_id, request)
        schedule.workflow_id, schedule.workflow_name = execution.workflow_id, execution.workflow_name
        # a look takes the others from the run that it compares with, each time again
        schedule.params = {name: execution.params[name] for name in request.params}
        schedule.secret_params = None
        secrets = self._execution_secrets.open(execution)
        if given := {name: value for name, value in secrets.items() if name in request.params}:
            schedule.secret_params = self._secrets.seal(schedule, given)


def _not_found() -> NotFound:
    return NotFound("There is no schedule with this `id` in this organization")
