"""The engine as its callers use it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pagehand.engine.live.control import LiveSessionControl
from pagehand.engine.live.run import LiveRun
from pagehand.engine.signing_in.codes import CodeTarget, CodeVerdict
from pagehand.records import Batch, Execution, Json

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
    thread_id: str | None = None
    parent_execution_id: str | None = None
    schedule: ScheduledFor | None = None
    priority: int = 0
    is_live_session: bool = False
    """Keep a browser open and run blocks as they are asked for, instead of the workflow."""
    like_execution_id: str | None = None
    """An execution of the workflow whose params, login and proxy are taken where the request has none."""
    traceparent: str | None = None
    """The header of that name: the span of the caller's trace that asks for it."""


@dataclass(slots=True, frozen=True)
class IdempotencyKey:
    """An Idempotency-Key and the digest of the body it came with."""

    value: str
    digest: bytes


class Engine(Protocol):
    """Accepts executions and brings each to one final state."""

    @property
    def busy_browsers(self) -> int:
        """How many browsers executions have open in this process."""
        ...

    async def accept(
        self, organization_id: str, request: ExecutionRequest, idempotency_key: IdempotencyKey | None = None
    ) -> Execution:
        """Commit a new execution and queue it; raises NotFound, InvalidRequest, Conflict or TooMany.

        With an `idempotency_key` seen before, the execution of that call instead.
        """
        ...

    async def prepare(self, organization_id: str, request: ExecutionRequest) -> Execution:
        """The execution that a request asks for, without storing it; raises what `accept` would."""
        ...

    async def accept_all(
        self, organization_id: str, requests: Sequence[ExecutionRequest], commit: Commit
    ) -> Sequence[Execution]:
        """Make executions, have `commit` write them, and queue those that were written."""
        ...

    async def accept_batch(
        self,
        organization_id: str,
        name: str,
        request: ExecutionRequest,
        rows: Sequence[Json],
        concurrency: int | None = None,
    ) -> Batch:
        """Commit a batch with one execution per row of params, all or none; `concurrency` run at once."""
        ...

    async def retry(self, organization_id: str, execution_id: str) -> Execution:
        """Accept a new execution like a finished one."""
        ...

    async def wait(self, execution: Execution) -> Execution:
        """The execution once it is final; returns within milliseconds of that."""
        ...

    async def cancel(self, organization_id: str, execution_id: str, by: str) -> Execution:
        """End an execution that is not final; `by` says who asked."""
        ...

    async def cancel_batch(self, organization_id: str, batch_id: str, by: str) -> Batch:
        """Cancel all of a batch that is not final."""
        ...

    async def pause_batch(self, organization_id: str, batch_id: str) -> Batch:
        """Let no more of a batch begin; running executions continue."""
        ...

    async def resume_batch(self, organization_id: str, batch_id: str) -> Batch:
        """Let the rest of a batch begin."""
        ...

    async def pause(self, organization_id: str, execution_id: str) -> Execution:
        """Pause a running execution before its next step."""
        ...

    async def resume(self, organization_id: str, execution_id: str) -> Execution:
        """Resume a paused execution."""
        ...

    def live(self, organization_id: str, execution_id: str) -> LiveRun | None:
        """The running execution for its live view; None when it does not run in this process."""
        ...

    async def address_of(self, execution_id: str) -> str | None:
        """Where the other process that runs an execution is reached; None when there is none."""
        ...

    async def live_session(self, organization_id: str, execution_id: str) -> LiveSessionControl:
        """A live session that has begun, in whichever process it runs.

        Raises NotFound when there is no such execution, Conflict when it has ended or is not a live session,
        TooMany while it waits for a slot.
        """
        ...

    async def submit_code(self, organization_id: str, wanted: CodeTarget, code: str) -> CodeVerdict:
        """Submit a code that an authentication waits for; returns once the site accepted or refused it.

        Raises NotFound when none waits, Conflict when several do and `wanted` fits more than one.
        """
        ...
