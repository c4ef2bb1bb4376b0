"""Lists in pages: of rows made in one millisecond each is on one page, and the total is on every page."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from pagehand.records import (
    ApiKey,
    Batch,
    Delivery,
    Document,
    FileInfo,
    Login,
    PassageDraft,
    Schedule,
    Webhook,
    Workflow,
)
from pagehand.storage import Stores
from support.database import whole

pytestmark = pytest.mark.anyio

OWNER = "org_a"
AT = 1_790_000_000_000
Add = Callable[[Stores, int], Awaitable[Any]]
Page = Callable[[Stores, int, int], Awaitable[tuple[Any, int]]]


def made(prefix: str, number: int) -> dict[str, Any]:
    """Fields that most records share; ids do not follow the order in which they are added."""
    return {"id": f"{prefix}_{number * 7 % 10}", "organization_id": OWNER, "created_at": AT}


def workflow(number: int) -> Workflow:
    return Workflow(**made("wf", number), name="Invoices", version=1, blocks=[], updated_at=AT)


def login(number: int) -> Login:
    return Login(
        **made("login", number), name="Bank", username="ada", fields={}, secrets=b"\0", updated_at=AT
    )


def webhook(number: int) -> Webhook:
    return Webhook(
        **made("webhook", number),
        url="https://hooks.example.com",
        events=["batch.finished"],
        name=None,
        is_active=True,
        secrets=b"\0",
        updated_at=AT,
    )


def delivery(number: int) -> Delivery:
    return Delivery(
        **made("delivery", number), webhook_id="webhook_1", message_id="m", event="batch.finished", body="{}"
    )


def document(number: int) -> Document:
    return Document(
        **made("doc", number), name="d", tags=["t"], file_id=None, characters=1, passages=1, words=1
    )


def file(number: int) -> FileInfo:
    return FileInfo(
        **made("file", number),
        execution_id=None,
        name="a.pdf",
        mime_type="application/pdf",
        size_bytes=1,
        key=f"{OWNER}/uploads/{number}",
    )


def batch(number: int) -> Batch:
    return Batch(**made("batch", number), name="March", workflow_id="wf_1", workflow_name="Invoices", total=0)


def key(number: int) -> ApiKey:
    return ApiKey(**made("key", number), name=None, digest=bytes([number]), scopes=["*"])


def schedule(number: int) -> Schedule:
    return Schedule(
        **made("schedule", number),
        workflow_id=workflow(1).id,
        workflow_name="Invoices",
        cron="* * * * *",
        time_zone="UTC",
        params={},
        next_at=AT,
        updated_at=AT,
    )


async def add_schedule(stores: Stores, number: int) -> None:
    if number == 0:
        await stores.workflows.add(workflow(1), [])
    await stores.schedules.add(schedule(number))


async def add_key(stores: Stores, number: int) -> None:
    owner = await stores.organizations.ensure("one")
    await stores.keys.add(replace(key(number), organization_id=owner.id))


async def keys_of_one(stores: Stores, limit: int, offset: int) -> tuple[Any, int]:
    owner = await stores.organizations.ensure("one")
    return await stores.keys.list(owner.id, limit, offset)


LISTS: dict[str, tuple[Add, Page]] = {
    "workflows": (
        lambda stores, n: stores.workflows.add(workflow(n), []),
        lambda stores, limit, offset: stores.workflows.list(
            OWNER, search="INVOICE", tag_ids=[], limit=limit, offset=offset
        ),
    ),
    "logins": (
        lambda stores, n: stores.logins.add(login(n)),
        lambda stores, limit, offset: stores.logins.list(OWNER, search="ADA", limit=limit, offset=offset),
    ),
    "webhooks": (
        lambda stores, n: stores.webhooks.add(webhook(n)),
        lambda stores, limit, offset: stores.webhooks.list(OWNER, limit, offset),
    ),
    "deliveries": (
        lambda stores, n: stores.deliveries.add([delivery(n)]),
        lambda stores, limit, offset: stores.deliveries.list(
            OWNER, "webhook_1", status="pending", limit=limit, offset=offset
        ),
    ),
    "documents": (
        lambda stores, n: stores.knowledge.add(
            document(n), [PassageDraft(text="a", words=Counter("a"), embedding=None)]
        ),
        lambda stores, limit, offset: stores.knowledge.list(OWNER, tags=["t"], limit=limit, offset=offset),
    ),
    "files": (
        lambda stores, n: stores.files.add(file(n)),
        lambda stores, limit, offset: stores.files.list(
            OWNER, execution_id=None, search="A.PDF", limit=limit, offset=offset
        ),
    ),
    "batches": (
        lambda stores, n: stores.batches.add(batch(n), []),
        lambda stores, limit, offset: stores.batches.list(OWNER, limit, offset),
    ),
    "keys": (add_key, keys_of_one),
    "tags": (
        lambda stores, n: stores.tags.add(OWNER, f"t{n}"),
        lambda stores, limit, offset: stores.tags.list(OWNER, limit, offset),
    ),
    "schedules": (add_schedule, lambda stores, limit, offset: stores.schedules.list(OWNER, limit, offset)),
}


@pytest.mark.parametrize("name", LISTS)
async def test_every_row_is_on_one_page_and_the_total_on_every_page(stores: Stores, name: str) -> None:
    add, page = LISTS[name]
    for number in range(5):
        await add(stores, number)
    first, total = await whole(page(stores, 100, 0))
    order = [item.id for item in first]
    assert (len(set(order)), total) == (5, 5)
    for size in (1, 2, 5):
        seen: list[str] = []
        for offset in range(0, 5, size):
            items, total = await whole(page(stores, size, offset))
            seen += [item.id for item in items]
            assert total == 5, (size, offset)
        assert seen == order, size
    for offset in (5, 6, 2**40):
        assert await whole(page(stores, 2, offset)) == ([], 5)


async def test_large_rows_are_read_a_few_at_a_time(stores: Stores) -> None:
    for number, length in enumerate((5, 700_000, 700_000, 700_000, 5)):
        await stores.workflows.add(replace(workflow(number), output="é" * (length // 2)), [])
    found, total = await stores.workflows.list(OWNER, search=None, tag_ids=[], limit=100, offset=0)
    parts = [[item.id for item in part] async for part in found]
    assert (parts, total) == ([["wf_8", "wf_7"], ["wf_4"], ["wf_1", "wf_0"]], 5)


async def test_list_of_nothing_is_empty_with_a_total_of_none(stores: Stores) -> None:
    for name, (_, page) in LISTS.items():
        for limit, offset in ((1, 0), (1000, 0), (10, 10)):
            items, total = await whole(page(stores, limit, offset))
            assert (list(items), total) == ([], 0), name


SEARCHED: dict[str, Callable[[Stores, str], Awaitable[tuple[Any, int]]]] = {
    "workflows": lambda stores, term: stores.workflows.list(
        OWNER, search=term, tag_ids=[], limit=9, offset=0
    ),
    "logins": lambda stores, term: stores.logins.list(OWNER, search=term, limit=9, offset=0),
    "files": lambda stores, term: stores.files.list(OWNER, execution_id=None, search=term, limit=9, offset=0),
}


@pytest.mark.parametrize("name", SEARCHED)
async def test_search_is_literal_and_of_any_length(stores: Stores, name: str) -> None:
    await stores.workflows.add(replace(workflow(1), name="Ä 50%_\\'\""), [])
    await stores.logins.add(replace(login(1), name="Ä 50%_\\'\""))
    await stores.files.add(replace(file(1), name="Ä 50%_\\'\""))
    search = SEARCHED[name]
    for term in ("ä", "50%", "%_", "_\\'\"", ""):
        assert (await whole(search(stores, term)))[1] == 1, term
    for term in ("5%", "0__", "%%", "\\\\", "x" * 1_000_000, "%" * 60_000):
        assert await whole(search(stores, term)) == ([], 0), term[:20]
