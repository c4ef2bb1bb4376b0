"""Metrics for Prometheus; labels never name an organization or anything of one."""

from collections.abc import Mapping
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from pagehand.records import ExecutionFailure, Json, Status
from pagehand.workflow.tree import Envelope

disable_created_metrics()  # a second series for every counter, which is not needed
_RUN_SECONDS = (0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 10800)
_BLOCK_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
_REPAIRS = {"locator.healed": "healed", "recovery.succeeded": "recovered", "recovery.failed": "failed"}


class Metrics:
    """The metrics of one process; those from the database are set by `show`."""

    def __init__(self) -> None:
        own = self._registry = CollectorRegistry()
        self._executions = Gauge(
            "pagehand_executions", "Executions by status, of the whole installation", ["status"], registry=own
        )
        self._finished = Counter(
            "pagehand_executions_finished",
            "Executions that this process brought to an end",
            ["status", "code"],
            registry=own,
        )
        self._seconds = Histogram(
            "pagehand_execution_seconds",
            "From the beginning of an execution to its end",
            buckets=_RUN_SECONDS,
            registry=own,
        )
        self._depth = Gauge(
            "pagehand_queue_depth", "Executions that wait, of the whole installation", registry=own
        )
        self._oldest = Gauge(
            "pagehand_queue_oldest_seconds", "How long the first of them has waited", registry=own
        )
        self._browsers = Gauge("pagehand_browsers", "Browsers of this process", ["state"], registry=own)
        self._blocks = Histogram(
            "pagehand_blocks_seconds",
            "How long blocks took that did their work",
            ["kind"],
            buckets=_BLOCK_SECONDS,
            registry=own,
        )
        self._healed = Counter("pagehand_healed", "Repairs during executions", ["result"], registry=own)
        self._calls = Counter("pagehand_model_calls", "Calls of the language model", registry=own)
        self._cost = Counter("pagehand_model_cost_dollars", "What they cost, as far as known", registry=own)
        self._refused = Counter(
            "pagehand_egress_refused", "Hosts that pages were kept from, once per execution", registry=own
        )
        self._deliveries = Counter(
            "pagehand_webhook_deliveries", "Attempts to deliver to webhooks", ["result"], registry=own
        )
        self._workers = Gauge(
            "pagehand_workers", "Processes that run executions, of the whole installation", registry=own
        )
        # at 0 from the start: a rate over a series needs a value before its first event
        for result in _REPAIRS.values():
            self._healed.labels(result)
        for result in ("delivered", "failed"):
            self._deliveries.labels(result)

    def finished(self, final: Json) -> None:
        """Count an execution that ended with these values of its row."""
        self._finished.labels(str(final["status"]), failure_code(final)).inc()
        self._seconds.observe(final["duration_ms"] / 1000)

    def event(self, type: str, block: Envelope | None, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Count an event of an execution."""
        if type == "block.finished" and block is not None and "durationMs" in data:
            self._blocks.labels(block.type).observe(data["durationMs"] / 1000)
        elif type == "egress.refused":
            self._refused.inc()
        elif type in _REPAIRS:
            self._healed.labels(_REPAIRS[type]).inc()

    def model_used(self, usage: Json) -> None:
        """Count what an attempt used of the model, as `metadata.modelUsage` shows it."""
        self._calls.inc(usage["calls"])
        self._cost.inc(usage["costUsd"])

    def delivered(self, error: str | None) -> None:
        """Count an attempt to deliver to a webhook; None for one without an error."""
        self._deliveries.labels("delivered" if error is None else "failed").inc()

    def show(
        self,
        *,
        by_status: Mapping[Status, int],
        oldest_seconds: float,
        idle_browsers: int,
        busy_browsers: int,
        workers: int,
    ) -> bytes:
        """All metrics in the text format of Prometheus."""
        for status in Status:
            self._executions.labels(str(status)).set(by_status.get(status, 0))
        self._depth.set(by_status.get(Status.ENQUEUED, 0))
        self._oldest.set(oldest_seconds)
        self._browsers.labels("idle").set(idle_browsers)
        self._browsers.labels("busy").set(busy_browsers)
        self._workers.set(workers)
        return generate_latest(self._registry)


def failure_code(final: Json) -> str:
    """The code of a failed execution's row; empty for one that went well."""
    failure: ExecutionFailure | None = final["failure"]
    return failure.code if failure is not None else ""
