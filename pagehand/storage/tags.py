"""Tags: labels on workflows."""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.errors import Conflict
from pagehand.ids import new_id
from pagehand.records import Tag
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.pages import is_row
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import tags, workflow_tags

_COLUMNS = [tags.c.id, tags.c.name]


@retry_in_runs
class TagStore:
    """An organization's tags; their names are unique."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, organization_id: str, limit: int, offset: int) -> tuple[list[Tag], int]:
        """The organization's tags by name."""
        query = select(*_COLUMNS).where(tags.c.organization_id == organization_id)
        rows, total = await self._database.page(query.order_by(tags.c.name, tags.c.id), limit, offset)
        return [Tag(**row) for row in rows], total

    async def ids_by_name(self, organization_id: str, names: Sequence[str]) -> dict[str, str]:
        """The ids of the tags with these names; names without a tag are left out."""
        query = select(*_COLUMNS).where(tags.c.organization_id == organization_id, tags.c.name.in_(names))
        return {row["name"]: row["id"] for row in await self._database.all(query)}

    @uncancellable
    async def add(self, organization_id: str, name: str) -> Tag:
        """The tag with that name, created if it does not exist."""
        async with self._database.write() as connection:
            return (await ensure_tags(connection, organization_id, [name]))[0]

    @uncancellable
    async def rename(self, organization_id: str, tag_id: str, name: str) -> Tag | None:
        """Rename a tag; Conflict if another tag has that name."""
        change = update(tags).values(name=name).where(is_row(tags, organization_id, tag_id))
        try:
            async with self._database.write() as connection:
                row = (await connection.execute(change.returning(*_COLUMNS))).mappings().first()
        except IntegrityError as error:
            raise Conflict(f"`name`: there is a tag `{name}` already.") from error
        return Tag(**row) if row else None

    @uncancellable
    async def delete(self, organization_id: str, tag_id: str) -> bool:
        """Delete a tag and remove it from its workflows."""
        return await self._database.execute(delete(tags).where(is_row(tags, organization_id, tag_id))) == 1


async def ensure_tags(connection: AsyncConnection, organization_id: str, names: Sequence[str]) -> list[Tag]:
    """The tags with these names, created if missing, within the caller's transaction."""
    unique = list(dict.fromkeys(names))
    if not unique:
        return []
    rows = [{"id": new_id("tag"), "organization_id": organization_id, "name": name} for name in unique]
    # sorted: two transactions that add the same tags in another order would deadlock
    rows.sort(key=lambda tag: tag["name"])
    await connection.execute(postgresql.insert(tags).values(rows).on_conflict_do_nothing())
    query = select(*_COLUMNS).where(tags.c.organization_id == organization_id, tags.c.name.in_(unique))
    found = {row["name"]: Tag(**row) for row in (await connection.execute(query)).mappings()}
    # in the order of `names`, not of the database
    return [found[name] for name in unique]


async def tags_of(connection: AsyncConnection, workflow_ids: Iterable[str]) -> dict[str, list[Tag]]:
    """The tags of each of these workflows, by name."""
    query = select(workflow_tags.c.workflow_id, *_COLUMNS).join_from(workflow_tags, tags)
    query = query.where(workflow_tags.c.workflow_id.in_(list(workflow_ids))).order_by(tags.c.name)
    found: dict[str, list[Tag]] = {}
    for row in (await connection.execute(query)).mappings():
        found.setdefault(row["workflow_id"], []).append(Tag(id=row["id"], name=row["name"]))
    return found
