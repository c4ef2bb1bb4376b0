"""What templates and expressions refer to: variables, params, and the outputs of a run, limited in size."""

import asyncio
import re
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import orjson
from msgspec import Raw

from pagehand.blocks import Registry
from pagehand.checks.workflow import used_params
from pagehand.clock import now_ms, to_iso
from pagehand.engine.run.files import ExecutionFiles
from pagehand.errors import LimitReached
from pagehand.loop import LARGE_VALUES, retry_while_unavailable, without_blocking
from pagehand.records import Execution, Json, OutputPiece, WorkflowVersion
from pagehand.secrets.redactor import Redactor
from pagehand.storage.events import OutputStore
from pagehand.workflow import tree
from pagehand.workflow.json_values import made_storable
from pagehand.workflow.refusals import nearest
from pagehand.workflow.tree import Envelope

_MAX_COMPARED: Final = 50
"""Comparing names takes time; a sheet may have hundreds of columns that nothing uses."""
_WRITE_SECONDS: Final = 1.0
_REWRITE_SECONDS: Final = 10.0
_AT_ONCE_BYTES: Final = 4 * 1024 * 1024
"""About so much is redacted, encoded and written at once."""


class Scope:
    """The variables of one run; each round of a loop sees them through its own `Frame`."""

    def __init__(
        self,
        execution: Execution,
        blocks: Iterable[Envelope],
        parameters: Iterable[Json] = (),
        secret_params: Mapping[str, Any] | None = None,
    ) -> None:
        defaults = {
            parameter["name"]: parameter["default"]
            for parameter in parameters
            if parameter.get("default") is not None
        }
        self.params = {**defaults, **execution.params, **(secret_params or {})}
        # a block that exists but has not run reads as null, so every reference is there from the start
        self.outputs: Json = {inner.block_reference_id: None for block in blocks for inner in block.walk()}
        self.login: Json | None = None
        self.login_placeholders: Json | None = None
        """The same with placeholders for the secrets, for fields that are typed or sent as auth."""
        self.execution = {
            "id": execution.id,
            "name": execution.name,
            "isTest": execution.is_test,
            "attempt": execution.attempts,
            "workflow": {"id": execution.workflow_id, "name": execution.workflow_name},
        }

    def add_blocks(self, blocks: Iterable[Envelope]) -> None:
        """Make these blocks known to templates; they read as null until they run."""
        for block in blocks:
            for inner in block.walk():
                self.outputs.setdefault(inner.block_reference_id, None)

    def clear_outputs(self, blocks: Iterable[Envelope]) -> None:
        """Let these blocks read as null again, because they are not run this time."""
        for block in blocks:
            for inner in block.walk():
                self.outputs[inner.block_reference_id] = None


class Frame:
    """Where blocks put their outputs: the whole run or one round of a loop, with the round's own names."""

    def __init__(
        self,
        scope: Scope,
        outputs: Json,
        names: Mapping[str, Any],
        path: Sequence[str | int] | None = (),
    ) -> None:
        """`path` says where `outputs` is in the response; None for what is not part of it."""
        self.scope = scope
        self.outputs = outputs
        self.path = path
        self._round_names = names

    def round(
        self, outputs: Json, names: Mapping[str, Any], path: Sequence[str | int] | None = None
    ) -> "Frame":
        """The frame of a round within this one; outer names stay visible unless hidden by the same name."""
        full_path = None if path is None or self.path is None else (*self.path, *path)
        return Frame(self.scope, outputs, {**self._round_names, **names}, full_path)

    def keep(self, reference: str, value: Any, shown: Any) -> None:
        """Set the output of a block, as templates see it and as the response shows it."""
        self.outputs[reference] = shown
        self.scope.outputs[reference] = value

    def names(self) -> Json:
        """All names as of now, without secrets; call once per block, so that `now` stays the same."""
        scope = self.scope
        names: Json = {
            "params": scope.params,
            "blocks": scope.outputs,
            "execution": scope.execution,
            "now": to_iso(now_ms()),
            **self._round_names,
        }
        if scope.login is not None:
            names["login"] = scope.login
        return names


RunSequence = Callable[[list[Envelope], Frame], Awaitable[None]]
"""Runs blocks in order, from the start block on when the run begins among them."""
RunStep = Callable[[Envelope, Mapping[str, Any], Frame], Awaitable[Any]]
"""Runs a block that is not part of the workflow, as a step of another; returns its output."""


class WalkState:
    """Where a run still has to begin, and which blocks are steps of others."""

    def __init__(self, start_path: list[str]) -> None:
        """`start_path` leads to the start block: ids of the blocks around it, and its own."""
        self.start_path = start_path
        self.steps: set[str] = set()

    def is_step(self, envelope: Envelope) -> bool:
        """True for a block that an agent runs; nothing is remembered of those."""
        return envelope.id in self.steps

    def start_within(self, envelope: Envelope) -> str | None:
        """The sequence of `envelope` in which the run is still to begin."""
        if not self.start_path:
            return None
        first = self.start_path[0]
        names = (name for name, blocks in envelope.sequences.items() if any(b.id == first for b in blocks))
        return next(names, None)


def mistyped_params(execution: Execution, version: WorkflowVersion, kinds: Registry) -> list[str]:
    """One sentence for each; other parameters that nothing uses, such as a sheet's columns, are harmless."""
    declared = {str(parameter["name"]) for parameter in version.parameters}
    undeclared = [name for name in execution.params if name not in declared]
    if not undeclared:
        return []
    # most undeclared ones are used all the same: their templates are found without reading any
    written = orjson.dumps([version.blocks, version.output]).decode()
    named = set(re.findall(r"\bparams\.([\w-]+)", written))
    unused = [name for name in undeclared if name not in named]
    if not unused:
        return []
    used = {*used_params(tree.from_json(version.blocks), kinds, version.output)}
    missing = sorted((used | declared) - execution.params.keys())
    meant = {name: nearest(name, missing) for name in unused[:_MAX_COMPARED] if name not in used}
    return [
        f"The parameter `{name}` was given and nothing uses it; did you mean `{other}`?"
        for name, other in meant.items()
        if other is not None
    ]


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
