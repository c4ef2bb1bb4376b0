"""Whether a run is tried again."""

from collections.abc import Callable

from pagehand.engine.retry import GiveUp, RetryAt, count_requeue, decide, goes_back_after_loss
from pagehand.errors import BlockFailed, BrowserLost, OurFault, SiteDown, WorkerLost
from pagehand.records import Execution

MakeExecution = Callable[..., Execution]


def test_the_outside_being_down_is_tried_again_after_the_delay(make_execution: MakeExecution) -> None:
    for error in (SiteDown(), BrowserLost(), WorkerLost()):
        assert decide(error, make_execution(total_attempts=2), now=1_000, delay_ms=500) == RetryAt(1_500)


def test_a_blocks_own_failure_is_final(make_execution: MakeExecution) -> None:
    for error in (BlockFailed("no"), OurFault("bug")):
        assert decide(error, make_execution(total_attempts=9), now=0, delay_ms=0) == GiveUp()


def test_attempts_run_out(make_execution: MakeExecution) -> None:
    assert decide(SiteDown(), make_execution(attempts=2, total_attempts=2), now=0, delay_ms=0) == GiveUp()


EFFECT = {"blockReferenceId": "pay", "what": "`POST https://a.example/pay`", "at": "2026-01-01T00:00:00.000Z"}


def test_nothing_is_retried_past_an_effect_that_was_seen(make_execution: MakeExecution) -> None:
    execution = make_execution(total_attempts=5, metadata={"effects": [EFFECT]})
    verdict = decide(BrowserLost("gone"), execution, now=0, delay_ms=0)
    assert isinstance(verdict, GiveUp)
    assert "`pay`: `POST https://a.example/pay`" in verdict.note
    assert not goes_back_after_loss(execution)


def test_a_workflow_that_is_retry_safe_is_retried_past_effects_but_not_past_commit_points(
    make_execution: MakeExecution,
) -> None:
    safe = make_execution(total_attempts=5, metadata={"effects": [EFFECT]}, retry_safe=True)
    assert isinstance(decide(BrowserLost("gone"), safe, now=0, delay_ms=0), RetryAt)
    safe.commit_block = "Pay the invoice"
    assert isinstance(decide(BrowserLost("gone"), safe, now=0, delay_ms=0), GiveUp)


def test_two_lost_workers_cost_no_attempt_and_stops_are_not_counted_as_losses(
    make_execution: MakeExecution,
) -> None:
    execution = make_execution()
    for _ in range(5):
        execution.metadata = count_requeue(execution.metadata)
    assert goes_back_after_loss(execution)
    for _ in range(2):
        execution.metadata = count_requeue(execution.metadata, worker_lost=True)
    assert not goes_back_after_loss(execution)
    assert execution.metadata["requeued"] == 7


def test_nothing_is_retried_past_a_commit_point(make_execution: MakeExecution) -> None:
    execution = make_execution(total_attempts=5, commit_block="Pay the invoice")
    decision = decide(SiteDown(), execution, now=0, delay_ms=0)
    assert isinstance(decision, GiveUp)
    assert "Pay the invoice" in decision.note


def test_a_live_session_never_begins_again(make_execution: MakeExecution) -> None:
    execution = make_execution(total_attempts=5, metadata={"liveSession": True}, retry_safe=True)
    decision = decide(BrowserLost("gone"), execution, now=0, delay_ms=0)
    assert isinstance(decision, GiveUp)
    assert "open a new one" in decision.note
    assert not goes_back_after_loss(execution)


def test_of_many_effects_the_latest_are_named_and_the_others_counted(make_execution: MakeExecution) -> None:
    effects = [{**EFFECT, "blockReferenceId": f"pay_{number}"} for number in range(8)]
    decision = decide(SiteDown(), make_execution(metadata={"effects": effects}), now=0, delay_ms=0)
    assert isinstance(decision, GiveUp)
    assert "`pay_3`" in decision.note
    assert "`pay_2`" not in decision.note
    assert "and 3 before" in decision.note
    assert "retrySafe" in decision.note
