"""What a run puts out: made storable where it enters, counted, and written down piece by piece."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import orjson

from pagehand.engine.availability import retry_while_unavailable
from pagehand.engine.run.files import ExecutionFiles
from pagehand.engine.run.scope import Frame, Scope
from pagehand.errors import LimitReached
from pagehand.records import Execution, Json, OutputPiece
from pagehand.secrets.redactor import Redactor
from pagehand.storage.outputs import OutputStore
from pagehand.workflow.json_values import made_storable

_EVERY_SECONDS: Final = 1.0
_WHOLE_EVERY_SECONDS: Final = 10.0
_LARGE_BYTES: Final = 1024 * 1024
_CONTEXT_BYTES: Final = 10 * 1024 * 1024
"""Beyond that the context leaves out large outputs: they are in the response."""


class Outputs:
    """The outputs of one run."""

    def __init__(
        self,
        execution: Execution,
        store: OutputStore,
        files: ExecutionFiles,
        redactor: Redactor,
        *,
        most_bytes: int,
        largest_bytes: int,
    ) -> None:
        """`most_bytes` bounds all of them together; a value over `largest_bytes` becomes a file."""
        self._execution = execution
        self._store = store
        self._files = files
        self._redactor = redactor
        self._most_bytes = most_bytes
        self._largest_bytes = largest_bytes
        self.response: Json = {}
        """Everything, keyed by the blocks' references."""
        self.size = 0
        """How many bytes of JSON that is."""
        self._sizes = Counter[str | int]()
        """How many bytes are below each reference of the response."""
        self._in_files: dict[str, Json] = {}
        self._pending: list[OutputPiece] = []
        self._written = 0
        self._secrets = 0
        self._whole_at = 0.0
        self._writer: asyncio.Task[None] | None = None

    async def keep(self, frame: Frame, reference: str, value: Any) -> None:
        """Note what a block put out; templates see all of it, the response a file where it is large."""
        value, size = self._made_storable(reference, value)
        shown = value
        # a loop may put out a large value in one round and a small one in the next
        self._in_files.pop(reference, None)
        if size > self._largest_bytes:
            shown = self._in_files[reference] = await self._save(reference, value)
            size = len(orjson.dumps(shown))
        self._forget_size(frame, reference)
        self._count(frame, reference, size)
        frame.keep(reference, value, shown)
        self._record(frame, reference, shown)

    def begin_list(self, frame: Frame, reference: str, values: list[Any]) -> None:
        """Show a list before its block is done; its items are noted as they come."""
        self._forget_size(frame, reference)
        frame.keep(reference, values, values)
        self._record(frame, reference, list(values))

    def replace_item(self, frame: Frame, reference: str, position: int, value: Any) -> Any:
        """Another value for one item of a list; as it is kept."""
        value, size = self._made_storable(reference, value)
        self._count(frame, reference, size)
        if frame.path is not None:
            self._add(OutputPiece(path=[*frame.path, reference, position], value=value))
        return value

    def shown_in_context(self, scope: Scope) -> Json:
        """The outputs as the variables at the end show them."""
        shown = {**scope.outputs, **self._in_files}
        if self.size <= _CONTEXT_BYTES:
            return shown
        return {reference: _shortened(value) for reference, value in shown.items()}

    async def close(self) -> None:
        """Write no more: the end has all of it."""
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.wait([self._writer])

    def _made_storable(self, reference: str, value: Any) -> tuple[Any, int]:
        try:
            return made_storable(value, most_bytes=self._most_bytes)
        except LimitReached as error:
            raise LimitReached(f"The output of `{reference}` cannot be kept. {error.message}") from None

    def _forget_size(self, frame: Frame, reference: str) -> None:
        """What is put out anew takes the place of what was there: a live session tries blocks again."""
        if frame.path == ():
            self.size -= self._sizes.pop(reference, 0)

    def _count(self, frame: Frame, reference: str, size: int) -> None:
        if self.size + size > self._most_bytes:
            raise LimitReached(
                f"The execution puts out more than {self._most_bytes:,} bytes in all, which is the limit. "
                "Put out less, write it to files, or have the operator raise `PAGEHAND_MAX_OUTPUT_BYTES`."
            )
        self.size += size
        self._sizes[(*(frame.path or ()), reference)[0]] += size

    async def _save(self, reference: str, value: Any) -> Json:
        content = orjson.dumps(self._redactor.value(value))
        info = await self._files.save(f"{reference}.json", "application/json", content)
        return self._files.describe(info)

    def _record(self, frame: Frame, reference: str, value: Any) -> None:
        if frame.path is not None:
            self._add(OutputPiece(path=[*frame.path, reference], value=value))

    def _add(self, piece: OutputPiece) -> None:
        self._pending.append(piece)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_soon())

    async def _write_soon(self) -> None:
        """Write what is new about once a second, so that it survives this process."""
        while self._pending:
            # a block a millisecond must not be a transaction a millisecond
            await asyncio.sleep(_EVERY_SECONDS)
            pieces, self._pending = self._pending, []
            # redacting megabytes takes long enough to hold up every other execution
            hidden = await asyncio.to_thread(self._hidden, self._all_again() or pieces)
            await self._write(hidden)

    async def _write(self, pieces: Sequence[OutputPiece]) -> None:
        # positions are counted here, so that a write whose answer was lost is recognized by its key
        execution, first = self._execution, self._written
        self._written += len(pieces)
        await retry_while_unavailable(lambda: self._store.add(execution.id, execution.fence, first, pieces))

    def _hidden(self, pieces: Sequence[OutputPiece]) -> list[OutputPiece]:
        return [OutputPiece(path=piece.path, value=self._redactor.value(piece.value)) for piece in pieces]

    def _all_again(self) -> list[OutputPiece]:
        """Everything, when a secret was learnt since: it may be in what was written before."""
        now = asyncio.get_running_loop().time()
        if self._redactor.count == self._secrets or not self._written or now < self._whole_at:
            return []
        # a run may learn a secret with every code it types: all of it is written again every 10 s at most
        self._secrets, self._whole_at = self._redactor.count, now + _WHOLE_EVERY_SECONDS
        # a copy of all of it, made here: a thread that reads what a loop goes on adding to fails
        return [OutputPiece(path=[], value=orjson.loads(orjson.dumps(self.response)))]


def put_together(pieces: Sequence[OutputPiece]) -> Json:
    """The response that pieces make, in the order in which they were written."""
    root: Json = {"response": {}}
    for piece in pieces:
        way: list[str | int] = ["response", *piece.path]
        place: Any = root
        for step, following in pairwise(way):
            place = _at(place, step, [] if isinstance(following, int) else {})
        _at(place, way[-1], {})
        place[way[-1]] = piece.value
    response = root["response"]
    return response if isinstance(response, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON


def _at(place: Any, step: str | int, missing: Any) -> Any:
    """One step down, `missing` where nothing is there: rounds that put nothing out were never written."""
    if isinstance(step, int):
        while len(place) <= step:
            place.append({})
    elif place.get(step) is None:
        place[step] = missing
    return place[step]


def _shortened(value: Any) -> Any:
    size = len(orjson.dumps(value))
    return value if size <= _LARGE_BYTES else f"({size:,} bytes of JSON: see `response`)"
