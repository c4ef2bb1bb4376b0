"""Webhook events about executions, written in the transaction of the change that they report."""

from collections.abc import Mapping
from typing import Any

import orjson
from msgspec import to_builtins

from pagehand.clock import now_ms, to_iso
from pagehand.records import BatchEnd, Delivery, Execution, Json, Status, WebhookEvent
from pagehand.webhooks import WebhookListeners

_WHOLE_RESPONSE_BYTES = 64 * 1024
"""A larger response is not sent; it can be fetched by the execution's id."""
_TRUNCATED_LENGTH = 1000


class WebhookEvents:
    """Composes the webhook events of one execution; params and secrets are not part of them."""

    def __init__(self, listeners: WebhookListeners) -> None:
        self._listeners = listeners
        self._waiting: set[int] = set()

    def wake(self) -> None:
        """Deliver what was written."""
        self._listeners.wake()

    async def started(self, execution: Execution, at: int) -> WebhookEvent | None:
        """`execution.started`; None when no webhook listens, as for all of these."""
        shown = {**_execution_json(execution), "status": Status.IN_PROGRESS, "startTime": to_iso(at)}
        return await self._single(execution, "execution.started", {"execution": shown})

    async def paused(self, execution: Execution, reason: str) -> WebhookEvent | None:
        """`execution.paused`, after `authentication.waiting` if that is why."""
        shown = {**_execution_json(execution), "status": Status.PAUSED}
        waiting = await self.waiting(execution)
        paused = await self._single(execution, "execution.paused", {"execution": shown, "reason": reason})
        if waiting is None or paused is None:
            return waiting or paused
        return WebhookEvent(deliveries=[*waiting.deliveries, *paused.deliveries])

    async def waiting(self, execution: Execution) -> WebhookEvent | None:
        """`authentication.waiting`, when a sign-in waits for a code or a person that did not before."""
        waiting = {
            index for index, sign_in in enumerate(execution.authentications) if sign_in.status.is_waiting
        }
        # a status is written several times while it waits, and reported once
        new, self._waiting = waiting - self._waiting, waiting
        if not new:
            return None
        data: Json = {
            "execution": _execution_json(execution),
            # the latest: two never begin to wait in one write
            "authentication": to_builtins(execution.authentications[max(new)]),
            "logins": to_builtins(execution.logins),
        }
        return await self._single(execution, "authentication.waiting", data)

    async def finished(
        self, execution: Execution, final: Mapping[str, Any], healed: int = 0
    ) -> WebhookEvent | None:
        """`execution.completed` or `execution.failed`; `final` has the row's columns, without secrets.

        Also `execution.healed`, if elements had moved and were found again.
        """
        event = "execution.completed" if final["status"] is Status.COMPLETED else "execution.failed"
        compose = await self._listeners.composer(execution.organization_id, event)
        healing = healed and await self._listeners.composer(execution.organization_id, "execution.healed")
        # whether it was the last of its batch is known only inside the transaction of its end
        end = await self._batch_end(execution)
        if compose is None and not healing and end is None:
            return None
        deliveries: list[Delivery] = []
        if compose is not None:
            deliveries += compose({"execution": _finished_json(execution, final)})
        if healing:
            deliveries += healing({"execution": _finished_json(execution, final), "healed": healed})
        return WebhookEvent(deliveries=deliveries, batch_end=end)

    async def _batch_end(self, execution: Execution) -> BatchEnd | None:
        if execution.batch_id is None:
            return None
        compose = await self._listeners.composer(execution.organization_id, "batch.finished")
        if compose is None:
            return None
        batch: Json = {
            "id": execution.batch_id,
            "name": execution.batch_name,
            "workflow": {"id": execution.workflow_id, "name": execution.workflow_name},
        }
        return BatchEnd(
            batch_id=execution.batch_id,
            organization_id=execution.organization_id,
            at=now_ms(),
            compose=lambda progress: compose({"batch": {**batch, **_progress_json(progress)}}),
        )

    async def _single(self, execution: Execution, event: str, data: Json) -> WebhookEvent | None:
        compose = await self._listeners.composer(execution.organization_id, event)
        return None if compose is None else WebhookEvent(deliveries=compose(data))


def _execution_json(execution: Execution) -> Json:
    batch = {"id": execution.batch_id, "name": execution.batch_name} if execution.batch_id else None
    return {
        "id": execution.id,
        "workflow": {"id": execution.workflow_id, "name": execution.workflow_name},
        "batch": batch,
        "name": execution.name,
        "status": execution.status,
        "startTime": to_iso(execution.start_time),
        "attempts": execution.attempts,
        "totalAttempts": execution.total_attempts,
        "isTest": execution.is_test,
        "browserSessionId": execution.browser_session_id,
        "parentExecutionId": execution.parent_execution_id,
    }


def _finished_json(execution: Execution, final: Mapping[str, Any]) -> Json:
    text = memoryview(final["response"])  # not a copy: it may have many megabytes
    # a character has at most four bytes
    short = bytes(text[: 4 * _TRUNCATED_LENGTH + 4]).decode(errors="ignore")
    return {
        **_execution_json(execution),
        "status": final["status"],
        "endTime": to_iso(final["end_time"]),
        "durationMs": final["duration_ms"],
        "response": orjson.loads(text) if len(text) <= _WHOLE_RESPONSE_BYTES else None,
        "truncatedResponse": short[:_TRUNCATED_LENGTH] + ("…" if len(short) > _TRUNCATED_LENGTH else ""),
        "responseFile": to_builtins(final["response_file"]),
        "downloads": to_builtins(final["downloads"]),
        "summary": final["summary"],
        "errorAnalysis": final["error_analysis"],
        "failure": to_builtins(final["failure"]),
    }


def _progress_json(progress: Mapping[Status, int]) -> Json:
    return {
        "total": sum(progress.values()),
        "completed": progress.get(Status.COMPLETED, 0),
        "failed": progress.get(Status.FAILED, 0),
    }
