"""What only the command line or a conversation makes, put into the database beside a running service."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pagehand.api.keys import new_key
from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import Organization, Thread
from pagehand.storage import Database, Stores
from pagehand.storage.pages import Parts
from support.service import RunningService


async def whole(listing: Awaitable[tuple[Any, int]]) -> tuple[list[Any], int]:
    """A page of a list, whether it is read at once or in parts, and the total."""
    found, total = await listing
    return (await found.all() if isinstance(found, Parts) else list(found)), total  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportUnknownArgumentType] - of any record


def add_key(service: RunningService, organization: str, *, scopes: list[str] | None = None) -> str:
    """A key without the seconds that a command takes; with all scopes unless told."""

    async def work(stores: Stores, owner: Organization) -> str:
        key, text = new_key(owner.id, scopes=scopes)
        await stores.keys.add(key)
        return text

    return asyncio.run(_with_stores(service, organization, work))


def add_thread(service: RunningService, organization: str, message: Sequence[tuple[str, str]] = ()) -> str:
    """Give an organization a thread; its id."""

    async def work(stores: Stores, owner: Organization) -> str:
        thread = Thread(
            id=new_id("thread"), organization_id=owner.id, name="t", workflow_id=None, created_at=now_ms()
        )
        await stores.threads.add(thread)
        await stores.threads.add_messages(owner.id, thread.id, message)
        return thread.id

    return asyncio.run(_with_stores(service, organization, work))


async def _with_stores(
    service: RunningService, organization: str, work: Callable[[Stores, Organization], Awaitable[str]]
) -> str:
    database = Database(f"sqlite+aiosqlite:///{service.data_dir / 'pagehand.db'}")
    await database.open()
    try:
        stores = Stores(database)
        return await work(stores, await stores.organizations.ensure(organization))
    finally:
        await database.close()
