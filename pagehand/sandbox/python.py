"""Runs a subset of Python, JSON in and JSON out, in workers without files, network or environment."""

import asyncio
import json
import math
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import structlog
from pydantic_monty import (
    AsyncMonty,
    CollectString,
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    MontySyntaxError,
    ResourceLimits,
)

from pagehand import bubblewrap, confinement, temporary_files
from pagehand.bubblewrap import Isolation
from pagehand.errors import BlockFailed, LimitReached, TimedOut, WorkflowError
from pagehand.loop import without_blocking
from pagehand.records import Json
from pagehand.sandbox.program import INPUT_NAME, Program, write_program
from pagehand.sandbox.syntax import Kind

_LONG_NUMBER = re.compile(r"\d{19}")
_SHORT_CODE = 2_000
"""Code of up to so many characters is parsed within about a millisecond."""
_UNSUPPORTED = re.compile(r"^The monty syntax parser does not (?:yet )?support (.*)$", re.DOTALL)
_log = structlog.get_logger("pagehand.sandbox")
_PROBE_SECONDS = 30
"""Long, so that a busy machine does not end with less isolation than it could have."""
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")
_ADDRESS_SPACE_BESIDE_HEAP = 512 * 1024 * 1024
"""What a worker needs for its own code and stacks."""


class PythonSandbox:
    """Evaluates expressions and calls functions that users wrote; see `pagehand.ports.Sandbox`."""

    def __init__(
        self,
        *,
        processes: int = 2,
        seconds: float = 5,
        memory_bytes: int = 128 * 1024 * 1024,
        output_bytes: int = 5 * 1024 * 1024,
    ) -> None:
        self._seconds = seconds
        self._memory_bytes = memory_bytes
        self._output_bytes = output_bytes
        # running, sleeping and the worker's own grace period can add up; after that the worker hangs
        self._workers = Workers(
            processes=processes, memory_bytes=memory_bytes, backstop_seconds=2 * seconds + 2
        )
        self._pool: AsyncMonty | None = None
        self._starting = asyncio.Lock()

    @property
    def isolation(self) -> Isolation:
        """How the workers are isolated; known after `start`."""
        return self._workers.isolation

    async def start(self) -> None:
        """Start the workers before the first call, which would otherwise do it."""
        await self._started_pool()

    async def close(self) -> None:
        """End all workers and delete their files."""
        async with self._starting:
            self._pool = None
            await self._workers.close()

    async def evaluate(self, expression: str, names: Mapping[str, Any]) -> Any:
        """The value of a Python expression over `names`."""
        return await self._run(await _write_program(expression, "expression", 0, names), (), names)

    async def call(self, code: str, arguments: Sequence[Any], names: Mapping[str, Any]) -> Any:
        """Run code; the result of its `main`, else of its last function that fits, else its last value."""
        return await self._run(await _write_program(code, "code", len(arguments), names), arguments, names)

    async def _started_pool(self) -> AsyncMonty:
        if self._pool is None:
            async with self._starting:
                if self._pool is None:
                    self._pool = await self._workers.start()
        return self._pool

    async def _run(self, program: Program, arguments: Sequence[Any], names: Mapping[str, Any]) -> Any:
        # only what the code uses: in a loop, the outputs of all rounds so far would cross in each of them
        used = {name: names[name] for name in program.names}
        given = {"names": used, "arguments": list(arguments[: program.takes])}
        text = await without_blocking(_to_json, given)
        pool = await self._started_pool()
        limits = ResourceLimits(
            max_feed_duration_secs=self._seconds,
            max_total_sleep_secs=self._seconds,
            max_memory=self._memory_bytes,
        )
        printed = CollectString(max_bytes=self._output_bytes)
        try:
            async with pool.checkout(limits=limits) as session:
                answer = await session.feed_run(
                    program.source, inputs={INPUT_NAME: text}, print_callback=printed
                )
        except MontyCrashedError as crash:
            raise self._crash_error(crash, program.kind) from None
        except (MontyRuntimeError, MontySyntaxError) as error:
            raise self._code_error(error, program, names) from None
        except MontyError as error:
            raise WorkflowError(f"The {program.kind} could not be run: {error}") from error
        return await without_blocking(self._from_json, answer)

    def _from_json(self, answer: object) -> Any:
        if not isinstance(answer, str):
            raise WorkflowError("The result is not JSON.")
        if len(answer) > self._output_bytes:
            raise LimitReached(f"The result is larger than {_megabytes(self._output_bytes)}; return less.")
        try:
            # orjson reads integers beyond 64 bits as floats, which lose their last digits
            if _LONG_NUMBER.search(answer):
                return json.loads(answer, parse_float=_finite, parse_constant=_finite)
            return orjson.loads(answer)
        except (ValueError, RecursionError) as error:
            raise WorkflowError(f"The result is not JSON: {error}") from None

    def _crash_error(self, crash: MontyCrashedError, kind: Kind) -> BlockFailed:
        if crash.timed_out:
            return TimedOut(f"The {kind} ran longer than {self._seconds:g} s and was stopped.")
        return LimitReached(
            f"The {kind} brought its worker down; it may nest too deeply or need too much memory."
        )

    def _code_error(
        self, error: MontyRuntimeError | MontySyntaxError, program: Program, names: Mapping[str, Any]
    ) -> BlockFailed:
        positions = [(frame.line, frame.column) for frame in error.traceback()]
        kind, message = type(error.exception()).__name__, error.display("msg")
        if kind == "TimeoutError" and "limit exceeded" in message:
            return TimedOut(f"The {program.kind} ran longer than {self._seconds:g} s and was stopped.")
        if kind == "MemoryError" and message.endswith(f"> {self._output_bytes} bytes"):
            return LimitReached(f"The {program.kind} printed more than {_megabytes(self._output_bytes)}.")
        if kind == "MemoryError":
            return LimitReached(
                f"The {program.kind} needs more than {_megabytes(self._memory_bytes)} of memory."
            )
        # the last line is not the user's: it writes the result as JSON
        if positions and positions[-1][0] == program.last_line:
            return WorkflowError(f"The result is not JSON: {message}")
        if unsupported := _UNSUPPORTED.match(message):
            cause = f"the sandbox's subset of Python does not support {unsupported[1]}"
        else:
            cause = f"{kind}: {message}" if message else kind
        if kind == "NameError":
            cause += f" (there is: {', '.join(sorted(names))})"
        line = program.user_line(positions) if program.kind == "code" else None
        where = f" in line {line}" if line else ""
        return WorkflowError(f"The {program.kind} failed{where}: {cause}")


async def _write_program(code: str, kind: Kind, arguments: int, names: Mapping[str, Any]) -> Program:
    """Write the program; in a thread if the code is long, because parsing would block the event loop."""
    if len(code) <= _SHORT_CODE:
        return write_program(code, kind, arguments, names)
    return await asyncio.to_thread(write_program, code, kind, arguments, names)


def _to_json(given: Json) -> str:
    """The input as JSON; anything else is refused."""
    plain = (
        orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
    )
    try:
        return orjson.dumps(given, option=plain).decode()
    except TypeError:  # orjson refuses integers beyond 64 bits, which are JSON too
        try:
            return json.dumps(given, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise WorkflowError(f"What the code is given is not JSON: {error}") from None


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"it holds {text}")
    return number


def _megabytes(number: int) -> str:
    return f"{number / 1024 / 1024:g} MB"


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
