"""HTTP, mail, files, documents, captchas, user code and kept plans as blocks see them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Literal, Protocol, Required, TypedDict, Unpack

from pagehand.records import FileInfo, Json, Passage


@dataclass(frozen=True, slots=True)
class Captcha:
    """A captcha that waits for its solution."""

    kind: str
    """reCAPTCHA, hCaptcha or Turnstile."""
    site_key: str
    """The site's public key, from its widget; empty when there is none."""
    url: str
    """The page or frame that contains it."""


FilePlace = Literal["downloads", "files", "knowledge"]
"""The execution's downloads, all files of the organization, or its knowledge base."""


class RunFiles(Protocol):
    """The files of the execution and its organization."""

    async def save(self, name: str, mime_type: str, content: bytes) -> FileInfo:
        """Store bytes as a file of this execution."""
        ...

    async def find(self, reference: Any) -> FileInfo:
        """The file of a File info, an id or a block's output; `BlockFailed` if there is none."""
        ...

    async def read(self, info: FileInfo) -> bytes:
        """Its bytes."""
        ...

    def describe(self, info: FileInfo) -> Json:
        """File info as the API shows it."""
        ...

    async def choices(self, place: FilePlace, query: str) -> Sequence[FileInfo]:
        """Files to choose from, newest first; those of the knowledge base by relevance to the query."""
        ...


KeepFile = Callable[[str, bytes], Awaitable[None]]
"""Stores a file, by name and bytes, that a task on a document produced."""


class Documents(Protocol):
    """Runs tasks on documents of unknown origin, in isolated processes."""

    async def perform(
        self,
        task: str,
        content: bytes,
        options: Mapping[str, Any],
        *,
        timeout_seconds: float,
        keep: KeepFile | None = None,
    ) -> Any:
        """Run a task (`pagehand/documents/tasks.py`); its value. `BlockFailed` says what is wrong."""
        ...


class Knowledge(Protocol):
    """The organization's knowledge base."""

    async def query(self, query: str, top_k: int, tags: Sequence[str]) -> list[Passage]:
        """The best passages, of documents with all of the tags."""
        ...


class FileStore(Protocol):
    """Bytes by key; writes are atomic."""

    async def put(self, key: str, content: bytes) -> None:
        """Store `content` under `key`, durably when this returns; raises Unavailable."""
        ...

    async def put_file(self, key: str, path: Path) -> None:
        """Move the file at `path` to `key`."""
        ...

    async def read(self, key: str) -> bytes:
        """All bytes; raises NotFound."""
        ...

    def open(self, key: str) -> AsyncIterator[bytes]:
        """The bytes in chunks, for `async for`; raises NotFound at the first one."""
        ...

    async def size(self, key: str) -> int:
        """How many bytes there are; raises NotFound."""
        ...

    async def delete(self, key: str) -> None:
        """Delete a file if it exists."""
        ...

    async def delete_folder(self, folder: str) -> None:
        """Delete every file whose key begins with `folder` and a slash."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """A server's answer."""

    status: int
    """The status code of the last answer, after redirects."""
    url: str
    """The URL that answered, after redirects."""
    headers: Sequence[tuple[str, str]]
    """Names and values in the order they were sent."""
    body: bytes
    """The body, decompressed."""

    def header(self, name: str) -> str | None:
        """The first header with that name, case-insensitively."""
        return next((value for header, value in self.headers if header.lower() == name.lower()), None)


class HttpOptions(TypedDict, total=False):
    """How a request is sent."""

    headers: Sequence[tuple[str, str]]
    body: bytes
    timeout_seconds: Required[float]
    max_bytes: int
    """Of the answer's body; with 0 it is not read."""
    follow_redirects: bool
    private_headers: Sequence[str]
    """Names of headers that are not sent on to another host."""


class Http(Protocol):
    """Sends HTTP requests to hosts that the egress policy allows."""

    async def send(self, method: str, url: str, **options: Unpack[HttpOptions]) -> HttpAnswer:
        """The answer, whatever its status.

        `BlockFailed` names a refused host and the setting; `SiteDown` if it was not reached, `Unanswered`
        if it was reached but did not answer completely, `TimedOut` if the time ran out.
        """
        ...


class Proxies(Protocol):
    """The proxies of organizations."""

    async def is_set(self, organization_id: str, /) -> bool:
        """Whether the organization has a proxy."""
        ...

    def http(self, organization_id: str, /) -> Http:
        """HTTP through the proxy."""
        ...


class Mail(Protocol):
    """The operator's mail server."""

    @property
    def sender(self) -> str:
        """The sender's address; `BlockFailed` names the setting if there is none."""
        ...

    async def send(
        self, message: EmailMessage, recipients: Sequence[str], *, timeout_seconds: float
    ) -> Mapping[str, str]:
        """Send a message; the recipients that were refused, and why.

        `BlockFailed` if all were refused, `SiteDown` if the server was not reached, `Unanswered` if the
        connection was lost after the message was sent.
        """
        ...


class BlockCache(Protocol):
    """Plans that a block keeps for later runs, by page; never data."""

    async def recall(self, kind: str) -> Any:
        """The kept plan; None if there is none, or the block is not cacheable."""
        ...

    def keep(self, kind: str, plan: Any, *, by_model: bool, page: str | None = None) -> None:
        """Keep a plan if the block succeeds; `page` is the URL it is for, by default the current one."""
        ...

    async def drop(self, kind: str) -> None:
        """Delete a plan that no longer works."""
        ...


class CaptchaSolver(Protocol):
    """A service that solves captchas."""

    async def solve(self, captcha: Captcha, *, timeout_seconds: float) -> str | None:
        """The token of the solved captcha; None if it could not be solved in time."""
        ...


class Sandbox(Protocol):
    """Runs user code: JSON in, JSON out."""

    async def evaluate(self, expression: str, names: Mapping[str, Any]) -> Any:
        """The value of a Python expression over `names`."""
        ...

    async def call(self, code: str, arguments: Sequence[Any], names: Mapping[str, Any]) -> Any:
        """Run Python code and call its function with as many of `arguments` as it takes.

        The function is `main`, else the last `def` or lambda; without one, the last expression is the result.
        """
        ...
