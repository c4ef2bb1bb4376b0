"""Workflows, all of their versions, and tags."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Select, Table, bindparam, delete, func, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.clock import now_ms
from pagehand.errors import Conflict
from pagehand.ids import new_id
from pagehand.records import Tag, Workflow, WorkflowVersion
from pagehand.storage.advisory_locks import lock_organization
from pagehand.storage.columns import sanitize_text
from pagehand.storage.database import uncancellable
from pagehand.storage.pages import Parts, contains, folded, is_row, newest_first
from pagehand.storage.run_claim import Store
from pagehand.storage.schedules import delete_schedules
from pagehand.storage.tables import schedules, tags, workflow_tags, workflow_versions, workflows

_TAG_COLUMNS = [tags.c.id, tags.c.name]


class TagStore(Store):
    """An organization's tags; their names are unique."""

    async def list(self, organization_id: str, limit: int, offset: int) -> tuple[list[Tag], int]:
        """The organization's tags by name."""
        query = select(*_TAG_COLUMNS).where(tags.c.organization_id == organization_id)
        rows, total = await self._database.page(query.order_by(tags.c.name, tags.c.id), limit, offset)
        return [Tag(**row) for row in rows], total

    async def ids_by_name(self, organization_id: str, names: Sequence[str]) -> dict[str, str]:
        """The ids of the tags with these names; names without a tag are left out."""
        query = select(*_TAG_COLUMNS).where(tags.c.organization_id == organization_id, tags.c.name.in_(names))
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
                row = (await connection.execute(change.returning(*_TAG_COLUMNS))).mappings().first()
        except IntegrityError as error:
            raise Conflict(f"`name`: there is a tag `{name}` already.") from error
        return Tag(**row) if row else None

    @uncancellable
    async def delete(self, organization_id: str, tag_id: str) -> bool:
        """Delete a tag and remove it from its workflows."""
        return await self._database.execute(delete(tags).where(is_row(tags, organization_id, tag_id))) == 1


Workflows = list[Workflow]  # a name for use inside the class, where `list` is the method

_HIDDEN = {"search_text", "deleted_at"}
_COLUMNS = [column for column in workflows.c if column.name not in _HIDDEN]
_RUNNABLE = select(*_COLUMNS).where(
    workflows.c.id == bindparam("id"),
    workflows.c.organization_id == bindparam("organization_id"),
    workflows.c.deleted_at.is_(None),
)


class WorkflowStore(Store):
    """An organization's workflows; deleted ones are visible only through their executions."""

    @uncancellable
    async def add(self, workflow: Workflow, tag_names: Sequence[str]) -> Workflow:
        """Add a workflow and its first version."""
        async with self._database.write() as connection:
            return await _add(connection, workflow, tag_names)

    @uncancellable
    async def add_unless_named(self, workflow: Workflow, tag_names: Sequence[str]) -> Workflow | None:
        """Add a workflow; None if there is one of its name, which another caller may have added just now."""
        same = _visible(workflow.organization_id).where(workflows.c.name == workflow.name)
        async with self._database.write() as connection:
            await lock_organization(connection, workflow.organization_id, "workflow names")
            if (await connection.execute(same.limit(1))).first() is not None:
                return None
            return await _add(connection, workflow, tag_names)

    async def get(self, organization_id: str, workflow_id: str) -> Workflow | None:
        """The workflow with that id."""
        found = await self._read(_visible(organization_id).where(workflows.c.id == workflow_id))
        return found[0] if found else None

    async def to_run(self, organization_id: str, workflow_id: str) -> Workflow | None:
        """The workflow without its tags, which a run does not need: one statement instead of two."""
        row = await self._database.lookup(_RUNNABLE, id=workflow_id, organization_id=organization_id)
        return Workflow(**row) if row else None

    async def find_by_name(self, organization_id: str, name: str) -> list[Workflow]:
        """Workflows with exactly that name, newest first."""
        return await self._read(
            newest_first(_visible(organization_id).where(workflows.c.name == name), workflows)
        )

    async def names(self, organization_id: str) -> list[str]:
        """The names of the newest workflows: enough to guess which was meant."""
        query = newest_first(select(workflows.c.name).where(_is_visible(organization_id)), workflows)
        return [row["name"] for row in await self._database.all(query.limit(100))]

    async def list(
        self, organization_id: str, *, search: str | None, tag_ids: Sequence[str], limit: int, offset: int
    ) -> tuple[Parts[Workflow], int]:
        """Workflows with `search` in their name and all of `tag_ids`, newest first."""
        query = _visible(organization_id)
        if search:
            query = query.where(contains(workflows.c.search_text, search))
        if tag_ids:
            query = query.where(workflows.c.id.in_(ids_with_tags(organization_id, tag_ids)))
        query = newest_first(query, workflows)
        return await self._database.parts(
            query, workflows.c.id, _large(workflows), self._read, (limit, offset)
        )

    @uncancellable
    async def save(
        self,
        organization_id: str,
        workflow: Workflow,
        *,
        expected_version: int,
        tag_names: Sequence[str] | None,
    ) -> Workflow | None:
        """Write the next version; None if the stored version is not `expected_version`, or it is deleted."""
        now = now_ms()
        change = update(workflows).values(
            _values(workflow) | {"version": expected_version + 1, "updated_at": now}
        )
        change = change.where(
            workflows.c.id == workflow.id,
            workflows.c.organization_id == organization_id,
            workflows.c.version == expected_version,
            workflows.c.deleted_at.is_(None),
        )
        async with self._database.write() as connection:
            if (await connection.execute(change)).rowcount != 1:
                return None
            await _add_version(connection, workflow, expected_version + 1, now)
            if tag_names is not None:
                await _set_tags(connection, workflow, tag_names)
            return await _read_one(connection, organization_id, workflow.id)

    @uncancellable
    async def set_file_digests(
        self, organization_id: str, workflow_id: str, applied: str | None, exported: dict[str, str]
    ) -> None:
        """Keep what the workflow was like as a file; makes no version."""
        change = update(workflows).values(file_digest=applied, exported_digests=exported)
        await self._database.execute(
            change.where(_is_visible(organization_id), workflows.c.id == workflow_id)
        )

    @uncancellable
    async def delete(self, organization_id: str, workflow_id: str) -> bool:
        """Delete a workflow and its schedules; its executions and versions stay readable."""
        change = update(workflows).values(deleted_at=now_ms())
        change = change.where(_is_visible(organization_id), workflows.c.id == workflow_id)
        async with self._database.write() as connection:
            if (await connection.execute(change)).rowcount != 1:
                return False
            await connection.run_sync(delete_schedules, schedules.c.workflow_id == workflow_id)
        return True

    async def version(self, organization_id: str, workflow_id: str, version: int) -> WorkflowVersion | None:
        """The workflow at `version`, deleted or not."""
        query = _versions(organization_id, workflow_id).where(workflow_versions.c.version == version)
        row = await self._database.first(query)
        return WorkflowVersion(**row) if row else None

    async def versions(
        self, organization_id: str, workflow_id: str, limit: int, offset: int
    ) -> tuple[Parts[WorkflowVersion], int]:
        """All versions, newest first."""
        query = _versions(organization_id, workflow_id).order_by(workflow_versions.c.version.desc())
        large, read = _large(workflow_versions), self._database.reader(WorkflowVersion)
        return await self._database.parts(query, workflow_versions.c.version, large, read, (limit, offset))

    async def _read(self, query: Select[Any]) -> Workflows:
        async with self._database.read() as connection:
            return await _with_tags(connection, (await connection.execute(query)).mappings().all())


def ids_with_tags(organization_id: str, tag_ids: Sequence[str]) -> Select[Any]:
    """A query for the ids of workflows with all of `tag_ids`, deleted ones included."""
    wanted = set(tag_ids)
    query = select(workflow_tags.c.workflow_id).join_from(workflow_tags, tags)
    query = query.where(tags.c.organization_id == organization_id, workflow_tags.c.tag_id.in_(wanted))
    return query.group_by(workflow_tags.c.workflow_id).having(func.count() == len(wanted))


def ids_with_name(organization_id: str, name: str) -> Select[Any]:
    """A query for the ids of workflows with that name, deleted ones included."""
    return select(workflows.c.id).where(
        workflows.c.organization_id == organization_id, workflows.c.name == sanitize_text(name)
    )


def _is_visible(organization_id: str) -> ColumnElement[bool]:
    return (workflows.c.organization_id == organization_id) & workflows.c.deleted_at.is_(None)


def _visible(organization_id: str) -> Select[Any]:
    return select(*_COLUMNS).where(_is_visible(organization_id))


def _versions(organization_id: str, workflow_id: str) -> Select[Any]:
    query = select(workflow_versions).join_from(workflow_versions, workflows)
    return query.where(
        workflows.c.organization_id == organization_id, workflow_versions.c.workflow_id == workflow_id
    )


def _large(table: Table) -> list[ColumnElement[Any]]:
    return [table.c.blocks, table.c.output, table.c.parameters]


def _values(workflow: Workflow) -> dict[str, Any]:
    return {
        "name": workflow.name,
        "search_text": folded(workflow.name),
        "blocks": workflow.blocks,
        "output": workflow.output,
        "parameters": workflow.parameters,
        "retry_safe": workflow.retry_safe,
        "pictures": workflow.pictures,
        "file_digest": workflow.file_digest,
        "exported_digests": workflow.exported_digests,
    }


async def _add(connection: AsyncConnection, workflow: Workflow, tag_names: Sequence[str]) -> Workflow:
    values = _values(workflow) | {
        "id": workflow.id,
        "organization_id": workflow.organization_id,
        "version": workflow.version,
        "created_at": workflow.created_at,
        "updated_at": workflow.updated_at,
    }
    await connection.execute(workflows.insert().values(values))
    await _add_version(connection, workflow, workflow.version, workflow.created_at)
    await _set_tags(connection, workflow, tag_names)
    return await _read_one(connection, workflow.organization_id, workflow.id)


async def _add_version(connection: AsyncConnection, workflow: Workflow, version: int, at: int) -> None:
    values = _values(workflow) | {"workflow_id": workflow.id, "version": version, "created_at": at}
    del values["search_text"], values["file_digest"], values["exported_digests"]
    await connection.execute(workflow_versions.insert().values(values))


async def _set_tags(connection: AsyncConnection, workflow: Workflow, names: Sequence[str]) -> None:
    await connection.execute(delete(workflow_tags).where(workflow_tags.c.workflow_id == workflow.id))
    carried = await ensure_tags(connection, workflow.organization_id, names)
    if carried:
        rows = [{"workflow_id": workflow.id, "tag_id": tag.id} for tag in carried]
        await connection.execute(workflow_tags.insert(), rows)


async def _with_tags(connection: AsyncConnection, rows: Iterable[RowMapping]) -> list[Workflow]:
    found = [Workflow(**row) for row in rows]
    if found:
        carried = await tags_of(connection, [workflow.id for workflow in found])
        for workflow in found:
            workflow.tags = carried.get(workflow.id, [])
    return found


async def _read_one(connection: AsyncConnection, organization_id: str, workflow_id: str) -> Workflow:
    query = _visible(organization_id).where(workflows.c.id == workflow_id)
    return (await _with_tags(connection, (await connection.execute(query)).mappings().all()))[0]


async def ensure_tags(connection: AsyncConnection, organization_id: str, names: Sequence[str]) -> list[Tag]:
    """The tags with these names, created if missing, within the caller's transaction."""
    unique = list(dict.fromkeys(names))
    if not unique:
        return []
    rows = [{"id": new_id("tag"), "organization_id": organization_id, "name": name} for name in unique]
    # sorted: two transactions that add the same tags in another order would deadlock
    rows.sort(key=lambda tag: tag["name"])
    await connection.execute(postgresql.insert(tags).values(rows).on_conflict_do_nothing())
    query = select(*_TAG_COLUMNS).where(tags.c.organization_id == organization_id, tags.c.name.in_(unique))
    found = {row["name"]: Tag(**row) for row in (await connection.execute(query)).mappings()}
    # in the order of `names`, not of the database
    return [found[name] for name in unique]


async def tags_of(connection: AsyncConnection, workflow_ids: Iterable[str]) -> dict[str, list[Tag]]:
    """The tags of each of these workflows, by name."""
    query = select(workflow_tags.c.workflow_id, *_TAG_COLUMNS).join_from(workflow_tags, tags)
    query = query.where(workflow_tags.c.workflow_id.in_(list(workflow_ids))).order_by(tags.c.name)
    found: dict[str, list[Tag]] = {}
    for row in (await connection.execute(query)).mappings():
        found.setdefault(row["workflow_id"], []).append(Tag(id=row["id"], name=row["name"]))
    return found
