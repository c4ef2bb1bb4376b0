"""Temporary files and folders with their process in the name, so that those of dead ones can be removed.

A process that is killed cannot tidy up. The next one that starts on the machine does it: a name holds the
process's number and when it was started, because numbers are given again, in containers always the same ones.
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
    """How the name of a temporary file of this process begins."""
    return f"{_PREFIX}{kind}-{_process(os.getpid())}-"


def remove_orphans() -> None:
    """Remove what processes left that have ended."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*.*-*"):
        pid, _, started = path.name.removeprefix(_PREFIX).split("-")[1].partition(".")
        if pid.isdigit() and started.isdigit() and _process(int(pid)) != f"{pid}.{started}":
            with suppress(OSError):  # of another user, or removed by another process that starts just now
                remove(path)


def remove(path: Path) -> None:
    """Remove a file, or a folder in which a browser that was just killed may still be writing its last."""
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


def _process(pid: int) -> str:
    """A process's number and when it started; another time when it has ended, 0 where that is not known."""
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
