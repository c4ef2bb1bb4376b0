"""What Chromium draws outside the page, for a person who drives: dialogs, drop-down lists and file choosers.

Dialogs are shown to the person, and answered by the rules when that takes too long. Files arrive in chunks.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from playwright.async_api import CDPSession, FileChooser, Frame, Page
from playwright.async_api import Dialog as PlaywrightDialog
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.dialogs import Answer, Dialogs
from pagehand.browser.downloads import safe_name
from pagehand.browser.provider import send
from pagehand.browser_session import OpenFileChooser, Question
from pagehand.errors import InvalidRequest
from pagehand.javascript import load_script
from pagehand.loop import spawn
from pagehand.records import Json

MAX_UPLOAD_BYTES: Final = 50_000_000
_MAX_FILES: Final = 20
_SET_MS: Final = 30_000
_SECONDS: Final = 1.0
# Chromium draws a list that asks for `base-select` as part of the page.
_DRAW: Final = load_script(__file__, "draw_lists")
_RESTORE: Final = load_script(__file__, "restore_lists")
_SECONDS_TO_ANSWER: Final = 120.0
_MESSAGE_LENGTH: Final = 2_000


class FileChoosers:
    """Catches the choosers of all tabs and gives them what the person uploads."""

    def __init__(self, folder: Path | None, on_change: Callable[[], None]) -> None:
        """Uploads go below `folder`; without one a temporary folder is made and removed."""
        self._parent = folder
        self._on_change = on_change
        self._folder: Path | None = None
        self._listening: set[Page] = set()
        self._last_id = 0
        self._open: FileChooser | None = None
        self._files: list[Path] = []
        self._size = 0
        self._file: BinaryIO | None = None
        self._setting: set[asyncio.Task[None]] = set()
        self.current: OpenFileChooser | None = None
        self.on_open: Callable[[FileChooser], None] | None = None
        """Called with every chooser that a page opens."""

    def listen(self, pages: Sequence[Page]) -> None:
        """Catch the choosers of these tabs too."""
        for page in pages:
            if page not in self._listening:
                self._listening.add(page)
                page.on("filechooser", self._opened)

    def stop_listening(self) -> None:
        """Catch no more choosers; one that is open is cancelled."""
        for page in self._listening:
            page.remove_listener("filechooser", self._opened)
        self._listening.clear()
        self.cancel()

    def begin_file(self, name: str) -> None:
        """A file of that name follows; `InvalidRequest` when no chooser is open."""
        if self._open is None or self._folder is None:
            raise InvalidRequest("No page waits for a file.")
        if len(self._files) >= _MAX_FILES:
            raise InvalidRequest(f"At most {_MAX_FILES} files can be given at once.")
        self._close_file()
        # a folder for each: two files of a person may have the same name
        path = Path(tempfile.mkdtemp(dir=self._folder)) / safe_name(name, "file")
        self._file = path.open("wb")
        self._files.append(path)

    def add_bytes(self, chunk: bytes) -> None:
        """The next chunk of the file; `InvalidRequest` when the files become too large."""
        if self._file is None:
            raise InvalidRequest("A file's name comes before its bytes.")
        self._size += len(chunk)
        if self._size > MAX_UPLOAD_BYTES:
            self.cancel()
            raise InvalidRequest(f"The files are larger than {MAX_UPLOAD_BYTES // 1_000_000} MB together.")
        self._file.write(chunk)

    def set_files(self) -> None:
        """Give all files to the page."""
        self._close_file()
        chooser, files = self._open, self._files
        self._forget()
        if chooser is not None and files:
            spawn(self._setting, _set_files(chooser, files))

    def cancel(self) -> None:
        """Close the chooser without a file."""
        self._close_file()
        self._forget()

    async def clean_up(self) -> None:
        """Remove the uploads: the browser is about to close."""
        self.cancel()
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    def _opened(self, chooser: FileChooser) -> None:
        self.cancel()
        self._last_id += 1
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="uploads-", dir=self._parent))
        self._open = chooser
        if self.on_open is not None:
            self.on_open(chooser)
        self.current = OpenFileChooser(self._last_id, chooser.is_multiple())
        self._on_change()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _forget(self) -> None:
        self._open, self._files, self._size = None, [], 0
        if self.current is not None:
            self.current = None
            self._on_change()


async def _set_files(chooser: FileChooser, files: Sequence[Path]) -> None:
    with suppress(PlaywrightError):  # the page has closed or moved on
        await chooser.set_files([*files], timeout=_SET_MS)


class DropdownLists:
    """Makes tabs draw their drop-down lists inside the page, and undoes it."""

    def __init__(self, channel: Callable[[Page], Awaitable[CDPSession]]) -> None:
        """`channel` gives a tab's protocol channel."""
        self._channel = channel
        self._scripts: dict[Page, str] = {}
        """The id of the script that was added to each tab."""

    async def draw_inside(self, pages: Sequence[Page]) -> None:
        """Draw the lists of these tabs inside the page, also on the pages they go to."""
        for page in pages:
            if page not in self._scripts:
                self._scripts[page] = ""
                await self._send(page, "Page.enable")  # without it the script is kept but never run
                answer = await self._send(
                    page, "Page.addScriptToEvaluateOnNewDocument", source=f"({_DRAW})()"
                )
                self._scripts[page] = str(answer.get("identifier", ""))
                await _evaluate_in_frames(page, _DRAW)

    async def restore(self) -> None:
        """Leave the lists to the browser again."""
        scripts, self._scripts = self._scripts, {}
        for page, identifier in scripts.items():
            if identifier:
                method = "Page.removeScriptToEvaluateOnNewDocument"
                await self._send(page, method, identifier=identifier)
                await self._send(page, "Page.disable")
            await _evaluate_in_frames(page, _RESTORE)

    async def _send(self, page: Page, method: str, **parameters: str) -> Json:
        with suppress(PlaywrightError, TimeoutError):  # the tab is gone, or does not answer now
            async with asyncio.timeout(_SECONDS):
                return await send(await self._channel(page), method, **parameters)
        return {}


class Questions:
    """Dialogs that wait for a person; a tab has one at a time, those of other tabs wait behind it."""

    def __init__(self, dialogs: Dialogs, on_change: Callable[[], None]) -> None:
        """Dialogs come here only between `start_asking` and `stop_asking`."""
        self._dialogs = dialogs
        self._on_change = on_change
        self._last_id = 0
        self._open: dict[int, tuple[Question, asyncio.Future[Answer | None]]] = {}

    @property
    def current(self) -> Question | None:
        """The oldest one without an answer."""
        return next((question for question, _ in self._open.values()), None)

    def start_asking(self) -> None:
        """From now on a person answers."""
        self._dialogs.ask_person = self._ask

    def stop_asking(self) -> None:
        """From now on the rules answer, also what is still open."""
        self._dialogs.ask_person = None
        for _, answer in self._open.values():
            if not answer.done():
                answer.set_result(None)

    def answer(self, question: int, answer: Answer) -> None:
        """The person's answer; one that comes too late is ignored."""
        _, waiting = self._open.get(question, (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    async def _ask(self, dialog: PlaywrightDialog) -> Answer | None:
        self._last_id += 1
        id_ = self._last_id
        message = dialog.message[:_MESSAGE_LENGTH]
        question = Question(id_, dialog.type, message, dialog.default_value[:_MESSAGE_LENGTH])
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._open[id_] = question, answer
        self._on_change()
        try:
            async with asyncio.timeout(_SECONDS_TO_ANSWER):
                return await answer
        except TimeoutError:
            return None
        finally:
            del self._open[id_]
            self._on_change()


async def _evaluate_in_frames(page: Page, script: str) -> None:
    await asyncio.gather(*(_evaluate(frame, script) for frame in page.frames))


async def _evaluate(frame: Frame, script: str) -> None:
    with suppress(PlaywrightError, TimeoutError):  # a frame that goes away, or one that shows a dialog
        async with asyncio.timeout(_SECONDS):
            await frame.evaluate(script)
