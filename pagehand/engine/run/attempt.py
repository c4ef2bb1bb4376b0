"""Runs one execution: claim it, walk its blocks, give it its final state or its next attempt."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from pagehand.clock import now_ms, to_iso
from pagehand.engine import retry
from pagehand.engine.availability import retry_while_unavailable
from pagehand.engine.live.run import LiveRun
from pagehand.engine.live.session import LiveSession, LiveSessions
from pagehand.engine.local.slots import Slot
from pagehand.engine.reporting import model_report, report
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.reporting.failure import Failure
from pagehand.engine.reporting.traces import NoTraces, Trace, logged_trace
from pagehand.engine.reporting.webhook_events import WebhookEvents
from pagehand.engine.run.browser import RunBrowser
from pagehand.engine.run.finish import Ending, Finisher, failed_ending
from pagehand.engine.run.services import RunServices
from pagehand.engine.run.signals import Signals
from pagehand.engine.run.walk import Run
from pagehand.engine.services import EngineServices
from pagehand.engine.signing_in.codes import CodeRequest
from pagehand.engine.signing_in.login_turns import LoginTurns
from pagehand.errors import BlockFailed, OurFault, OutOfTime, PagehandError, WorkerLost
from pagehand.ids import new_id
from pagehand.records import Execution, Json, Requeue, Status, Waiting, WebhookEvent
from pagehand.storage.on_behalf import Claim, on_behalf_of
from pagehand.workflow.envelope import Envelope

_log = structlog.get_logger(__name__)


@dataclass(slots=True, frozen=True)
class Requeued:
    """The execution waits again, not before this moment."""

    not_before: int | None


class Attempt:
    """One attempt at one execution."""

    def __init__(
        self,
        shared: EngineServices,
        finisher: Finisher,
        execution: Execution,
        slot: Slot,
        locks: LoginTurns,
        sessions: LiveSessions,
    ) -> None:
        self._shared = shared
        self._finisher = finisher
        self.execution = execution
        self.slot = slot
        self._locks = locks
        self._sessions = sessions
        self.signals = Signals(self._set_status, slot.resume)
        self.codes = CodeRequest(self.signals)
        self.live: LiveRun | None = None
        self._browser: RunBrowser | None = None
        self._webhook_events = WebhookEvents(shared.webhook_listeners)
        self._trace: Trace = NoTraces()
        self._redactor = shared.new_redactor()
        # the row of an execution that was claimed before has events already: `_new_run` replaces this one
        self._events = self._new_event_log(first_seq=0)

    async def perform(self, on_finish: Callable[[Execution], None]) -> Requeued | None:
        """Run to the end; `on_finish` is called with the final state before the browser is closed."""
        claimed = await self._claim()
        if claimed is None:
            return None
        self.execution = claimed
        self._trace = self._shared.traces.begin(claimed)
        verdict: Ending | Requeued | None = None
        try:
            with on_behalf_of(Claim(claimed.id, claimed.fence)):
                # stores check the claim in every write made within, also from deep inside a block
                verdict = await self._run_through()
            if isinstance(verdict, Requeued):
                return verdict if await self._requeue(verdict) else None
            await self._finish(verdict, on_finish)
            return None
        finally:
            # the end is written by now: closing a browser takes seconds, and nobody is kept waiting for it
            self._trace.end(*_traced(verdict))
            if self.live is not None:
                self.live.end()
            if self._browser is not None:
                await self._browser.close()
                await self._drop_pictures()

    async def _run_through(self) -> Ending | Requeued:
        """Do all of the run; whatever goes wrong, there is a verdict."""
        try:
            run = await self._new_run()
            self._browser = run.browser
            verdict = await self._walk(run)
            await self._conclude(run, verdict)
        except PagehandError as error:
            return failed_ending(Failure(None, error))
        except Exception as bug:  # noqa: BLE001 - a bug must not leave an execution without an end
            return failed_ending(self._our_fault(None, bug))
        return verdict

    async def _drop_pictures(self) -> None:
        """Delete the pictures of events that were refused after a takeover: nothing leads to them."""
        for event in self._events.refused:
            for key in (event.screenshot_key, event.data.get("pageSnapshot")):
                if key is not None:
                    await self._shared.file_bytes.delete(key)

    async def _claim(self) -> Execution | None:
        # the token tells whether a claim whose answer was lost was made after all
        at, token = now_ms(), new_id("claim")
        webhook_event = await retry_while_unavailable(
            lambda: self._webhook_events.started(self.execution, at)
        )
        executions = self._shared.stores.executions
        claimed = await retry_while_unavailable(
            lambda: executions.claim(self.execution.id, at=at, token=token, webhook_event=webhook_event)
        )
        if webhook_event is not None:
            self._webhook_events.wake()
        if claimed is not None:
            _log.info(
                "execution started",
                execution=claimed.id,
                organization=claimed.organization_id,
                **logged_trace(claimed),
            )
        return claimed

    async def _conclude(self, run: Run, verdict: Ending | Requeued) -> None:
        """Complete the record; a run that is over is not undone by trouble here.

        Each step is tried for itself: a model that breaks must not cost the run its events.
        """
        if run.services.model is not None:
            self._shared.metrics.model_used(run.services.model.usage.as_json())
        if isinstance(verdict, Ending):
            await self._complete(lambda: self._improve_report(run, verdict))
        # the page's last requests may report effects, and those are events too: the order matters
        await self._complete(lambda: _settle_page(run))
        await self._complete(run.effects.written)
        await self._complete(lambda: retry_while_unavailable(self._events.close))

    async def _complete(self, step: Callable[[], Awaitable[None]]) -> None:
        try:
            await step()
        except Exception:  # noqa: BLE001 - what the run did and put out counts, not the report on it
            _log.exception("a run's record is not complete", execution=self.execution.id)

    async def _finish(self, ending: Ending, on_finish: Callable[[Execution], None]) -> None:
        finished = await self._finisher.finish(
            self.execution, ending, fence=self.execution.fence, redactor=self._redactor
        )
        if finished is not None:
            on_finish(finished)

    def _new_event_log(self, first_seq: int) -> EventLog:
        return EventLog(
            self._shared.stores.events,
            self.execution.id,
            self._redactor,
            first_seq=first_seq,
            most_events=self._shared.settings.max_events,
            observe=self._observe,
            fence=lambda: self.execution.fence,
        )

    def _observe(self, type: str, block: Envelope | None, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        self._shared.metrics.event(type, block, data)
        self._trace.event(type, block, data)

    async def end_browser(self) -> None:
        """Let the browser go at once: a worker that may have been taken for lost must not act any more."""
        if self._browser is not None:
            await self._browser.end_session()

    @property
    def has_browser(self) -> bool:
        """Whether a browser is open for it."""
        return self._browser is not None and self._browser.session is not None

    async def _new_run(self) -> Run:
        execution = self.execution
        if execution.fence > 1:  # an earlier attempt has written events already
            last_seq = await retry_while_unavailable(
                lambda: self._shared.stores.events.last_seq(execution.id)
            )
            self._events = self._new_event_log(first_seq=last_seq)
        version = await retry_while_unavailable(
            lambda: self._shared.stores.workflows.version(
                execution.organization_id, execution.workflow_id, execution.workflow_version
            )
        )
        if version is None:
            raise OurFault(f"version {execution.workflow_version} of {execution.workflow_id} is gone")
        self.live = LiveRun(execution, self.signals, self._events, self._redactor)
        services = RunServices(
            execution,
            version,
            self._shared,
            signals=self.signals,
            codes=self.codes,
            events=self._events,
            redactor=self._redactor,
            live=self.live,
            locks=self._locks,
            save=self._save,
        )
        return Run(services, version.output)

    async def _walk(self, run: Run) -> Ending | Requeued:
        """Walk the blocks under the execution's own time limit; how it ended."""
        self._events.add("execution.started", f"Attempt {self.execution.attempts} began")
        # a task of its own, so that `signals.end` can interrupt the walk and leave this attempt to report it
        walking = asyncio.create_task(self._work(run))
        self.signals.attach(walking)
        limit = asyncio.timeout(max(0.0, (self.execution.deadline_at - now_ms()) / 1000))
        try:
            async with limit:
                response = await walking
        except TimeoutError as late:
            # a block without a limit of its own may let a TimeoutError escape: a bug, and not our deadline
            is_ours = limit.expired()
            return self._failed(run, self._out_of_time(run) if is_ours else self._our_fault(run, late))
        except asyncio.CancelledError:
            return await self._interrupted(run)
        except PagehandError as error:
            return self._after(run, error)
        except Exception as bug:  # noqa: BLE001 - the worker's outermost loop: a bug in one block must not end the worker
            return self._failed(run, self._our_fault(run, bug))
        finally:
            await run.outputs.close()
        self._events.add("execution.completed", f"Completed after {run.blocks_run} blocks")
        return Ending(
            response=response,
            context=_context(run),
            downloads=run.downloads.state,
            blocks_run=run.blocks_run,
            remarks=run.reporter.remarks,
            size=run.outputs.size,
        )

    async def _work(self, run: Run) -> Json:
        """Run the workflow, or what a live session is asked for; the response."""
        if self.live is None or not retry.is_live_session(self.execution):
            return await run.walk()
        session = LiveSession(run, self.live)
        with self._sessions.holding(session):
            return await session.serve()

    async def _interrupted(self, run: Run) -> Ending | Requeued:
        stop = self.signals.stop
        if stop is None:
            # no verdict is possible: the row stays InProgress, and recovery decides about it
            raise asyncio.CancelledError  # the process itself is being torn down
        # a browser may die while a run is being cancelled: then the cancellation is the reason, not the loss
        if (lost := run.browser.lost_reason()) is not None and stop.reason == lost.message:
            return self._after(run, lost)
        if stop.goes_back_to_queue:
            # a stop costs no attempt, but what had an effect is never repeated
            if retry.may_repeat(self.execution):
                self._events.add("execution.requeued", stop.reason)
                self.execution.metadata = retry.count_requeue(self.execution.metadata)
                return Requeued(None)
            return self._after(run, WorkerLost(stop.reason))
        self._events.add("execution.cancelled", stop.reason)
        return Ending(
            response=run.response,
            analysis=stop.reason,
            failure=Failure(run.current, stop.error or BlockFailed(stop.reason)).to_record(),
            context=_context(run),
            downloads=run.downloads.state,
            blocks_run=run.blocks_run,
            size=run.outputs.size,
        )

    def _after(self, run: Run, error: PagehandError) -> Ending | Requeued:
        """Another attempt if the rule allows one, a failure otherwise."""
        # the delay is a setting of the login that was used last; without a login there is one attempt anyway
        facts = run.authenticator.facts
        delay_ms = facts.retry_delay_ms if facts else 0
        decision = retry.decide(error, self.execution, now=now_ms(), delay_ms=delay_ms)
        if isinstance(decision, retry.RetryAt):
            self._events.add(
                "execution.retried",
                f"{error.message} The next attempt begins at {to_iso(decision.not_before)}.",
            )
            # counted on the row by `_requeue`, in the same step as its status
            self.execution.attempts += 1
            return Requeued(decision.not_before)
        failure = (
            run.reporter.failure
            if run.reporter.failure and run.reporter.failure.error is error
            else Failure(run.current, error)
        )
        return self._failed(run, failure, decision.note)

    def _failed(self, run: Run, failure: Failure, note: str = "") -> Ending:
        text = report.analysis(failure, note)
        self._events.add("execution.failed", failure.error.message, failure.envelope)
        return Ending(
            response=run.response,
            analysis=text,
            failure=failure.to_record(),
            context=_context(run),
            downloads=run.downloads.state,
            blocks_run=run.blocks_run,
            size=run.outputs.size,
        )

    def _out_of_time(self, run: Run) -> Failure:
        seconds = (self.execution.deadline_at - self.execution.accepted_at) / 1000
        error = OutOfTime(
            f"The execution's time of {seconds:g} s (`timeout`, waiting and pauses included) was over."
        )
        return Failure(run.current, error)

    def _our_fault(self, run: Run | None, bug: Exception) -> Failure:
        reference = new_id("err")
        _log.exception(
            "block failed with a bug", error_id=reference, execution=self.execution.id, exc_info=bug
        )
        block = run.current if run is not None else None
        return Failure(block, OurFault(f"Something went wrong on our side (error id {reference})."))

    async def _improve_report(self, run: Run, ending: Ending) -> None:
        """Let the model add to the report, unless the run was interrupted or has little time left."""
        has_time = now_ms() < self.execution.deadline_at - 2 * model_report.SECONDS * 1000
        if not self._shared.settings.model_reports or self.signals.stop is not None or not has_time:
            return
        if ending.analysis:
            if run.reporter.failure is not None and isinstance(run.reporter.failure.error, BlockFailed):
                view = await model_report.explain_failure(
                    run.services.model, run.browser.session, ending.analysis
                )
                ending.analysis += f"\nThe model's view: {view}" if view else ""
        else:
            ending.model_summary = await model_report.summarize_run(
                run.services.model, self._redactor, run.reporter.history, run.response
            )
        await run.services.save_findings()

    async def _requeue(self, verdict: Requeued) -> bool:
        execution, executions, token = self.execution, self._shared.stores.executions, new_id("requeue")
        requeue = Requeue(
            attempts=execution.attempts,
            metadata=execution.metadata,
            at=now_ms(),
            not_before=verdict.not_before,
        )
        return await retry_while_unavailable(
            lambda: executions.requeue(execution.id, execution.fence, requeue, token=token)
        )

    async def _set_status(self, status: Status, reason: str) -> None:
        is_pause = status is Status.PAUSED
        if is_pause:
            # first, because it may refuse: then nothing must say that the run is paused
            self.slot.pause()
        self._events.add("execution.paused" if is_pause else "execution.resumed", reason)
        # a page may put a secret into what it asks, and the row is shown to people
        shown = self._redactor.text(reason)
        webhook_event = (
            await retry_while_unavailable(lambda: self._webhook_events.paused(self.execution, shown))
            if is_pause
            else None
        )
        pause = self.signals.first_pause if is_pause else None
        waiting = Waiting(kind=pause.kind, reason=shown, since=to_iso(now_ms())) if pause else None
        await self._write({"status": status, "waiting": waiting}, webhook_event)

    async def _save(self, **changes: Any) -> None:
        """Write to the row; a worker that lost its claim stops here."""
        webhook_event = None
        if "authentications" in changes:
            webhook_event = await retry_while_unavailable(
                lambda: self._webhook_events.waiting(self.execution)
            )
        await self._write(changes, webhook_event)

    async def _write(self, changes: Json, webhook_event: WebhookEvent | None) -> None:
        # other columns may be written twice without harm; a status or a webhook event may not
        token = new_id("write") if webhook_event is not None or "status" in changes else None
        kept = await retry_while_unavailable(
            lambda: self._shared.stores.executions.update(
                self.execution.id, self.execution.fence, token=token, webhook_event=webhook_event, **changes
            )
        )
        if not kept:
            raise WorkerLost("Another worker has taken this execution over.")
        if webhook_event is not None:
            self._webhook_events.wake()


async def _settle_page(run: Run) -> None:
    """Let the page's open requests finish before the end is announced."""
    if run.browser.session is not None and not run.browser.session.lost.done():
        await run.browser.session.settle()


def _traced(verdict: Ending | Requeued | None) -> tuple[str, str]:
    """The status and code that a trace shows of an attempt; None is one that was torn down."""
    if verdict is None:
        return "Interrupted", ""
    if isinstance(verdict, Requeued):
        return str(Status.ENQUEUED), ""
    return str(verdict.status), verdict.failure.code if verdict.failure is not None else ""


def _context(run: Run) -> Json:
    """The variables at the end of the run."""
    # the execution's own params come last: they have a mask where one is secret
    params = {**run.scope.params, **run.services.execution.params}
    context: Json = {"params": params, "blocks": run.outputs.shown_in_context(run.scope)}
    if run.scope.login is not None:
        context["login"] = run.scope.login
    return context
