"""Temporary files and folders that name their process, so that those of dead processes can be removed.

A killed process cannot clean up, so the next one that starts on the machine does. The name holds the process
id and its start time: process ids are reused, and in containers they are always the same ones.
"""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_PREFIX: Final = "pagehand-"
_TRIES: Final = 20
_PAUSE_SECONDS: Final = 0.1


def prefix(kind: str) -> str:
    """The prefix of temporary files of this process."""
    return f"{_PREFIX}{kind}-{_process_mark(os.getpid())}-"


def remove_orphans() -> None:
    """Remove what ended processes have left behind."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*.*-*"):
        pid, _, started = path.name.removeprefix(_PREFIX).split("-")[1].partition(".")
        if pid.isdigit() and started.isdigit() and _process_mark(int(pid)) != f"{pid}.{started}":
            with suppress(OSError):  # it belongs to another user, or another starting process has removed it
                remove(path)


def remove(path: Path) -> None:
    """Remove a file, or a folder into which a killed browser may still write for a moment."""
    if path.lstat().st_uid != os.geteuid():
        return
    for _ in range(_TRIES):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        if not path.exists():
            return
        time.sleep(_PAUSE_SECONDS)


def _process_mark(pid: int) -> str:
    """A process's id and start time; empty when it has ended, with 0 where start times are not known."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
        return f"{pid}.{after_name.split()[19]}"
    except OSError:
        return f"{pid}.0" if _is_running(pid) and not Path("/proc/self").exists() else ""


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
