"""Notices when the machine itself stood still: a virtual core that its host did not run for a while.

Whatever ran on such a core looks as if it had taken all that time, in processor time too. So a small process
on each core sleeps and writes down when it woke up late although no other program was in its way; tests that
judge a service by time leave these moments out.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

_FOLDER = "STANDSTILLS_FOLDER"
_PAUSE_SECONDS = 0.01
_LATE_SECONDS = 0.03


@contextlib.contextmanager
def watched() -> Generator[list[int]]:
    """Within, in this process and in those it starts, standstills are known. The watchers' process ids."""
    with tempfile.TemporaryDirectory() as folder:
        outer = os.environ.get(_FOLDER, "")
        os.environ[_FOLDER] = folder
        cores = sorted(os.sched_getaffinity(0))
        program = [sys.executable, "-S", "-E", __file__]
        watchers = [subprocess.Popen([*program, str(core), folder]) for core in cores]  # noqa: S603 - this file
        try:
            yield [watcher.pid for watcher in watchers]
        finally:
            os.environ[_FOLDER] = outer
            for watcher in watchers:
                watcher.terminate()
                watcher.wait()


def seconds_between(start: float, end: float) -> float:
    """How long cores stood still between these times (of `time.time`), added up."""
    folder = os.environ.get(_FOLDER)
    lines = [line for file in Path(folder).iterdir() for line in _lines(file)] if folder else []
    return sum(max(0.0, min(end, ended) - max(start, began)) for began, ended in lines)


def _lines(file: Path) -> list[tuple[float, float]]:
    found = (line.split() for line in file.read_text("ascii").splitlines())
    return [(float(began), float(ended)) for began, ended in found]


def _watch(core: int, folder: Path) -> None:
    os.sched_setaffinity(0, {core})
    parent = os.getppid()
    with (folder / str(core)).open("a", buffering=1, encoding="ascii") as file:
        while os.getppid() == parent:
            began, queued = time.monotonic(), _queued_seconds()
            time.sleep(_PAUSE_SECONDS)
            late = time.monotonic() - began - _PAUSE_SECONDS - (_queued_seconds() - queued)
            if late > _LATE_SECONDS:
                file.write(f"{time.time() - late:.3f} {time.time():.3f}\n")


def _queued_seconds() -> float:
    """How long this process was ready to run while the core ran others."""
    return int(Path("/proc/self/schedstat").read_text("ascii").split()[1]) / 1e9


if __name__ == "__main__":
    _watch(int(sys.argv[1]), Path(sys.argv[2]))
