"""A live session: an execution that keeps its browser open and runs blocks as they are asked for.

The editor tries a block, or all blocks up to one, in the browser the person looks at. Secrets, egress and
effects are held to the same rules as in any run, because the same walk runs the blocks.
"""

import asyncio
import time
from collections.abc import Coroutine, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from pagehand.browser_session import BrowserSession, PickedElement
from pagehand.engine.availability import retry_while_unavailable
from pagehand.engine.live.control import Part, PartReport
from pagehand.engine.live.recording import RecordedBlock, Recording
from pagehand.engine.live.run import LiveRun
from pagehand.engine.reporting import report
from pagehand.engine.reporting.failure import Failure, redact_failure
from pagehand.engine.run.walk import LastBlockReached, Run
from pagehand.errors import BlockFailed, Conflict, PagehandError, TooMany, WorkerLost
from pagehand.records import Execution, Json
from pagehand.workflow import tree
from pagehand.workflow.recorded import RecordedAct

_ENDED: Final = "The live session has ended. Open a new one with `/liveSessions/open`."
BEGINS_SECONDS: Final = 30.0
"""How long what is asked of a session waits for it to have a slot."""


@dataclass(slots=True, frozen=True)
class _Request:
    part: Part
    answer: "asyncio.Future[PartReport]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class LiveSession:
    """Serves one execution until it is closed, interrupted, or nobody has used it for a while."""

    def __init__(self, run: Run, live: LiveRun) -> None:
        self._run = run
        self._services = run.services
        self._live = live
        self._idle_seconds = run.services.shared.settings.live_session_idle_seconds
        self._requests: asyncio.Queue[_Request | None] = asyncio.Queue()
        self._waiting: set[asyncio.Future[PartReport]] = set()
        self._working: asyncio.Task[Failure | None] | None = None
        self._ready = asyncio.Event()
        self._has_browser = asyncio.Event()
        self._is_closing = False
        self._has_ended = False
        self._recording = Recording()

    @property
    def execution_id(self) -> str:
        """The execution it is."""
        return self._services.execution.id

    async def serve(self) -> Json:
        """Open the browser, sign in, and do what is asked for; the response once it is over."""
        try:
            await self._run.browser.open()
            self._has_browser.set()
            await self._run.begin()
            self._ready.set()
            while (request := await self._next()) is not None:
                await self._answer(request)
            await self._run.authenticator.keep()
        finally:
            self._end()
        return self._run.response

    async def opened(self) -> None:
        """Return once there is a browser to see, or when there will be none."""
        await self._has_browser.wait()

    async def run(self, part: Part) -> PartReport:
        """Run blocks after whatever was asked for before; `Conflict` once the session has ended."""
        self._refuse_if_ended()
        request = _Request(part)
        self._waiting.add(request.answer)
        request.answer.add_done_callback(self._waiting.discard)
        self._requests.put_nowait(request)
        # a caller that goes away does not stop the blocks
        return await asyncio.shield(request.answer)

    async def pick(self, x: float, y: float, *, with_locators: bool) -> PickedElement | None:
        """The element at a point of the window and the locators that lead to it; None where nothing is."""
        session = await self._browser()
        return await session.live_view.pick(x, y, with_locators=with_locators)

    async def read(self, x: float, y: float) -> Json | None:
        """A block that reads the table or the text at a point of the window; None where nothing is."""
        session = await self._browser()
        act = await session.live_view.record_read_at(x, y)
        return None if act is None else self._block_of(act)

    async def record(self, *, is_on: bool, with_address: bool) -> None:
        """Begin or end to make blocks of what the person does on the live page."""
        screen = (await self._browser()).live_view
        if is_on:
            # blocks of an earlier recording are in the editor already
            self._recording.clear()
            await screen.record(self._recorded, with_address=with_address)
        else:
            await screen.stop_recording()

    async def recorded(self, after: int, wait_seconds: float) -> Sequence[RecordedBlock]:
        """The blocks made or changed after a revision, waited for."""
        return await self._recording.since(after, wait_seconds)

    def _recorded(self, act: RecordedAct) -> None:
        self._live.touch()
        self._recording.add(self._block_of(act), replaces_last=act.replaces_last)

    def _block_of(self, act: RecordedAct) -> Json:
        """The block that does it again, without secrets."""
        return self._services.redactor.value(self._services.shared.kinds.recorded(act))

    async def stop(self) -> bool:
        """Interrupt the blocks that run now, and keep the browser; False when none do."""
        return self._interrupt()

    async def close(self) -> None:
        """Interrupt the blocks that run now, and end well."""
        self.end()

    def end(self) -> None:
        """Interrupt the blocks that run now, and end well after that; blocks that still wait do not run."""
        self._is_closing = True
        self._requests.put_nowait(None)
        self._interrupt()

    def _interrupt(self) -> bool:
        self._live.touch()
        return self._working is not None and self._working.cancel()

    async def _browser(self) -> BrowserSession:
        self._live.touch()
        # what is picked while it signs in would be an element of the sign-in form
        await self._ready.wait()
        self._refuse_if_ended()
        return await self._run.browser.open()

    async def _next(self) -> _Request | None:
        """What is asked for next; None when it is to end."""
        self._live.touch()
        while (left := self._live.touched_at + self._idle_seconds - time.monotonic()) > 0:
            try:
                async with asyncio.timeout(left):
                    request = await self._requests.get()
                    return None if self._is_closing else request
            except TimeoutError:
                continue  # somebody may have used the live view meanwhile
        self._run.reporter.remarks.append(
            f"Nobody used it for {self._idle_seconds / 60:g} minutes, so it ended by itself."
        )
        return None

    async def _answer(self, request: _Request) -> None:
        self._live.release()  # the blocks have the browser now, whoever drove it
        self._working = asyncio.create_task(self._perform(request.part))
        try:
            await asyncio.wait({self._working})
        except asyncio.CancelledError:
            self._working.cancel()
            await asyncio.wait({self._working})
            raise
        if self._working.cancelled():
            failure: Failure | None = await self._stopped()
        else:
            failure = self._working.result()
        self._working = None
        await retry_while_unavailable(
            self._services.events.flush
        )  # the caller may read the events as soon as it has the answer
        if not request.answer.done():
            request.answer.set_result(self._report(request.part, failure))
        # blocks that were stopped, or failed, while they waited for a person leave the row Paused
        await self._services.signals.finish_resuming()

    async def _perform(self, part: Part) -> Failure | None:
        """Walk the blocks; a failure is reported and leaves the browser as it is."""
        run, services = self._run, self._services
        # each request is judged by itself
        run.reporter.failure, run.last_id = None, part.last_id
        services.use_blocks(part.blocks)
        try:
            if part.only_id is not None:
                await run.run_alone(part.only_id)
            else:
                # all of them run anew, so none may see what the last try put out
                run.scope.clear_outputs(part.blocks)
                await run.run_all()
        except LastBlockReached:
            pass
        # not a block's failure: the session itself has to end
        except WorkerLost:
            raise
        except PagehandError as error:
            return run.reporter.failure or Failure(run.current, error)
        finally:
            await services.save_learned()
        return None

    async def _stopped(self) -> Failure:
        """The person interrupted the blocks."""
        current = self._run.current
        error = BlockFailed("Stopped on request; the browser is as the block left it.")
        if current is not None:
            await self._run.reporter.block_failed(current, error, None)
        return Failure(current, error)

    def _report(self, part: Part, failure: Failure | None) -> PartReport:
        redactor = self._services.redactor
        response = self._run.response
        names = (inner.block_reference_id for inner in tree.walk(part.blocks))
        return PartReport(
            failure=redact_failure(failure.to_record(), redactor) if failure else None,
            analysis=redactor.text(report.analysis(failure)) if failure else "",
            outputs=redactor.value({name: response[name] for name in names if name in response}),
        )

    def _refuse_if_ended(self) -> None:
        if self._has_ended or self._is_closing:
            raise Conflict(_ENDED)

    def _end(self) -> None:
        self._has_ended = True
        self._ready.set()
        self._has_browser.set()
        self._recording.end()
        for answer in list(self._waiting):
            if not answer.done():
                answer.set_exception(Conflict(_ENDED))
                answer.exception()  # marked as read: its caller may have gone


class LiveSessions:
    """The live sessions of this process."""

    def __init__(self) -> None:
        self._open: dict[str, LiveSession] = {}
        self._wanted: dict[str, set[asyncio.Future[LiveSession]]] = {}

    @contextmanager
    def holding(self, session: LiveSession) -> Generator[None]:
        """Within, the session can be found."""
        self._open[session.execution_id] = session
        for waiter in self._wanted.pop(session.execution_id, set()):
            if not waiter.done():
                waiter.set_result(session)
        try:
            yield
        finally:
            del self._open[session.execution_id]

    def close_all(self) -> None:
        """End all of them well: the service stops."""
        for session in self._open.values():
            session.end()

    async def begun(self, execution_id: str, ending: Coroutine[Any, Any, Execution]) -> LiveSession:
        """The session of an execution, waited for; `ending` returns once the execution is final."""
        opened = asyncio.ensure_future(self._of(execution_id))
        ended = asyncio.ensure_future(ending)
        try:
            await asyncio.wait({opened, ended}, timeout=BEGINS_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            opened.cancel()
            ended.cancel()
        # both may be done: a session that was opened answers for itself that it has ended
        if opened.done() and not opened.cancelled():
            return opened.result()
        if ended.done() and not ended.cancelled():
            raise has_ended(ended.result())
        raise no_browser_yet()

    async def _of(self, execution_id: str) -> LiveSession:
        """The session of an execution, waited for; cancel it where the execution may end before."""
        if (found := self._open.get(execution_id)) is not None:
            return found
        waiter: asyncio.Future[LiveSession] = asyncio.get_running_loop().create_future()
        self._wanted.setdefault(execution_id, set()).add(waiter)
        try:
            return await waiter
        finally:
            wanted = self._wanted.get(execution_id, set())
            wanted.discard(waiter)
            if not wanted:
                self._wanted.pop(execution_id, None)


def has_ended(execution: Execution) -> Conflict:
    """For whoever asks something of a session whose execution is final."""
    why = f" {execution.failure.message}" if execution.failure is not None else ""
    return Conflict(f"The live session has ended: it is {execution.status}.{why} Open a new one.")


def no_browser_yet() -> TooMany:
    """For whoever asks something of a session that still waits for a slot."""
    return TooMany("The live session waits for a free browser.", retry_after_seconds=10)
