"""What callers give the engine: requests for executions."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pagehand.records import Execution, Json

DEFAULT_TIMEOUT_SECONDS = 10_800
MAX_TIMEOUT_SECONDS = 86_400


@dataclass(slots=True, frozen=True)
class ScheduledFor:
    """The schedule that asks for an execution, and the moment it is for."""

    schedule_id: str
    name: str | None
    moment: int


Commit = Callable[[Sequence[Execution]], Awaitable[Sequence[Execution]]]
"""Writes new executions together with something else; returns those that were written."""


@dataclass(slots=True, kw_only=True)
class ExecutionRequest:
    """A request to run a workflow, its fields already of the right types."""

    workflow_id: str | None = None
    workflow_name: str | None = None
    params: Json = field(default_factory=Json)
    secret_names: frozenset[str] = frozenset()
    """Params that were secret before: they stay secret whatever the workflow declares now."""
    login_id: str | None = None
    name: str | None = None
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    use_proxy: bool = False
    start_block_id: str | None = None
    batch_id: str | None = None
    is_test: bool = False
    trace: bool = False
    """Keep a Playwright trace among the execution's files."""
    record: bool = False
    """Keep what sites answered among the execution's files, for a replay."""
    look: bool = False
    """Look for the elements of the workflow as an earlier run found them, and do nothing with them."""
    thread_id: str | None = None
    parent_execution_id: str | None = None
    schedule: ScheduledFor | None = None
    priority: int = 0
    is_live_session: bool = False
    """Keep a browser open and run blocks as they are asked for, instead of the workflow."""
    like_execution_id: str | None = None
    """An execution of the workflow whose params, login and proxy are taken where the request has none."""
    continues_id: str | None = None
    """A finished execution whose outputs, address and cookies it takes over before `start_block_id`."""
    traceparent: str | None = None
    """The header of that name: the span of the caller's trace that asks for it."""


@dataclass(slots=True, frozen=True)
class IdempotencyKey:
    """An Idempotency-Key and the digest of the body it came with."""

    value: str
    digest: bytes
