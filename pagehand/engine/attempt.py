"""Runs one execution: claim it, walk its blocks, give it its final state or its next attempt."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any

import structlog

from pagehand.clock import now_ms, to_iso
from pagehand.engine import retry
from pagehand.engine.live.session import LiveSession
from pagehand.engine.live.sessions import LiveSessions
from pagehand.engine.reporting import report
from pagehand.engine.reporting.events import EventLog, NoTraces, Trace
from pagehand.engine.reporting.report import Failure
from pagehand.engine.run import verdict
from pagehand.engine.run.browser import RunBrowser
from pagehand.engine.run.earlier_run import keep_browser_state
from pagehand.engine.run.finish import Ending, ExecutionRow, Finisher, failed_ending
from pagehand.engine.run.look import Look
from pagehand.engine.run.recorder import RunRecorder
from pagehand.engine.run.services import RunServices
from pagehand.engine.run.verdict import Requeued, Verdict
from pagehand.engine.run.walk import Run
from pagehand.engine.services import EngineServices
from pagehand.engine.signals import Signals
from pagehand.engine.signing_in.authentications import ExclusiveLogins
from pagehand.engine.signing_in.codes import CodeRequest
from pagehand.engine.slots import Slot
from pagehand.engine.viewers import LiveRun
from pagehand.errors import BlockFailed, OurFault, PagehandError, WorkerLost
from pagehand.loop import retry_while_unavailable
from pagehand.records import Execution, Json, Status, Waiting, WorkflowVersion
from pagehand.storage.run_claim import RunClaim, use_claim
from pagehand.workflow.tree import Envelope

_STORING_SECONDS = 10.0
"""A store of files that does not answer must not hold the end of a run for longer."""
_log = structlog.get_logger(__name__)


class Attempt:
    """One attempt at one execution."""

    def __init__(
        self,
        shared: EngineServices,
        finisher: Finisher,
        execution: Execution,
        slot: Slot,
        locks: ExclusiveLogins,
        sessions: LiveSessions,
    ) -> None:
        self._shared = shared
        self._finisher = finisher
        self._row = ExecutionRow(execution, shared)
        self.slot = slot
        self._locks = locks
        self._sessions = sessions
        self.signals = Signals(self._set_status, slot.resume)
        self.live: LiveRun | None = None
        self._browser: RunBrowser | None = None
        self._trace: Trace = NoTraces()
        self._recorder: RunRecorder | None = None
        self._redactor = shared.new_redactor()
        # an execution that was claimed before has events already: `_new_run` replaces this log then
        self._events = self._new_event_log(first_seq=0)

    @property
    def execution(self) -> Execution:
        """The execution, as it was claimed once it is."""
        return self._row.execution

    @cached_property
    def codes(self) -> CodeRequest:
        """Where a code is submitted that a sign-in of this run waits for."""
        return CodeRequest()

    @property
    def has_browser(self) -> bool:
        """Whether a browser is open for it."""
        return self._browser is not None and self._browser.session is not None

    async def end_browser(self) -> None:
        """End the browser at once: a worker that may have been taken for lost must not act any more."""
        if self._browser is not None:
            await self._browser.end_session()

    async def perform(self, on_finish: Callable[[Execution], None]) -> Requeued | None:
        """Run to the end; `on_finish` is called with the final state before the browser is closed."""
        if not await self._row.claim():
            return None
        execution = self.execution
        self._trace = self._shared.traces.begin(execution)
        reached: Verdict | None = None
        try:
            with use_claim(RunClaim(execution.id, execution.fence)):
                # stores check the claim in every write made within, also from deep inside a block
                reached = await self._run_through()
            if isinstance(reached, Requeued):
                return reached if await self._row.requeue(reached.not_before) else None
            await self._finish(reached, on_finish)
            return None
        finally:
            # after the end is written, because closing a browser takes seconds
            self._trace.end(*_traced(reached))
            if self.live is not None:
                self.live.end()
            if self._browser is not None:
                # one that was interrupted may still do something: its browser ends for good
                await self._browser.close(keep_browser=isinstance(reached, Ending))
                await self._delete_rejected_pictures()
            if self._recorder is not None:
                await self._recorder.discard()

    async def _run_through(self) -> Verdict:
        """Do all of the run; whatever goes wrong, there is a verdict."""
        try:
            run = await self._new_run()
            self._browser = run.browser
            reached = await self._walk(run)
            if isinstance(reached, Requeued):
                reached = await self._requeued_unless_in_doubt(run, reached)
            await self._complete_report(run, reached)
            if isinstance(reached, Ending):
                run.release_outputs(reached.response)
        except PagehandError as error:
            return failed_ending(Failure(None, error))
        except Exception as bug:  # noqa: BLE001 - a bug must not leave an execution without an end
            return failed_ending(verdict.our_fault(self.execution.id, bug))
        return reached

    async def _requeued_unless_in_doubt(self, run: Run, reached: Requeued) -> Verdict:
        """End the browser first: until then its page may still do what the next attempt would do again."""
        await run.browser.close()
        await run.effects.wait_until_written()
        if retry.may_repeat(self.execution):
            return reached
        return verdict.after_error(run, WorkerLost("The page acted while its browser was being closed."))

    async def _new_run(self) -> Run:
        execution = self.execution
        if execution.fence > 1:  # an earlier attempt has written events already
            last_seq = await retry_while_unavailable(
                lambda: self._shared.stores.events.last_seq(execution.id)
            )
            self._events = self._new_event_log(first_seq=last_seq)
        version = await self._workflow_version()
        self.live = LiveRun(execution, self.signals, self._events, self._redactor)
        services = RunServices(
            execution,
            version,
            self._shared,
            signals=self.signals,
            codes=lambda: self.codes,
            events=self._events,
            redactor=self._redactor,
            live=self.live,
            locks=self._locks,
            save=self._row.save,
            use_browser=self.slot.use_browser,
        )
        self._recorder = services.recorder
        return Run(services, version.output)

    async def _workflow_version(self) -> WorkflowVersion:
        execution = self.execution
        version = await retry_while_unavailable(
            lambda: self._shared.stores.workflows.version(
                execution.organization_id, execution.workflow_id, execution.workflow_version
            )
        )
        if version is None:
            raise OurFault(f"version {execution.workflow_version} of {execution.workflow_id} is gone")
        return version

    def _new_event_log(self, first_seq: int) -> EventLog:
        return EventLog(
            self._shared.stores.events,
            self.execution.id,
            self._redactor,
            first_seq=first_seq,
            max_events=self._shared.settings.max_events,
            observe=self._observe,
            fence=lambda: self.execution.fence,
        )

    def _observe(self, type: str, block: Envelope | None, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        self._shared.metrics.event(type, block, data)
        self._trace.event(type, block, data)
        if self._recorder is not None:
            self._recorder.event(type, block)

    async def _walk(self, run: Run) -> Verdict:
        """Walk the blocks under the execution's own time limit."""
        self._events.add("execution.started", f"Attempt {self.execution.attempts} began")
        for remark in run.services.mistyped_params:
            self._events.add("params.unused", remark)
        # in its own task, so that `signals.end` can interrupt the walk and not this attempt
        walking = asyncio.create_task(self._work(run))
        self.signals.attach(walking)
        limit = asyncio.timeout(max(0.0, (self.execution.deadline_at - now_ms()) / 1000))
        try:
            async with limit:
                response = await walking
        except TimeoutError as late:
            # a block without its own time limit may let a TimeoutError escape: a bug, and not our deadline
            is_ours = limit.expired()
            return verdict.failed(run, verdict.out_of_time(run) if is_ours else self._our_fault(run, late))
        except asyncio.CancelledError:
            if self.signals.stop is None:
                # the process itself is being torn down: the row stays InProgress, and recovery decides
                raise
            await self._try(run.effects.settle)
            return verdict.interrupted(run, self.signals.stop)
        except PagehandError as error:
            await self._try(run.effects.settle)
            return verdict.after_error(run, error)
        except Exception as bug:  # noqa: BLE001 - the worker's outermost loop: a bug in one block must not end the worker
            return verdict.failed(run, self._our_fault(run, bug))
        finally:
            await run.outputs.close()
        return verdict.completed(run, response)

    async def _work(self, run: Run) -> Json:
        """Run the workflow, look at its pages, or do what a live session is asked for; the response."""
        if self.execution.is_look:
            return await Look(run).walk()
        if self.live is None or not self.execution.is_live_session:
            return await run.walk()
        session = LiveSession(run, self.live, self.slot)
        with self._sessions.registered(session):
            return await session.serve()

    def _our_fault(self, run: Run, bug: Exception) -> Failure:
        return verdict.our_fault(self.execution.id, bug, run.current)

    async def _complete_report(self, run: Run, reached: Verdict) -> None:
        """Write what is left of the events and the report; a run that is over is not undone by trouble here.

        Each step is tried on its own: a model that breaks must not cost the run its events.
        """
        if (model := run.services.model) is not None:
            self._shared.metrics.model_used(model.usage.as_json())
            if isinstance(reached, Ending):
                await self._try(lambda: self._add_model_report(run, reached))
        # the page's last requests may report effects, and those are events too: the order matters
        await self._try(lambda: _settle_page(run))
        await self._try(run.effects.wait_until_written)
        if isinstance(reached, Ending) and (self.execution.is_test or reached.failure is not None):
            await self._try(lambda: keep_browser_state(run.services))
        await self._try(lambda: run.browser.keep_trace(self._redactor.value))
        if (recorder := self._recorder) is not None and isinstance(reached, Ending):
            status = Status.COMPLETED if reached.failure is None else Status.FAILED
            await self._try(lambda: recorder.keep(status, run.response))
        await self._try(lambda: asyncio.wait_for(run.browser.store_pictures(), _STORING_SECONDS))
        await self._try(lambda: retry_while_unavailable(self._events.close))

    async def _try(self, step: Callable[[], Awaitable[None]]) -> None:
        try:
            await step()
        except Exception:  # noqa: BLE001 - what the run did and its outputs count, not the report on it
            _log.exception("a run's record is not complete", execution=self.execution.id)

    async def _add_model_report(self, run: Run, ending: Ending) -> None:
        """Let the model add to the report, unless the run was interrupted or has little time left."""
        has_time = now_ms() < self.execution.deadline_at - 2 * report.SECONDS * 1000
        if not self._shared.settings.model_reports or self.signals.stop is not None or not has_time:
            return
        model, failure = run.services.model, run.reporter.failure
        if not ending.analysis:
            ending.model_summary = await report.summarize_run(
                model, self._redactor, run.reporter.history, run.response
            )
        elif failure is not None and isinstance(failure.error, BlockFailed):
            view = await report.explain_failure(model, run.browser.session, ending.analysis)
            ending.analysis += f"\nThe model's view: {view}" if view else ""
        await run.services.save_findings()

    async def _finish(self, ending: Ending, on_finish: Callable[[Execution], None]) -> None:
        finished = await self._finisher.finish(
            self.execution, ending, fence=self.execution.fence, redactor=self._redactor
        )
        if finished is not None:
            on_finish(finished)

    async def _delete_rejected_pictures(self) -> None:
        """Delete the pictures of events that were not written because another worker took over."""
        for event in self._events.rejected:
            for key in (event.screenshot_key, event.data.get("pageSnapshot")):
                # an event that was written may show the same picture
                if key is not None and key not in self._events.pictures:
                    await self._shared.file_bytes.delete(key)

    async def _set_status(self, status: Status, reason: str) -> None:
        is_pause = status is Status.PAUSED
        if is_pause:
            # first, because it may refuse: then nothing must say that the run is paused
            self.slot.pause()
        self._events.add("execution.paused" if is_pause else "execution.resumed", reason)
        # a page may put a secret into what it asks, and the row is shown to people
        shown = self._redactor.text(reason)
        pause = self.signals.first_pause if is_pause else None
        waiting = Waiting(kind=pause.kind, reason=shown, since=to_iso(now_ms())) if pause else None
        await self._row.set_status(status, waiting)


async def _settle_page(run: Run) -> None:
    """Let the page's open requests finish before the end is announced."""
    if run.browser.session is not None and not run.browser.session.lost.done():
        await run.browser.session.settle()


def _traced(reached: Verdict | None) -> tuple[str, str]:
    """The status and code that a trace shows of an attempt; None is one that was torn down."""
    if reached is None:
        return "Interrupted", ""
    if isinstance(reached, Requeued):
        return str(Status.ENQUEUED), ""
    return str(reached.status), reached.failure.code if reached.failure is not None else ""
