"""A site of our own on loopback, and browsers that are shared as far as they can be."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pagehand.browser import BrowserPool, BrowserSession, LocalProvider, SessionOptions
from pagehand.ids import new_id
from pagehand.records import FileInfo
from pagehand.settings import Settings
from support.shared_browser import SharedBrowser


@pytest.fixture(scope="module")
async def pool(anyio_backend: str) -> AsyncGenerator[BrowserPool]:
    """One pool for a module; it stays warm between tests."""
    assert anyio_backend == "asyncio"
    pool = BrowserPool(LocalProvider(Settings(browser_install=False)), size=1)
    pool.start()
    yield pool
    await pool.close()


class CapturedOutput:
    """What a session handed over: files and events."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, bytes] = {}
        self.mimes: dict[str, str] = {}
        self.events: list[tuple[str, str, dict[str, Any]]] = []

    async def save(self, content: Path | bytes, name: str, mime_type: str) -> FileInfo:
        data = content if isinstance(content, bytes) else await asyncio.to_thread(content.read_bytes)
        self.files[name] = data
        self.mimes[name] = mime_type
        return FileInfo(new_id("file"), "org", "exec", name, mime_type, len(data), f"org/exec/{name}", 0)

    def note(self, type_: str, message: str, data: Mapping[str, Any]) -> None:
        self.events.append((type_, message, dict(data)))

    def of(self, type_: str) -> list[dict[str, Any]]:
        return [data for kind, _, data in self.events if kind == type_]

    def options(self, **more: Any) -> SessionOptions:
        return SessionOptions(save_file=self.save, on_event=self.note, **more)


@pytest.fixture
def captured(tmp_path: Path) -> CapturedOutput:
    return CapturedOutput(tmp_path)


@pytest.fixture
async def session(shared: SharedBrowser, captured: CapturedOutput) -> AsyncGenerator[BrowserSession]:
    session = await shared.take(captured.options())
    yield session
    await session.end()


@pytest.fixture(scope="module")
async def kept_session(
    pool: BrowserPool, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[BrowserSession]:
    """One for all tests of a file, each of which begins by opening its own page."""
    session = await pool.take(CapturedOutput(tmp_path_factory.mktemp("kept")).options())
    yield session
    await session.end()


@pytest.fixture
def processes() -> Callable[[str], set[int]]:
    """Numbers of the running processes whose command holds a text."""

    def find(text: str) -> set[int]:
        found: set[int] = set()
        for folder in Path("/proc").iterdir():
            if re.fullmatch(r"\d+", folder.name):
                try:
                    command = (folder / "cmdline").read_bytes()
                except OSError:
                    continue
                if text.encode() in command:
                    found.add(int(folder.name))
        return found

    return find
