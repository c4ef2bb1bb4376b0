"""Whether an execution is tried again after an error, and when."""

from dataclasses import dataclass
from typing import Final

from pagehand.errors import PagehandError, TemporaryTrouble
from pagehand.records import Execution, Json

_MAX_LOST_WORKERS: Final = 2
_NAMED: Final = 5


@dataclass(slots=True, frozen=True)
class RetryAt:
    """Try again, not before this moment."""

    not_before: int


@dataclass(slots=True, frozen=True)
class GiveUp:
    """Fail; `note` is added to the analysis."""

    note: str = ""


def decide(error: PagehandError, execution: Execution, *, now: int, delay_ms: int) -> RetryAt | GiveUp:
    """Another attempt only after temporary trouble, and never after an effect."""
    # by the trunk of the error, never by its text
    if not isinstance(error, TemporaryTrouble):
        return GiveUp()
    if not may_repeat(execution):
        return GiveUp(_why_not(execution))
    if execution.attempts >= execution.total_attempts:
        return GiveUp()
    return RetryAt(now + delay_ms)


def may_repeat(execution: Execution) -> bool:
    """True while neither a commit point nor, unless it is `retrySafe`, any effect has begun.

    A live session never is: what was done in its browser is gone with it.
    """
    if execution.is_live_session:
        return False
    # `retrySafe` is about effects; a commit point is never repeated
    return execution.commit_block is None and (execution.retry_safe or not _effects(execution))


def goes_back_after_loss(execution: Execution) -> bool:
    """True when losing the worker costs no attempt: nothing had an effect, and it is not a habit."""
    return may_repeat(execution) and execution.metadata.get("workersLost", 0) < _MAX_LOST_WORKERS


def count_requeue(metadata: Json, *, worker_lost: bool = False) -> Json:
    """The metadata of an execution that goes back to the queue without that counting as an attempt."""
    lost = {"workersLost": metadata.get("workersLost", 0) + 1} if worker_lost else {}
    return {**metadata, "requeued": metadata.get("requeued", 0) + 1, **lost}


def _why_not(execution: Execution) -> str:
    if execution.commit_block is not None:
        return (
            f"It is not tried again: the commit point `{execution.commit_block}` had begun, "
            "and its effect must not happen twice. Check on the site whether it did."
        )
    if execution.is_live_session:
        return "A live session does not begin again by itself: open a new one."
    effects = _effects(execution)
    named = "; ".join(f"`{effect['blockReferenceId']}`: {effect['what']}" for effect in effects[-_NAMED:])
    more = f" and {len(effects) - _NAMED} before" if len(effects) > _NAMED else ""
    return (
        f"It is not tried again: this had begun and must not happen twice: {named}{more}. Check whether it "
        "happened before you run it again. Where repeating does no harm, set `retrySafe` on the block or the "
        "workflow."
    )


def _effects(execution: Execution) -> list[Json]:
    return [effect for effect in execution.metadata.get("effects", []) if not effect.get("retrySafe")]
