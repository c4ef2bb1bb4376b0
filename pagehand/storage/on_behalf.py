"""The run on whose behalf stores are called: its calls wait out an outage, its writes need its claim.

A run calls stores from many places, through logins, models and files. What holds for all of those calls is
set once, where the run begins, and is in force in every task that the run starts.
"""

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import wraps
from time import monotonic
from typing import Any, Final, ParamSpec, TypeVar

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.errors import Unavailable, WorkerLost
from pagehand.records import Status
from pagehand.storage.tables import executions

_P = ParamSpec("_P")
_T = TypeVar("_T")
_C = TypeVar("_C", bound=type[Any])
OUTAGE_SECONDS: Final = 60.0
"""How long a run waits for a database that is away, at each call."""
_FINAL: Final = [status for status in Status if status.is_final]
_FIRST_PAUSE_SECONDS: Final = 0.1
_LONGEST_PAUSE_SECONDS: Final = 2.0


@dataclass(slots=True, frozen=True)
class Claim:
    """A run's right to write, and how long its calls wait for a database that is away."""

    execution_id: str
    fence: int
    outage_seconds: float = OUTAGE_SECONDS


_claim: ContextVar[Claim | None] = ContextVar("claim", default=None)


@contextmanager
def on_behalf_of(claim: Claim) -> Generator[None]:
    """Within, and in every task begun within, stores are called for that run."""
    before = _claim.set(claim)
    try:
        yield
    finally:
        _claim.reset(before)


def waits_for_database(store: _C) -> _C:
    """Have every public method of a store called again, within a run, while the database is away.

    So every write must do no harm when it is made twice: its first answer may have been lost. One that
    cannot promise that is marked with `made_once`.
    """
    for name, method in list(vars(store).items()):
        is_public = inspect.iscoroutinefunction(method) and not name.startswith("_")
        if is_public and not getattr(method, "is_made_once", False):
            setattr(store, name, _called_again(method))
    return store


def made_once(method: _T) -> _T:
    """Mark a method of a store that is not to be called again after its answer was lost."""
    method.is_made_once = True  # pyright: ignore[reportAttributeAccessIssue] - functions take attributes
    return method


async def demand_claim(connection: AsyncConnection) -> None:
    """Refuse a write within this transaction when it is for a run that another has taken over, or that ended.

    The row is held, so that whoever takes the run over does so before or after, not meanwhile.
    """
    claim = _claim.get()
    if claim is None:
        return
    query = select(executions.c.id).where(
        executions.c.id == claim.execution_id,
        executions.c.fence == claim.fence,
        executions.c.status.not_in(_FINAL),
    )
    if (await connection.execute(query.with_for_update(read=True))).first() is None:
        raise WorkerLost("Another worker has taken this execution over.")


def _called_again(
    method: Callable[_P, Coroutine[Any, Any, _T]],
) -> Callable[_P, Coroutine[Any, Any, _T]]:
    @wraps(method)
    async def call(*arguments: _P.args, **more: _P.kwargs) -> _T:
        claim = _claim.get()
        if claim is None or not claim.outage_seconds:
            return await method(*arguments, **more)
        with on_behalf_of(replace(claim, outage_seconds=0.0)):  # what it calls in turn fails at once
            return await _patiently(lambda: method(*arguments, **more), claim.outage_seconds)

    return call


async def _patiently(call: Callable[[], Coroutine[Any, Any, _T]], seconds: float) -> _T:
    give_up, pause = monotonic() + seconds, _FIRST_PAUSE_SECONDS
    while True:
        try:
            return await call()
        except Unavailable:
            # not one second past the limit: the run has a deadline of its own
            if monotonic() + pause > give_up:
                raise
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
