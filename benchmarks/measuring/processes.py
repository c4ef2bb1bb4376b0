"""What processes cost: CPU time, also of those that have ended, and memory. Reads Linux's /proc."""

import contextlib
import ctypes
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

_SET_CHILD_SUBREAPER = 36
_PROGRAMS = Path(__file__).parent.parent
_TICKS = os.sysconf("SC_CLK_TCK")
_QUIET_SECONDS, _QUIET_CPU, _LONGEST_SECONDS = 0.6, 0.04, 30.0
_CALM_LOOKS = 2
_started: set[int] = set()


def adopt_orphans() -> None:
    """Make what browsers leave behind when they end ours, so that its time is counted too."""
    if ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot adopt orphaned processes")


def start(
    arguments: Sequence[str], *, env: Mapping[str, str] | None = None, log: IO[Any] | int | None = None
) -> "subprocess.Popen[str]":
    """Start a Python program that is counted from now on; it talks over pipes unless a log is given."""
    command = [sys.executable, *arguments]
    talk = subprocess.PIPE if log is None else subprocess.DEVNULL
    process = subprocess.Popen(  # noqa: S603 - our own command
        command,
        cwd=_PROGRAMS,
        env={**(os.environ if env is None else env), "PYTHONDONTWRITEBYTECODE": ""},  # as for most people
        stdin=talk,
        stdout=subprocess.PIPE if log is None else log,
        stderr=log,
        text=True,
    )
    _started.add(process.pid)
    return process


def cpu_seconds() -> float:
    """CPU time of everything this program has started so far."""
    _reap_orphans()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime + sum(_ticks(pid) for pid in below(os.getpid())) / _TICKS


def wait_until_quiet() -> None:
    """Wait until nothing below works any more: browsers are closed, their successors are up."""
    end = time.monotonic() + _LONGEST_SECONDS
    calm = 0
    while calm < _CALM_LOOKS and time.monotonic() < end:
        before = cpu_seconds()
        time.sleep(_QUIET_SECONDS)
        calm = calm + 1 if cpu_seconds() - before < _QUIET_CPU else 0


class Costs:
    """Wall and CPU time of several ways of doing the same, measured in turns."""

    def __init__(self) -> None:
        self._wall: dict[str, list[float]] = {}
        self._cpu: dict[str, float] = {}

    def measure(self, name: str, run: Callable[[], list[float]]) -> None:
        """Do it; `run` gives the milliseconds each time took, all that it sets off counts as CPU time."""
        before = cpu_seconds()
        self._wall.setdefault(name, []).extend(run())
        wait_until_quiet()
        self._cpu[name] = self._cpu.get(name, 0.0) + cpu_seconds() - before

    def wall_ms(self) -> dict[str, float]:
        """The median of each way."""
        return {name: statistics.median(took) for name, took in self._wall.items()}

    def cpu_ms(self) -> dict[str, float]:
        """The mean of each way."""
        return {name: seconds * 1000 / len(self._wall[name]) for name, seconds in self._cpu.items()}


def below(root: int) -> list[int]:
    """Every process that descends from `root`."""
    found: list[int] = []
    todo = [root]
    while todo:
        children = _children(todo.pop())
        found += children
        todo += children
    return found


def memory_mb(root: int) -> dict[str, float]:
    """Memory of a process and all below it: `pss` shares common pages out, `rss` counts them every time."""
    pids = [root, *below(root)]
    sums = {"pss": 0, "rss": 0}
    for pid in pids:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                name, _, size = line.partition(":")
                if name.lower() in sums:
                    sums[name.lower()] += int(size.split()[0])
    return {name: round(size / 1000, 1) for name, size in sums.items()} | {"processes": len(pids)}


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def _stat(pid: int) -> list[str]:
    """The fields after the command's name: state, parent, …; empty if the process has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return []


def _ticks(pid: int) -> int:
    """Its own time and that of the children it has waited for."""
    return sum(map(int, _stat(pid)[11:15]))


def _reap_orphans() -> None:
    for pid in _children(os.getpid()):
        if pid not in _started and _stat(pid)[:1] == ["Z"]:
            os.waitpid(pid, 0)
