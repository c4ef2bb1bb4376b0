"""`pagehand backup`, `restore` and `migrate`: writes an installation into one file, and restores it."""

import asyncio
import base64
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO, Final, cast

import msgspec
import typer
from msgspec import Struct
from rich.progress import Progress, TaskID
from sqlalchemy import Connection, Table, make_url, text

from pagehand.cli.private_data import keep_new_files_private, lock_data_dir
from pagehand.cli.terminal import progress_bar, show
from pagehand.clock import now_ms, to_iso
from pagehand.engine.schedules.cron import skip_restored
from pagehand.errors import Conflict, NotFound, UserMistake
from pagehand.files import file_store
from pagehand.secrets.master_key import FILE_NAME, MasterKey, key_lines, load_master_keys, write_key_file
from pagehand.settings import Settings
from pagehand.storage import Database, backup, restored
from pagehand.storage.migrations import HEAD, revision_of
from pagehand.storage.restored import Settled
from pagehand.storage.sqlite import make_file

_FORMAT: Final = 1
_MANIFEST: Final = "manifest.json"
_NOT_A_BACKUP: Final = "this ZIP file is not a backup of Pagehand, or was cut off while it was written."
_TABLES: Final = "tables/"
_FILES: Final = "files/"
_KEYS_OF_FILES: Final = text(
    "SELECT key FROM files UNION SELECT screenshot_key FROM events WHERE screenshot_key IS NOT NULL"
)
# the bytes of a response are in the row of its execution
_NAMES_OF_FILES: Final = text(
    "SELECT key, name FROM files WHERE NOT EXISTS (SELECT 1 FROM executions "
    "WHERE executions.id = files.execution_id AND executions.response_file LIKE '%' || files.id || '%') "
    "UNION SELECT screenshot_key, 'a picture' FROM events WHERE screenshot_key IS NOT NULL"
)
_MOST_NAMED: Final = 20


class _Format(Struct):
    """What every manifest has, also those of later formats."""

    format: int


class _Manifest(_Format, rename="camel", kw_only=True):
    """What a backup holds."""

    revision: str
    """The revision of the tables."""
    made_at: str
    master_keys: list[str]
    """Ids of the master keys, the current one first."""
    rows: int
    files: int


def back_up(file: Path, settings: Settings, *, with_key: bool, as_json: bool) -> None:
    """Write database and files into one file."""
    keep_new_files_private()
    # a unique name: what a killed backup left behind must not stop the next one
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        rows, files, missing = asyncio.run(_write(part, settings, with_key=with_key))
        # atomically: there is always the old backup or the new one
        part.replace(file)
    except OSError as error:
        raise UserMistake(f"the backup cannot be written to {file}: {error.strerror}.") from error
    finally:
        with suppress(OSError):  # where it could not be created: that error is being raised
            part.unlink(missing_ok=True)
    size = file.stat().st_size
    made = {"file": str(file), "rows": rows, "files": files, "sizeBytes": size, "missing": missing}
    show(made, f"{file}: {rows} rows and {files} files, {size} bytes.", as_json=as_json)
    _report_missing(missing)
    if not with_key:
        typer.echo("The master key is not in it: keep a copy of it elsewhere.", err=True)


def _report_missing(missing: list[str]) -> None:
    if not missing:
        return
    typer.echo(f"These {len(missing)} files are in the database and not in the store:", err=True)
    typer.echo("\n".join(f"  {name}" for name in missing[:_MOST_NAMED]), err=True)
    if len(missing) > _MOST_NAMED:
        typer.echo(f"  and {len(missing) - _MOST_NAMED} more", err=True)


def restore(file: Path, settings: Settings, *, force: bool, as_json: bool) -> None:
    """Restore a backup into an empty database."""
    with lock_data_dir(settings.data_dir), _open_archive(file) as archive, progress_bar() as bar:
        rows, files, settled = asyncio.run(_read(archive, settings, bar, force=force))
    words = [f"{rows} rows and {files} files are back.", *_in_words(settled)]
    show({"rows": rows, "files": files, **asdict(settled)}, "\n".join(words), as_json=as_json)


def mark_restored(settings: Settings, *, as_json: bool) -> None:
    """Settle a database that other tools have restored."""
    with (
        lock_data_dir(settings.data_dir),
        backup.existing_database(make_url(settings.database_url)) as connection,
    ):
        restored.refuse_while_used(connection)
        settled = restored.settle(connection, skip_restored)
    words = "\n".join(_in_words(settled)) or "Nothing had to be kept from being done again."
    show(asdict(settled), words, as_json=as_json)


def _in_words(settled: Settled) -> Iterator[str]:
    """What a restore kept from being done again."""
    if settled.executions:
        yield f"{settled.executions} executions had not ended when the backup was made; they are Failed now."
    if settled.schedules:
        yield (
            f"{settled.schedules} schedules go on with their next time; those since the backup are `missed`."
        )
    if settled.deliveries:
        yield (
            f"{settled.deliveries} webhook deliveries had not been sent when the backup was made; they are "
            "`unsent` now, and can be sent by hand."
        )
    if settled.keys:
        yield "These API keys are valid. If you have revoked one since the backup, revoke it again:"
        yield from (f"  {key}" for key in settled.keys)


def migrate(settings: Settings, *, as_json: bool) -> None:
    """Migrate the tables to the current revision."""
    keep_new_files_private()

    async def work() -> str:
        opened = Database(settings.database_url)
        try:
            return await opened.open()
        finally:
            await opened.close()

    before = asyncio.run(work())
    words = (
        f"The tables are at {HEAD}; nothing was left to do."
        if before == HEAD
        else f"The tables went from {before or 'nothing'} to {HEAD}."
    )
    show({"from": before or None, "to": HEAD}, words, as_json=as_json)


async def _write(path: Path, settings: Settings, *, with_key: bool) -> tuple[int, int, list[str]]:
    """How many rows and files were written, and which files are missing."""
    url = make_url(settings.database_url)
    with (
        zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED, compresslevel=3) as archive,
        backup.snapshot(url) as connection,
    ):
        keys = load_master_keys(settings)  # after the database was opened: it makes a key where there is none
        rows = sum(_write_table(archive, connection, table) for table in backup.tables_of(connection))
        keys_of_files = connection.execute(_KEYS_OF_FILES).scalars().all()
        absent = await _write_files(archive, settings, keys_of_files)
        files = len(keys_of_files) - len(absent)
        manifest = _Manifest(
            format=_FORMAT,
            revision=revision_of(connection),
            made_at=to_iso(now_ms()),
            master_keys=[key.id.hex() for key in keys],
            rows=rows,
            files=files,
        )
        # last: a backup without it is incomplete
        archive.writestr(_MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=2))
        if with_key:
            archive.writestr(FILE_NAME, key_lines(keys))
    if not absent:
        return rows, files, []
    # what was deleted while the backup was made is not missing
    with backup.snapshot(url) as connection:
        names = {row.key: row.name for row in connection.execute(_NAMES_OF_FILES)}
    return rows, files, [f"{names[key]} ({key})" for key in absent if key in names]


def _write_table(archive: zipfile.ZipFile, connection: Connection, table: Table) -> int:
    count = -1  # the first line names the columns
    with archive.open(f"{_TABLES}{table.name}.jsonl", "w", force_zip64=True) as lines:
        for line in backup.rows_of(connection, table):
            lines.write(line + b"\n")
            count += 1
    return count


async def _write_files(archive: zipfile.ZipFile, settings: Settings, keys: Sequence[str]) -> list[str]:
    """The keys of those that are not in the store."""
    store, absent = file_store(settings), list[str]()
    for key in keys:
        chunks = store.open(key)
        try:
            first = await anext(chunks, b"")
        except NotFound:
            absent.append(key)
            continue
        await _write_file(archive, _FILES + key, first, chunks)
    return absent


async def _write_file(archive: zipfile.ZipFile, name: str, first: bytes, rest: AsyncIterator[bytes]) -> None:
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_STORED  # pictures and documents are already compressed
    with archive.open(info, "w", force_zip64=True) as target:
        target.write(first)
        async for chunk in rest:
            target.write(chunk)


def _open_archive(file: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except FileNotFoundError as error:
        raise UserMistake(f"there is no file {file}.") from error
    except (OSError, zipfile.BadZipFile) as error:
        raise UserMistake(f"{file} is not a backup that can be read: {error}.") from error


async def _read(
    archive: zipfile.ZipFile, settings: Settings, bar: Progress, *, force: bool
) -> tuple[int, int, Settled]:
    """How many rows and files were restored, and what was settled."""
    manifest = _read_manifest(archive)
    keys = _keys_to_write(archive, manifest, settings, force=force)
    url = make_url(settings.database_url)
    if url.get_backend_name() == "sqlite" and url.database:
        make_file(Path(url.database))
    task = bar.add_task("Restoring", total=sum(entry.file_size for entry in archive.infolist()))
    rows = 0
    with backup.empty_database(url) as connection:
        for name, table in backup.prepare(connection, manifest.revision).items():
            with _watched(archive, f"{_TABLES}{name}.jsonl", bar, task) as lines:
                rows += backup.restore_rows(connection, table, (line.rstrip(b"\n") for line in lines))
        backup.finish_restore(connection)
        settled = restored.settle(connection, skip_restored)
        # before the rows are committed: a file's row must not be visible without its content
        files = await _read_files(archive, settings, bar, task)
        if keys:
            write_key_file(settings.data_dir, keys)
    return rows, files, settled


def _read_manifest(archive: zipfile.ZipFile) -> _Manifest:
    if _MANIFEST not in archive.namelist():
        raise UserMistake(_NOT_A_BACKUP)
    # all checksums before the first row: an incomplete restore would be worse than none
    try:
        broken = archive.testzip()
    except (zlib.error, zipfile.BadZipFile, EOFError, OSError) as damage:
        # testzip() returns the name of a file with a wrong checksum, and raises where it cannot be read
        raise UserMistake(f"the backup is damaged: {damage}.") from damage
    if broken is not None:
        raise UserMistake(f"the backup is damaged: the checksum of `{broken}` does not fit.")
    content = archive.read(_MANIFEST)
    try:
        # the format first: a later one may have other fields
        if msgspec.json.decode(content, type=_Format).format != _FORMAT:
            raise UserMistake("the backup was made by a newer Pagehand: install that version or a later one.")
        return msgspec.json.decode(content, type=_Manifest)
    except (msgspec.DecodeError, UnicodeError):
        # other programs also have a `manifest.json` in their ZIP files
        raise UserMistake(_NOT_A_BACKUP) from None


def _keys_to_write(
    archive: zipfile.ZipFile, manifest: _Manifest, settings: Settings, *, force: bool
) -> list[MasterKey]:
    """The master keys to restore; none where the right one is already here."""
    has_key = settings.master_key is not None or (settings.data_dir / FILE_NAME).exists()
    existing = {key.id.hex() for key in load_master_keys(settings)} if has_key else set[str]()
    if manifest.master_keys[0] in existing or (force and has_key):
        return []
    if FILE_NAME in archive.namelist() and not has_key:
        return [MasterKey(base64.b64decode(line)) for line in archive.read(FILE_NAME).split()]
    if force:
        return []
    raise Conflict(
        "the secrets in this backup were encrypted with a master key that is not here. Put the `master.key` "
        f"that was in use into {settings.data_dir}, or set `PAGEHAND_MASTER_KEY`. If it is lost, `--force` "
        "restores all but the secrets: passwords have to be entered again."
    )


async def _read_files(archive: zipfile.ZipFile, settings: Settings, bar: Progress, task: TaskID) -> int:
    store, count = file_store(settings), 0
    with tempfile.TemporaryDirectory(dir=settings.data_dir) as folder:
        for name in _names_of_files(archive):
            path = Path(folder) / "file"
            with _watched(archive, name, bar, task) as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)
            await store.put_file(name.removeprefix(_FILES), path)
            count += 1
    return count


@contextmanager
def _watched(archive: zipfile.ZipFile, name: str, bar: Progress, task: TaskID) -> Generator[BinaryIO]:
    """An entry of the archive; the bar follows how far it was read."""
    with archive.open(name) as content:
        yield bar.wrap_file(cast("BinaryIO", content), task_id=task)


def _names_of_files(archive: zipfile.ZipFile) -> Iterator[str]:
    return (name for name in archive.namelist() if name.startswith(_FILES) and not name.endswith("/"))
