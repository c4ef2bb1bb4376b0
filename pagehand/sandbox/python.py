"""Runs user Python, data in and data out: a subset, in workers without files, network or environment.

Modules the subset knows are listed in `AVAILABLE_MODULES`.
"""

import asyncio
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from pydantic_monty import (
    AsyncMonty,
    CollectString,
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    MontySyntaxError,
    ResourceLimits,
)

from pagehand.errors import BlockFailed, LimitReached, TimedOut, WorkflowError
from pagehand.records import Json
from pagehand.sandbox.program import AVAILABLE_MODULES, Kind, Program, check_syntax, write_program
from pagehand.sandbox.workers import Isolation, Workers

__all__ = ["AVAILABLE_MODULES", "PythonSandbox", "check_syntax"]

_LONG_NUMBER = re.compile(r"\d{19}")
_QUICKLY_READ = 2_000
"""Characters of code that are read within about a millisecond."""
_UNSUPPORTED = re.compile(r"^The monty syntax parser does not (?:yet )?support (.*)$", re.DOTALL)


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
        # Running, sleeping and the worker's own grace can add up; past that it hangs.
        self._workers = Workers(
            processes=processes, memory_bytes=memory_bytes, backstop_seconds=2 * seconds + 2
        )
        self._pool: AsyncMonty | None = None
        self._starting = asyncio.Lock()

    @property
    def isolation(self) -> Isolation:
        """What holds the workers, known once started."""
        return self._workers.isolation

    async def start(self) -> None:
        """Get ready ahead of the first call, which would otherwise do it."""
        await self._ready()

    async def close(self) -> None:
        """End all workers; nothing is left behind."""
        async with self._starting:
            self._pool = None
            await self._workers.close()

    async def evaluate(self, expression: str, names: Mapping[str, Any]) -> Any:
        """The value of a Python expression over `names`."""
        return await self._run(await _write(expression, "expression", 0, names), (), names)

    async def call(self, code: str, arguments: Sequence[Any], names: Mapping[str, Any]) -> Any:
        """Run code; the result of its `main`, else of its last function that fits, else its last value."""
        return await self._run(await _write(code, "code", len(arguments), names), arguments, names)

    async def _ready(self) -> AsyncMonty:
        if self._pool is None:
            async with self._starting:
                if self._pool is None:
                    self._pool = await self._workers.start()
        return self._pool

    async def _run(self, program: Program, arguments: Sequence[Any], names: Mapping[str, Any]) -> Any:
        text = _to_json(
            {"names": {name: names[name] for name in program.names}, "arguments": list(arguments)}
        )
        pool = await self._ready()
        limits = ResourceLimits(
            max_feed_duration_secs=self._seconds,
            max_total_sleep_secs=self._seconds,
            max_memory=self._memory_bytes,
        )
        printed = CollectString(max_bytes=self._output_bytes)
        try:
            async with pool.checkout(limits=limits) as session:
                answer = await session.feed_run(
                    program.source, inputs={"_pagehand_text": text}, print_callback=printed
                )
        except MontyCrashedError as death:
            raise self._death(death, program.kind) from None
        except (MontyRuntimeError, MontySyntaxError) as error:
            raise self._failure(error, program, names) from None
        except MontyError as error:
            raise WorkflowError(f"The {program.kind} could not be run: {error}") from error
        return self._from_json(answer)

    def _from_json(self, answer: object) -> Any:
        if not isinstance(answer, str):
            raise WorkflowError("The result is not JSON.")
        if len(answer) > self._output_bytes:
            raise LimitReached(f"The result is larger than {_megabytes(self._output_bytes)}; return less.")
        try:
            # orjson turns whole numbers beyond 64 bits into floats, which lose their last digits
            if _LONG_NUMBER.search(answer):
                return json.loads(answer, parse_float=_finite, parse_constant=_finite)
            return orjson.loads(answer)
        except (ValueError, RecursionError) as error:
            raise WorkflowError(f"The result is not JSON: {error}") from None

    def _death(self, death: MontyCrashedError, kind: Kind) -> BlockFailed:
        if death.timed_out:
            return TimedOut(f"The {kind} ran longer than {self._seconds:g} s and was stopped.")
        return LimitReached(
            f"The {kind} brought its worker down; it may nest too deeply or need too much memory."
        )

    def _failure(
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
        # the last line is ours: it writes the result as JSON
        if positions and positions[-1][0] == program.last_line:
            return WorkflowError(f"The result is not JSON: {message}")
        if unsupported := _UNSUPPORTED.match(message):
            what = f"the sandbox's subset of Python does not support {unsupported[1]}"
        else:
            what = f"{kind}: {message}" if message else kind
        if kind == "NameError":
            what += f" (there is: {', '.join(sorted(names))})"
        line = program.user_line(positions) if program.kind == "code" else None
        where = f" in line {line}" if line else ""
        return WorkflowError(f"The {program.kind} failed{where}: {what}")


async def _write(code: str, kind: Kind, arguments: int, names: Mapping[str, Any]) -> Program:
    """Write the program; long code takes so long to read that others must not wait for it."""
    if len(code) <= _QUICKLY_READ:
        return write_program(code, kind, arguments, names)
    return await asyncio.to_thread(write_program, code, kind, arguments, names)


def _to_json(given: Json) -> str:
    """Only JSON crosses: anything else among the names is refused here."""
    plain = (
        orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
    )
    try:
        return orjson.dumps(given, option=plain).decode()
    except TypeError:  # whole numbers beyond 64 bits are JSON too
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
