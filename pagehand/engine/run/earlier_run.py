"""What an earlier run left, for a run that starts in the middle: cookies, storage, address and outputs."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from pagehand.browser import BrowserSession
from pagehand.engine.run.scope import Frame
from pagehand.engine.run.services import RunServices
from pagehand.errors import BlockFailed, PagehandError
from pagehand.logins.saved_sessions import SessionState, read_whole_state, restored_session
from pagehand.loop import LARGE_VALUES
from pagehand.records import Execution, Json, is_array, is_object
from pagehand.workflow import tree
from pagehand.workflow.tree import Envelope

_STATE_NAME: Final = "browser-state"
_KEEP_SECONDS: Final = 5.0


@dataclass(slots=True, frozen=True)
class EarlierRun:
    """What is taken over from a finished run, as it was before a block."""

    execution: Execution
    state: SessionState | None
    """The browser's cookies and storage; None when they were not kept."""
    url: str | None
    outputs: Json

    async def restore_page(self, session: BrowserSession) -> None:
        """Put the cookies and the storage into the browser, and open the address."""
        async with session.guard("restore the cookies of the earlier run"):
            if self.state is None:
                await self._open(session)
            else:
                async with restored_session(session.context, self.state):
                    await self._open(session)

    async def _open(self, session: BrowserSession) -> None:
        if self.url is not None:
            await session.goto(self.url, allow_error_status=True)

    async def restore_outputs(self, services: RunServices, frame: Frame, start_id: str) -> int:
        """Let blocks that are not run read as in the earlier run; how many do."""
        top = {block.block_reference_id for block in services.blocks}
        found = dict(_outputs_before(services.blocks, tree.path_to(services.blocks, start_id), self.outputs))
        for reference, value in found.items():
            if reference in top:
                await services.outputs.keep(frame, reference, value)
            else:
                services.scope.outputs[reference] = value
        return len(found)


async def keep_browser_state(services: RunServices) -> None:
    """Keep the browser's cookies and storage, encrypted, beside the pictures of the run."""
    session = services.browser.session
    if session is None or session.lost.done():
        return
    # a page that hangs, or a full disk, costs a later run its session and this one nothing
    with suppress(TimeoutError, PagehandError):
        async with asyncio.timeout(_KEEP_SECONDS), session.guard():
            state = await read_whole_state(session.context)
        sealed = services.shared.secret_params.seal(services.execution, {"state": state})
        await services.files.put_picture(_STATE_NAME, sealed.encode())


async def read_earlier_run(services: RunServices, execution_id: str, start_id: str) -> EarlierRun:
    """What a run left before the block `start_id`."""
    stores, organization_id = services.shared.stores, services.execution.organization_id
    earlier = await stores.executions.get(organization_id, execution_id)
    if earlier is None:
        raise BlockFailed(f"The execution `{execution_id}` to continue from is gone.")
    return EarlierRun(
        earlier,
        await _kept_state(services, earlier),
        await stores.events.url_before(earlier.organization_id, earlier.id, start_id),
        await LARGE_VALUES.run(outputs_of, earlier),
    )


async def _kept_state(services: RunServices, earlier: Execution) -> SessionState | None:
    try:
        sealed = await services.shared.file_bytes.read(
            f"{earlier.organization_id}/{earlier.id}/{_STATE_NAME}"
        )
        kept = services.shared.secret_params.open(replace(earlier, secret_params=sealed.decode()))
    # never kept, or sealed with a master key that was replaced since
    except PagehandError:
        return None
    return kept["state"]


def outputs_of(earlier: Execution) -> Json:
    """The outputs by reference: the context has those of all blocks, but not the largest."""
    response: Json = msgspec.json.decode(earlier.response or b"{}")
    context: Json = msgspec.json.decode(earlier.context or b"{}")
    return {**response, **context.get("blocks", {})}


def _outputs_before(
    blocks: Sequence[Envelope], path: Sequence[str], known: Json
) -> Iterator[tuple[str, Any]]:
    """The outputs of the blocks before the one that `path` leads to."""
    for block in blocks:
        if path and block.id == path[0]:
            for children in block.sequences.values():
                if any(child.id in path[1:2] for child in children):
                    yield from _outputs_before(
                        children, path[1:], _first_round(known, block.block_reference_id)
                    )
            return
        for inner in block.walk():
            if known.get(inner.block_reference_id) is not None:
                yield inner.block_reference_id, known[inner.block_reference_id]


def _first_round(known: Json, reference: str) -> Json:
    """Outputs of the blocks of a container: a loop starts again with its first round."""
    rounds = known.get(reference)
    if not is_array(rounds):
        return known
    return rounds[0] if rounds and is_object(rounds[0]) else {}
