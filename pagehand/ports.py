"""Interfaces to models, HTTP, mail, files, documents, captchas and user code, as blocks and engine use them.

Each has a real implementation and a fake for tests (`pagehand.testing`). The interface to browsers is
`pagehand.browser_session`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Literal, Protocol, Required, TypedDict, Unpack

from pagehand.records import FileInfo, Json, Passage, Reply, Tool, ToolCall


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


class ModelConversation(Protocol):
    """A conversation with the model in which it may ask for tools."""

    async def say(self, text: str, images: Sequence[bytes] = ()) -> Reply:
        """Send a message; the model's answer and tool calls."""
        ...

    async def answer(self, results: Sequence[str], images: Sequence[bytes] = ()) -> Reply:
        """Send the results of the last reply's tool calls, in the order of the calls."""
        ...


@dataclass(slots=True, frozen=True)
class AgentResult:
    """What an agent reports at the end."""

    message: str
    """What it did, in words."""
    result: Any
    """The result, valid against the schema that was asked for."""


class AgentTools(Protocol):
    """What an agent sees and may do."""

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools it may call."""
        ...

    async def look(self) -> str:
        """The current page as text; untrusted."""
        ...

    async def picture(self) -> bytes | None:
        """A screenshot of the page, if the model takes images."""
        ...

    async def do(self, call: ToolCall) -> str:
        """Execute a tool call; the outcome in words, also if it was refused."""
        ...

    async def record_message(self, role: str, text: str) -> None:
        """Record a message of the conversation."""
        ...


class Model(Protocol):
    """The language model; prompts are redacted, answers checked, usage counted and limited."""

    def prompt(self, name: str, **words: str) -> str:
        """The instructions of a task (`pagehand/ai/prompts/<name>.md`), with `words` filled in."""
        ...

    async def data(
        self, instructions: str, material: str, schema: Mapping[str, Any], images: Sequence[bytes] = ()
    ) -> Any:
        """The answer to the instructions about `material`, valid against `schema`; else `BlockFailed`.

        `material` is untrusted: it is fenced, and the call has no tools.
        """
        ...

    async def text(self, instructions: str, material: str, images: Sequence[bytes] = ()) -> str:
        """The answer as text."""
        ...

    def converse(self, instructions: str, tools: Sequence[Tool]) -> ModelConversation:
        """Begin a conversation with tools."""
        ...

    def fence(self, material: str) -> str:
        """Untrusted text, marked as such for the model."""
        ...

    async def run_agent(
        self, instructions: str, tools: AgentTools, *, most_steps: int, result: Mapping[str, Any]
    ) -> AgentResult:
        """Let the model work with `tools` until it reports the goal as reached; `BlockFailed` if it cannot.

        `result` is the JSON Schema of the result it has to report.
        """
        ...


class ModelUsage(Protocol):
    """Usage of the model."""

    @property
    def calls(self) -> int:
        """The number of calls."""
        ...

    def as_json(self) -> Json:
        """The value of `metadata.modelUsage`."""
        ...


class RunModel(Model, Protocol):
    """The model of one execution."""

    @property
    def usage(self) -> ModelUsage:
        """The usage so far."""
        ...


class Models(Protocol):
    """The models of organizations."""

    async def for_organization(
        self, organization_id: str, redact: Callable[[str], str], /
    ) -> RunModel | None:
        """Its model, with `redact` applied to every prompt; None if none is configured."""
        ...
