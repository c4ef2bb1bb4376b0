"""The outputs of a run: made storable, limited in size, and written to the store while it runs."""

import asyncio
from collections import Counter, deque
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import orjson
from msgspec import Raw

from pagehand.cooperative import LARGE_VALUES, without_blocking
from pagehand.engine.run.files import ExecutionFiles
from pagehand.engine.run.scope import Frame, Scope
from pagehand.errors import LimitReached
from pagehand.loop import retry_while_unavailable
from pagehand.records import Execution, Json, OutputPiece
from pagehand.secrets.redactor import Redactor
from pagehand.storage.outputs import OutputStore
from pagehand.workflow.json_values import made_storable

_WRITE_SECONDS: Final = 1.0
_REWRITE_SECONDS: Final = 10.0
_AT_ONCE_BYTES: Final = 4 * 1024 * 1024
"""About so much is redacted, encoded and written at once."""


class Outputs:
    """The outputs of one run."""

    def __init__(
        self,
        execution: Execution,
        store: OutputStore,
        files: ExecutionFiles,
        redactor: Redactor,
        *,
        max_bytes: int,
        max_value_bytes: int,
    ) -> None:
        """`max_bytes` bounds all of them together; a value over `max_value_bytes` becomes a file."""
        self._execution = execution
        self._store = store
        self._files = files
        self._redactor = redactor
        self._max_bytes = max_bytes
        self._max_value_bytes = max_value_bytes
        self.response: Json = {}
        """All outputs, keyed by the blocks' references."""
        self.size = 0
        """Its size in bytes of JSON."""
        self._sizes = Counter[str | int]()
        """The bytes of JSON below each reference of the response."""
        self._in_files: dict[str, Json] = {}
        self._pending: deque[tuple[OutputPiece, int]] = deque()
        """Pieces to write, with their sizes."""
        self._written = 0
        self._secrets = 0
        self._next_rewrite_at = 0.0
        self._writer: asyncio.Task[None] | None = None

    async def keep(self, frame: Frame, reference: str, value: Any) -> None:
        """Keep the output of a block; templates see all of it, the response a file where it is large."""
        value, size = await without_blocking(lambda value: self._made_storable(reference, value), value)
        shown = value
        # a block in a loop may return a large value in one round and a small one in the next
        self._in_files.pop(reference, None)
        if size > self._max_value_bytes:
            shown = self._in_files[reference] = await self._save(reference, value)
            size = len(orjson.dumps(shown))
        self._subtract(frame, reference)
        self._count(frame, reference, size)
        frame.keep(reference, value, shown)
        self._record(frame, reference, shown, size)

    def begin_list(self, frame: Frame, reference: str, values: list[Any]) -> None:
        """Show a list before its block is done; its items are kept as they come."""
        self._subtract(frame, reference)
        frame.keep(reference, values, values)
        self._record(frame, reference, list(values), 0)

    def replace_item(self, frame: Frame, reference: str, position: int, value: Any) -> Any:
        """Replace one item of a list; the value as it is kept."""
        value, size = self._made_storable(reference, value)
        self._count(frame, reference, size)
        if frame.path is not None:
            self._add(OutputPiece(path=[*frame.path, reference, position], value=value), size)
        return value

    def shown_in_context(self, scope: Scope) -> Json:
        """The outputs as the execution's context shows them."""
        return {**scope.outputs, **self._in_files}

    async def close(self) -> None:
        """Stop writing: the final state has all outputs."""
        self._pending.clear()
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.wait([self._writer])

    def _made_storable(self, reference: str, value: Any) -> tuple[Any, int]:
        try:
            return made_storable(value, most_bytes=self._max_bytes)
        except LimitReached as error:
            raise LimitReached(f"The output of `{reference}` cannot be kept. {error.message}") from None

    def _subtract(self, frame: Frame, reference: str) -> None:
        """Subtract what a new output replaces: a live session runs blocks again."""
        if frame.path == ():
            self.size -= self._sizes.pop(reference, 0)

    def _count(self, frame: Frame, reference: str, size: int) -> None:
        if self.size + size > self._max_bytes:
            raise LimitReached(
                f"The outputs have more than {self._max_bytes:,} bytes in all, which is the limit. "
                "Return less, write it to files, or have the operator raise `PAGEHAND_MAX_OUTPUT_BYTES`."
            )
        self.size += size
        self._sizes[(*(frame.path or ()), reference)[0]] += size

    async def _save(self, reference: str, value: Any) -> Json:
        content = await LARGE_VALUES.run(lambda: orjson.dumps(self._redactor.value(value)))
        info = await self._files.save(f"{reference}.json", "application/json", content)
        return self._files.describe(info)

    def _record(self, frame: Frame, reference: str, value: Any, size: int) -> None:
        if frame.path is not None:
            self._add(OutputPiece(path=[*frame.path, reference], value=value), size)

    def _add(self, piece: OutputPiece, size: int) -> None:
        self._pending.append((piece, size))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_soon())

    async def _write_soon(self) -> None:
        """Write new outputs about once a second, so that they survive this process."""
        while self._pending:
            # fast blocks must not cause a transaction each
            await asyncio.sleep(_WRITE_SECONDS)
            if everything := self._rewrite_everything():
                self._pending.clear()
                await self._write(everything)
            while self._pending:
                await self._write(self._next_pieces())

    def _next_pieces(self) -> list[OutputPiece]:
        pieces: list[OutputPiece] = []
        size = 0
        while self._pending and (not pieces or size + self._pending[0][1] <= _AT_ONCE_BYTES):
            piece, piece_size = self._pending.popleft()
            pieces.append(piece)
            size += piece_size
        return pieces

    async def _write(self, unredacted: Sequence[OutputPiece]) -> None:
        # in a thread: redacting and encoding megabytes would block the event loop
        pieces = await LARGE_VALUES.run(self._redact, unredacted)
        # positions are counted here, so that a write whose answer was lost is recognized by its key
        execution, first = self._execution, self._written
        self._written += len(pieces)
        await retry_while_unavailable(lambda: self._store.add(execution.id, execution.fence, first, pieces))

    def _redact(self, pieces: Sequence[OutputPiece]) -> list[OutputPiece]:
        return [OutputPiece(path=piece.path, value=self._redacted_json(piece.value)) for piece in pieces]

    def _redacted_json(self, value: Any) -> Raw:
        plain = orjson.loads(memoryview(value)) if isinstance(value, Raw) else value
        return Raw(orjson.dumps(self._redactor.value(plain)))

    def _rewrite_everything(self) -> list[OutputPiece]:
        """All outputs as one piece, when a secret was added since: it may be in what was written before."""
        now = asyncio.get_running_loop().time()
        if self._redactor.count == self._secrets or not self._written or now < self._next_rewrite_at:
            return []
        # a run may add a secret with every code it types, so this happens every 10 s at most
        self._secrets, self._next_rewrite_at = self._redactor.count, now + _REWRITE_SECONDS
        # as text, because the walk changes the response while the thread reads it
        return [OutputPiece(path=[], value=Raw(orjson.dumps(self.response)))]


def assemble_response(pieces: Sequence[OutputPiece]) -> Json:
    """The response, from its pieces in the order in which they were written."""
    root: Json = {"response": {}}
    for piece in pieces:
        path: list[str | int] = ["response", *piece.path]
        place: Any = root
        for step, following in pairwise(path):
            place = _at(place, step, [] if isinstance(following, int) else {})
        _at(place, path[-1], {})
        place[path[-1]] = piece.value
    response = root["response"]
    return response if isinstance(response, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON


def _at(place: Any, step: str | int, missing: Any) -> Any:
    """One step down; `missing` is added where nothing is: rounds without output are not written."""
    if isinstance(step, int):
        while len(place) <= step:
            place.append({})
    elif place.get(step) is None:
        place[step] = missing
    return place[step]
