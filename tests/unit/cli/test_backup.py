"""`pagehand backup`, `restore` and `migrate` on SQLite: what is said, and what a slip leaves alone."""

import asyncio
import zipfile
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from pagehand.cli import app
from pagehand.errors import Conflict, PagehandError, UserMistake
from pagehand.secrets.master_key import load_key_file
from pagehand.storage import Database, Stores
from pagehand.testing.harness import opened_database


def pagehand(*words: str, folder: Path) -> Result:
    return CliRunner().invoke(app, [*words, "--data-dir", str(folder)])


def refusal(result: Result) -> str:
    """The sentence that `main` prints."""
    assert isinstance(result.exception, PagehandError), result.output
    return result.exception.message


async def _made(folder: Path) -> None:
    database = await opened_database(folder / "pagehand.db", f"sqlite+aiosqlite:///{folder / 'pagehand.db'}")
    await Stores(database).organizations.ensure("acme")
    await database.close()


async def _organization(folder: Path, name: str) -> bool:
    database = Database(f"sqlite+aiosqlite:///{folder / 'pagehand.db'}")
    await database.open()
    try:
        return await Stores(database).organizations.by_name(name) is not None
    finally:
        await database.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one organization and a master key."""
    folder = tmp_path / "data"
    folder.mkdir()
    asyncio.run(_made(folder))
    load_key_file(folder)
    return folder


@pytest.fixture
def kept(data: Path, tmp_path: Path) -> Path:
    """Its backup, with the key."""
    file = tmp_path / "kept.zip"
    result = pagehand("backup", str(file), "--with-key", folder=data)
    assert result.exit_code == 0, result.output
    return file


def test_backup_says_what_it_holds_and_that_the_key_is_not_in_it(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "b.zip"
    result = pagehand("backup", str(file), folder=data)
    assert result.exit_code == 0
    assert str(file) in result.stdout
    assert "rows and 0 files" in result.stdout
    assert "master key is not in it" in result.stderr
    with zipfile.ZipFile(file) as archive:
        assert "master.key" not in archive.namelist()
    assert file.stat().st_mode & 0o077 == 0


def test_left_overs_of_a_killed_backup_do_not_stop_the_next(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "b.zip"
    left = tmp_path / "b.zip.part"
    left.write_bytes(b"cut off")
    assert pagehand("backup", str(file), folder=data).exit_code == 0
    assert zipfile.ZipFile(file).testzip() is None
    assert left.read_bytes() == b"cut off"
    assert sorted(path.name for path in tmp_path.glob("b.zip*")) == ["b.zip", "b.zip.part"]


def test_backup_of_a_folder_without_a_database_makes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "typo"
    folder.mkdir()
    result = pagehand("backup", str(tmp_path / "b.zip"), folder=folder)
    assert "--data-dir" in refusal(result)
    assert list(folder.iterdir()) == []
    assert not (tmp_path / "b.zip").exists()


def test_backup_that_cannot_be_written_is_a_sentence_and_leaves_the_old_one(kept: Path, data: Path) -> None:
    before = kept.read_bytes()
    result = pagehand("backup", str(kept / "inside.zip"), folder=data)
    assert "cannot be written" in refusal(result)
    assert kept.read_bytes() == before


def test_restore_brings_everything_back_with_its_key(kept: Path, data: Path, tmp_path: Path) -> None:
    target = tmp_path / "new"
    result = pagehand("restore", str(kept), folder=target)
    assert result.exit_code == 0, result.output
    assert "are back" in result.stdout
    assert asyncio.run(_organization(target, "acme"))
    assert (target / "master.key").read_bytes() == (data / "master.key").read_bytes()
    assert (target / "master.key").stat().st_mode & 0o077 == 0


def test_restore_into_a_database_in_use_changes_nothing(kept: Path, data: Path) -> None:
    result = pagehand("restore", str(kept), folder=data)
    assert isinstance(result.exception, Conflict)
    assert "already holds organizations" in refusal(result)


def test_restore_without_the_master_key_is_refused_unless_forced(data: Path, tmp_path: Path) -> None:
    file, target = tmp_path / "b.zip", tmp_path / "new"
    pagehand("backup", str(file), folder=data)
    sentence = refusal(pagehand("restore", str(file), folder=target))
    assert "master key" in sentence
    assert "--force" in sentence
    forced = pagehand("restore", str(file), "--force", folder=target)
    assert forced.exit_code == 0, forced.output
    assert asyncio.run(_organization(target, "acme"))


@pytest.mark.parametrize(
    ("entries", "word"),
    [
        (None, "there is no file"),
        ({}, "not a backup"),
        ({"other.txt": b"x"}, "not a backup"),
        ({"manifest.json": b"not JSON"}, "not a backup"),
        ({"manifest.json": b"[]"}, "not a backup"),
        ({"manifest.json": b'{"manifest_version": 3}'}, "not a backup"),
        ({"manifest.json": orjson.dumps({"format": 99})}, "newer"),
    ],
)
def test_what_is_not_a_backup_is_refused(tmp_path: Path, entries: dict[str, bytes] | None, word: str) -> None:
    file = tmp_path / "b.zip"
    if entries is not None:
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in entries.items():
                archive.writestr(name, content)
    result = pagehand("restore", str(file), folder=tmp_path / "new")
    assert isinstance(result.exception, UserMistake)
    assert word in refusal(result)


@pytest.mark.parametrize("offset", [46, 50, 60, 75])
def test_damaged_backup_is_refused_before_anything_is_written(
    kept: Path, tmp_path: Path, offset: int
) -> None:
    content = bytearray(kept.read_bytes())
    content[content.index(b"tables/organizations.jsonl") + offset] ^= 0xFF
    kept.write_bytes(bytes(content))
    result = pagehand("restore", str(kept), folder=tmp_path / "new")
    assert isinstance(result.exception, UserMistake), result.exception
    assert "damaged" in refusal(result)
    assert not (tmp_path / "new" / "pagehand.db").exists()


def test_migrate_says_from_where_to_where(data: Path, tmp_path: Path) -> None:
    fresh = pagehand("migrate", folder=tmp_path / "new")
    assert "went from nothing to" in fresh.stdout
    again = pagehand("migrate", folder=data)
    assert "nothing was left to do" in again.stdout
