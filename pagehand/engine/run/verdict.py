"""How an attempt ends: the execution's final state, or another place in the queue."""

from dataclasses import dataclass

import structlog

from pagehand.clock import now_ms, to_iso
from pagehand.engine import retry
from pagehand.engine.reporting import report
from pagehand.engine.reporting.report import Failure
from pagehand.engine.run.finish import Ending
from pagehand.engine.run.walk import Run
from pagehand.engine.signals import Stop
from pagehand.errors import BlockFailed, OurFault, OutOfTime, PagehandError, WorkerLost, disk_trouble
from pagehand.ids import new_id
from pagehand.records import ExecutionFailure, Json
from pagehand.workflow.tree import Envelope

_log = structlog.get_logger(__name__)


@dataclass(slots=True, frozen=True)
class Requeued:
    """The execution waits in the queue again, not before this moment."""

    not_before: int | None


Verdict = Ending | Requeued


def completed(run: Run, response: Json) -> Ending:
    """The run reached its end."""
    run.services.events.add("execution.completed", f"Completed after {run.blocks_run} blocks")
    ending = _ending(run, response)
    ending.remarks = run.reporter.remarks
    return ending


def interrupted(run: Run, stop: Stop) -> Verdict:
    """The run was stopped from outside, or its browser died."""
    events, execution = run.services.events, run.services.execution
    # a browser may die while a run is being cancelled: then the cancellation is the reason, not the loss
    if (lost := run.browser.lost_reason()) is not None and stop.reason == lost.message:
        return after_error(run, lost)
    if stop.goes_back_to_queue:
        # a stop costs no attempt, but what had an effect is never repeated
        if not retry.may_repeat(execution):
            return after_error(run, WorkerLost(stop.reason))
        events.add("execution.requeued", stop.reason)
        execution.metadata = retry.count_requeue(execution.metadata)
        return Requeued(None)
    events.add("execution.cancelled", stop.reason)
    failure = Failure(run.current, stop.error or BlockFailed(stop.reason))
    return _ending(run, run.response, stop.reason, failure.to_record())


def after_error(run: Run, error: PagehandError) -> Verdict:
    """Another attempt if the rule of `retry.decide` allows one, a failure otherwise."""
    execution = run.services.execution
    # the delay is a setting of the login that was used last; without a login there is one attempt anyway
    facts = run.authenticator.facts
    delay_ms = facts.retry_delay_ms if facts else 0
    decision = retry.decide(error, execution, now=now_ms(), delay_ms=delay_ms)
    if isinstance(decision, retry.RetryAt):
        run.services.events.add(
            "execution.retried",
            f"{error.message} The next attempt begins at {to_iso(decision.not_before)}.",
        )
        # written with the status when the execution goes back to the queue
        execution.attempts += 1
        return Requeued(decision.not_before)
    reported = run.reporter.failure
    if reported is None or reported.error is not error:
        reported = Failure(run.current, error)
    return failed(run, reported, decision.note)


def failed(run: Run, failure: Failure, note: str = "") -> Ending:
    """The run failed; `note` is added to the analysis."""
    run.services.events.add("execution.failed", failure.error.message, failure.envelope)
    notes = " ".join(filter(None, [note, *run.services.mistyped_params]))
    return _ending(run, run.response, report.analysis(failure, notes), failure.to_record())


def out_of_time(run: Run) -> Failure:
    """The execution's own time limit ended the run."""
    execution = run.services.execution
    seconds = (execution.deadline_at - execution.accepted_at) / 1000
    error = OutOfTime(
        f"The execution's time of {seconds:g} s (`timeout`, waiting and pauses included) was over."
    )
    return Failure(run.current, error)


def our_fault(execution_id: str, bug: Exception, block: Envelope | None = None) -> Failure:
    """A bug or a disk ended the run; the log has a bug under the id that the message names."""
    if trouble := disk_trouble(bug):
        return Failure(block, trouble)
    reference = new_id("err")
    _log.exception("block failed with a bug", error_id=reference, execution=execution_id, exc_info=bug)
    return Failure(block, OurFault(f"Something went wrong on our side (error id {reference})."))


def _ending(run: Run, response: Json, analysis: str = "", failure: ExecutionFailure | None = None) -> Ending:
    return Ending(
        response=response,
        analysis=analysis,
        failure=failure,
        context=_context(run),
        downloads=run.downloads.state,
        blocks_run=run.blocks_run,
        healed=run.services.events.added["locator.healed"],
    )


def _context(run: Run) -> Json:
    """The variables at the end of the run."""
    # the execution's own params come last: they have a mask where one is secret
    params = {**run.scope.params, **run.services.execution.params}
    context: Json = {"params": params, "blocks": run.outputs.shown_in_context(run.scope)}
    if run.scope.login is not None:
        context["login"] = run.scope.login
    return context
