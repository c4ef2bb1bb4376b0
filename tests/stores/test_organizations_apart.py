"""With another organization's ids nothing is found and nothing is changed."""

import inspect
from collections import Counter
from typing import Any

import pytest

from pagehand.records import (
    ApiKey,
    Batch,
    Delivery,
    Document,
    Event,
    FileInfo,
    Login,
    PassageDraft,
    Schedule,
    SkippedRow,
    Thread,
    Webhook,
    Workflow,
)
from pagehand.storage import ExecutionFilter, Stores
from support.database import whole

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio

MINE, OTHER = "org_a", "org_b"
PAGE: dict[str, Any] = {"limit": 10, "offset": 0}
NOTHING: list[Any] = [None, False, 0, [], ([], 0), (0, None, None)]
# the engine's and authentication's own, by ids they already hold, or records that name the organization
WITHOUT_ORGANIZATION = {
    "organizations": {"ensure", "by_name", "get", "proxy", "set_proxy"},
    "keys": {"add", "find_in_any_organization", "touch", "any_active"},
    "workflows": {"add", "add_unless_named"},
    "tags": set[str](),
    "batches": {"add", "paused"},
    "executions": {
        "add",
        "count_all_organizations",
        "find_in_any_organization",
        "claim",
        "update",
        "finish",
        "finish_waiting",
        "requeue",
        "unfinished",
        "final_among",
        "waiting_past",
        "without_values",
    },
    "events": {"add", "last_seq"},
    "files": {"add"},
    "logins": {"add", "find_in_any_organization"},
    "threads": {"add"},
    "webhooks": {"add"},
    "schedules": {"add", "add_run", "claim", "due", "last_runs", "now"},
    "knowledge": {"add"},
    "deliveries": {"add", "gather", "give_up", "take", "next_due", "now", "settle", "settle_all", "sweep"},
}


async def fill(stores: Stores, make_execution: MakeExecution) -> dict[str, Any]:
    organization = await stores.organizations.ensure("Mine")
    key = ApiKey(
        id="key_1", organization_id=organization.id, name=None, digest=b"d", scopes=["*"], created_at=1
    )
    await stores.keys.add(key)
    workflow = Workflow(id="wf_1", organization_id=MINE, name="Invoices", version=1, blocks=[{"a": 1}])
    await stores.workflows.add(workflow, ["red"])
    batch = Batch(
        id="batch_1",
        organization_id=MINE,
        name="B",
        workflow_id="wf_1",
        workflow_name="W",
        total=1,
        created_at=1,
    )
    execution = make_execution(batch_id="batch_1", login_id="login_1", params={"who": "somebody"})
    await stores.batches.add(
        batch, [execution], [SkippedRow(number=2, params={"n": "x"}, problem="no number")]
    )
    await stores.events.add(
        [
            Event(execution_id=execution.id, seq=1, at=1, type="block.started", message="m"),
            Event(
                execution_id=execution.id,
                seq=2,
                at=2,
                type="block.finished",
                message="m",
                data={"url": "http://site.example/"},
            ),
        ]
    )
    await stores.files.add(FileInfo("file_1", MINE, execution.id, "n", "text/plain", 1, "k", 1))
    await stores.logins.add(login())
    await stores.threads.add(
        Thread(id="thread_1", organization_id=MINE, name="T", workflow_id=None, created_at=1)
    )
    await stores.threads.add_messages(MINE, "thread_1", [("user", "hello")])
    await stores.schedules.add(
        Schedule(
            id="schedule_1",
            organization_id=MINE,
            workflow_id="wf_1",
            cron="0 9 * * *",
            time_zone="UTC",
            params={},
        )
    )
    await stores.webhooks.add(
        Webhook(
            id="webhook_1",
            organization_id=MINE,
            url="https://hooks.example/x",
            events=["execution.completed"],
            name=None,
            is_active=True,
            secrets=b"s",
            created_at=1,
            updated_at=1,
        )
    )
    await stores.deliveries.add(
        [
            Delivery(
                id="delivery_1",
                organization_id=MINE,
                webhook_id="webhook_1",
                message_id="msg_1",
                event="execution.completed",
                body="{}",
                created_at=1,
            )
        ]
    )
    document = Document(
        id="doc_1",
        organization_id=MINE,
        name="D",
        tags=["t"],
        file_id=None,
        characters=5,
        passages=1,
        words=1,
        created_at=1,
    )
    draft = PassageDraft(text="zebra", words=Counter(["zebra"]), embedding=b"1234")
    await stores.knowledge.add(document, [draft])
    tag = (await stores.tags.list(MINE, 10, 0))[0][0]
    return {"execution": execution.id, "tag": tag.id}


def login(organization_id: str = MINE, name: str = "Portal") -> Login:
    return Login(
        id="login_1",
        organization_id=organization_id,
        name=name,
        username="Ann",
        fields={},
        secrets=b"s",
        created_at=1,
        updated_at=1,
    )


async def everything(stores: Stores, ids: dict[str, Any]) -> list[Any]:
    organization = await stores.organizations.ensure("Mine")
    return [
        await stores.keys.list(organization.id, **PAGE),
        await whole(stores.workflows.list(MINE, search="inv", tag_ids=[ids["tag"]], **PAGE)),
        await whole(stores.workflows.versions(MINE, "wf_1", **PAGE)),
        await stores.tags.list(MINE, **PAGE),
        await stores.batches.list(MINE, **PAGE),
        await stores.executions.list(MINE, ExecutionFilter(search=["somebody"])),
        await whole(stores.events.list(MINE, ids["execution"], **PAGE)),
        await stores.events.url_before(MINE, ids["execution"], "block_1"),
        await stores.files.list(MINE, execution_id=None, **PAGE),
        await whole(stores.logins.list(MINE, search="ANN", **PAGE)),
        await whole(stores.threads.messages(MINE, "thread_1", **PAGE)),
        await whole(stores.schedules.list(MINE, **PAGE)),
        await stores.webhooks.list(MINE, **PAGE),
        await stores.knowledge.list(MINE, tags=[], **PAGE),
        await stores.knowledge.search(MINE, ["zebra"], [], 5),
        await whole(stores.deliveries.list(MINE, "webhook_1", status=None, **PAGE)),
    ]


async def test_another_organizations_ids_find_and_change_nothing(
    stores: Stores, make_execution: MakeExecution
) -> None:
    ids = await fill(stores, make_execution)
    before = await everything(stores, ids)
    changed = Workflow(id="wf_1", organization_id=OTHER, name="Stolen", version=1, blocks=[])
    tried: dict[str, dict[str, Any]] = {
        "keys": {
            "list": stores.keys.list(OTHER, **PAGE),
            "revoke": stores.keys.revoke(OTHER, "key_1", 5),
        },
        "workflows": {
            "get": stores.workflows.get(OTHER, "wf_1"),
            "to_run": stores.workflows.to_run(OTHER, "wf_1"),
            "names": stores.workflows.names(OTHER),
            "find_by_name": stores.workflows.find_by_name(OTHER, "Invoices"),
            "list": whole(stores.workflows.list(OTHER, search=None, tag_ids=[ids["tag"]], **PAGE)),
            "save": stores.workflows.save(OTHER, changed, expected_version=1, tag_names=["x"]),
            "delete": stores.workflows.delete(OTHER, "wf_1"),
            "set_file_digests": stores.workflows.set_file_digests(OTHER, "wf_1", "changed", {}),
            "version": stores.workflows.version(OTHER, "wf_1", 1),
            "versions": whole(stores.workflows.versions(OTHER, "wf_1", **PAGE)),
        },
        "tags": {
            "list": stores.tags.list(OTHER, **PAGE),
            "ids_by_name": stores.tags.ids_by_name(OTHER, ["red"]),
            "rename": stores.tags.rename(OTHER, ids["tag"], "stolen"),
            "delete": stores.tags.delete(OTHER, ids["tag"]),
            "add": None,
        },
        "batches": {
            "get": stores.batches.get(OTHER, "batch_1"),
            "list": stores.batches.list(OTHER, **PAGE),
            "progress": stores.batches.progress(OTHER, []),
            "mark_cancelled": stores.batches.mark_cancelled(OTHER, "batch_1", 5),
            "set_paused": stores.batches.set_paused(OTHER, "batch_1", 5),
            "entries": stores.batches.entries(OTHER, "batch_1", after=0, limit=10),
            "names_within": stores.batches.names_within(
                "params", OTHER, await stores.batches.entries(MINE, "batch_1", after=0, limit=10), 10
            ),
            "results": stores.batches.results(OTHER, [ids["execution"]]),
            "skipped": stores.batches.skipped(OTHER, "batch_1"),
        },
        "executions": {
            "get": stores.executions.get(OTHER, ids["execution"]),
            "running_of": stores.executions.running_of(OTHER),
            "params": stores.executions.params(OTHER, ids["execution"]),
            "unfinished_of_batch": stores.executions.unfinished_of_batch(OTHER, "batch_1", after=0, limit=10),
            "count_queued": stores.executions.count_queued(OTHER),
            "small_responses": stores.executions.small_responses(OTHER, ["exec_1"], 1000),
            "refuse_if_full": stores.executions.refuse_if_full(OTHER, 1),
            "list": None,
        },
        "events": {
            "list": whole(stores.events.list(OTHER, ids["execution"], **PAGE)),
            "url_before": stores.events.url_before(OTHER, ids["execution"], "block_1"),
            "last_picture": stores.events.last_picture(OTHER, ids["execution"]),
        },
        "files": {
            "get": stores.files.get(OTHER, "file_1"),
            "total_bytes": stores.files.total_bytes(OTHER),
            "check_room": stores.files.check_room(OTHER, 1),
            "count_by_execution": stores.files.count_by_execution(OTHER, [ids["execution"]]),
            "list": stores.files.list(OTHER, execution_id=ids["execution"], **PAGE),
            "delete": stores.files.delete(OTHER, "file_1"),
        },
        "logins": {
            "get": stores.logins.get(OTHER, "login_1"),
            "revision": stores.logins.revision(OTHER),
            "list": whole(stores.logins.list(OTHER, search=None, **PAGE)),
            "save": stores.logins.save(login(OTHER, "Stolen")),
            "delete": stores.logins.delete(OTHER, "login_1"),
        },
        "threads": {
            "get": stores.threads.get(OTHER, "thread_1"),
            "add_messages": stores.threads.add_messages(OTHER, "thread_1", [("user", "x")]),
            "messages": whole(stores.threads.messages(OTHER, "thread_1", **PAGE)),
        },
        "schedules": {
            "get": stores.schedules.get(OTHER, "schedule_1"),
            "list": whole(stores.schedules.list(OTHER, **PAGE)),
            "runs": stores.schedules.runs(OTHER, "schedule_1", **PAGE),
            "update": stores.schedules.update(OTHER, "schedule_1", cron="* * * * *"),
            "delete": stores.schedules.delete(OTHER, "schedule_1"),
        },
        "webhooks": {
            "get": stores.webhooks.get(OTHER, "webhook_1"),
            "list": stores.webhooks.list(OTHER, **PAGE),
            "listening": stores.webhooks.listening(OTHER),
            "update": stores.webhooks.update(OTHER, "webhook_1", url="https://evil.example"),
            "delete": stores.webhooks.delete(OTHER, "webhook_1"),
        },
        "knowledge": {
            "get": stores.knowledge.get(OTHER, "doc_1"),
            "list": stores.knowledge.list(OTHER, tags=["t"], **PAGE),
            "search": stores.knowledge.search(OTHER, ["zebra"], ["t"], 5),
            "vectors": stores.knowledge.vectors(OTHER, ["t"]),
            "by_number": stores.knowledge.by_number(OTHER, [1]),
            "delete": stores.knowledge.delete(OTHER, "doc_1"),
        },
        "deliveries": {
            "get": stores.deliveries.get(OTHER, "webhook_1", "delivery_1"),
            "list": whole(stores.deliveries.list(OTHER, "webhook_1", status=None, **PAGE)),
        },
    }
    for noun, calls in tried.items():
        for name, call in calls.items():
            if call is not None:
                found = await call
                assert found in NOTHING or found == {}, f"{noun}.{name}"
    filters: list[dict[str, Any]] = [
        {},
        {"workflow_id": "wf_1"},
        {"batch_id": "batch_1"},
        {"search": ["somebody"]},
        {"from_ms": 0},
    ]
    for fields in filters:
        page = await stores.executions.list(OTHER, ExecutionFilter(**fields))
        assert (page.items, page.total) == ([], 0)
    assert await everything(stores, ids) == before
    covered = {noun: set(calls) | WITHOUT_ORGANIZATION[noun] for noun, calls in tried.items()}
    for noun, names in covered.items():
        store = getattr(stores, noun)
        public = {name for name, _ in inspect.getmembers(store, inspect.ismethod) if not name.startswith("_")}
        assert public == names, f"a method of `{noun}` is not tried here"
