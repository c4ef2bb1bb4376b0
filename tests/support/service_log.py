"""Faults of our own in logs of services that tests start: answers of 500, bugs, tracebacks, held loops."""

import re
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Any

import orjson

from pagehand.testing import standstills

HELD = "something held the event loop"
_PLAIN_FAULT = re.compile(r"Traceback \(most recent call last\)|\S+ \S+ (?:ERROR|CRITICAL) ")
_SERVER_ERROR, _UNAVAILABLE = 500, 503
_HELD_SECONDS = 0.3
"""Processor time that fails a test; twice what was measured, as a core that is shared may count double."""
_read_until: dict[Path, int] = {}


def watch(log: Path) -> None:
    """Look for faults in this log after every test from now on."""
    _read_until.setdefault(log, 0)


def new_faults() -> list[str]:
    """Lines with faults that were written since the last call, each with the lines of its traceback."""
    faults: list[str] = []
    for log in _read_until:
        lines = _new_lines(log)
        for at, line in enumerate(lines):
            if _is_fault(line):
                frames = list(takewhile(lambda after: after.startswith(" "), lines[at + 1 :]))
                # the line after the frames of a traceback says what was raised
                raised = lines[at + 1 + len(frames) :][:1] if frames else []
                faults.append("\n".join([line[-3000:], *frames[-60:], *raised]))
    return faults


def held_seconds(entry: dict[str, Any]) -> float:
    """How long something held the event loop, without the time in which the machine stood still."""
    end = datetime.fromisoformat(entry["timestamp"]).timestamp()
    return entry["seconds"] - standstills.seconds_between(end - 2 * entry["seconds"], end)


def _new_lines(log: Path) -> list[str]:
    content = log.read_bytes() if log.exists() else b""
    start = _read_until[log]
    # a worker that is started again begins its log anew; a line that is being written is read the next time
    new = content[start if start <= len(content) else 0 :].rpartition(b"\n")[0]
    _read_until[log] = (start if start <= len(content) else 0) + len(new)
    return new.decode(errors="replace").splitlines()


def _is_fault(line: str) -> bool:
    if not line.startswith("{"):
        return _PLAIN_FAULT.match(line) is not None
    try:
        entry = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False  # printed by a command for programs, or cut off by a kill
    # 503 is how a service says that its database is away or that it is full
    # a client that went away before its answer has no status
    status = (entry.get("status") or 0) if entry.get("event") == "request" else 0
    is_server_error = status >= _SERVER_ERROR and status != _UNAVAILABLE
    is_held = entry.get("event") == HELD and held_seconds(entry) > _HELD_SECONDS
    return is_server_error or is_held or entry.get("level") in {"error", "critical"}
