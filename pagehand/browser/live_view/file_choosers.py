"""File choosers while a person drives: their files arrive in chunks and are set on the chooser."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import FileChooser, Page

from pagehand.browser.downloads import safe_name
from pagehand.browser_session import OpenFileChooser
from pagehand.errors import InvalidRequest

MAX_UPLOAD_BYTES: Final = 50_000_000
_MAX_FILES: Final = 20
_SET_MS: Final = 30_000


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
            task = asyncio.ensure_future(_set_files(chooser, files))
            self._setting.add(task)
            task.add_done_callback(self._setting.discard)

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
