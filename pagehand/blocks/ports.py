"""What blocks need from the rest of the house, as Protocols: a page, files, a sandbox."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from email.message import EmailMessage
from typing import Any, Literal, Protocol

from playwright.async_api import ElementHandle, Page
from playwright.async_api import Locator as Element

from pagehand.records import Captcha, FileInfo, Passage, Reply, Tool, ToolCall
from pagehand.words import Kind, Snapshot
from pagehand.workflow.locator import Locator

Purpose = Literal["act", "see", "touch"]
"""What an element is wanted for: act = visible and enabled; see = visible; touch = attached is enough."""


FilePlace = Literal["downloads", "files", "knowledge"]
"""Where files are: what the execution downloaded, all of the organization's, its knowledge base."""


class Found(Protocol):
    """One element that was looked for and found."""

    @property
    def element(self) -> Element:
        """Playwright's handle on exactly this element; it waits, scrolls and checks before acting."""
        ...

    @property
    def matches(self) -> int:
        """How many elements the locator matched."""
        ...

    @property
    def how(self) -> str:
        """How it was found, for the events, such as `exact`, `substring` or `key`."""
        ...


class Dialog(Protocol):
    """A dialog the page opened and how it was answered."""

    @property
    def type(self) -> str:
        """alert, confirm, prompt or beforeunload."""
        ...

    @property
    def message(self) -> str:
        """What it said."""
        ...

    @property
    def answer(self) -> str:
        """Accepted or dismissed."""
        ...


class Action(Protocol):
    """What happened while a block acted on the page."""

    @property
    def dialogs(self) -> Sequence[Dialog]:
        """Dialogs that opened meanwhile, oldest first."""
        ...

    @property
    def opened(self) -> Sequence[Page]:
        """Tabs that opened meanwhile."""
        ...


class PageSession(Protocol):
    """The execution's browser as blocks see it: the current tab and ways to find and act."""

    @property
    def page(self) -> Page:
        """The current tab."""
        ...

    @property
    def tabs(self) -> Sequence[Page]:
        """All open tabs, oldest first."""
        ...

    async def goto(
        self,
        url: str,
        *,
        wait_until: Literal["load", "domcontentloaded", "networkidle"],
        referer: str | None,
        allow_error_status: bool,
        timeout_seconds: float,
    ) -> int | None:
        """Open `url`, relative to the page if need be; the status. 4xx: BlockFailed, 5xx: SiteDown."""
        ...

    async def new_tab(self) -> Page:
        """Open a blank tab and make it current."""
        ...

    async def switch_to(self, tab: Page) -> None:
        """Make a tab the current one."""
        ...

    async def close_tabs(self, which: Literal["current", "others", "last"]) -> int:
        """Close tabs; how many. The current one's opener becomes current."""
        ...

    async def find(self, locator: Locator, purpose: Purpose, *, timeout_seconds: float) -> Found:
        """Wait for the element that fits the purpose; `NotPresent` with a diagnosis when the time is over."""
        ...

    async def find_by_key(self, key: str, purpose: Purpose, *, timeout_seconds: float) -> Found:
        """The form field meant by `key`: its label, aria-label, placeholder, name or id."""
        ...

    async def find_by_words(
        self, phrase: str, purpose: Purpose, *, kind: Kind = "control", timeout_seconds: float
    ) -> Found:
        """The one element that the words mean; `NotPresent` or `NotClear` when they do not lead to one."""
        ...

    async def locate_by_words(
        self, phrase: str, *, kind: Kind = "control", timeout_seconds: float
    ) -> Locator:
        """A locator that finds the element the words mean, and no other."""
        ...

    async def word_snapshot(self) -> Snapshot:
        """The page as `pagehand.words` sees it, to resolve phrases against later."""
        ...

    async def find_all(self, locator: Locator, *, within: Element | None = None) -> list[Element]:
        """All that match right now, in the first frame that has any; empty when nothing does. Never waits."""
        ...

    def acting(self, dialog: Mapping[str, Any] | None = None) -> AbstractAsyncContextManager[Action]:
        """Record dialogs and new tabs while a block acts; waits for a navigation that the act began.

        `dialog` (`{"action": "accept"|"dismiss", "text": …}`) decides how dialogs are answered meanwhile.
        On leaving, a tab the act opened becomes the current one.
        """
        ...

    def guard(self, what: str = "") -> AbstractAsyncContextManager[None]:
        """Around Playwright's own calls: its errors become ours; `what` names the step."""
        ...

    async def download(self, start: "Starter", *, timeout_seconds: float, file_name: str | None) -> FileInfo:
        """Run `start` and keep the file whose download it begins."""
        ...

    async def fetch_file(self, url: str, *, timeout_seconds: float, file_name: str | None) -> FileInfo:
        """Download `url` with the browser's cookies and keep it."""
        ...

    async def pdf(self, *, format: str, landscape: bool, print_background: bool, scale: float) -> bytes:  # noqa: A002 - Playwright's own word
        """The current tab printed as a PDF, on paper of that format (`A4`, `Letter` …)."""
        ...

    async def wait_until_quiet(self, still_seconds: float, *, timeout_seconds: float) -> bool:
        """Until the page asks for nothing and has not changed for a while; False when it does not rest."""
        ...

    async def run_in_page(self, function: str, argument: Any, *, timeout_seconds: float) -> Any:
        """Call a JavaScript function in the current page's top frame and await what it returns."""
        ...

    async def run_blank(self, function: str, arguments: Sequence[Any], *, timeout_seconds: float) -> Any:
        """Call a JavaScript function in a blank page that has no network."""
        ...

    async def describe(self) -> str:
        """The current tab in words, each thing with a reference (`[ref=e12]`); no secrets."""
        ...

    async def by_reference(self, reference: str) -> tuple[Found, Locator]:
        """The element the latest description calls so, and a lasting locator; `NotPresent` when gone."""
        ...

    async def screenshot(self) -> bytes | None:
        """A JPEG of what the current tab shows, secret fields masked; None when it cannot be pictured."""
        ...

    def limit_to(self, domains: Sequence[str] | None) -> None:
        """Hold all traffic of the browser to these domains (and what is below them); None lets go."""
        ...

    async def mask(self, element: Element | ElementHandle) -> None:
        """Hide what stands in this field in every picture from now on."""
        ...


class CaptchaSolver(Protocol):
    """Something that answers captchas in a person's place."""

    async def solve(self, captcha: Captcha, *, timeout_seconds: float) -> str | None:
        """The token that the widget would hold once solved; None when there is none to be had."""
        ...


class Starter(Protocol):
    """Something that sets a download going."""

    async def __call__(self) -> None:
        """Do it."""
        ...


class RunFiles(Protocol):
    """The files of the execution and its organization."""

    async def save(self, name: str, mime_type: str, content: bytes) -> FileInfo:
        """Keep bytes as a file of this execution."""
        ...

    async def find(self, reference: Any) -> FileInfo:
        """The file meant by a File info, its id or a block's output; `BlockFailed` when there is none."""
        ...

    async def read(self, info: FileInfo) -> bytes:
        """Its bytes."""
        ...

    def describe(self, info: FileInfo) -> dict[str, Any]:
        """File info as the API shows it."""
        ...

    async def choices(self, place: FilePlace, query: str) -> Sequence[FileInfo]:
        """Files to choose from, newest first; those of knowledge by how near they are to the query."""
        ...


class KeepFile(Protocol):
    """Takes a file that work on a document hands back."""

    async def __call__(self, name: str, content: bytes, /) -> None:
        """Keep it; the next one waits."""
        ...


class Documents(Protocol):
    """Opens documents of unknown origin, in limited processes apart from the service."""

    async def perform(
        self,
        task: str,
        content: bytes,
        options: Mapping[str, Any],
        *,
        timeout_seconds: float,
        keep: KeepFile | None = None,
    ) -> Any:
        """Do a task (`pagehand/documents/tasks.py`); its value. `BlockFailed` says what is wrong with it."""
        ...


class Knowledge(Protocol):
    """The organization's documents."""

    async def query(self, query: str, top_k: int, tags: Sequence[str]) -> list[Passage]:
        """The passages that answer best, of documents that carry all of the tags."""
        ...


class Sandbox(Protocol):
    """Where user code runs: data in, data out, nothing else."""

    async def evaluate(self, expression: str, names: Mapping[str, Any]) -> Any:
        """The value of a Python expression over `names`."""
        ...

    async def call(self, code: str, arguments: Sequence[Any], names: Mapping[str, Any]) -> Any:
        """Run Python code and call the function it defines with as many of `arguments` as it takes.

        A `def main`, else the last `def` or lambda, else the value of the last expression.
        """
        ...


class HttpAnswer(Protocol):
    """What a server said."""

    @property
    def status(self) -> int:
        """200 and so on; no redirect, those were followed."""
        ...

    @property
    def url(self) -> str:
        """Where it was said, after redirects."""
        ...

    @property
    def headers(self) -> Sequence[tuple[str, str]]:
        """Names and values in their order."""
        ...

    @property
    def body(self) -> bytes:
        """The whole body, unpacked."""
        ...

    def header(self, name: str) -> str | None:
        """One header, whatever its case."""
        ...


class Http(Protocol):
    """Sends HTTP requests to what the operator's egress policy allows."""

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Sequence[tuple[str, str]] = (),
        body: bytes = b"",
        timeout_seconds: float,
        max_bytes: int = ...,
    ) -> HttpAnswer:
        """The answer, whatever its status.

        `BlockFailed` names a refused host and the setting; `SiteDown` when it was never reached, `Unanswered`
        when it was but no whole answer came, `TimedOut` when the time ran out.
        """
        ...


class Mail(Protocol):
    """The operator's mail server."""

    @property
    def sender(self) -> str:
        """The address mail is from; `BlockFailed` names the setting when there is none."""
        ...

    async def send(
        self, message: EmailMessage, recipients: Sequence[str], *, timeout_seconds: float
    ) -> Mapping[str, str]:
        """Hand a message over; the recipients that were refused, and why.

        `BlockFailed` when none was taken, `SiteDown` when the server was not reached, `Unanswered` when the
        connection was lost after the message was sent.
        """
        ...


class Talk(Protocol):
    """A conversation with the model in which it may ask for tools."""

    async def say(self, text: str, images: Sequence[bytes] = ()) -> Reply:
        """Say something; what the model answers and asks for."""
        ...

    async def answer(self, results: Sequence[str], images: Sequence[bytes] = ()) -> Reply:
        """Hand in what the tools of the last reply gave, in the order they were asked for."""
        ...


class Model(Protocol):
    """The language model: its prompts are redacted, its answers checked, its use counted and bounded."""

    def prompt(self, name: str, **words: str) -> str:
        """The instructions of a task (`pagehand/ai/prompts/<name>.md`); `words` are the author's own."""
        ...

    async def data(
        self, instructions: str, material: str, schema: Mapping[str, Any], images: Sequence[bytes] = ()
    ) -> Any:
        """What the instructions ask of the material, valid against `schema`; `BlockFailed` with the reason.

        `material` is untrusted: it goes in fenced, and the call holds no tools.
        """
        ...

    async def text(self, instructions: str, material: str, images: Sequence[bytes] = ()) -> str:
        """The same in words."""
        ...

    def talk(self, instructions: str, tools: Sequence[Tool]) -> Talk:
        """Begin a conversation with tools."""
        ...

    def fence(self, material: str) -> str:
        """Untrusted text, marked as such, for a conversation."""
        ...

    async def pursue(
        self, instructions: str, hands: "Hands", *, most_steps: int, result: Mapping[str, Any]
    ) -> "Achieved":
        """Let the model work with `hands` until it says that it is done; `BlockFailed` when it cannot be.

        `result` is the JSON Schema of what it has to put out at the end.
        """
        ...


class Achieved(Protocol):
    """What a model that worked on the page says at the end."""

    @property
    def message(self) -> str:
        """What it did, in words."""
        ...

    @property
    def result(self) -> Any:
        """What it was to put out."""
        ...


class Hands(Protocol):
    """What a model may do while it pursues something, and what it sees."""

    @property
    def tools(self) -> Sequence[Tool]:
        """What it may ask for."""
        ...

    async def look(self) -> str:
        """What is there now; untrusted."""
        ...

    async def picture(self) -> bytes | None:
        """The same as a picture, where one is wanted."""
        ...

    async def do(self, call: ToolCall) -> str:
        """Do what is asked, or say why not; what came of it, in words."""
        ...

    async def heard(self, role: str, text: str) -> None:
        """Something was said that belongs into the record."""
        ...


class BlockCache(Protocol):
    """What a block keeps for runs to come, by the page it stands on: plans, never data."""

    async def recall(self, kind: str) -> Any:
        """What was kept; None when nothing was, or the block is not cacheable."""
        ...

    def keep(self, kind: str, plan: Any, *, by_model: bool, page: str | None = None) -> None:
        """Keep a plan if the block succeeds; `page` is its address, the current one's by default."""
        ...

    async def drop(self, kind: str) -> None:
        """Forget what no longer fits."""
        ...
