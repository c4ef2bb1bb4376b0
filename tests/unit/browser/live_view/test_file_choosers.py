"""Uploads in the live view: chunks become files, limits hold, and nothing is left on the disk."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from pagehand.browser.live_view import outside_page
from pagehand.browser.live_view.outside_page import FileChoosers
from pagehand.errors import InvalidRequest

pytestmark = pytest.mark.anyio


class FakeChooser:
    """A chooser that a page opened, and the files it got."""

    def __init__(self, *, is_multiple: bool = False, error: Exception | None = None) -> None:
        self._is_multiple = is_multiple
        self._error = error
        self.files: dict[str, bytes] | None = None

    def is_multiple(self) -> bool:
        return self._is_multiple

    async def set_files(self, files: Sequence[Path], timeout: float) -> None:  # noqa: ASYNC109 - Playwright's own
        del timeout
        if self._error is not None:
            raise self._error
        self.files = {path.name: await asyncio.to_thread(path.read_bytes) for path in files}


class FakeTab:
    """A tab that opens choosers for those who listen."""

    def __init__(self) -> None:
        self.listeners: list[Any] = []

    def on(self, event: str, listener: Any) -> None:
        assert event == "filechooser"
        self.listeners.append(listener)

    def remove_listener(self, event: str, listener: Any) -> None:
        assert event == "filechooser"
        self.listeners.remove(listener)

    def open(self, chooser: FakeChooser) -> FakeChooser:
        for listener in self.listeners:
            listener(chooser)
        return chooser


class Driven:
    """The choosers of one tab that a person drives."""

    def __init__(self, folder: Path) -> None:
        self.tab = FakeTab()
        self.changes = 0
        self.choosers = FileChoosers(folder, self._changed)
        self.choosers.listen([cast("Page", self.tab)])

    def _changed(self) -> None:
        self.changes += 1

    async def upload(self, name: str, *chunks: bytes) -> None:
        self.choosers.begin_file(name)
        for chunk in chunks:
            self.choosers.add_bytes(chunk)


@pytest.fixture
def driven(tmp_path: Path) -> Driven:
    return Driven(tmp_path)


def contents(folder: Path) -> list[bytes]:
    return sorted(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def set_by(chooser: FakeChooser) -> dict[str, bytes]:
    async with asyncio.timeout(5):
        while chooser.files is None:  # noqa: ASYNC110 - the page takes them without an event
            await asyncio.sleep(0.005)
    return chooser.files


async def test_chunks_become_files_of_the_chooser(driven: Driven) -> None:
    chooser = driven.tab.open(FakeChooser(is_multiple=True))
    assert driven.choosers.current is not None
    assert driven.choosers.current.is_multiple
    await driven.upload("claims.pdf", b"%PDF", b"-1.7")
    await driven.upload("../../etc/notes.txt", b"text")
    driven.choosers.set_files()
    assert await set_by(chooser) == {"claims.pdf": b"%PDF-1.7", "notes.txt": b"text"}
    assert driven.choosers.current is None
    assert driven.changes == 2


async def test_files_of_the_same_name_do_not_overwrite_each_other(driven: Driven, tmp_path: Path) -> None:
    driven.tab.open(FakeChooser(is_multiple=True))
    await driven.upload("a.txt", b"one")
    await driven.upload("a.txt", b"two")
    driven.choosers.cancel()
    assert contents(tmp_path) == [b"one", b"two"]


async def test_a_file_without_a_chooser_is_refused(driven: Driven) -> None:
    with pytest.raises(InvalidRequest, match="No page waits for a file"):
        driven.choosers.begin_file("a.txt")


async def test_bytes_without_a_name_are_refused(driven: Driven) -> None:
    driven.tab.open(FakeChooser())
    with pytest.raises(InvalidRequest, match="name comes before its bytes"):
        driven.choosers.add_bytes(b"x")


async def test_only_so_many_files_and_bytes_are_taken(
    driven: Driven, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside_page, "_MAX_FILES", 2)
    monkeypatch.setattr(outside_page, "MAX_UPLOAD_BYTES", 10)
    driven.tab.open(FakeChooser(is_multiple=True))
    await driven.upload("a", b"12345")
    await driven.upload("b", b"12345")
    with pytest.raises(InvalidRequest, match="At most 2 files"):
        driven.choosers.begin_file("c")
    with pytest.raises(InvalidRequest, match="larger than"):
        driven.choosers.add_bytes(b"1")
    assert driven.choosers.current is None  # too large: the chooser is cancelled


async def test_a_second_chooser_replaces_the_first(driven: Driven) -> None:
    first = driven.tab.open(FakeChooser())
    assert driven.choosers.current is not None
    before = driven.choosers.current.id
    await driven.upload("old.txt", b"old")
    second = driven.tab.open(FakeChooser())
    assert driven.choosers.current.id != before
    await driven.upload("new.txt", b"new")
    driven.choosers.set_files()
    assert await set_by(second) == {"new.txt": b"new"}
    assert first.files is None


async def test_a_page_that_has_moved_on_takes_no_files_and_breaks_nothing(driven: Driven) -> None:
    driven.tab.open(FakeChooser(error=PlaywrightError("Target closed")))
    await driven.upload("a.txt", b"a")
    driven.choosers.set_files()
    await asyncio.sleep(0.01)
    reopened = driven.tab.open(FakeChooser())
    await driven.upload("b.txt", b"b")
    driven.choosers.set_files()
    assert await set_by(reopened) == {"b.txt": b"b"}


async def test_nobody_listens_once_the_person_has_stopped_driving(driven: Driven) -> None:
    driven.tab.open(FakeChooser())
    driven.choosers.stop_listening()
    assert driven.choosers.current is None
    assert driven.tab.listeners == []


async def test_a_tab_is_listened_to_once(driven: Driven) -> None:
    driven.choosers.listen([cast("Page", driven.tab)])
    assert len(driven.tab.listeners) == 1


async def test_cleaning_up_removes_what_was_uploaded(driven: Driven, tmp_path: Path) -> None:
    driven.tab.open(FakeChooser())
    await driven.upload("a.txt", b"a")
    await driven.choosers.clean_up()
    assert contents(tmp_path) == []
