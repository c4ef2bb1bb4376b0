"""A live session: an execution that keeps its browser open and runs blocks on request.

The editor tries a block, or all blocks up to one, in the browser the person looks at. The same code runs the
blocks as in any execution, so the same rules hold for secrets, egress and effects.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pagehand.browser import BrowserSession
from pagehand.browser_session import PickedElement
from pagehand.engine.live.control import BlocksReport, BlocksToRun, RecordedBlock, Recording
from pagehand.engine.reporting import report
from pagehand.engine.reporting.report import Failure, redact_failure
from pagehand.engine.run.walk import LastBlockReached, Run
from pagehand.engine.slots import Slot
from pagehand.engine.viewers import LiveRun
from pagehand.errors import BlockFailed, Conflict, PagehandError, WorkerLost
from pagehand.loop import OneThread, retry_while_unavailable
from pagehand.page.phrases.naming import describe_elements
from pagehand.records import Json
from pagehand.workflow import tree
from pagehand.workflow.recorded import RecordedAct

_REST_SECONDS: Final = 5.0
"""After so long without a request others may run in its place; it keeps its browser."""
_CROWDED_SECONDS: Final = 60.0
"""How long nobody may use one that cannot give its place to others, because too many are idle."""
_WORDS: Final = OneThread("pages in words")
_ENDED: Final = "The live session has ended. Open a new one with `/liveSessions/open`."


@dataclass(slots=True, frozen=True)
class _Request:
    blocks: BlocksToRun
    answer: "asyncio.Future[BlocksReport]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class LiveSession:
    """Serves requests for one execution until it is closed, interrupted, or unused for a while."""

    def __init__(self, run: Run, live: LiveRun, slot: Slot) -> None:
        self._run = run
        self._slot = slot
        self._services = run.services
        self._live = live
        self._idle_seconds = run.services.shared.settings.live_session_idle_seconds
        self._requests: asyncio.Queue[_Request | None] = asyncio.Queue()
        self._unanswered: set[asyncio.Future[BlocksReport]] = set()
        self._current: asyncio.Task[Failure | None] | None = None
        self._ready = asyncio.Event()
        self._has_browser = asyncio.Event()
        self._is_closing = False
        self._has_ended = False
        self._recording = Recording()

    @property
    def execution_id(self) -> str:
        """The execution that this session is."""
        return self._services.execution.id

    async def serve(self) -> Json:
        """Open the browser, sign in, and serve requests; the execution's response at the end."""
        try:
            await self._run.browser.open()
            self._has_browser.set()
            await self._run.begin()
            self._ready.set()
            while (request := await self._next()) is not None:
                await self._answer(request)
            await self._run.authenticator.save_sessions()
        finally:
            self._end()
        return self._run.response

    async def opened(self) -> None:
        """Return once the browser is open, or when there will be none."""
        await self._has_browser.wait()

    async def run(self, blocks: BlocksToRun) -> BlocksReport:
        """Run blocks after earlier requests; `Conflict` once the session has ended."""
        self._refuse_if_ended()
        request = _Request(blocks)
        self._unanswered.add(request.answer)
        request.answer.add_done_callback(self._unanswered.discard)
        self._requests.put_nowait(request)
        # a caller that disconnects does not stop the blocks
        return await asyncio.shield(request.answer)

    async def pick(self, x: float, y: float, *, with_locators: bool) -> PickedElement | None:
        """The element at a point of the window and the locators that lead to it; None where nothing is."""
        session = await self._browser()
        picked = await session.live_view.pick(x, y, with_locators=with_locators)
        if picked is not None and picked.value and self._services.redactor.text(picked.value) != picked.value:
            return replace(picked, value=None)  # a secret stands in it
        return picked

    async def describe(self) -> Json:
        """The page in words: its `url`, its `title`, and the `elements` that locators can name."""
        session = await self._browser()
        snapshot = await session.take_snapshot()
        url, title = await self._run.browser.describe_page()
        elements = await _WORDS.run(describe_elements, snapshot)
        return self._services.redactor.value({"url": url, "title": title, "elements": elements})

    async def read(self, x: float, y: float) -> Json | None:
        """A block that reads the table or the text at a point of the window; None where nothing is."""
        session = await self._browser()
        act = await session.live_view.record_read_at(x, y)
        return None if act is None else self._block_of(act)

    async def record(self, *, is_on: bool, with_address: bool) -> None:
        """Start or stop recording what the person does on the live page as blocks."""
        screen = (await self._browser()).live_view
        if is_on:
            self._recording.begin()
            await screen.record(self._on_recorded, with_address=with_address)
        else:
            await screen.stop_recording()
            self._recording.end()

    async def recorded(self, after: int, wait_seconds: float) -> Sequence[RecordedBlock]:
        """The blocks added or changed after a revision; waits for one while it records."""
        return await self._recording.since(after, wait_seconds)

    def _on_recorded(self, act: RecordedAct) -> None:
        self._live.touch()
        self._recording.add(self._block_of(act), replaces_last=act.replaces_last)

    def _block_of(self, act: RecordedAct) -> Json:
        """The block that repeats an action, without secrets."""
        return self._services.redactor.value(self._services.shared.kinds.recorded(act))

    async def stop(self) -> bool:
        """Interrupt the running blocks and keep the browser; False when none run."""
        return self._interrupt()

    async def close(self) -> None:
        """Interrupt the running blocks and end the session."""
        self.end()

    def end(self) -> None:
        """Interrupt the running blocks and end the session without waiting; queued requests are refused."""
        self._is_closing = True
        self._requests.put_nowait(None)
        self._interrupt()

    def _interrupt(self) -> bool:
        self._live.touch()
        return self._current is not None and self._current.cancel()

    async def _browser(self) -> BrowserSession:
        self._live.touch()
        # during the sign-in this would pick an element of the sign-in form
        await self._ready.wait()
        self._refuse_if_ended()
        return await self._run.browser.open()

    async def _next(self) -> _Request | None:
        """The next request; None when the session is to end."""
        self._live.touch()
        limit = self._idle_seconds
        while (left := self._live.touched_at + limit - time.monotonic()) > 0:
            try:
                async with asyncio.timeout(min(left, _REST_SECONDS)):
                    request = await self._requests.get()
                    return None if self._is_closing else request
            except TimeoutError:
                # and again: the live view may have been used meanwhile
                limit = self._idle_seconds if self._slot.rest() else min(self._idle_seconds, _CROWDED_SECONDS)
        crowded = " Too many others were idle as well." if limit < self._idle_seconds else ""
        self._run.reporter.remarks.append(
            f"Nobody used it for {limit / 60:g} minutes, so it ended by itself.{crowded}"
        )
        return None

    async def _answer(self, request: _Request) -> None:
        if self._live.has_driver and self._live.screen is not None:
            await self._live.screen.input.idle()  # what the person did last comes before the blocks
        self._live.release()  # the blocks control the browser now, not a person
        self._current = asyncio.create_task(self._run_blocks(request.blocks))
        try:
            await asyncio.wait({self._current})
        except asyncio.CancelledError:
            self._current.cancel()
            await asyncio.wait({self._current})
            raise
        if self._current.cancelled():
            failure: Failure | None = await self._stopped()
        else:
            failure = self._current.result()
        self._current = None
        # the caller may read the events as soon as it has the answer
        await retry_while_unavailable(self._services.events.flush)
        if not request.answer.done():
            request.answer.set_result(self._report(request.blocks, failure))
        # blocks that were stopped or failed while they waited for a person leave the row Paused
        await self._services.signals.finish_resuming()

    async def _run_blocks(self, requested: BlocksToRun) -> Failure | None:
        """Run the blocks; a failure is returned and leaves the browser as it is."""
        run, services = self._run, self._services
        await self._slot.resume()
        # every request starts without the failure of the last one
        run.reporter.failure, run.last_id = None, requested.last_id
        services.use_blocks(requested.blocks)
        try:
            if requested.only_id is not None:
                await run.run_alone(requested.only_id)
            else:
                await self._prepare(requested)
                await run.run_all()
        except LastBlockReached:
            pass
        # the session itself has to end
        except WorkerLost:
            raise
        except PagehandError as error:
            return run.reporter.failure or Failure(run.current, error)
        finally:
            await services.save_learned()
        return None

    async def _prepare(self, requested: BlocksToRun) -> None:
        run = self._run
        run.start_at(requested.first_id)
        # those that run again must not see outputs of the last try; those before the first one keep theirs
        if requested.first_id is None or requested.continues_id is not None:
            run.scope.clear_outputs(requested.blocks)
        if requested.first_id is not None and requested.continues_id is not None:
            await run.take_over(requested.continues_id, requested.first_id)

    async def _stopped(self) -> Failure:
        """Record that the person interrupted the blocks."""
        current = self._run.current
        error = BlockFailed("Stopped on request; the browser is as the block left it.")
        if current is not None:
            await self._run.reporter.block_failed(current, error, None)
        return Failure(current, error)

    def _report(self, requested: BlocksToRun, failure: Failure | None) -> BlocksReport:
        redactor = self._services.redactor
        response = self._run.response
        names = (inner.block_reference_id for inner in tree.walk(requested.blocks))
        return BlocksReport(
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
        for answer in list(self._unanswered):
            if not answer.done():
                answer.set_exception(Conflict(_ENDED))
                answer.exception()  # marks it as retrieved: the caller may be gone
