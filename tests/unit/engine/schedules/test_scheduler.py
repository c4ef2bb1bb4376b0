"""Each moment starts one execution; a full queue, a missing workflow or a bug holds up no other schedule."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pagehand.engine.changes import Changes
from pagehand.engine.local.engine import LocalEngine
from pagehand.engine.port import Commit, ExecutionRequest
from pagehand.engine.schedules.scheduler import Scheduler
from pagehand.engine.schedules.stored import ScheduleFields, StoredSchedules
from pagehand.errors import Conflict, InvalidRequest, NotFound, TooMany, Unavailable
from pagehand.loop import Loop
from pagehand.records import Execution, Schedule, ScheduleRun, Webhook, Workflow
from pagehand.secrets.vault import KEPT, SecretParams
from pagehand.storage import pages
from pagehand.testing import Harness
from support.database import whole
from support.logins import VAULT

pytestmark = pytest.mark.anyio
MINUTE = 60_000
START = 1_800_000_000_000 - 1_800_000_000_000 % MINUTE
WAIT = {"type": "Wait", "data": {"durationMs": 1}}


class Engine(LocalEngine):
    """The real engine, whose queue can be full for some organizations, or broken."""

    troubles: dict[str, Exception]

    async def accept_all(
        self, organization_id: str, requests: Sequence[ExecutionRequest], commit: Commit
    ) -> Sequence[Execution]:
        if organization_id in self.troubles:
            raise self.troubles[organization_id]
        return await super().accept_all(organization_id, requests, commit)


class ScheduleTest:
    """A scheduler whose clock the test sets."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.now = START
        self.engine = Engine(harness.services)
        self.engine.troubles = {}
        secrets = SecretParams(VAULT, "schedules")
        self.changes = Changes()
        self.store = harness.stores.schedules
        listeners = harness.services.webhook_listeners
        self.scheduler = Scheduler(self.store, self.engine, secrets, self.changes, self.clock, listeners)
        self.stored = StoredSchedules(self.store, self.engine, secrets, SecretParams(VAULT), self.clock)

    async def clock(self) -> int:
        return self.now

    async def schedule(self, workflow: Workflow, **fields: Any) -> Schedule:
        given: dict[str, Any] = {"workflow_id": workflow.id, "cron": "* * * * *", **fields}
        return await self.stored.create(workflow.organization_id, ScheduleFields(**given))

    async def runs(self, schedule: Schedule) -> list[ScheduleRun]:
        found, _ = await self.stored.history(schedule.organization_id, schedule.id, 100, 0)
        return list(found)

    async def outcomes(self, schedule: Schedule) -> list[str]:
        return [run.outcome for run in await self.runs(schedule)]


@pytest.fixture
async def schedules() -> AsyncIterator[ScheduleTest]:
    async with Harness() as harness:
        yield ScheduleTest(harness)


@pytest.fixture
async def workflow(schedules: ScheduleTest) -> Workflow:
    return await schedules.harness.add_workflow(WAIT)


async def of_another(schedules: ScheduleTest, workflow: Workflow) -> Workflow:
    owner = await schedules.harness.stores.organizations.ensure("Other")
    made = replace(workflow, id="wf_other", organization_id=owner.id)
    return await schedules.harness.stores.workflows.add(made, [])


async def test_a_moment_starts_one_execution_and_the_next_is_a_minute_later(
    schedules: ScheduleTest, workflow: Workflow
) -> None:
    schedule = await schedules.schedule(workflow, params={"a": 1}, name="Nightly")
    assert schedule.next_at == START + MINUTE
    await schedules.scheduler.run_due()
    assert await schedules.runs(schedule) == []
    schedules.now += MINUTE
    await schedules.scheduler.run_due()
    await schedules.scheduler.run_due()
    [run] = await schedules.runs(schedule)
    assert (run.outcome, run.scheduled_for, run.is_manual) == ("started", START + MINUTE, False)
    execution = await schedules.harness.stores.executions.get(
        workflow.organization_id, run.execution_id or ""
    )
    assert execution is not None
    assert (execution.params, execution.name) == ({"a": 1}, "Nightly")
    assert execution.metadata["schedule"]["id"] == schedule.id


async def test_two_processes_at_once_start_one(schedules: ScheduleTest, workflow: Workflow) -> None:
    schedule = await schedules.schedule(workflow)
    other = ScheduleTest(schedules.harness)
    schedules.now = other.now = START + MINUTE
    await asyncio.gather(schedules.scheduler.run_due(), other.scheduler.run_due())
    assert await schedules.outcomes(schedule) == ["started"]


@pytest.mark.parametrize(("overlap", "second"), [("skip", "skipped"), ("queue", "started")])
async def test_overlap_says_what_becomes_of_a_moment_while_one_runs(
    schedules: ScheduleTest, workflow: Workflow, overlap: str, second: str
) -> None:
    schedule = await schedules.schedule(workflow, overlap=overlap)
    for _ in range(2):
        schedules.now += MINUTE
        await schedules.scheduler.run_due()
    assert await schedules.outcomes(schedule) == [second, "started"]


async def test_one_that_is_switched_off_does_not_run(schedules: ScheduleTest, workflow: Workflow) -> None:
    schedule = await schedules.schedule(workflow, is_enabled=False)
    schedules.now += 10 * MINUTE
    await schedules.scheduler.run_due()
    assert await schedules.runs(schedule) == []
    on = ScheduleFields(is_enabled=True)
    after = await schedules.stored.update(schedule.organization_id, schedule.id, on)
    assert after.next_at == schedules.now + MINUTE  # what passed meanwhile is not caught up


async def test_a_workflow_that_is_gone_fails_the_moment_and_not_the_schedule(
    schedules: ScheduleTest, workflow: Workflow
) -> None:
    schedule = await schedules.schedule(workflow)
    refusal = NotFound("Workflow not found or does not belong to this organization")
    schedules.engine.troubles = {workflow.organization_id: refusal}
    schedules.now += MINUTE
    await schedules.scheduler.run_due()
    [run] = await schedules.runs(schedule)
    assert (run.outcome, run.message) == ("failed", refusal.message)
    schedules.engine.troubles = {}
    schedules.now += MINUTE
    await schedules.scheduler.run_due()
    assert (await schedules.outcomes(schedule))[0] == "started"


@pytest.mark.parametrize("trouble", [TooMany("full"), Unavailable("away"), ValueError("a bug")])
async def test_what_cannot_be_started_now_stays_due_and_is_started_once(
    schedules: ScheduleTest, workflow: Workflow, trouble: Exception
) -> None:
    schedule = await schedules.schedule(workflow)
    schedules.now += MINUTE
    schedules.engine.troubles = {workflow.organization_id: trouble}
    await schedules.scheduler.run_due()
    assert await schedules.runs(schedule) == []
    schedules.engine.troubles = {}
    await schedules.scheduler.run_due()
    assert await schedules.outcomes(schedule) == ["started"]


@pytest.mark.parametrize("trouble", [TooMany("full"), ValueError("a bug")])
async def test_many_that_cannot_start_do_not_stand_before_another_organization(
    schedules: ScheduleTest, workflow: Workflow, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    monkeypatch.setattr(pages, "_PART_ROWS", 3)
    for _ in range(4):
        await schedules.schedule(workflow)
    other = await schedules.schedule(await of_another(schedules, workflow))
    schedules.engine.troubles = {workflow.organization_id: trouble}
    schedules.now += MINUTE
    await schedules.scheduler.run_due()
    assert await schedules.outcomes(other) == ["started"]


async def test_the_loop_continues_after_the_database_was_away(
    schedules: ScheduleTest, workflow: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule, due = await schedules.schedule(workflow), schedules.store.due
    troubles: list[Exception] = [ValueError("a bug"), Unavailable("away")]

    async def due_after_trouble(*given: Any) -> pages.Parts[Schedule]:
        if troubles:
            raise troubles.pop()
        return await due(*given)

    monkeypatch.setattr(schedules.store, "due", due_after_trouble)
    schedules.now += MINUTE
    loop = Loop("schedules", schedules.scheduler.run_due, 0.001)
    loop.start()
    async with asyncio.timeout(5):
        while not await schedules.runs(schedule):  # noqa: ASYNC110 - the loop tells nobody
            await asyncio.sleep(0.001)
    await loop.stop()


# what callers may do with schedules


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"cron": "61 * * * *"}, InvalidRequest, "cron"),
        ({"cron": ""}, InvalidRequest, "cron"),
        ({"time_zone": "Mars/Base"}, InvalidRequest, "timeZone"),
        ({"workflow_id": "wf_no"}, NotFound, "Workflow not found"),
        ({"workflow_id": None}, InvalidRequest, "workflow"),
        ({"login_id": "login_no"}, NotFound, "loginId"),
    ],
)
async def test_what_cannot_be_is_refused_and_nothing_is_kept(
    schedules: ScheduleTest, workflow: Workflow, fields: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        await schedules.schedule(workflow, **fields)
    assert await whole(schedules.stored.list(workflow.organization_id, 10, 0)) == ([], 0)


async def test_a_refused_change_changes_nothing(schedules: ScheduleTest, workflow: Workflow) -> None:
    schedule = await schedules.schedule(workflow)
    wrong = ScheduleFields(cron="nonsense", name="new")
    with pytest.raises(InvalidRequest):
        await schedules.stored.update(schedule.organization_id, schedule.id, wrong)
    assert await schedules.stored.get(schedule.organization_id, schedule.id) == schedule


async def test_secret_parameters_are_hidden_kept_and_used(schedules: ScheduleTest) -> None:
    declared = [{"name": "pin", "isSecret": True}, {"name": "who"}]
    workflow = await schedules.harness.add_workflow(WAIT, parameters=declared)
    schedule = await schedules.schedule(workflow, params={"pin": "9876", "who": "ann"})
    assert "9876" not in repr(schedule)
    assert schedule.params["pin"] == KEPT
    fields = ScheduleFields(params={"pin": KEPT, "who": "bob"})
    after = await schedules.stored.update(schedule.organization_id, schedule.id, fields)
    started = await schedules.stored.run(schedule.organization_id, schedule.id)
    assert (after.params["who"], started.params["who"]) == ("bob", "bob")
    assert SecretParams(VAULT).open(started) == {"pin": "9876"}


async def test_one_run_by_hand_leaves_the_moments_as_they_are(
    schedules: ScheduleTest, workflow: Workflow
) -> None:
    schedule = await schedules.schedule(workflow, is_enabled=False)
    execution = await schedules.stored.run(schedule.organization_id, schedule.id)
    [run] = await schedules.runs(schedule)
    assert (run.is_manual, run.execution_id, run.outcome) == (True, execution.id, "started")
    assert (await schedules.stored.get(schedule.organization_id, schedule.id)).next_at == schedule.next_at
    assert (await schedules.stored.last_runs([schedule]))[schedule.id].execution_id == execution.id
    assert await schedules.stored.last_runs([]) == {}


async def test_a_schedule_of_another_organization_is_as_none(
    schedules: ScheduleTest, workflow: Workflow
) -> None:
    schedule = await schedules.schedule(workflow)
    stored, stranger = schedules.stored, (await of_another(schedules, workflow)).organization_id
    for act in (
        stored.get(stranger, schedule.id),
        stored.update(stranger, schedule.id, ScheduleFields(name="theirs")),
        stored.delete(stranger, schedule.id),
        stored.run(stranger, schedule.id),
        stored.history(stranger, schedule.id, 1, 0),
    ):
        with pytest.raises(NotFound, match="There is no schedule with this `id` in this organization"):
            await act
    assert await stored.get(schedule.organization_id, schedule.id) == schedule


async def test_there_are_only_so_many(
    schedules: ScheduleTest, workflow: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagehand.engine.schedules.stored.MAX_SCHEDULES", 2)
    for _ in range(2):
        await schedules.schedule(workflow)
    with pytest.raises(Conflict, match="at most 2 schedules"):
        await schedules.schedule(workflow)


async def test_a_schedule_whose_login_is_gone_can_be_switched_off_and_not_on(
    schedules: ScheduleTest, workflow: Workflow
) -> None:
    organization, stored = workflow.organization_id, schedules.stored
    login = await schedules.harness.add_login("https://portal.example/")
    schedule = await schedules.schedule(workflow, login_id=login.id)
    await schedules.harness.stores.logins.delete(organization, login.id)
    off = await stored.update(organization, schedule.id, ScheduleFields(is_enabled=False, name="old"))
    assert (off.is_enabled, off.name, off.params) == (False, "old", schedule.params)
    for fields in (ScheduleFields(is_enabled=True), ScheduleFields(params={"n": 1})):
        with pytest.raises(NotFound, match="loginId"):
            await stored.update(organization, schedule.id, fields)
    schedules.now += 10 * MINUTE
    await schedules.scheduler.run_due()
    assert await schedules.runs(schedule) == []


async def test_a_secret_stays_one_when_the_workflow_does_not_declare_it_any_more(
    schedules: ScheduleTest,
) -> None:
    declared = [{"name": "pin", "isSecret": True}]
    workflow = await schedules.harness.add_workflow(WAIT, parameters=declared)
    schedule = await schedules.schedule(workflow, params={"pin": "9876-5432"})
    saved = await schedules.harness.stores.workflows.save(
        workflow.organization_id, replace(workflow, parameters=[]), expected_version=1, tag_names=None
    )
    assert saved is not None
    started = await schedules.stored.run(schedule.organization_id, schedule.id)
    renamed = await schedules.stored.update(
        schedule.organization_id, schedule.id, ScheduleFields(name="Nightly")
    )
    for kept in (started, renamed):
        assert kept.params == {"pin": KEPT}
    assert SecretParams(VAULT).open(started) == {"pin": "9876-5432"}


@pytest.mark.parametrize(
    ("fields", "is_new_time"),
    [({"name": "Nightly"}, False), ({"params": {"n": 1}}, False), ({"time_zone": "Asia/Tokyo"}, True)],
)
async def test_only_a_change_of_its_time_moves_the_next_moment(
    schedules: ScheduleTest, workflow: Workflow, fields: dict[str, Any], is_new_time: bool
) -> None:
    schedule = await schedules.schedule(workflow, cron="0 8 * * *")
    schedules.now += 3 * 24 * 60 * MINUTE
    after = await schedules.stored.update(schedule.organization_id, schedule.id, ScheduleFields(**fields))
    assert (after.next_at != schedule.next_at) == is_new_time
    assert (after.next_at > schedules.now) == is_new_time  # what is due stays due


async def test_a_time_that_was_missed_is_announced_once(schedules: ScheduleTest, workflow: Workflow) -> None:
    schedule = await schedules.schedule(workflow, name="Morning")
    webhook = Webhook(
        id="webhook_1",
        organization_id=workflow.organization_id,
        url="https://hooks.example/in",
        events=["schedule.missed"],
        name=None,
        is_active=True,
        secrets=b"",
        created_at=1,
        updated_at=1,
    )
    await schedules.harness.stores.webhooks.add(webhook)
    schedules.now += 600_000
    await schedules.scheduler.run_due()
    await schedules.scheduler.run_due()
    deliveries = schedules.harness.stores.deliveries
    [made] = (
        await whole(deliveries.list(workflow.organization_id, "webhook_1", status=None, limit=10, offset=0))
    )[0]
    message = json.loads(made.body)
    assert message["data"]["schedule"]["id"] == schedule.id
    assert "No service ran" in message["data"]["reason"]
