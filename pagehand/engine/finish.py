"""Giving an execution its one final state, with everything the finished form shows."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import orjson

from pagehand.clock import now_ms
from pagehand.engine import report
from pagehand.engine.announcing import Announcing
from pagehand.engine.needs import Redactor
from pagehand.engine.parts import EngineParts
from pagehand.engine.run_files import ExecutionFiles, ended_downloads, stored_info
from pagehand.errors import Unavailable
from pagehand.records import Execution, Json, Status

_T = TypeVar("_T")
_LONGEST_PAUSE_SECONDS = 5.0


@dataclass(slots=True, kw_only=True)
class Ending:
    """How a run ended; `failure` is None and `analysis` empty when it went well."""

    response: Json = field(default_factory=dict[str, Any])
    analysis: str = ""
    failure: Json | None = None
    context: Json = field(default_factory=dict[str, Any])
    downloads: Json | None = None
    blocks_run: int = 0
    remarks: Sequence[str] = ()
    """What blocks that ended well want the summary to say."""
    story: str = ""
    """What a model adds to the summary."""

    @property
    def status(self) -> Status:
        """The final status."""
        return Status.FAILED if self.analysis else Status.COMPLETED


class Finisher:
    """Writes the final state; the store's guard sees to it that this happens once."""

    def __init__(self, parts: EngineParts) -> None:
        self._parts = parts

    async def finish(
        self, execution: Execution, ending: Ending, *, fence: int | None, redactor: Redactor | None = None
    ) -> Execution | None:
        """The finished execution; None when somebody else gave it its final state or took it over."""
        hide = redactor or self._parts.new_redactor()
        end_time = max(now_ms(), execution.start_time)
        duration_ms = end_time - execution.start_time
        execution.downloads = ended_downloads(ending.downloads)
        response = hide.value(ending.response)
        analysis = hide.text(ending.analysis)
        files = ExecutionFiles(
            execution, self._parts.stores.files, self._parts.file_bytes, self._parts.describe_file
        )
        content = orjson.dumps(response, option=orjson.OPT_NON_STR_KEYS)
        info = await persistently(lambda: files.save("response.json", "application/json", content))
        text = report.summary(
            execution,
            blocks_run=ending.blocks_run,
            response=response,
            duration_ms=duration_ms,
            problem=analysis,
        )
        text = " ".join([text, *ending.remarks, ending.story]).strip()
        final: dict[str, Any] = {
            "status": ending.status,
            "end_time": end_time,
            "duration_ms": duration_ms,
            "response": response,
            "response_file": stored_info(info),
            "summary": hide.text(text),
            "error_analysis": analysis,
            "failure": hide.value(ending.failure),
            "context": hide.value(ending.context),
            "downloads": execution.downloads,
        }
        announcing = Announcing(self._parts.announcer)
        news = await persistently(lambda: announcing.finished(execution, final))
        executions = self._parts.stores.executions
        written = await persistently(lambda: executions.finish(execution.id, fence, **final, news=news))
        if news is not None:
            announcing.wake()
        return await persistently(lambda: executions.find(execution.id)) if written else None


async def persistently(call: Callable[[], Awaitable[_T]]) -> _T:
    """Call until the store is reachable: a database that goes away must not strand an execution."""
    pause = 0.1
    while True:
        try:
            return await call()
        except Unavailable:
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
