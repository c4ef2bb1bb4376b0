"""A database as large as one gets: 20,000 rows of every kind, and some as large as they may be.

They are written directly: making so many by requests would take an hour.
"""

import asyncio
from typing import Any

import orjson
from sqlalchemy import Table, Text, cast, func, insert, literal, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.clock import now_ms
from pagehand.engine.repair.element_memory import written_digests
from pagehand.engine.run.cache import wording_digests
from pagehand.ids import new_id
from pagehand.records import Batch, Execution, Json
from pagehand.storage import Database, Stores, tables
from pagehand.workflow import tree

MANY = 20_000
LARGE = 20
"""How many rows of many megabytes a list has: together more than the memory may grow."""
BLOCKS = 2000
_LARGE_TEXT = "x" * 9_000_000
_LARGE_EVENTS, _LARGE_DELIVERIES, _LARGE_MESSAGES, _LARGE_LOGINS = 800, 1000, 2000, 80
_RESPONSES = {
    "many": {"answer": "yes", "number": 5},
    "large": {f"part{number}": "x" * 4_500_000 for number in range(4)},
    "nested": {"rows": [{"id": n, "name": f"Name {n}", "price": n * 1.5} for n in range(250_000)]},
}
_COUNTS = {"many": MANY, "large": LARGE, "nested": 4}
_BLOCK: Json = {
    "id": "b1",
    "name": "Step",
    "blockReferenceId": "step",
    "type": "Transform",
    "locator": None,
    "isCacheable": True,
    "skipIfNotPresent": False,
    "useWorkflowRecoveryAgent": False,
    "data": {"input": 1, "code": "input"},
    "parentRelationship": {
        "blockDepth": 0,
        "positionInSequence": 0,
        "parentBlockId": None,
        "parentSequenceId": None,
    },
}
_LOGIN: Json = {"authenticationUrl": "https://a.example", "homeUrl": "https://a.example"}
_NUMBER = object()
"""A value that is the number of its row."""
_AT = 1_700_000_000_000
_FINISH = text("""
    UPDATE executions SET status = :status, response = :response, end_time = accepted_at, duration_ms = 5,
      summary = '', error_analysis = '', context = '{}' WHERE batch_id = :batch_id
""")
_PROPOSE = text("""
    UPDATE executions SET proposal = 'open', workflow_id = 'wf_' || n
    WHERE batch_id = 'batch_many' AND n < (SELECT min(n) + 3000 FROM executions)
""")


def write_large_data(url: str) -> None:
    """Fill a new database; all of it belongs to the organization `default`."""
    asyncio.run(_write(url))


async def _write(url: str) -> None:
    database = Database(url)
    await database.open()
    stores = Stores(database)
    owner = (await stores.organizations.ensure("default")).id
    for name, response in _RESPONSES.items():
        await _add_batch(database, stores, owner, name, response)
    async with database.write() as connection:
        await connection.execute(_PROPOSE)
        await _add_workflows(connection, owner)
        await _add_of_executions(connection, owner)
        await _add_logins_and_keys(connection, owner)
        await _add_knowledge(connection, owner)
    await database.close()


async def _add_batch(database: Database, stores: Stores, owner: str, name: str, response: Json) -> None:
    count = _COUNTS[name]
    batch = Batch(
        id=f"batch_{name}",
        organization_id=owner,
        name=name,
        workflow_id="wf_1",
        workflow_name="W",
        total=count,
        created_at=now_ms(),
    )
    await stores.batches.add(batch, [_execution(batch, name, number) for number in range(count)])
    # statistics show the newest failures
    status = "Failed" if name == "large" else "Completed"
    values = {"response": orjson.dumps(response).decode(), "batch_id": batch.id, "status": status}
    async with database.write() as connection:
        await connection.execute(_FINISH, values)


def _execution(batch: Batch, name: str, number: int) -> Execution:
    return Execution(
        id=f"exec_{name}_{number}",
        organization_id=batch.organization_id,
        workflow_id=batch.workflow_id,
        workflow_name=batch.workflow_name,
        workflow_version=1,
        browser_session_id=new_id("bs"),
        accepted_at=_AT + number,
        start_time=_AT + number,
        deadline_at=_AT + 100_000,
        batch_id=batch.id,
        batch_name=batch.name,
        params={"number": number, "customer": f"Customer {number}"},
    )


async def _add_rows(connection: AsyncConnection, table: Table, count: int, /, **columns: Any) -> None:
    """Add rows; `{i}` in a text is the number of its row."""
    first = select(literal(1).label("i")).cte(recursive=True)
    numbers = first.union_all(select(first.c.i + 1).where(first.c.i < count))
    values: list[Any] = []
    for name, value in columns.items():
        given = literal(value, table.c[name].type)
        if value is _NUMBER:
            given = numbers.c.i
        elif isinstance(value, str) and "{i}" in value:
            given = func.replace(cast(given, Text), "{i}", cast(numbers.c.i, Text))
        values.append(given)
    await connection.execute(insert(table).from_select(list(columns), select(*values).select_from(numbers)))


async def _add_workflows(connection: AsyncConnection, owner: str) -> None:
    small = [_BLOCK]
    large = [{**_BLOCK, "data": {"input": _LARGE_TEXT, "code": "input"}}]
    made: Json = {"created_at": _AT, "name": "Workflow {i}", "parameters": [], "retry_safe": False}
    kept: Json = {**made, "organization_id": owner, "search_text": "workflow {i}", "updated_at": _AT}
    workflows, versions = tables.workflows, tables.workflow_versions
    await _add_rows(connection, workflows, MANY, **kept, id="wf_{i}", version=1, blocks=small)
    kept |= {"created_at": _AT + 1, "name": "Large {i}", "search_text": "large {i}"}
    await _add_rows(connection, workflows, LARGE, **kept, id="wf_large_{i}", version=LARGE, blocks=large)
    await _add_rows(connection, versions, MANY, **made, workflow_id="wf_2", version=_NUMBER, blocks=small)
    large_versions = {**made, "workflow_id": "wf_large_1", "version": _NUMBER, "blocks": large}
    await _add_rows(connection, versions, LARGE, **large_versions)
    await _add_rows(connection, tables.tags, MANY, id="tag_{i}", organization_id=owner, name="Tag {i}")
    await _add_rows(connection, tables.workflow_tags, MANY, workflow_id="wf_{i}", tag_id="tag_1")
    schedule: Json = {
        "organization_id": owner,
        "cron": "0 0 1 1 *",
        "time_zone": "UTC",
        "is_enabled": False,
        "catch_up": "none",
        "overlap": "skip",
        "next_at": _AT * 2,
        "updated_at": _AT,
        "created_at": _AT,
    }
    schedules = tables.schedules
    await _add_rows(connection, schedules, 970, **schedule, id="s_{i}", workflow_id="wf_3", params={})
    schedule |= {"params": {"text": _LARGE_TEXT}, "created_at": _AT + 1}
    await _add_rows(connection, schedules, LARGE, **schedule, id="large_{i}", workflow_id="wf_4")
    run: Json = {"schedule_id": "s_1", "scheduled_for": _AT, "at": _AT, "outcome": "missed"}
    await _add_rows(connection, tables.schedule_runs, MANY, **run, id="run_{i}", is_manual=False)
    blocks = tree.from_json([_BLOCK])
    remembered: Json = {"workflow_id": "wf_5", "block_id": "b1", "organization_id": owner}
    remembered |= {"version": 1, "key": "{i}", "written": written_digests(blocks)["b1"]}
    locator: Json = {"healed_locator": {"css": "#save"}, "remembered_at": _AT}
    await _add_rows(connection, tables.memories, MANY, **remembered, **locator)
    plan: Json = {"kind": "steps", "page": "", "made_by": "model", "kept_at": _AT, "plan": {"steps": []}}
    plan["written"] = wording_digests(blocks)["b1"]
    await _add_rows(connection, tables.plans, MANY, **(remembered | plan))


async def _add_of_executions(connection: AsyncConnection, owner: str) -> None:
    batch: Json = {"workflow_id": "wf_1", "workflow_name": "W", "total": 0, "created_at": _AT}
    await _add_rows(
        connection, tables.batches, MANY, **batch, id="batch_{i}", organization_id=owner, name="Batch {i}"
    )
    event: Json = {"at": _AT, "type": "block.ended", "seq": _NUMBER}
    events = tables.events
    await _add_rows(
        connection, events, MANY, **event, execution_id="exec_many_0", message="{i}", data={"n": 1}
    )
    event |= {"execution_id": "exec_many_1", "data": {"text": "x" * 250_000}}
    await _add_rows(connection, events, _LARGE_EVENTS, **event, message="large")
    file: Json = {"organization_id": owner, "mime_type": "text/plain", "size_bytes": 1, "created_at": _AT}
    file |= {"name": "File {i}.txt", "search_text": "file {i}.txt"}
    await _add_rows(connection, tables.files, MANY, **file, id="file_{i}", key=f"{owner}/uploads/file_{{i}}")
    hook: Json = {"organization_id": owner, "url": "https://hooks.example.com", "events": ["batch.finished"]}
    hook |= {"is_active": True, "secrets": b"\0", "created_at": _AT, "updated_at": _AT}
    await _add_rows(connection, tables.webhooks, 2, **hook, id="webhook_{i}")
    sent: Json = {"organization_id": owner, "message_id": "msg_{i}", "event": "batch.finished"}
    sent |= {"created_at": _AT, "status": "delivered", "attempts": 1}
    deliveries = tables.deliveries
    await _add_rows(connection, deliveries, MANY, **sent, id="d_{i}", webhook_id="webhook_1", body="{}")
    sent |= {"webhook_id": "webhook_2", "body": f'{{"text": "{"x" * 150_000}"}}'}
    await _add_rows(connection, deliveries, _LARGE_DELIVERIES, **sent, id="large_{i}")


async def _add_logins_and_keys(connection: AsyncConnection, owner: str) -> None:
    login: Json = {"organization_id": owner, "fields": _LOGIN, "secrets": b"\0", "created_at": _AT}
    login |= {"username": "user {i}", "name": "Login {i}", "search_text": "login {i}\nuser {i}"}
    await _add_rows(connection, tables.logins, MANY, **login, id="login_{i}", updated_at=_AT)
    login |= {"secrets": b"x" * 2_000_000, "created_at": _AT + 1}
    await _add_rows(connection, tables.logins, _LARGE_LOGINS, **login, id="large_{i}", updated_at=_AT)
    health: Json = {"organization_id": owner, "last_failure_at": _AT, "last_failure": "No.", "failures": 9}
    await _add_rows(connection, tables.login_health, MANY, **health, login_id="login_{i}")
    key: Json = {"organization_id": owner, "name": "Key {i}", "digest": b"\0", "scopes": ["read"]}
    await _add_rows(connection, tables.api_keys, MANY, **key, id="key_{i}", created_at=_AT)
    thread: Json = {"organization_id": owner, "name": "Thread", "created_at": _AT}
    await _add_rows(connection, tables.threads, 2, **thread, id="thread_{i}")
    said: Json = {"seq": _NUMBER, "role": "user", "created_at": _AT}
    await _add_rows(connection, tables.messages, MANY, **said, thread_id="thread_1", text="{i}")
    said |= {"thread_id": "thread_2", "text": "é" * 20_000}
    await _add_rows(connection, tables.messages, _LARGE_MESSAGES, **said)


async def _add_knowledge(connection: AsyncConnection, owner: str) -> None:
    document: Json = {"organization_id": owner, "tags": ["tag"], "characters": 5, "passages": 1, "words": 1}
    await _add_rows(
        connection, tables.documents, MANY, **document, id="doc_{i}", name="Document {i}", created_at=_AT
    )
    await _add_rows(connection, tables.document_tags, MANY, tag="tag", document_id="doc_{i}")
    passage: Json = {"organization_id": owner, "position": 0, "text": "zebra {i}"}
    await _add_rows(connection, tables.passages, MANY, **passage, document_id="doc_{i}")
    word: Json = {"organization_id": owner, "word": "zebra", "count": 1, "length": 2}
    await _add_rows(connection, tables.passage_words, MANY, **word, passage=_NUMBER)
