"""What Prometheus reads: counted by status, code and kind, and naming no organization."""

from typing import Any

import pytest

from pagehand.engine.reporting.metrics import Metrics
from pagehand.records import ExecutionFailure, Status
from pagehand.workflow.tree import Envelope

BLOCK = Envelope(id="b1", type="Mouse", name="Save at ACME", block_reference_id="save", data={})


def shown(metrics: Metrics, **given: Any) -> dict[str, float]:
    """The series and their values."""
    values: dict[str, Any] = {
        "by_status": {},
        "oldest_seconds": 0.0,
        "idle_browsers": 0,
        "busy_browsers": 0,
        "workers": 1,
        **given,
    }
    lines = metrics.show(**values).decode().splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


def test_ends_are_counted_by_status_and_code() -> None:
    metrics = Metrics()
    failure = ExecutionFailure(code="SiteDown", message="ACME is down")
    metrics.finished({"status": Status.COMPLETED, "failure": None, "duration_ms": 700})
    for _ in range(2):
        metrics.finished({"status": Status.FAILED, "failure": failure, "duration_ms": 20_000})
    series = shown(metrics)
    assert series['pagehand_executions_finished_total{code="",status="Completed"}'] == 1
    assert series['pagehand_executions_finished_total{code="SiteDown",status="Failed"}'] == 2
    assert series['pagehand_execution_seconds_bucket{le="1.0"}'] == 1
    assert series["pagehand_execution_seconds_sum"] == pytest.approx(40.7)


def test_blocks_repairs_and_refusals_are_taken_from_the_events() -> None:
    metrics = Metrics()
    metrics.event("block.finished", BLOCK, {"durationMs": 120})
    metrics.event("block.finished", BLOCK, {})  # one that left its loop early may not say how long it took
    metrics.event("block.finished", None, {"durationMs": 1})
    for type_ in ("egress.refused", "locator.healed", "recovery.failed", "recovery.failed", "block.started"):
        metrics.event(type_, BLOCK, {})
    series = shown(metrics)
    assert series['pagehand_blocks_seconds_count{kind="Mouse"}'] == 1
    assert series["pagehand_egress_refused_total"] == 1
    results = ("healed", "recovered", "failed")
    assert [series[f'pagehand_healed_total{{result="{name}"}}'] for name in results] == [1, 0, 2]
    assert not any("ACME" in name for name in series)


def test_what_the_model_and_webhooks_did_is_added_up() -> None:
    metrics = Metrics()
    for _ in range(2):
        metrics.model_used({"calls": 3, "costUsd": 0.25})
    metrics.delivered(None)
    metrics.delivered("refused")
    series = shown(metrics)
    assert (series["pagehand_model_calls_total"], series["pagehand_model_cost_dollars_total"]) == (6, 0.5)
    assert series['pagehand_webhook_deliveries_total{result="delivered"}'] == 1
    assert series['pagehand_webhook_deliveries_total{result="failed"}'] == 1


def test_a_status_that_no_execution_has_any_more_is_shown_as_none() -> None:
    metrics = Metrics()
    shown(metrics, by_status={Status.ENQUEUED: 4}, oldest_seconds=2.5, busy_browsers=2)
    assert shown(metrics, by_status={Status.ENQUEUED: 4})["pagehand_queue_depth"] == 4
    series = shown(metrics, by_status={Status.PAUSED: 1})
    assert series['pagehand_executions{status="Enqueued"}'] == 0
    assert (series['pagehand_executions{status="Paused"}'], series["pagehand_queue_depth"]) == (1, 0)
    assert (series["pagehand_queue_oldest_seconds"], series['pagehand_browsers{state="busy"}']) == (0, 0)
