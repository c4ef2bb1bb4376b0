"""The stores that the engine reads and writes."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from pagehand.records import (
    Batch,
    CachedPlan,
    Event,
    Execution,
    FileInfo,
    FinalState,
    Json,
    Login,
    Memory,
    Message,
    News,
    OutputPiece,
    Owner,
    QueueEntry,
    Thread,
    Workflow,
    WorkflowVersion,
)


class ExecutionStore(Protocol):
    """Executions; every change is guarded by status and fence, so that a late writer loses.

    A change that carries a token can be asked for again when its answer was lost: it is made once.
    `news` is written in the transaction of the change, if the change is made.
    """

    async def add(self, execution: Execution, repeat: tuple[str, bytes] | None = None) -> Execution:
        """Commit it; with a repeat seen before, the earlier one."""
        ...

    async def get(self, organization_id: str, execution_id: str, /) -> Execution | None:
        """One of the organization's."""
        ...

    async def find(self, execution_id: str, /) -> Execution | None:
        """Any, whatever its organization; for the engine's own use."""
        ...

    async def claim(
        self, execution_id: str, /, *, at: int, token: str, news: News | None = None
    ) -> Execution | None:
        """Enqueued to InProgress under a new fence; None when it is not Enqueued any more."""
        ...

    async def update(
        self,
        execution_id: str,
        fence: int,
        /,
        *,
        token: str | None = None,
        news: News | None = None,
        **values: Any,
    ) -> bool:
        """Change a running one; False when another owns it by now."""
        ...

    async def finish(
        self,
        execution_id: str,
        fence: int | None,
        /,
        *,
        token: str,
        news: News | None = None,
        file: FileInfo | None = None,
        **final: Any,
    ) -> bool:
        """Give it its final state; without a fence only while it is Enqueued."""
        ...

    async def finish_waiting(self, ends: Sequence[FinalState], /, *, token: str) -> Sequence[str]:
        """Give some that are Enqueued their final state together; the ids of those that were."""
        ...

    async def requeue(
        self,
        execution_id: str,
        fence: int,
        /,
        *,
        attempts: int,
        not_before: int | None,
        at: int,
        metadata: Json,
        token: str,
    ) -> bool:
        """Back to Enqueued."""
        ...

    async def without_values(self, ids: Sequence[str], /) -> list[Execution]:
        """These without their params, start block, response and context, which can be large."""
        ...

    async def unfinished(self, *, after: int, limit: int) -> list[QueueEntry]:
        """The next ones that are not final behind a place in the order of acceptance."""
        ...

    async def unfinished_of_batch(
        self, organization_id: str, batch_id: str, /, *, after: int, limit: int
    ) -> list[QueueEntry]:
        """The same among the executions of a batch."""
        ...

    async def final_among(self, ids: Sequence[str], /) -> list[str]:
        """Those that have reached their end."""
        ...

    async def count_queued(self, organization_id: str, /) -> int:
        """How many of the organization's wait."""
        ...


class OwnerStore(Protocol):
    """Which process runs the executions."""

    async def take(self, wanted: Owner, instead_of: Owner | None, /) -> Owner | None:
        """Become the owner if there is none, or only `instead_of` and it has not moved; else the other."""
        ...

    async def beat(self, token: str, /) -> bool:
        """Show that the owner lives; False when another has taken its place."""
        ...

    async def leave(self, token: str, /) -> None:
        """Be the owner no longer."""
        ...


class OutputStore(Protocol):
    """What running executions have put out so far."""

    async def add(self, execution_id: str, fence: int, first: int, pieces: Sequence[OutputPiece], /) -> bool:
        """Keep pieces from position `first` on; False when another owns the execution by now."""
        ...

    async def of(self, execution_id: str, /) -> list[OutputPiece]:
        """All of an execution, in order."""
        ...


class EventStore(Protocol):
    """What happened during executions."""

    async def add(self, events: Sequence[Event], /) -> None:
        """Append."""
        ...

    async def last_seq(self, execution_id: str, /) -> int:
        """The number of the newest event; 0 when there is none."""
        ...


class WorkflowStore(Protocol):
    """Workflows and their versions."""

    async def get(self, organization_id: str, workflow_id: str, /) -> Workflow | None:
        """As it is today."""
        ...

    async def find_by_name(self, organization_id: str, name: str, /) -> list[Workflow]:
        """All that carry the name."""
        ...

    async def version(
        self, organization_id: str, workflow_id: str, version: int, /
    ) -> WorkflowVersion | None:
        """As it was."""
        ...


class BatchStore(Protocol):
    """Batches."""

    async def add(self, batch: Batch, executions: Sequence[Execution], /) -> None:
        """Commit a batch and its executions together."""
        ...

    async def get(self, organization_id: str, batch_id: str, /) -> Batch | None:
        """One of the organization's."""
        ...

    async def mark_cancelled(self, organization_id: str, batch_id: str, at: int, /) -> bool | None:
        """Note that it was cancelled."""
        ...


class LoginStore(Protocol):
    """Stored logins."""

    async def get(self, organization_id: str, login_id: str, /) -> Login | None:
        """One of the organization's."""
        ...


class ThreadStore(Protocol):
    """Agent conversations."""

    async def get(self, organization_id: str, thread_id: str, /) -> Thread | None:
        """One of the organization's."""
        ...

    async def add(self, thread: Thread, /) -> None:
        """Keep a new one."""
        ...

    async def say(
        self, organization_id: str, thread_id: str, said: Sequence[tuple[str, str]], /
    ) -> list[Message]:
        """Append (role, text) messages."""
        ...


class PlanStore(Protocol):
    """How blocks read or did things last time."""

    async def of_workflow(self, organization_id: str, workflow_id: str, /) -> list[CachedPlan]:
        """All of a workflow's, newest first."""
        ...

    async def save(self, kept: Sequence[CachedPlan], dropped: Sequence[CachedPlan] = (), /) -> None:
        """Write some anew and forget others."""
        ...


class FileRecords(Protocol):
    """What is known of each file."""

    async def add(self, info: FileInfo, /) -> None:
        """Note a file."""
        ...

    async def get(self, organization_id: str, file_id: str, /) -> FileInfo | None:
        """One of the organization's."""
        ...

    async def list(
        self, organization_id: str, /, *, execution_id: str | None, limit: int, offset: int
    ) -> tuple[list[FileInfo], int]:
        """Newest first, and how many there are in all."""
        ...


class MemoryStore(Protocol):
    """What elements were like when blocks last found them."""

    async def known(self, organization_id: str, workflow_id: str, /) -> list[Memory]:
        """All of a workflow's, without their fingerprints."""
        ...

    async def get(self, organization_id: str, workflow_id: str, block_id: str, key: str, /) -> Memory | None:
        """One with its fingerprints."""
        ...

    async def save(self, kept: Sequence[Memory], dropped: Sequence[Memory] = (), /) -> None:
        """Write some anew and forget others."""
        ...


class Stores(Protocol):
    """All stores the engine uses."""

    @property
    def executions(self) -> ExecutionStore:
        """Executions."""
        ...

    @property
    def outputs(self) -> OutputStore:
        """Outputs of running executions."""
        ...

    @property
    def events(self) -> EventStore:
        """Events."""
        ...

    @property
    def workflows(self) -> WorkflowStore:
        """Workflows."""
        ...

    @property
    def batches(self) -> BatchStore:
        """Batches."""
        ...

    @property
    def logins(self) -> LoginStore:
        """Logins."""
        ...

    @property
    def threads(self) -> ThreadStore:
        """Threads."""
        ...

    @property
    def files(self) -> FileRecords:
        """Files."""
        ...

    @property
    def plans(self) -> PlanStore:
        """Cached plans."""
        ...

    @property
    def memories(self) -> MemoryStore:
        """What elements were like."""
        ...


SaveChanges = Callable[..., Awaitable[None]]
"""Writes to the execution's row; `WorkerLost` when another worker owns it by now."""
