"""Whether a run is tried again."""

from collections.abc import Callable

from pagehand.engine.retry import Again, GiveUp, decide
from pagehand.errors import BlockFailed, BrowserLost, OurFault, SiteDown, WorkerLost
from pagehand.records import Execution

MakeExecution = Callable[..., Execution]


def test_the_outside_being_down_is_tried_again_after_the_delay(make_execution: MakeExecution) -> None:
    for error in (SiteDown(), BrowserLost(), WorkerLost()):
        assert decide(error, make_execution(total_attempts=2), now=1_000, delay_ms=500) == Again(1_500)


def test_a_blocks_own_failure_is_final(make_execution: MakeExecution) -> None:
    for error in (BlockFailed("no"), OurFault("bug")):
        assert decide(error, make_execution(total_attempts=9), now=0, delay_ms=0) == GiveUp()


def test_attempts_run_out(make_execution: MakeExecution) -> None:
    assert decide(SiteDown(), make_execution(attempts=2, total_attempts=2), now=0, delay_ms=0) == GiveUp()


def test_nothing_is_retried_past_a_commit_point(make_execution: MakeExecution) -> None:
    execution = make_execution(total_attempts=5, commit_block="Pay the invoice")
    decision = decide(SiteDown(), execution, now=0, delay_ms=0)
    assert isinstance(decision, GiveUp)
    assert "Pay the invoice" in decision.note
