"""Values that several records share: JSON with any keys, and the status of executions and proposals."""

from enum import StrEnum
from typing import Any, Literal, TypeGuard

ProposalState = Literal["open", "applied", "declined"]


WaitingKind = Literal["code", "signIn", "person", "approval", "request", "driving"]
"""What a paused execution waits for.

A code or a sign-in by hand; something else in the page that only a person can do, such as a captcha; a yes or
no; somebody who asked for the pause to resume it; somebody who drives the browser to give it back.
"""


class Status(StrEnum):
    """The status of an execution."""

    ENQUEUED = "Enqueued"
    IN_PROGRESS = "InProgress"
    PAUSED = "Paused"
    COMPLETED = "Completed"
    FAILED = "Failed"

    @property
    def is_final(self) -> bool:
        """True for a status that never changes again."""
        return self in (Status.COMPLETED, Status.FAILED)


Json = dict[str, Any]


def is_object(value: Any) -> TypeGuard[Json]:
    """True for a JSON object; narrows the type."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """True for a JSON array; narrows the type."""
    return isinstance(value, list)
