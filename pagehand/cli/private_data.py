"""Keeps the data folder private to the user who runs the service, and locks it for one process."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import structlog

from pagehand.errors import Conflict, UserMistake

_log = structlog.get_logger("pagehand")
_OTHERS = 0o077


@contextmanager
def lock_data_dir(folder: Path) -> Generator[None]:
    """Lock a data folder: a second process would recover what the first is running."""
    keep_new_files_private()
    try:
        make_private(folder)
        # a lock of the kernel ends with its process, however that ends
        descriptor = os.open(folder / "serve.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as problem:
        raise UserMistake(
            f"the data folder {folder} cannot be written: {problem.strerror}. Make it writable, or name "
            "another one with --data-dir."
        ) from problem
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as taken:
        os.close(descriptor)
        raise Conflict(
            f"another `pagehand serve` uses {folder}; give one of them another --data-dir."
        ) from taken
    try:
        yield
    finally:
        os.close(descriptor)


def keep_new_files_private() -> None:
    """Make files that this process creates from now on unreadable to other users."""
    os.umask(_OTHERS)


def make_private(folder: Path) -> None:
    """Create the folder if it is missing; take away other users' access to it and its files, and log that."""
    folder.mkdir(parents=True, exist_ok=True)
    # only direct children: nobody else can enter a closed folder
    open_ones = [path for path in (folder, *folder.iterdir()) if _is_open(path)]
    for path in open_ones:
        path.chmod(path.stat().st_mode & ~_OTHERS)
    if open_ones:
        names = ", ".join(sorted(str(path) for path in open_ones))
        _log.warning("closed the data folder to other users", mended=names)


def _is_open(path: Path) -> bool:
    """Whether other users may access a file or folder of ours; links are left alone."""
    if path.is_symlink():
        return False
    found = path.stat()
    return bool(found.st_mode & _OTHERS) and found.st_uid == os.geteuid()
