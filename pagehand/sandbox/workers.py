"""Starts the processes that run user code: no environment, limited memory, in bubblewrap if possible."""

import asyncio
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Literal

import structlog
from pydantic_monty import AsyncMonty

from pagehand import bubblewrap, confinement, temporary_files

_log = structlog.get_logger("pagehand.sandbox")
Isolation = Literal["bubblewrap", "process"]

_PROBE_SECONDS = 30
"""Long, so that a busy machine does not end with less isolation than it could have."""
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")
_ADDRESS_SPACE_BESIDE_HEAP = 512 * 1024 * 1024
"""What a worker needs for its own code and stacks."""


class Workers:
    """A pool of sandbox processes, between `start` and `close`."""

    def __init__(self, *, processes: int, memory_bytes: int, backstop_seconds: float) -> None:
        self._processes = processes
        self._memory_bytes = memory_bytes
        self._backstop_seconds = backstop_seconds
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._pool: AsyncMonty | None = None
        self.isolation: Isolation = "process"

    async def start(self) -> AsyncMonty:
        """Open the pool; its processes start when they are first needed."""
        launcher = await self._launcher()
        self._pool = AsyncMonty(
            binary_path=launcher,
            min_processes=0,
            max_processes=self._processes,
            request_timeout=self._backstop_seconds,
            # a new process now and then returns memory that the old one has accumulated
            max_checkouts_per_worker=1000,
        )
        return await self._pool.__aenter__()

    async def close(self) -> None:
        """End every process."""
        if self._pool is not None:
            await self._pool.__aexit__(None, None, None)
            self._pool = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    async def _launcher(self) -> Path | None:
        """A script that starts one worker; None on platforms without a shell."""
        worker = _worker_binary()
        if worker is None or sys.platform == "win32":
            return None
        # a cancelled start may have left one
        prefix = temporary_files.prefix("sandbox")
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix=prefix)
        kilobytes = (self._memory_bytes + _ADDRESS_SPACE_BESIDE_HEAP) // 1024
        # no core files: they would contain the user's data
        limits = f"ulimit -c 0\nulimit -f 0\nulimit -n 64\nulimit -v {kilobytes}\n"
        for isolation, command in _commands(worker):
            script = Path(self._folder.name) / isolation
            script.write_text(f'#!/bin/sh\n{limits}exec {command} "$@" 2>/dev/null\n')
            script.chmod(0o700)
            if await _can_start(script):
                self.isolation = isolation
                return script
            _log.warning("user code cannot be started in this way", isolation=isolation)
        return None


def _worker_binary() -> Path | None:
    beside = Path(sys.executable).parent / "monty"
    found = os.environ.get("MONTY_BIN") or (str(beside) if beside.is_file() else shutil.which("monty"))
    return Path(found).resolve() if found else None


def _commands(worker: Path) -> list[tuple[Isolation, str]]:
    """Commands that start a worker, the most isolated first."""
    program = Path(confinement.__file__).resolve()
    confined = [sys.executable, "-I", "-S", str(program), *_LIBRARIES, "--", str(worker)]
    plain: tuple[Isolation, str] = ("process", f"env -i {shlex.join(confined)}")
    wrapped = bubblewrap.wrap([str(worker)], [*_LIBRARIES, str(worker)])
    return [("bubblewrap", shlex.join(wrapped)), plain] if wrapped else [plain]


async def _can_start(script: Path) -> bool:
    """Whether the script starts a worker."""
    try:
        process = await asyncio.create_subprocess_exec(
            script, "--version", stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, env={}
        )
    except OSError:
        return False
    try:
        return await asyncio.wait_for(process.wait(), _PROBE_SECONDS) == 0
    except TimeoutError:
        return False
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
