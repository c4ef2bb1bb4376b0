"""Records what sites answer during an execution, for a run without them."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any, Unpack

from playwright.async_api import BrowserContext
from playwright.async_api import Error as PlaywrightError

from pagehand import temporary_files
from pagehand.browser.page_recording import kept_exchange, start_recording, stop_recording
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.run.files import Downloads, ExecutionFiles
from pagehand.errors import TooLarge
from pagehand.loop import without_blocking
from pagehand.ports import Http, HttpAnswer, HttpOptions
from pagehand.recordings import recording as recordings
from pagehand.recordings.recording import Bodies, Exchange, RecordedLogin, Recording, Step
from pagehand.records import Execution, Json, Login
from pagehand.secrets.redactor import Redactor
from pagehand.storage.logins import LoginStore
from pagehand.workflow.tree import Envelope


class RunRecorder:
    """Collects answers and steps while an execution runs; `keep` stores them among its files."""

    def __init__(
        self,
        execution: Execution,
        files: ExecutionFiles,
        downloads: Downloads,
        events: EventLog,
        redactor: Redactor,
        logins: LoginStore,
    ) -> None:
        self._execution = execution
        self._files = files
        self._downloads = downloads
        self._events = events
        self._redactor = redactor
        self._logins = logins
        self._folder = Path(tempfile.mkdtemp(prefix=temporary_files.prefix("recording")))
        self._context: BrowserContext | None = None
        self._bodies = Bodies(self._folder)
        self._steps: list[Step] = []
        self._sent: list[Exchange] = []
        self._too_large: TooLarge | None = None

    async def start(self, context: BrowserContext) -> None:
        """The execution has a browser: record its pages."""
        self._context = context
        await start_recording(context, self._folder)

    def http(self, http: Http) -> Http:
        """The same client, recorded."""
        return _RecordedHttp(http, self)

    async def answered(self, method: str, url: str, answer: HttpAnswer) -> None:
        """A block's own request was answered, perhaps after redirects."""

        def kept(content: bytes) -> Exchange:
            return kept_exchange(
                *(method, url, answer.status, list(answer.headers), content),
                bodies=self._bodies,
                hide=self._redactor.value,
            )

        if self._too_large is not None:
            return
        try:
            self._sent.append(await without_blocking(kept, answer.body))
        except TooLarge as error:
            self._too_large = error

    def event(self, type: str, block: Envelope | None) -> None:  # noqa: A002 - the event's own word
        """Note which blocks ended, and how."""
        if block is not None and type in ("block.finished", "block.failed"):
            self._steps.append(Step(block.block_reference_id, block.name, failed=type == "block.failed"))

    async def keep(self, status: str, response: Json) -> None:
        """Store the recording as a file of the execution."""
        try:
            await self._store(status, response)
        except (PlaywrightError, TimeoutError, TooLarge) as error:
            self._events.add("recording.lost", f"There is no recording of this run: {error}")

    async def discard(self) -> None:
        """Delete what was collected, also by an attempt that another one follows."""
        await asyncio.to_thread(temporary_files.remove, self._folder)

    async def _store(self, status: str, response: Json) -> None:
        if self._too_large is not None:
            raise self._too_large
        hide = self._redactor.value
        recording = Recording(
            workflow=self._execution.workflow_name,
            status=status,
            params=hide(self._execution.params),
            response=hide(response),
            steps=hide_steps(self._steps, hide),
            exchanges=[*await self._pages(), *self._sent],
            logins=await self._used_logins(),
        )
        path = self._folder / recordings.FILE_NAME
        await asyncio.to_thread(recordings.write, path, recording, self._bodies)
        info = await self._files.take_over(recordings.FILE_NAME, "application/zip", path)
        self._events.add(
            "recording.kept", "A recording of this run is among its files", None, {"fileId": info.id}
        )

    async def _pages(self) -> list[Exchange]:
        if self._context is None:
            return []
        answers = await stop_recording(self._context, self._folder, self._bodies, self._redactor.value)
        files = list(self._downloads.state.files) if self._downloads.state else []
        for exchange, is_file in answers:
            # a browser gives no body of what it downloads; the files came in the order of their answers
            if is_file and files:
                info = await self._files.find(files.pop(0).id)
                exchange.body = self._bodies.add(await self._files.read(info))
        return [exchange for exchange, _ in answers]

    async def _used_logins(self) -> list[RecordedLogin]:
        used = [known.login_summary.login_id for known in self._execution.context_authentications]
        found = [await self._logins.get(self._execution.organization_id, login_id) for login_id in used]
        return [_addresses(login) for login in found if login is not None]


def _addresses(login: Login) -> RecordedLogin:
    return RecordedLogin(login.name, login.fields["authenticationUrl"], login.fields.get("homeUrl"))


def hide_steps(steps: list[Step], hide: Any) -> list[Step]:
    """The steps without secrets in the blocks' names."""
    return [Step(step.block, hide(step.name), step.failed) for step in steps]


class _RecordedHttp:
    """Implements `Http`: sends, and records the answers."""

    def __init__(self, http: Http, recorder: RunRecorder) -> None:
        self._http = http
        self._recorder = recorder

    async def send(self, method: str, url: str, **options: Unpack[HttpOptions]) -> HttpAnswer:
        """The answer; `Http.send` says what is raised."""
        answer = await self._http.send(method, url, **options)
        await self._recorder.answered(method, url, answer)
        return answer
