"""Ending executions that never ran: cancelled in the queue, late, or committed after their caller gave up."""

import asyncio

from pagehand.engine.reporting.failure import Failure
from pagehand.engine.run.finish import Ending, Finisher
from pagehand.errors import OutOfTime, PagehandError, Unavailable
from pagehand.records import Execution, QueueEntry

_WITHDRAW_SECONDS = 30


def ending_without_run(reason: PagehandError) -> Ending:
    """The ending of an execution that did not run."""
    return Ending(analysis=reason.message, failure=Failure(None, reason).to_record())


def expired(entry: QueueEntry) -> OutOfTime:
    """Why an execution ends whose time was over before it began."""
    seconds = (entry.deadline_at - entry.accepted_at) / 1000
    return OutOfTime(f"The execution's time of {seconds:g} s (`timeout`) was over before it began.")


async def withdraw(execution: Execution, finisher: Finisher) -> None:
    """End an execution whose request was answered with an error, should its commit show up.

    A commit whose answer was lost may show only after a while, or never.
    """
    reason = Unavailable("It was not accepted: the database could not be reached when it was asked for.")
    for _ in range(_WITHDRAW_SECONDS):
        if await finisher.finish(execution, ending_without_run(reason), fence=None) is not None:
            return
        await asyncio.sleep(1)
