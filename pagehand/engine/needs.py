"""What the engine needs from stores, files, browsers and logins; `assemble` hands over the real ones."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from playwright.async_api import Locator as Element

from pagehand.blocks.ports import Found, Http, Model, PageSession
from pagehand.engine.live_screen import Screen
from pagehand.records import (
    Batch,
    CachedPlan,
    Delivery,
    Document,
    Event,
    Execution,
    FileInfo,
    Json,
    Login,
    LoginFacts,
    Memory,
    Message,
    News,
    Organization,
    Passage,
    Status,
    Thread,
    Workflow,
    WorkflowVersion,
)
from pagehand.workflow.locator import Locator


class ExecutionStore(Protocol):
    """Executions; every change is guarded by status and fence, so that a late writer loses.

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

    async def claim(self, execution_id: str, /, *, at: int, news: News | None = None) -> Execution | None:
        """Enqueued to InProgress under a new fence; None when it is not Enqueued any more."""
        ...

    async def update(
        self, execution_id: str, fence: int, /, *, news: News | None = None, **changes: Any
    ) -> bool:
        """Change a running one; False when another owns it by now."""
        ...

    async def finish(
        self,
        execution_id: str,
        fence: int | None,
        /,
        *,
        status: Status,
        end_time: int,
        duration_ms: int,
        response: Json,
        response_file: Json | None,
        summary: str,
        error_analysis: str,
        context: Json,
        downloads: Json | None,
        news: News | None = None,
    ) -> bool:
        """Give it its final state; without a fence only while it is Enqueued."""
        ...

    async def requeue(
        self, execution_id: str, fence: int, /, *, attempts: int, not_before: int | None, at: int
    ) -> bool:
        """Back to Enqueued."""
        ...

    async def unfinished(self) -> list[Execution]:
        """All that are not final, oldest first."""
        ...

    async def count_queued(self, organization_id: str, /) -> int:
        """How many of the organization's wait."""
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


class OrganizationStore(Protocol):
    """Organizations."""

    async def get(self, organization_id: str, /) -> Organization | None:
        """By id."""
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


class FileBytes(Protocol):
    """Where the bytes of files are."""

    async def put(self, key: str, content: bytes, /) -> None:
        """Write, all or nothing."""
        ...

    async def put_file(self, key: str, path: Path, /) -> None:
        """Take a finished file over."""
        ...

    async def read(self, key: str, /) -> bytes:
        """The whole content."""
        ...


class Proposal(Protocol):
    """What was found by its fingerprint, or why nothing was."""

    @property
    def found(self) -> Found | None:
        """The element."""
        ...

    @property
    def locator(self) -> Locator | None:
        """A locator that leads to it alone."""
        ...

    @property
    def reason(self) -> str:
        """Why nothing was taken."""
        ...

    @property
    def facts(self) -> Json:
        """The numbers behind it."""
        ...


class Session(PageSession, Protocol):
    """A browser serving one execution."""

    async def remember(self, element: Element) -> Json | None:
        """What a found element is like; None when the page cannot say."""
        ...

    async def is_another(self, element: Element, fingerprint: Json) -> bool:
        """True when a found element is plainly not the remembered one."""
        ...

    async def heal(self, fingerprint: Json, *, is_commit: bool) -> Proposal:
        """The remembered element on the page as it is now, once the page is quiet; or a refusal."""
        ...

    @property
    def vendor_id(self) -> str | None:
        """The provider's name for it."""
        ...

    @property
    def lost(self) -> "asyncio.Future[str]":
        """Resolves with the reason when the browser or its page dies."""
        ...

    @property
    def live_view(self) -> Screen:
        """The browser for a person beside it."""
        ...

    async def screenshot(self) -> bytes | None:
        """A JPEG of what the current tab shows; None when it cannot be pictured."""
        ...

    async def settle(self) -> None:
        """Give open requests up to two seconds."""
        ...

    async def end(self) -> None:
        """Close everything."""
        ...


SaveChanges = Callable[..., Awaitable[None]]
"""Writes to the execution's row; `WorkerLost` when another worker owns it by now."""
SaveFile = Callable[[bytes | Path, str, str], Awaitable[FileInfo]]
"""Keeps content under a name and MIME type."""
Tell = Callable[[str, str, Mapping[str, Any]], None]
"""Records an event: type, message, data."""


@dataclass(slots=True, kw_only=True)
class BrowserOrder:
    """What a browser session is wanted for."""

    execution_id: str
    organization_id: str
    browser_session_id: str
    use_proxy: bool
    save_file: SaveFile
    tell: Tell


OpenBrowser = Callable[[BrowserOrder], Awaitable[Session]]
"""Gives a browser, from the pool or freshly launched."""


class Proxies(Protocol):
    """Knows which proxy serves the executions of which organization."""

    async def is_set(self, organization_id: str, /) -> bool:
        """Whether they may ask for one."""
        ...

    def http(self, organization_id: str, /) -> Http:
        """HTTP through it."""
        ...


class Redactor(Protocol):
    """Takes secrets out of whatever leaves a run."""

    def add(self, secret: str) -> None:
        """Never show this again."""
        ...

    def text(self, text: str) -> str:
        """Without secrets."""
        ...

    def value(self, value: Any) -> Any:
        """Without secrets, at any depth."""
        ...


class Logins(Protocol):
    """Reads logins and signs in with them."""

    def facts(self, login: Login) -> LoginFacts:
        """What a run may know of it."""
        ...

    async def sign_in(
        self, session: PageSession, login: Login, *, force: bool, timeout_seconds: float, run: "SigningRun"
    ) -> object:
        """Sign in with it and go on at its home page; what `keep` wants back when the run went well."""
        ...

    async def keep(self, session: PageSession, signed_in: Any) -> None:
        """Save what the site knows the browser by, for the next run."""
        ...


class SecretParams(Protocol):
    """Keeps the parameters that a workflow declares secret."""

    def seal(self, execution: Execution, values: Json, /) -> str:
        """Encrypt values for this execution."""
        ...

    def open(self, execution: Execution, /) -> Json:
        """The values sealed for this execution; none when it has none."""
        ...


class SigningRun(Protocol):
    """What a sign-in may ask of the run it belongs to."""

    def tell(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Write an event."""
        ...

    def keep_secret(self, text: str) -> None:
        """Take `text` out of everything the run says from now on."""
        ...

    def limiting(self, limit: asyncio.Timeout) -> AbstractContextManager[None]:
        """Stop the clock of `limit` while the run is paused."""
        ...

    def waiting_for_code(
        self, reason: str, refused: str
    ) -> AbstractAsyncContextManager["asyncio.Future[str]"]:
        """Paused within; the future gets a code handed in. `refused`: what the site said to the last."""
        ...

    def waiting_for_user(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        """Paused within, until a person has signed in by hand; the event is set when they say so."""
        ...


class ModelUsage(Protocol):
    """What was spent on the model."""

    @property
    def calls(self) -> int:
        """How often it was asked."""
        ...

    def as_json(self) -> Json:
        """As `metadata.modelUsage` shows it."""
        ...


class RunModel(Model, Protocol):
    """The model in the service of one execution."""

    @property
    def usage(self) -> ModelUsage:
        """What it has cost so far."""
        ...


class Models(Protocol):
    """Knows which model serves which organization."""

    async def for_organization(
        self, organization_id: str, redact: Callable[[str], str], /
    ) -> RunModel | None:
        """Its model, every prompt passing `redact`; None when none is configured."""
        ...


class KnowledgeBase(Protocol):
    """Documents of organizations."""

    async def query(
        self, organization_id: str, query: str, top_k: int, tags: Sequence[str], /
    ) -> list[Passage]:
        """The passages that answer best."""
        ...

    async def get(self, organization_id: str, document_id: str, /) -> Document:
        """One of the organization's."""
        ...

    async def list(
        self, organization_id: str, /, *, tags: Sequence[str], limit: int, offset: int
    ) -> tuple[Sequence[Document], int]:
        """Newest first, and how many there are in all."""
        ...


class Announcer(Protocol):
    """Knows which webhooks listen for what."""

    async def listeners(
        self, organization_id: str, event: str, /
    ) -> "Callable[[Json], Sequence[Delivery]] | None":
        """A function that composes the event's deliveries out of its data; None when nobody listens."""
        ...

    @property
    def wake(self) -> Callable[[], None]:
        """To be called when deliveries were written."""
        ...
