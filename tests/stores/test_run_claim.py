"""Stores that are called for a run: an outage is waited out, and a run that lost its claim writes nothing."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pagehand.errors import Unavailable, WorkerLost
from pagehand.records import CachedPlan, Execution, FileInfo, Login, Memory, Requeue, SavedSession, Thread
from pagehand.storage import Database, Stores
from pagehand.storage.run_claim import RunClaim, use_claim
from support.database import whole

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio
Call = Callable[[Stores], Awaitable[Any]]

FILE = FileInfo("file_1", "org_1", "exec_1", "a.txt", "text/plain", 1, "org_1/exec_1/file_1", 1)
LOGIN = Login(
    id="login_1",
    organization_id="org_1",
    name="Shop",
    username="u",
    fields={},
    secrets=b"",
    created_at=1,
    updated_at=1,
)
SESSION = SavedSession(
    login_id="login_1", organization_id="org_1", generation="g", login_version=1, sealed=b"x", saved_at=1
)
MEMORY = Memory(
    organization_id="org_1",
    workflow_id="wf_1",
    block_id="b",
    key="k",
    written="w",
    version=1,
    remembered_at=1,
)
PLAN = CachedPlan(
    organization_id="org_1",
    workflow_id="wf_1",
    block_id="b",
    kind="read",
    key="k",
    written="w",
    version=1,
    page="p",
    made_by="model",
    kept_at=1,
    plan={},
)

THREAD = Thread(id="thread_1", organization_id="org_1", name="t", workflow_id="wf_1", created_at=1)
WRITES: dict[str, Call] = {
    "a file": lambda stores: stores.files.add(FILE),
    "an element": lambda stores: stores.memories.save([MEMORY]),
    "a plan": lambda stores: stores.plans.save([PLAN]),
    "a new session of a login": lambda stores: stores.login_states.put_session(SESSION),
    "a session used again": lambda stores: stores.login_states.refresh_session(SESSION),
    "a failed sign-in": lambda stores: stores.login_states.note_failure(LOGIN, 5, "no", hold=True),
    "a sign-in that went well": lambda stores: stores.login_states.note_success(LOGIN, 5),
    "a conversation": lambda stores: stores.threads.add(THREAD),
}
READS: dict[str, Call] = {
    "a login": lambda stores: stores.logins.get("org_1", "login_1"),
    "an execution": lambda stores: stores.executions.find_in_any_organization("exec_1"),
    "an organization": lambda stores: stores.organizations.get("org_1"),
    "passages": lambda stores: stores.knowledge.search("org_1", ["word"], [], 5),
    "plans": lambda stores: stores.plans.of_workflow("org_1", "wf_1"),
    "files": lambda stores: stores.files.total_bytes("org_1"),
}


class Outage:
    """The next so many calls of a database find it away."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = 0
        for name in ("read", "write", "commit", "lookup"):
            monkeypatch.setattr(database, name, self._broken(getattr(database, name)))

    def _broken(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            if self.left:
                self.left -= 1
                raise Unavailable("away")
            return method(*arguments, **more)

        return call


@pytest.fixture
async def running(stores: Stores, make_execution: MakeExecution) -> Execution:
    """An execution that a worker has begun."""
    made = await stores.executions.add(make_execution())
    claimed = await stores.executions.claim(made.id, at=1)
    assert claimed is not None
    return claimed


def claim_of(execution: Execution) -> RunClaim:
    return RunClaim(execution.id, execution.fence)


@pytest.mark.parametrize("name", [*WRITES, *READS])
async def test_an_outage_is_waited_out_for_a_run_and_for_nobody_else(
    stores: Stores, database: Database, running: Execution, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    call = (WRITES | READS)[name]
    outage = Outage(database, monkeypatch)
    outage.left = 1
    with pytest.raises(Unavailable):
        await call(stores)
    outage.left = 2
    with use_claim(claim_of(running)):
        await call(stores)
    assert outage.left == 0


async def test_an_outage_is_not_waited_out_for_ever(
    stores: Stores, database: Database, running: Execution, monkeypatch: pytest.MonkeyPatch
) -> None:
    Outage(database, monkeypatch).left = 1_000_000
    claim = RunClaim(running.id, running.fence, outage_seconds=0.3)
    with use_claim(claim), pytest.raises(Unavailable):
        await stores.logins.get("org_1", "login_1")


@pytest.mark.parametrize("name", WRITES)
async def test_a_run_that_was_taken_over_writes_nothing(
    stores: Stores, running: Execution, name: str
) -> None:
    await stores.executions.requeue(
        running.id, running.fence, Requeue(attempts=1, metadata={}, at=2), token="t"
    )
    with use_claim(claim_of(running)), pytest.raises(WorkerLost):
        await WRITES[name](stores)
    assert await stores.files.get("org_1", "file_1") is None
    assert await stores.memories.of_workflow("org_1", "wf_1") == []
    assert await stores.plans.of_workflow("org_1", "wf_1") == []
    assert await stores.login_states.session("org_1", "login_1") is None
    assert await stores.login_states.health("org_1", "login_1") is None
    assert await stores.threads.get("org_1", "thread_1") is None


@pytest.mark.parametrize("name", WRITES)
async def test_a_run_that_has_its_claim_writes(stores: Stores, running: Execution, name: str) -> None:
    with use_claim(claim_of(running)):
        await WRITES[name](stores)


async def test_a_message_is_refused_too_and_never_written_twice(
    stores: Stores, database: Database, running: Execution, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stores.threads.add(THREAD)
    with use_claim(claim_of(running)):
        Outage(database, monkeypatch).left = 1
        with pytest.raises(Unavailable):
            await stores.threads.add_messages("org_1", "thread_1", [("agent", "hello")])
        await stores.threads.add_messages("org_1", "thread_1", [("agent", "hello")])
    with use_claim(RunClaim(running.id, running.fence - 1)), pytest.raises(WorkerLost):
        await stores.threads.add_messages("org_1", "thread_1", [("agent", "late")])
    lines, _ = await whole(stores.threads.messages("org_1", "thread_1", 10, 0))
    assert [line.text for line in lines] == ["hello"]


async def test_what_is_written_again_after_a_lost_answer_is_there_once(stores: Stores) -> None:
    for _ in range(2):
        await stores.files.add(FILE)
        await stores.login_states.note_failure(LOGIN, 5, "no", hold=False)
    assert (await stores.files.list("org_1", execution_id=None, limit=10, offset=0))[1] == 1
    health = await stores.login_states.health("org_1", "login_1")
    assert health is not None
    assert health.failures == 1
