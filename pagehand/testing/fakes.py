"""What stands in for the outside in tests: no network, no mail server, no model, no browser."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import Any, NoReturn, Unpack

from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed, NotFound, SiteDown
from pagehand.logins.saved_sessions import SessionToSave
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.logins.sign_in_context import SignInContext
from pagehand.loop import spawn
from pagehand.ports import Http, HttpAnswer, HttpOptions, RunModel
from pagehand.records import Json, Login
from pagehand.secrets.vault import Vault


class MemoryFileStore:
    """Implements `FileStore` in memory."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}

    async def put(self, key: str, content: bytes) -> None:
        """Keep `content` under `key`."""
        self.content[key] = content

    async def put_file(self, key: str, path: Path) -> None:
        """Take over the file at `path`."""
        self.content[key] = await asyncio.to_thread(path.read_bytes)
        await asyncio.to_thread(path.unlink)

    async def read(self, key: str) -> bytes:
        """All bytes; raises NotFound."""
        if key not in self.content:
            raise NotFound(f"There is no stored file `{key}`.")
        return self.content[key]

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """All bytes in one chunk."""
        yield await self.read(key)

    async def size(self, key: str) -> int:
        """How many bytes there are."""
        return len(await self.read(key))

    async def delete(self, key: str) -> None:
        """Remove a file; one that is not there is not an error."""
        self.content.pop(key, None)

    async def delete_folder(self, folder: str) -> None:
        """Remove every file whose key begins with `folder` and a slash."""
        for key in [key for key in self.content if key.startswith(f"{folder}/")]:
            del self.content[key]


@dataclass(slots=True, frozen=True, kw_only=True)
class SentRequest:
    """A request that a block made."""

    method: str
    url: str
    headers: Sequence[tuple[str, str]]
    body: bytes


@dataclass(slots=True)
class ScriptedHttp:
    """Implements `Http`: gives the scripted answers one after the other, or an error in their place."""

    answers: list[HttpAnswer | Exception] = field(default_factory=list[HttpAnswer | Exception])
    sent: list[SentRequest] = field(default_factory=list[SentRequest])

    async def send(self, method: str, url: str, **options: Unpack[HttpOptions]) -> HttpAnswer:
        """The next scripted answer."""
        headers, body = options.get("headers", ()), options.get("body", b"")
        self.sent.append(SentRequest(method=method, url=url, headers=headers, body=body))
        if not self.answers:
            # an error that blocks know, so that it reaches the test with the block's own handling
            raise SiteDown(f"The test has no answer for `{method} {url}`: add one to `ScriptedHttp.answers`.")
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass(slots=True)
class NoProxies:
    """Implements `Proxies` for an installation without any."""

    http_client: Callable[[], Http]

    async def is_set(self, organization_id: str, /) -> bool:  # noqa: ARG002 - the same for all
        """No organization has one."""
        return False

    def http(self, organization_id: str, /) -> Http:  # noqa: ARG002 - as above
        """HTTP without a proxy."""
        return self.http_client()


@dataclass(slots=True)
class Outbox:
    """Implements `Mail`: keeps what was sent; addresses in `refuses` are refused."""

    sender: str = "Pagehand <robot@pagehand.test>"
    refuses: Sequence[str] = ()
    messages: list[EmailMessage] = field(default_factory=list[EmailMessage])

    async def send(
        self,
        message: EmailMessage,
        recipients: Sequence[str],
        *,
        timeout_seconds: float,  # noqa: ARG002 - it is here already
    ) -> Mapping[str, str]:
        """Keep the message; those who were refused."""
        refused = {recipient: "refused by the test" for recipient in recipients if recipient in self.refuses}
        if len(refused) == len(recipients):
            raise BlockFailed("No recipient was taken.")
        self.messages.append(message)
        return refused


class NoModels:
    """Implements `Models` for an installation without a model."""

    async def for_organization(
        self, organization_id: str, redact: Callable[[str], str], /
    ) -> RunModel | None:
        """None: blocks that need a model fail with `ModelNeeded`."""
        del organization_id, redact


@dataclass(slots=True, frozen=True)
class SignInCall:
    """A sign-in that a run asked for."""

    login_id: str
    force: bool
    """True when it had to sign in even where the browser was signed in already."""


class FakeSignIn(SignIn):
    """Signs in at once without touching the page; what it reads of a login is real."""

    def __init__(self, vault: Vault, asked: list[SignInCall]) -> None:
        """Each sign-in is added to `asked`."""
        super().__init__(vault)
        self._asked = asked

    async def sign_in(
        self,
        session: BrowserSession,
        login: Login,
        *,
        force: bool,
        timeout_seconds: float,
        run: SignInContext,
    ) -> SessionToSave | None:
        """Note who signs in; there is no session to save."""
        del session, timeout_seconds, run
        self._asked.append(SignInCall(login.id, force))

    async def signed_out_words(self, session: BrowserSession) -> str:
        """The page says nothing."""
        del session
        return ""


class _Blank:
    """Every attribute that is not defined fails the block that reads it."""

    def __getattr__(self, name: str) -> NoReturn:
        raise BlockFailed(
            f"This test has no page to ask for `{name}`. Give the harness a real browser session: "
            "`Seams(open_browser=…)`."
        )


class _BlankPage(_Blank):
    url = "about:blank"

    async def evaluate(self, script: str) -> str:
        """The walk asks for the title of a page on which a block failed."""
        del script
        return ""


class NoDialogs(_Blank):
    """No page asks anything."""

    def raise_for_unanswered(self, cause: Exception | None = None) -> None:
        """Nothing was dismissed."""

    def clear_unanswered(self) -> None:
        """Nothing was dismissed."""


class NoProblems(_Blank):
    """No page complains."""

    def take(self, hide: Callable[[str], str]) -> Json:  # noqa: ARG002 - as a browser's has it
        """No problems were noted."""
        return {}


class _BlankTabs(_Blank):
    async def raise_if_blank(self) -> None:
        """Whether there is a page shows once a block reads it."""


class BlankBrowser(_Blank):
    """What the walk itself asks of a browser session, without a browser.

    A block that wants more of it fails, and its error says how to give the test a real page.
    """

    live_view: Any = None
    vendor_id: str | None = None

    def __init__(self) -> None:
        self.page = _BlankPage()
        self.dialogs = NoDialogs()
        self.problems = NoProblems()
        self.tabs = _BlankTabs()
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._screenshots: set[asyncio.Task[bytes | None]] = set()

    @asynccontextmanager
    async def guard(self, action: str = "") -> AsyncGenerator[None]:
        """Nothing of Playwright's happens within."""
        del action
        yield

    async def place_of(self, element: object) -> list[float] | None:
        """Elements of no page are nowhere."""
        del element

    async def screenshot(self) -> bytes | None:
        """Nothing to picture."""
        return None

    def start_screenshot(self) -> "asyncio.Task[bytes | None]":
        """The same, meanwhile."""
        return spawn(self._screenshots, self.screenshot())

    async def wait_for_screenshots(self) -> None:
        """Until all of them are taken."""
        while self._screenshots:
            await asyncio.wait(self._screenshots)

    holds_requests = True
    """Nothing can leave."""

    def forget_press(self) -> None:
        """Nothing was pressed."""

    async def has_reported(self) -> bool:
        """Nothing was sent."""
        return True

    async def settle(self) -> None:
        """No request is open."""

    async def end(self, *, keep_browser: bool = False) -> None:
        """Nothing to close, nothing to keep."""
