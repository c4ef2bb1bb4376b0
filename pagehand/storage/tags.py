"""Tags: labels that workflows carry."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Select, delete, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.errors import Conflict
from pagehand.ids import new_id
from pagehand.records import Tag
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.pages import read_page
from pagehand.storage.tables import tags, workflow_tags

_COLUMNS = [tags.c.id, tags.c.name]


@waits_for_database
class TagStore:
    """An organization's tags, each name once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, organization_id: str, limit: int, offset: int) -> tuple[list[Tag], int]:
        """The organization's tags by name."""
        query: Select[Any] = select(*_COLUMNS).where(tags.c.organization_id == organization_id)
        async with self._database.read() as connection:
            rows, total = await read_page(connection, query.order_by(tags.c.name, tags.c.id), limit, offset)
        return [Tag(**row) for row in rows], total

    async def ids_by_name(self, organization_id: str, names: Sequence[str]) -> dict[str, str]:
        """The ids of the tags of these names; names that no tag has are left out."""
        query = select(*_COLUMNS).where(tags.c.organization_id == organization_id, tags.c.name.in_(names))
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return {row["name"]: row["id"] for row in rows}

    @uncancellable
    async def add(self, organization_id: str, name: str) -> Tag:
        """A tag of that name; the one that is there, if there is."""
        async with self._database.write() as connection:
            return (await ensure_tags(connection, organization_id, [name]))[0]

    @uncancellable
    async def rename(self, organization_id: str, tag_id: str, name: str) -> Tag | None:
        """Give a tag another name; Conflict if a different one has it."""
        change = update(tags).values(name=name).returning(*_COLUMNS)
        change = change.where(tags.c.id == tag_id, tags.c.organization_id == organization_id)
        try:
            async with self._database.write() as connection:
                row = (await connection.execute(change)).mappings().first()
        except IntegrityError as error:
            raise Conflict(f"`name`: there is a tag `{name}` already.") from error
        return Tag(**row) if row else None

    @uncancellable
    async def delete(self, organization_id: str, tag_id: str) -> bool:
        """Remove a tag, also from the workflows that carry it."""
        remove = delete(tags).where(tags.c.id == tag_id, tags.c.organization_id == organization_id)
        async with self._database.write() as connection:
            return (await connection.execute(remove)).rowcount == 1


async def ensure_tags(connection: AsyncConnection, organization_id: str, names: Sequence[str]) -> list[Tag]:
    """Tags of these names within the caller's transaction, made where missing."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return []
    fresh = [{"id": new_id("tag"), "organization_id": organization_id, "name": name} for name in wanted]
    # sorted, so that two transactions that make the same tags never wait for each other in a circle
    fresh.sort(key=lambda tag: tag["name"])
    await connection.execute(postgresql.insert(tags).values(fresh).on_conflict_do_nothing())
    query = select(*_COLUMNS).where(tags.c.organization_id == organization_id, tags.c.name.in_(wanted))
    found = {row["name"]: Tag(**row) for row in (await connection.execute(query)).mappings()}
    # in the order asked for, not in that of the database
    return [found[name] for name in wanted]


async def tags_of(connection: AsyncConnection, workflow_ids: Iterable[str]) -> dict[str, list[Tag]]:
    """The tags that each of these workflows carries, by name."""
    query = select(workflow_tags.c.workflow_id, *_COLUMNS).join_from(workflow_tags, tags)
    query = query.where(workflow_tags.c.workflow_id.in_(list(workflow_ids))).order_by(tags.c.name)
    carried: dict[str, list[Tag]] = {}
    for row in (await connection.execute(query)).mappings():
        carried.setdefault(row["workflow_id"], []).append(Tag(id=row["id"], name=row["name"]))
    return carried
