"""Final states of executions, as the engine composes them, for tests of what keeps them."""

from typing import Any

from pagehand.records import FileInfo, FinalState, Status, WebhookEvent


def final_state(
    execution_id: str,
    status: Status = Status.COMPLETED,
    *,
    webhook_event: WebhookEvent | None = None,
    file: FileInfo | None = None,
    **columns: Any,
) -> FinalState:
    """A final state with a small response; `columns` replaces single values."""
    final = {
        "status": status,
        "end_time": 5000,
        "duration_ms": 12,
        "response": {"total": 3},
        "response_file": None,
        "summary": "Done.",
        "error_analysis": "",
        "context": {},
        "downloads": None,
        **columns,
    }
    return FinalState(execution_id=execution_id, final=final, file=file, webhook_event=webhook_event)
