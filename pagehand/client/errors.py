"""What may go wrong for a client."""

from typing import Any


class ApiError(Exception):
    """The service has refused a request; the message is its sentence."""

    def __init__(self, status: int, message: str, body: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = body or {}
        """The whole answer: some operations say more than the sentence."""


class Unreachable(Exception):
    """The service does not answer."""


class ExecutionFailed(Exception):
    """The workflow ran and failed; `failure` is for programs, `analysis` for people."""

    def __init__(self, execution: dict[str, Any]) -> None:
        self.execution = execution
        self.failure: dict[str, Any] = execution.get("failure") or {}
        self.analysis: str = execution.get("errorAnalysis") or ""
        super().__init__(self.failure.get("message") or self.analysis or "The execution has failed.")
