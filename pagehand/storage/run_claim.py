"""Store calls made by a run: they are retried during an outage, and writes need the run's claim.

A run calls stores from many places, through logins, models and files. Its claim is set once, in a context
variable where the run begins, and applies in every task that the run starts.
"""

import inspect
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from sqlalchemy import Table, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.errors import WorkerLost
from pagehand.loop import retry_while_unavailable
from pagehand.records import Status
from pagehand.storage.advisory_locks import lock_organization
from pagehand.storage.database import Database
from pagehand.storage.tables import executions

RUNNING: Final = (Status.IN_PROGRESS, Status.PAUSED)
UNFINISHED: Final = (Status.ENQUEUED, *RUNNING)
FINAL: Final = (Status.COMPLETED, Status.FAILED)
_P = ParamSpec("_P")
_T = TypeVar("_T")
_C = TypeVar("_C", bound=type[Any])
OUTAGE_SECONDS: Final = 60.0
"""How long each call of a run is retried while the database cannot be reached."""
_LONGEST_PAUSE_SECONDS: Final = 2.0


@dataclass(slots=True, frozen=True)
class RunClaim:
    """A run's right to write, and how long its calls are retried during an outage."""

    execution_id: str
    fence: int
    outage_seconds: float = OUTAGE_SECONDS


_claim: ContextVar[RunClaim | None] = ContextVar("claim", default=None)


@contextmanager
def use_claim(claim: RunClaim) -> Generator[None]:
    """Make store calls inside the block, and in tasks started there, count as calls of that run."""
    before = _claim.set(claim)
    try:
        yield
    finally:
        _claim.reset(before)


def retry_in_runs(store: _C) -> _C:
    """Decorate a store: within a run, its public methods are retried while the database is unavailable.

    So every write must be idempotent, because the answer to the first try may have been lost. A method that
    is not is marked with `never_retried`.
    """
    for name, method in list(vars(store).items()):
        is_public = inspect.iscoroutinefunction(method) and not name.startswith("_")
        if is_public and not getattr(method, "is_never_retried", False):
            setattr(store, name, _retrying(method))
    return store


class Store:
    """The base of the stores; `retry_in_runs` holds for all of them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __init_subclass__(cls) -> None:
        """Let a run's calls of the store's own methods be retried."""
        super().__init_subclass__()
        retry_in_runs(cls)

    async def _insert_within(self, table: Table, row: Mapping[str, Any], most: int | None) -> bool:
        """Insert a row of an organization; False if that has `most` of them already."""
        query = select(func.count()).where(table.c.organization_id == row["organization_id"])
        async with self._database.write() as connection:
            # counted under a lock: requests at the same time must not exceed the limit together
            await lock_organization(connection, row["organization_id"], table.name)
            if most is not None and (await connection.execute(query)).scalar_one() >= most:
                return False
            await connection.execute(table.insert().values(row))
            return True


def never_retried(method: _T) -> _T:
    """Mark a method that must not be retried."""
    method.is_never_retried = True  # pyright: ignore[reportAttributeAccessIssue] - functions take attributes
    return method


async def require_claim(connection: AsyncConnection) -> None:
    """Raise WorkerLost if this is a call of a run that has ended or was taken over by another.

    The execution's row stays locked until the transaction ends, so that no other run takes over meanwhile.
    """
    claim = _claim.get()
    if claim is None:
        return
    query = select(executions.c.id).where(
        executions.c.id == claim.execution_id,
        executions.c.fence == claim.fence,
        executions.c.status.not_in(FINAL),
    )
    if (await connection.execute(query.with_for_update(read=True))).first() is None:
        raise WorkerLost("Another worker has taken this execution over.")


def _retrying(
    method: Callable[_P, Coroutine[Any, Any, _T]],
) -> Callable[_P, Coroutine[Any, Any, _T]]:
    @wraps(method)
    async def wrapper(*arguments: _P.args, **more: _P.kwargs) -> _T:
        claim = _claim.get()
        if claim is None or not claim.outage_seconds:
            return await method(*arguments, **more)
        with use_claim(replace(claim, outage_seconds=0.0)):  # calls inside it fail at once
            # never past the limit: the run has its own deadline
            return await retry_while_unavailable(
                lambda: method(*arguments, **more),
                give_up_after=claim.outage_seconds,
                longest_pause_seconds=_LONGEST_PAUSE_SECONDS,
            )

    return wrapper
