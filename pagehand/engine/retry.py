"""Whether a run that ended in trouble is tried again, and when."""

from dataclasses import dataclass

from pagehand.errors import PagehandError, TemporaryTrouble
from pagehand.records import Execution


@dataclass(slots=True, frozen=True)
class Again:
    """Try again, not before this moment."""

    not_before: int


@dataclass(slots=True, frozen=True)
class GiveUp:
    """Fail; `note` is added to the analysis when it helps."""

    note: str = ""


def decide(error: PagehandError, execution: Execution, *, now: int, delay_ms: int) -> Again | GiveUp:
    """Only the outside being down is worth another attempt, and never past a commit point."""
    if not isinstance(error, TemporaryTrouble):
        return GiveUp()
    if execution.commit_block is not None:
        return GiveUp(
            f"It is not tried again: the commit point `{execution.commit_block}` had begun, "
            "and its effect must not happen twice. Check on the site whether it did."
        )
    if execution.attempts >= execution.total_attempts:
        return GiveUp()
    return Again(now + delay_ms)
